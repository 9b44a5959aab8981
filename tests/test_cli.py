"""The command line: what it writes, where, and how it ends."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import environment, shell

import subword
from subword.cli import _ROOMS, build_parser, main

WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
COMMANDS = (
    "count", "train", "encode", "decode", "segment", "vocab", "info", "trace",
    "compare", "audit", "convert",
    "learn-bpe", "apply-bpe", "get-vocab", "learn-joint-bpe-and-vocab",
)  # fmt: skip
UNICODE_LINES = "a\u2028b\nc\x85d\n\ne"  # four lines, of which the last has no \n


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(" ".join([word] * n) for word, n in WORDS.items()) + "\n")
    return str(path)


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.subword"
    subword.train(WORDS, 10).save(path)
    return str(path)


@pytest.fixture
def byte_model(tmp_path: Path) -> str:
    path = tmp_path / "byte.subword"
    subword.train([" low low\nlow"], 3, level="byte", pretokenizer="gpt2").save(path)
    return str(path)


# -- count and train -------------------------------------------------------------------------


def test_each_command_is_found_in_its_room():
    known = build_parser()._subparsers._group_actions[0].choices
    assert [*known] == [name for names in _ROOMS.values() for name in names]
    for name in known:
        assert name in build_parser(name)._subparsers._group_actions[0].choices


def test_count_writes_what_word_counts_load(run, corpus, tmp_path):
    assert run("count", corpus, "-o", str(tmp_path / "counts.tsv")) == ""
    assert dict(subword.WordCounts.load(tmp_path / "counts.tsv")) == WORDS


def test_count_of_stdin_equals_count_of_the_file(run, corpus):
    assert run("count", stdin=Path(corpus).read_bytes()) == run("count", corpus)


def test_count_takes_several_files_and_stdin_together(run, corpus):
    counted = json.loads(run("count", corpus, "-", "--json", stdin="low slow\n"))
    assert counted["counts"] == WORDS | {"low": 6, "slow": 1}
    assert (counted["distinct"], counted["total"]) == (5, 18)


def test_count_passes_its_options_on(run):
    options = ("--pretokenizer", "words", "--lowercase", "--normalization", "NFC")
    out = run("count", *options, "--min-count", "2", stdin="Cafe\u0301, caf\u00e9; low")
    assert out.splitlines()[1:] == ["caf\u00e9\t2"]
    assert json.loads(out.splitlines()[0].split(" ", 2)[2])["lowercase"] is True


def test_words_are_split_once_more(run):
    options = ("--pretokenizer", "words", "--pretokenizer", r"\p{N}|\P{N}+")
    counted = json.loads(run("count", "--json", *options, stdin="room 12\n"))["counts"]
    assert counted == {"room": 1, "1": 1, "2": 1}


def test_special_tokens_are_not_counted(run):
    assert "<s>" not in run("count", "--special", "<s>", stdin="<s>low")


def test_train_equals_the_library(run, corpus, model, tmp_path):
    run("train", corpus, "-n", "10", "-o", str(tmp_path / "new"))
    assert subword.load(tmp_path / "new") == subword.load(model)


def test_results_are_packed_as_their_names_say(run, corpus, model, tmp_path):
    commands = [
        ("count", corpus), ("train", "-n", "10", corpus), ("encode", "-m", model, corpus),
        ("segment", "-m", model, corpus), ("learn-bpe", "-i", corpus), ("get-vocab", "-i", corpus),
        ("apply-bpe", "-c", model, "-i", corpus),
    ]  # fmt: skip
    for command in commands:
        out = tmp_path / f"{command[0]}.gz"
        run(*command, "-o", str(out))
        assert gzip.decompress(out.read_bytes()).decode() == run(*command)
    assert subword.load(tmp_path / "train.gz") == subword.load(model)
    run("convert", model, str(tmp_path / "m.subword.gz"))
    assert subword.load(tmp_path / "m.subword.gz") == subword.load(model)


def test_train_extends_a_model_by_its_rules(run, corpus, tmp_path, capsysbinary):
    old, new = tmp_path / "old", tmp_path / "new"
    rules = {"pretokenizer": "words", "lowercase": True, "special_tokens": ["<s>"]}
    bpe = subword.train_files([corpus], 4, **rules)
    bpe.save(old)
    run("train", "--extend", str(old), "-n", "3", corpus, "-o", str(new))
    assert subword.load(new) == bpe.extend(WORDS, 3)
    counts = run("count", "--pretokenizer", "words", "--lowercase", corpus)
    again = run("train", "--extend", str(old), "--counts", "-n", "3", stdin=counts)
    assert again == new.read_text(encoding="utf-8")
    rare = run("train", "--extend", str(old), "-n", "1", "--min-word-frequency", "6", corpus)
    assert subword.loads(rare) == bpe.extend({"newest": 6}, 1)
    for option in (["--level", "byte"], ["--special", "x"], ["--vocab-size", "9"]):
        with pytest.raises(SystemExit):
            main(["train", "--extend", str(old), *option, corpus])
        told = capsysbinary.readouterr().err.decode()
        assert f"{option[0]}: --extend learns by the rules" in told


def test_train_on_counts_and_on_a_dictionary_gives_the_same(run, corpus, model, tmp_path):
    dictionary = tmp_path / "dict.txt"
    dictionary.write_text("".join(f"{word} {count}\n" for word, count in WORDS.items()))
    expected = Path(model).read_text()
    assert run("train", "--counts", "-n", "10", str(dictionary)) == expected
    assert run("train", "--counts", "-n", "10", stdin=run("count", corpus)) == expected


def test_train_adds_count_files(run, tmp_path, model):
    for name in ("low", "newest"):
        parts = [word for word in WORDS if (word[:3] == "low") == (name == "low")]
        subword.WordCounts({word: WORDS[word] for word in parts}).save(tmp_path / name)
    out = run("train", "--counts", "-n", "10", str(tmp_path / "low"), str(tmp_path / "newest"))
    assert out == Path(model).read_text()


def test_counts_bring_their_rules(run, fail, tmp_path):
    path = tmp_path / "counts.tsv"
    subword.WordCounts(WORDS, pretokenizer="words").save(path)
    assert subword.loads(run("train", "--counts", "-n", "1", str(path))).pretokenizer == "words"
    message = fail("train", "--counts", "--pretokenizer", "gpt2", str(path))
    assert "cannot be split again" in message


def test_train_passes_its_options_on(run):
    out = run(
        "train", "--vocab-size", "262", "--level", "byte", "--end-of-word", "separate",
        "--tie-break", "first", "--min-frequency", "1", "--special", "<s>", "--special", "</s>",
        stdin="low lower",
    )  # fmt: skip
    bpe = subword.loads(out)
    assert (len(bpe), bpe.level, bpe.end_of_word) == (262, "byte", "separate")
    assert bpe.special_tokens == ("<s>", "</s>")
    assert (bpe.options.tie_break, bpe.options.min_frequency) == ("first", 1)
    out = run("train", "--unknown", "unk", "--max-token-length", "2", stdin="low low")
    assert subword.loads(out).vocab[0] == "<unk>"
    assert max(len(raw) for raw, _ in subword.loads(out).symbols[1:]) == 2
    assert subword.loads(run("train", "--min-word-frequency", "3", stdin="aa aa")).num_merges == 0


def test_train_without_marker(run):
    bpe = subword.loads(run("train", "--end-of-word", "none", "--pretokenizer", "gpt2", stdin="a"))
    assert bpe.end_of_word is None


def test_train_says_in_one_line_what_it_made(corpus, tmp_path, capsys):
    assert main(["train", corpus, "-n", "10", "-o", str(tmp_path / "m")]) == 0
    assert capsys.readouterr().err == (
        "subword: 10 merges from 4 distinct words (16 in all); 277 ids, char level, end of word: "
        "suffix\n"
    )


def test_a_warning_is_one_line(corpus, capsys):
    assert main(["train", corpus, "-n", "1000"]) == 0
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith("subword: warning: 13 merges learnt, 1000 asked for")


# -- encode and decode -----------------------------------------------------------------------


def test_encode_gives_the_ids_of_the_library(run, model):
    bpe = subword.load(model)
    assert run("encode", "-m", model, stdin="lowest newest\nlow\n") == (
        f"{' '.join(map(str, bpe.encode('lowest newest')))}\n{bpe.encode('low')[0]}\n"
    )


def test_encode_can_write_pieces(run, model, byte_model):
    assert run("encode", "-m", model, "--pieces", stdin="lowest\n") == "lo west</w>\n"
    out = run("encode", "-m", byte_model, "--pieces", stdin="low \\\tlow")
    assert out == "low \\s \\\\ \\t low"


def test_encode_can_use_fewer_merges(run, model):
    assert run("encode", "-m", model, "-n", "3", "--pieces", stdin="low") == "lo w</w>"


def test_json_and_offsets_are_one_object_a_line(run, model):
    assert json.loads(run("encode", "-m", model, "--json", stdin="low\n")) == {
        "ids": subword.load(model).encode("low"), "pieces": ["low</w>"],
    }  # fmt: skip
    lines = run("encode", "-m", model, "--offsets", stdin=" lowest\n\n").split("\n")
    assert json.loads(lines[0])["offsets"] == [[1, 3], [3, 7]]
    assert json.loads(lines[1]) == {"ids": [], "pieces": [], "offsets": []}


def test_arrays(run, model, tmp_path):
    ids, indptr = subword.load(model).encode_batch(["lowest", "", "low"])
    for name in ("a.npz", "b.npz", "ids.npy"):
        run("encode", "-m", model, "--npy", "-o", str(tmp_path / name), stdin="lowest\n\nlow")
    with np.load(tmp_path / "a.npz") as arrays:
        assert arrays["ids"].tolist() == ids.tolist()
        assert arrays["indptr"].tolist() == indptr.tolist()
        assert (arrays["ids"].dtype, arrays["indptr"].dtype) == (np.int32, np.int64)
    assert np.load(tmp_path / "ids.npy").tolist() == ids.tolist()
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_dropout_is_repeatable_by_its_seed(run, model):
    def encode(*more: str) -> str:
        return run("encode", "-m", model, *more, stdin="newest widest lowest\n" * 3)

    assert encode("--dropout", "0.5", "--seed", "1") == encode("--dropout", "0.5", "--seed", "1")
    assert encode("--dropout", "0.5", "--seed", "1") != encode("--dropout", "0.5", "--seed", "2")
    assert encode("--dropout", "0", "--seed", "1") == encode()


def test_special_tokens_are_text_unless_allowed(run, tmp_path):
    path = str(tmp_path / "m")
    subword.train(WORDS, special_tokens=["<s>"]).save(path)
    assert run("encode", "-m", path, "--pieces", stdin="<s>") == "< s > </w>"
    for allowed in ("<s>", "all"):
        out = run("encode", "-m", path, "--pieces", "--allowed-special", allowed, stdin="<s>")
        assert out == "<s>"


def test_decode_brings_the_text_back(run, model):
    text = "low  lowest\n\n  北京 x\nlast"
    assert run("decode", "-m", model, stdin=run("encode", "-m", model, stdin=text)) == (
        "low lowest\n\n北京 x\nlast"
    )


def test_bytes_that_are_no_utf8_pass_through_a_byte_level_model(run, byte_model):
    raw = b"low \xff\xfe low\r\n\tlow\xe2"
    ids = run("encode", "-m", byte_model, "--errors", "bytes", stdin=raw)
    assert run("decode", "-m", byte_model, stdin=ids).encode("utf-8", "surrogateescape") == raw


def test_decode_can_write_json_strings(run, byte_model):
    bpe = subword.load(byte_model)
    ids = " ".join(map(str, bpe.encode("low\nlow")))
    assert run("decode", "-m", byte_model, "--json", stdin=ids + "\n") == '"low\\nlow"\n'


def test_packed_files_are_read(run, corpus, model):
    packed = Path(corpus + ".gz")
    packed.write_bytes(gzip.compress(Path(corpus).read_bytes()))
    assert run("encode", "-m", model, str(packed)) == run("encode", "-m", model, corpus)


# -- lines: cases C03 to C08 -----------------------------------------------------------------


@pytest.mark.parametrize("command", ["encode", "segment"])
@pytest.mark.parametrize("text", [UNICODE_LINES, "\n\n\n", "", "\n", "low", "low\r\nlow\r\n"])
def test_the_number_of_lines_is_kept(run, model, tmp_path, command, text):
    path = tmp_path / "in.txt"
    path.write_bytes(text.encode())
    by_file, by_stdin = run(command, "-m", model, str(path)), run(command, "-m", model, stdin=text)
    assert by_file == by_stdin
    assert by_file.count("\n") == text.count("\n")
    assert by_file.endswith("\n") == text.endswith("\n")


def test_segment_keeps_the_edges_of_lines(run, model):
    assert run("segment", "-m", model, stdin="  low  low \r\nlow\r\n") == "  low low \r\nlow\r\n"
    assert run("segment", "-m", model, stdin="low\tlow") == "lo@@ w@@ \t@@ low"


def test_two_files_never_share_a_line(run, model, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("low")
    out = run("segment", "-m", model, str(tmp_path / "a"), str(tmp_path / "b"))
    assert out == "low\nlow"


def test_a_bom_is_dropped_at_the_start_only(run, model):
    assert run("segment", "-m", model, stdin="\ufefflow\n\ufefflow\n") == "low\n\ufeff@@ low\n"


# -- segment ---------------------------------------------------------------------------------


def test_segment_options(run, model, tmp_path):
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("lo@@ 9\nw 9\nlow 2\n")
    assert run("segment", "-m", model, "--separator", "~", stdin="lowest") == "lo~ west"
    filtered = ("segment", "-m", model, "--vocabulary", str(vocabulary))
    assert run(*filtered, stdin="low") == "low"
    assert run(*filtered, "--vocabulary-threshold", "3", stdin="low") == "lo@@ w"
    out = run("segment", "-m", model, "--glossaries", "xx", "<\\w+>", stdin="low<zz>lowxx")
    assert out == "low@@ <zz>@@ low@@ xx"
    assert run("segment", "-m", model, "--dropout", "1", stdin="low") == "l@@ o@@ w"


@pytest.mark.parametrize(
    ("codes", "text", "expected", "more"),
    [
        ("subword-nmt/bpe.ref", "subword-nmt/corpus.en", "subword-nmt/corpus.bpe.ref.en", []),
        ("codes.gz", "test.de.gz", "test.bpe.de.gz", []),
        ("codes.gz", "test.en.gz", "test.bpe10.en.gz", ["--vocabulary-threshold", "10"]),
    ],
)
def test_segment_writes_the_bytes_of_apply_bpe(run, shared, codes, text, expected, more):
    def path(name: str) -> Path:
        return shared / "golden" / (name if "/" in name else f"subword-nmt-0.3.8/{name}")

    if more:
        more = [*more, "--vocabulary", str(path("vocab.en.gz"))]
    raw = path(expected).read_bytes()
    out = run("segment", "-m", str(path(codes)), *more, str(path(text)))
    assert out.encode() == (gzip.decompress(raw) if expected.endswith(".gz") else raw)


# -- columns ---------------------------------------------------------------------------------

CSV = 'label,text\n1,"low, ""lower""\nlow"\n\n0,newest\n'
TSV = 'label\ttext\n1\tlow "low\r\n0\tnewest\n'
JSONL = '{"text": "low\\nlow", "label": 1}\n\n{"text": "newest", "label": 0}\n'


@pytest.mark.parametrize(
    ("name", "table", "column", "expected"),
    [
        ("a.csv", CSV, ["text"], 'low, "lower" low\nnewest\n'),
        ("a.csv", CSV, ["2", "--header"], 'low, "lower" low\nnewest\n'),
        ("a.tsv", TSV, ["text"], 'low "low\nnewest\n'),
        ("a.txt", "low\t1\nnewest\t0\n", ["1"], "low\nnewest\n"),
        ("a.jsonl", JSONL, ["text"], "low low\nnewest\n"),
    ],
)
def test_a_column_is_one_line_a_record(run, tmp_path, model, name, table, column, expected):
    path = tmp_path / name
    path.write_bytes(table.encode())
    out = run("segment", "-m", model, "--column", *column, str(path))
    assert out.replace("@@ ", "") == expected
    stdin = ("--format", name.rpartition(".")[2]) if name != "a.txt" else ()
    assert run("segment", "-m", model, "--column", *column, *stdin, stdin=table) == out


def test_count_and_train_read_columns(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    counted = json.loads(run("count", "--column", "text", "--json", str(path)))
    assert counted["counts"] == {"low,": 1, '"lower"': 1, "low": 1, "newest": 1}
    assert subword.loads(run("train", "--column", "text", str(path))).num_merges > 0


@pytest.mark.parametrize(
    ("table", "column", "listed"),
    [(CSV, "txt", "'label', 'text'"), (CSV, "3", "2: 'label', 'text'"), ("", "text", "empty")],
)
def test_an_unknown_column_is_refused_with_those_there_are(
    fail, tmp_path, model, table, column, listed
):
    path = tmp_path / "a.csv"
    path.write_text(table)
    for argv in (("encode", "-m", model), ("count",)):
        message = fail(*argv, "--column", column, str(path), "-o", str(tmp_path / "out"))
        assert message.startswith(str(path))
        assert listed in message
        message = fail(*argv, "--column", column, "--format", "csv", stdin=table.encode())
        assert message.startswith("<stdin>")


def test_notes_on_a_table_are_warnings(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "low"}\n{"text": null}\n')
    assert main(["count", "--column", "text", str(path)]) == 0
    assert capsys.readouterr().err.startswith(f"subword: warning: {path}: 1 of 2 texts are empty")


# -- vocab, info, trace ----------------------------------------------------------------------


def test_vocab_lists_id_piece_and_count(run, model):
    rows = [line.split("\t") for line in run("vocab", "-m", model).splitlines()]
    assert len(rows) == len(subword.load(model))
    assert rows[32] == ["32", "\\s", "-"]
    assert rows[-1] == ["276", "widest</w>", "3"]
    entry = json.loads(run("vocab", "-m", model, "--json"))[-1]
    assert entry == {"id": 276, "piece": "widest</w>", "count": 3}


def test_vocab_counts_pieces_in_texts(run, model, corpus):
    out = run("vocab", "-m", model, corpus)
    assert out.splitlines()[:2] == ["272\tnewest</w>\t6", "273\tlow</w>\t5"]
    assert run("vocab", "-m", model, "-", stdin=Path(corpus).read_bytes()) == out
    everything = run("vocab", "-m", model, "--min-count", "0", corpus)
    assert everything.count("\n") == len(subword.load(model))


def test_info_of_a_model(run, model):
    data = json.loads(run("info", model, "--json"))
    assert (data["merges"], data["ids"], data["level"]) == (10, 277, "char")
    assert data["fingerprint"] == subword.load(model).fingerprint
    assert "end of word     suffix\n" in run("info", model)


def test_info_of_the_installation(run):
    assert json.loads(run("info", "--json")) == subword.info()
    assert subword.__version__ in run("info")


def test_trace_is_a_table(run, model):
    assert run("trace", "-m", model, "lowest", "x") == (
        "lowest  ->  lo west</w>  (4 merges)\n"
        "  rank                 count  word\n"
        "                              l o w e s t</w>\n"
        "     0  s  +  t</w>        9  l o w e st</w>\n"
        "     1  e  +  st</w>       9  l o w est</w>\n"
        "     2  l  +  o            7  lo w est</w>\n"
        "     3  w  +  est</w>      6  lo west</w>\n"
        "\n"
        "x  ->  x  (0 merges)\n"
    )


def test_trace_as_json(run, model):
    steps = subword.load(model).trace("low")
    (word,) = json.loads(run("trace", "-m", model, "--json", "low"))
    assert word["pieces"] == ["low</w>"]
    assert word["steps"] == [step._asdict() for step in steps]


# -- errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        ("count", "PATH"),
        ("train", "PATH"),
        ("train", "--counts", "PATH"),
        ("encode", "-m", "MODEL", "PATH"),
        ("encode", "-m", "PATH"),
        ("decode", "-m", "MODEL", "PATH"),
        ("segment", "-m", "MODEL", "--vocabulary", "PATH"),
        ("vocab", "-m", "MODEL", "PATH"),
        ("info", "PATH"),
        ("trace", "-m", "PATH", "low"),
    ],
)
def test_what_is_no_readable_file_is_named(fail, tmp_path, model, argv):
    out = tmp_path / "out"
    for path, reason in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        filled = [model if a == "MODEL" else str(path) if a == "PATH" else a for a in argv]
        message = fail(*filled, "-o", str(out))
        assert message.startswith(f"{path}: {reason}")
    assert not out.exists()


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(fail, corpus):
    os.chmod(corpus, 0)
    assert fail("count", corpus).startswith(f"{corpus}: Permission denied")


def test_an_output_that_cannot_be_written_is_refused_before_any_work(fail, corpus, tmp_path):
    assert "No such file" in fail("train", corpus, "-o", str(tmp_path / "no" / "m"))
    assert "Is a directory" in fail("train", corpus, "-o", str(tmp_path))
    assert "Not a directory" in fail("train", corpus, "-o", corpus + "/m")


@pytest.mark.parametrize(
    "argv", [("count",), ("train",), ("encode", "-m", "MODEL"), ("encode", "-m", "MODEL", "--npy")]
)
def test_invalid_utf8_is_placed_and_leaves_no_output(fail, tmp_path, model, argv):
    bad, folder = tmp_path / "bad.txt", tmp_path / "out"
    bad.write_bytes(b"low\nlow \xff\xfe low\n")
    folder.mkdir()
    filled = [model if a == "MODEL" else a for a in argv]
    message = fail(*filled, str(bad), "-o", str(folder / "o"))
    assert message.startswith(f"{bad}, line 2, byte 8: invalid UTF-8")
    assert os.listdir(folder) == []
    message = fail(*filled, "-o", str(folder / "o"), stdin=bad.read_bytes())
    assert message.startswith("<stdin>, line 2, byte 8: ")


def test_advice_names_an_option_where_there_is_one(fail, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"\xff\n")
    assert fail("count", str(bad)).endswith("recode the file, or choose --errors replace\n")
    assert fail("learn-bpe", "-i", str(bad)).endswith("recode the file\n")


def test_an_old_output_survives_an_error(fail, tmp_path, model):
    out = tmp_path / "out"
    out.write_text("old")
    fail("decode", "-m", model, "-o", str(out), stdin=b"1 2\n3 x\n")
    assert out.read_text() == "old"


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (b"101\nlow\n", "<stdin>, line 2: expected ids with spaces between, got 'low'"),
        (b"101\n\n1 999\n", "<stdin>, line 3: id 999 is not one of the 277"),
        (b"-1", "<stdin>, line 1: id -1 is not one of the 277"),
    ],
)
def test_decode_refuses_what_is_no_id(fail, tmp_path, model, stdin, message):
    assert fail("decode", "-m", model, "-o", str(tmp_path / "o"), stdin=stdin).startswith(message)


def test_a_broken_model_is_placed(fail, tmp_path, model):
    lines = Path(model).read_text().splitlines()
    path = tmp_path / "broken"
    path.write_text("\n".join(lines[:12]) + "\nX\n" + "\n".join(lines[13:]) + "\n")
    assert fail("encode", "-m", str(path)).startswith(f"{path}, line ")
    path.write_text("This is no model.\n")
    assert "line 1: this is no model file" in fail("info", str(path))


def test_a_damaged_archive_is_named(fail, tmp_path, corpus, model):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(Path(corpus).read_bytes())[:-9])
    for argv in (("encode", "-m", model), ("count",), ("info",)):
        assert fail(*argv, str(path), "-o", str(tmp_path / "o")).startswith(
            f"{path}: the file cannot be unpacked"
        )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("train", "--pretokenizer", "wordz"), "unknown pretokenizer 'wordz'; choose from space"),
        (("train", "-n", "-1"), "num_merges must be at least 0"),
        (("train", "--vocab-size", "3"), "vocab_size 3 is too small"),
        (("train", "--special", ""), "a special token must not be empty"),
        (("train", "--special", "\udcff"), "the argument '\\udcff' (special) is not UTF-8"),
        (("trace", "-m", "MODEL", "low\ud83d"), "the argument 'low\\ud83d' (words) is not UTF-8"),
        (("encode", "-m", "MODEL", "--dropout", "1.5"), "dropout must be a number from 0 to 1"),
        (("encode", "-m", "MODEL", "--errors", "bytes"), "--errors bytes needs a model of level"),
        (("encode", "-m", "MODEL", "--allowed-special", "x"), "'x' is no special token"),
        (("segment", "-m", "MODEL", "--glossaries", "("), "a glossary entry is a regular"),
        (("encode", "-m", "MODEL", "-n", "-1"), "num_merges must be at least 0"),
    ],
)
def test_wrong_values_are_user_errors(fail, model, argv, message):
    filled = [model if a == "MODEL" else a for a in argv]
    assert fail(*filled, stdin=b"low low\n").startswith(message)


@pytest.mark.parametrize(
    "argv",
    [
        ["nothing"],
        ["encode"],
        ["train", "-n", "many"],
        ["train", "-n", "1", "--vocab-size", "300"],
        ["train", "--level", "word"],
        ["train", "--counts", "--column", "text"],
        ["encode", "-m", "MODEL", "--pieces", "--json"],
        ["segment", "-m", "MODEL", "--vocabulary-threshold", "5"],
    ],
)
def test_wrong_usage_exits_with_2(argv, model, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([model if a == "MODEL" else a for a in argv])
    assert "usage: subword" in capsys.readouterr().err


def test_no_command_shows_the_help(capsys):
    assert main([]) == 2
    assert "examples:" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_that_parse(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([command, "--help"])
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 100
    for line in text.split("examples:\n")[1].splitlines():
        for part in line.split(" | "):
            words = [w.strip("'") for w in re.split(" [<>] ", part)[0].split()]
            if words[0] == "subword" and "'" not in part:
                build_parser().parse_args(words[1:])


# -- as a process ----------------------------------------------------------------------------


def test_pipes(tmp_path, model):
    done = shell(f"printf 'low\\nlowest' | $SUBWORD encode -m {model} | $SUBWORD decode -m {model}", tmp_path)  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == (b"low\nlowest", b"", 0)


def test_a_pipe_can_be_named(tmp_path, model):
    line = f"printf 'low\\n' | $SUBWORD segment -m {model} -o /dev/stdout | cat"
    done = shell(line, tmp_path)
    assert (done.stdout, done.stderr) == (b"low\n", b"")


def test_a_broken_pipe_ends_quietly(tmp_path, model):
    line = f"yes low | $SUBWORD segment -m {model} | head -n 1; exit ${{PIPESTATUS[1]}}"
    done = shell(line, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (b"low\n", b"", 141)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_line(tmp_path, model):
    done = shell(f"$SUBWORD vocab -m {model} > /dev/full", tmp_path)
    assert (done.stderr, done.returncode) == (b"subword: error: No space left on device\n", 1)


def test_exit_codes(tmp_path):
    assert shell("$SUBWORD info", tmp_path).returncode == 0
    assert shell("$SUBWORD info none", tmp_path).returncode == 1
    assert shell("$SUBWORD inform", tmp_path).returncode == 2


def test_output_is_utf8_in_any_locale(tmp_path, model):
    done = shell(
        f"printf '北京' | LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 $SUBWORD segment -m {model}",
        tmp_path,
    )
    assert done.stdout.decode() == "北@@ 京"


def start(*argv: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "subword", *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment(), preexec_fn=heed_ctrl_c,
    )  # fmt: skip


def heed_ctrl_c() -> None:
    """Undo what a shell does to programs in the background, which inherit it to the tests'."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_each_line_is_answered_at_once(model):
    with start("segment", "-m", model) as process:
        process.stdin.write(b"lowest\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"lo@@ west\n"  # hangs if lines are held back
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is no signal there")
def test_ctrl_c_ends_without_a_trace(tmp_path, model):
    with start("segment", "-m", model) as process:
        process.stdin.write(b"low\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == b""
