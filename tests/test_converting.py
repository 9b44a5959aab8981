"""The command convert: what it writes, and how it proves that nothing changed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import TOY
from foreign import lines, small

import subword
from subword.cli import converting, main
from subword.cli.converting import format_named
from subword.cli.foreign import foreign
from subword.formats import huggingface

TEXTS = [line.replace("\n", " ") for line in lines(60)]


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run convert in a folder; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    small().save("bytes.subword")
    subword.train(TOY).save("toy.subword")
    text = "".join(f"{line}\n" for line in TEXTS)
    (tmp_path / "corpus").write_text(text, encoding="utf-8", newline="")
    (tmp_path / "words").write_text("low lowest newest\n\n  wider ☃ @@ \n", encoding="utf-8")

    def run(*argv: str) -> tuple[int, str, str]:
        code = main(["convert", *argv])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize(
    ("path", "format"),
    [
        ("model.subword", "subword"), ("codes", "subword-nmt"), ("en.codes.gz", "subword-nmt"),
        ("codes.bpe", "subword-nmt"), ("x/tokenizer.json", "huggingface"), ("x-vocab.json", "gpt2"),
        ("merges.txt.xz", "gpt2"), ("vocab.bpe", "gpt2"), ("r50k.tiktoken", "tiktoken"), (".", "gpt2"),
        ("corpus.txt", None), ("vocab_40000.bpe.gz", "gpt1"), ("bpe_simple_vocab_16e6.txt.gz", "clip"), ("m.model", "minbpe"),
    ],
)  # fmt: skip
def test_names_tell_formats(path, format):
    assert format_named(path) == format


@pytest.mark.parametrize("target", ["b.tiktoken", "vocab.json", "x-merges.txt.gz", "again.subword"])
def test_ids_stay_the_same(run, target):
    code, out, err = run("bytes.subword", target, "--verify", "corpus")
    assert (code, err) == (0, "")
    told = out.splitlines()
    assert told[0] == f"{target}: {format_named(target)}, 500 merges, 756 ids"
    ids = len(small().encode_batch(TEXTS)[0])
    read_back = f"{target} read back: {ids:,} of {ids:,} ids agree, 60 of 60 lines"
    assert told[1] == read_back
    back = subword.load(target, pretokenizer="gpt2")
    assert back.encode("low lower") == small().encode("low lower")


def test_the_library_of_a_model_is_told_by_what_is_in_the_file(run):
    pytest.importorskip("tokenizers")
    assert run("bytes.subword", "tokenizer.json")[0] == 0
    Path("tokenizer.json").rename("some.model")
    code, out, _ = run("some.model", "b.tiktoken", "--verify", "corpus")
    assert (code, "some.model in tokenizers " in out) == (0, True)


@pytest.mark.parametrize(
    ("target", "library"), [("b.tiktoken", "tiktoken"), ("vocab.json", "tokenizers")]
)
def test_the_library_of_the_format_is_asked(run, target, library):
    pytest.importorskip(library)
    code, out, _ = run("bytes.subword", target, "--verify", "corpus")
    assert code == 0
    theirs = next(line for line in out.splitlines() if f"{target} in {library} " in line)
    assert "agree" in theirs
    assert "not checked" not in out


def test_codes_are_compared_in_their_text_form(run):
    pytest.importorskip("subword_nmt")
    code, out, err = run("toy.subword", "toy.codes", "--verify", "words")
    assert (code, err) == (0, "")
    assert "toy.codes read back: 10 of 10 pieces agree, 3 of 3 lines" in out
    assert "toy.codes in subword-nmt" in out
    code, out, _ = run("toy.codes", "back.subword", "--verify", "words")
    assert code == 0
    assert "toy.codes in subword-nmt" in out


def test_a_difference_is_shown_and_ends_with_1(run, monkeypatch):
    good = converting.load

    def damaged(path, **options):
        bpe = good(path, **options)
        return bpe.truncate(400) if path == "b.subword" else bpe

    monkeypatch.setattr(converting, "load", damaged)
    code, out, err = run("bytes.subword", "b.subword", "--verify", "corpus")
    assert code == 1
    assert "b.subword is not the same as bytes.subword" in err
    assert err.count("\n") == 1
    told = out.splitlines()
    shown = next(
        i for i, line in enumerate(told) if line.startswith("first difference, corpus, line")
    )
    number = int(told[shown].split("line ")[1].split(",")[0])
    text = TEXTS[number - 1]
    ours, theirs = small().tokenize(text), small().truncate(400).tokenize(text)
    assert ours != theirs
    assert told[shown + 2].startswith("  A     ")
    assert told[shown + 3].startswith("  there ")
    same = sum(small().encode(t) == small().truncate(400).encode(t) for t in TEXTS)
    assert f"{same} of 60 lines" in out


def test_words_that_a_format_does_not_hold_are_told(run):
    subword.train(["low, lower"] * 2, pretokenizer="words").save("w.subword")
    code, out, _ = run("w.subword", "w.codes", "--verify", "words")
    assert "w.codes does not say how texts become words: load it with pretokenizer='words'" in out
    assert code == 0 or "subword-nmt" in out


def test_missing_libraries_are_named(run, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("subword.cli.foreign.import_module", missing)
    code, out, _ = run("bytes.subword", "b.tiktoken", "--verify", "corpus")
    assert code == 0
    assert "tiktoken is not installed (pip install tiktoken)" in out


def test_the_format_can_be_said(run):
    assert run("toy.subword", "x.txt")[0] == 1
    assert "does not say which format" in run("toy.subword", "x.txt")[2]
    assert run("toy.subword", "x.txt", "--to", "subword-nmt")[0] == 0
    assert run("toy.subword", "y", "--to", "subword")[0] == 0
    assert subword.load("y") == subword.train(TOY)


def test_a_folder_takes_the_pair_of_files(run, tmp_path):
    (tmp_path / "pair").mkdir()
    assert run("bytes.subword", "pair")[0] == 0
    assert sorted(path.name for path in (tmp_path / "pair").iterdir()) == [
        "merges.txt",
        "vocab.json",
    ]
    code, out, _ = run("pair", "again.subword", "--verify", "corpus")
    assert (code, "again.subword read back" in out) == (0, True)
    code, _, err = run("bytes.subword", "nowhere/b.tiktoken")
    assert (code, err) == (1, "subword: error: nowhere/b.tiktoken: No such file or directory\n")


def test_what_a_format_cannot_hold_is_refused(run, tmp_path):
    code, out, err = run("toy.subword", "x.tiktoken")
    assert (code, out) == (1, "")
    assert "rank files of tiktoken hold byte-level models" in err
    assert not (tmp_path / "x.tiktoken").exists()


def test_a_format_without_words_is_read_with_some(run):
    run("bytes.subword", "b.tiktoken")
    assert run("b.tiktoken", "c.subword")[0] == 1
    assert run("b.tiktoken", "c.subword", "--pretokenizer", "gpt2")[0] == 0
    assert subword.load("c.subword").merges == small().merges


@pytest.mark.skipif(not hasattr(huggingface, "read"), reason="tokenizer.json is only written")
def test_tokenizer_json(run):
    pytest.importorskip("tokenizers")
    code, out, err = run("bytes.subword", "tokenizer.json", "--verify", "corpus")
    assert (code, err) == (0, "")
    assert "tokenizer.json in tokenizers" in out


# -- changes on the way ----------------------------------------------------------------------


def test_pruning_tells_where_ids_went(run):
    toy = subword.train(TOY)
    code, out, _ = run(
        "toy.subword", "b.subword", "--prune", "3", "--new-ids", "ids.tsv", "--verify", "words"
    )
    pruned, ids = toy.prune(3)
    assert code == 0
    assert "toy.subword in" not in out  # it is another model now
    assert subword.load("b.subword") == pruned
    rows = [row.split("\t") for row in Path("ids.tsv").read_text().splitlines()]
    assert [(int(old), int(new)) for old, new in rows] == [*enumerate(ids)]
    assert -1 in ids


def test_pruning_by_texts(run):
    options = ("--prune", "1", "--by", "words", "corpus", "--new-ids", "ids.npy.gz")
    assert run("bytes.subword", "b.tiktoken", *options)[0] == 0
    counts = subword.WordCounts.from_files(["words", "corpus"], pretokenizer="gpt2")
    pruned, ids = small().prune(1, counts)
    assert subword.load("b.tiktoken", pretokenizer="gpt2").symbols == pruned.symbols
    with gzip.open("ids.npy.gz") as stream:
        assert np.load(stream).tolist() == ids.tolist()


def test_special_tokens_are_added_behind(run):
    code, _, _ = run(
        "toy.subword", "b.subword", "--special", "<s>", "--special", "</s>", "--prune", "3"
    )
    assert code == 0
    bpe = subword.load("b.subword")
    assert bpe == subword.train(TOY).prune(3)[0].add_special_tokens(["<s>", "</s>"])


def test_changes_that_are_refused(run):
    with pytest.raises(SystemExit) as caught:
        run("toy.subword", "b.subword", "--new-ids", "ids.tsv")
    assert caught.value.code == 2
    code, _, err = run("toy.subword", "b.subword", "--special", "low</w>")
    assert (code, "is a piece of this model already" in err) == (1, True)
    with pytest.raises(SystemExit):
        run("toy.subword", "b.subword", "--prune", "2", "--new-ids", "./b.subword")
    code, _, err = run("toy.subword", "b.tiktoken", "--prune", "2", "--new-ids", "ids.tsv")
    assert (code, Path("ids.tsv").exists()) == (1, False)  # the format cannot hold the model
    code, _, err = run("toy.subword", "b.subword", "--prune", "2", "--new-ids", "no/ids")
    assert (code, "no/ids: No such file" in err) == (1, True)
    run("bytes.subword", "b.tiktoken")
    code, _, err = run("b.tiktoken", "b.subword", "--pretokenizer", "gpt2", "--prune", "2")
    assert (code, "give word counts" in err) == (1, True)
    assert not Path("b.subword").exists()


# -- libraries -------------------------------------------------------------------------------


def test_formats_without_library():
    assert foreign("x", "fastbpe", small()) is foreign("x", None, small()) is None


def test_tokenizers_reads_what_is_packed(tmp_path):
    pytest.importorskip("tokenizers")
    bpe = small(special_tokens=["<s>"])
    path = tmp_path / "tokenizer.json.gz"
    path.write_bytes(gzip.compress(huggingface.write(bpe).encode()))
    library = foreign(str(path), "huggingface", bpe)
    assert library.encode(["low<s>"]) == [bpe.encode("low<s>", allowed_special="all")]
    path.write_bytes(gzip.compress(json.dumps({"no": 1}).encode()))
    assert "does not take it: " in foreign(str(path), "huggingface", bpe)


def test_codes_for_bytes_are_newer_than_subword_nmt(tmp_path):
    pytest.importorskip("subword_nmt")
    bpe = small(end_of_word="suffix", pretokenizer="space")
    assert "0.2 byte" in foreign(str(tmp_path / "codes"), "subword-nmt", bpe)


@pytest.mark.parametrize("codes", ["l o 7\nlo w</w> 5\n", "l o\nlo w</w>\n"])
def test_what_is_in_a_codes_file_chooses_the_library(run, tmp_path, codes):
    (tmp_path / "x.codes").write_text(codes)
    code, out, _ = run("x.codes", "y.subword", "--verify", "words")
    assert code == 0
    assert ("x.codes" in out) is (codes[:4] == "l o\n")  # there is no library for those of fastBPE


def test_a_library_that_would_end_the_process_is_named(tmp_path):
    pytest.importorskip("subword_nmt")
    (tmp_path / "codes").write_text("l o 7\n")
    assert "does not take it" in foreign(str(tmp_path / "codes"), "subword-nmt", subword.train(TOY))


def test_no_line_is_no_proof(run, tmp_path):
    (tmp_path / "empty").touch()
    code, _, err = run("toy.subword", "again.subword", "--verify", "empty")
    assert (code, "no line to verify on" in err) == (1, True)


def test_sentencepiece(tmp_path):
    sentencepiece = pytest.importorskip("sentencepiece")
    (tmp_path / "corpus").write_text("low lower newest widest\n" * 9)
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "corpus"), model_prefix=str(tmp_path / "m"), vocab_size=25,
        model_type="bpe", minloglevel=2,
    )  # fmt: skip
    library = foreign(str(tmp_path / "m.model"), "sentencepiece", small())
    (ids,) = library.encode(["low"])
    assert all(isinstance(i, int) for i in ids)
