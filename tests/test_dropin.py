"""The commands of subword-nmt: the same bytes where it is right, and what we do where it is not."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import environment, shell

import subword
from subword.cli import main

LOW = "#version: 0.2\nl o\nlo w</w>\n"


@pytest.fixture
def codes(tmp_path: Path) -> str:
    path = tmp_path / "codes"
    path.write_text(LOW)
    return str(path)


def text_of(path: Path) -> bytes:
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


# -- the golden files --------------------------------------------------------------------------


def test_its_own_test_files(run, shared):
    folder = shared / "golden" / "subword-nmt"
    learnt = run("learn-bpe", "-s", "1000", "-i", str(folder / "corpus.en"))
    assert learnt.rstrip("\n") == text_of(folder / "bpe.ref").decode().rstrip("\n")
    applied = run("apply-bpe", "-c", str(folder / "bpe.ref"), stdin=text_of(folder / "corpus.en"))
    assert applied.encode() == text_of(folder / "corpus.bpe.ref.en")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["rus", "kat", "hin"])
def test_other_scripts(run, shared, language):
    folder = shared / "golden" / "subword-nmt-0.3.8"
    text = text_of(folder / f"{language}.tok.gz")
    learnt = run("learn-bpe", "-s", "2000", stdin=text)
    assert learnt.encode() == text_of(folder / f"codes.{language}.gz")
    head = b"\n".join(text.split(b"\n")[:500]) + b"\n"
    applied = run("apply-bpe", "-c", str(folder / f"codes.{language}.gz"), stdin=head)
    assert applied.encode() == text_of(folder / f"{language}.500.bpe.gz")


def test_a_dictionary_gives_the_same_codes(run, shared):
    folder = shared / "golden" / "subword-nmt-0.3.8"
    dictionary = run("get-vocab", "-i", str(folder / "rus.tok.gz"))
    learnt = run("learn-bpe", "--dict-input", "-s", "2000", stdin=dictionary)
    assert learnt.encode() == text_of(folder / "codes.rus.gz")


@pytest.mark.slow
def test_joint_codes_vocabularies_and_thresholds(run, shared, tmp_path):
    folder = shared / "golden" / "subword-nmt-0.3.8"
    names = ["codes", "vocab.en", "vocab.de"]
    out = [str(tmp_path / name) for name in names]
    texts = [str(folder / f"train.{side}.gz") for side in ("en", "de")]
    run(
        "learn-joint-bpe-and-vocab", "-i", *texts, "-s", "4000", "-o", out[0],
        "--write-vocabulary", *out[1:],
    )  # fmt: skip
    for name, path in zip(names, out):
        assert Path(path).read_bytes() == text_of(folder / f"{name}.gz"), name
    for side, vocabulary in zip(("en", "de"), out[1:]):
        given = ["apply-bpe", "-c", out[0], "-i", str(folder / f"test.{side}.gz")]
        assert run(*given).encode() == text_of(folder / f"test.bpe.{side}.gz")
        filtered = run(*given, "--vocabulary", vocabulary, "--vocabulary-threshold", "10")
        assert filtered.encode() == text_of(folder / f"test.bpe10.{side}.gz")


# -- flags -------------------------------------------------------------------------------------


def test_learn_bpe_flags(run, tmp_path):
    text, out = "low low low lower newest newest\n", tmp_path / "out"
    learnt = run("learn-bpe", "-s", "2", stdin=text)
    assert learnt == "#version: 0.2\nl o\nw e\n"
    assert run("learn-bpe", "--sym", "2", "-o", str(out), "--num-workers", "-1", stdin=text) == ""
    assert out.read_text() == learnt
    assert run("learn-bpe", "-s", "2", "--dict", stdin="low 3\nlower 1\nnewest 2\n") == learnt


def test_min_frequency_warns_when_less_is_learnt(tmp_path, capsys):
    path = tmp_path / "text"
    path.write_text("low low lower\n")
    assert main(["learn-bpe", "-s", "5", "--min-frequency", "3", "-i", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out == "#version: 0.2\nl o\n"
    assert err == "subword: warning: 1 merges learnt, 5 asked for: no pair is frequent enough\n"


def test_total_symbols_leaves_the_characters_room(tmp_path, capsys):
    path = tmp_path / "text"
    path.write_text("ab ab abc abc\n")  # inside: a, b; at the end: b, c
    assert main(["learn-bpe", "-s", "5", "-t", "-i", str(path)]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert err == (
        "Number of word-internal characters: 2\nNumber of word-final characters: 2\n"
        "Reducing number of merge operations by 4\n"
    )


def test_verbose_shows_each_merge(monkeypatch, capsys, tmp_path):
    path = tmp_path / "text"
    path.write_text("low low\n")
    assert main(["learn-bpe", "-i", str(path), "-s", "2", "-v"]) == 0
    assert capsys.readouterr().err == (
        "pair 0: o w</w> -> ow</w> (frequency 2)\npair 1: l ow</w> -> low</w> (frequency 2)\n"
    )


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), "low lo@@ w@@ e@@ r"),
        (("-m", "1"), "lo@@ w lo@@ w@@ e@@ r"),
        (("-m", "0"), "l@@ o@@ w l@@ o@@ w@@ e@@ r"),
        (("-s", "~"), "low lo~ w~ e~ r"),
        (("--separator", "~", "--merges", "-1"), "low lo~ w~ e~ r"),
        (("--glossaries", "owe", "x"), "low l@@ owe@@ r"),
        (("--dropout", "1", "--seed", "3"), "l@@ o@@ w l@@ o@@ w@@ e@@ r"),
        (("--dropout", "0", "--num-workers", "2"), "low lo@@ w@@ e@@ r"),
    ],
)
def test_apply_bpe_flags(run, codes, flags, expected):
    assert run("apply-bpe", "-c", codes, *flags, stdin="low lower\n") == expected + "\n"


def test_merges_are_counted_as_lines_of_the_file(run, tmp_path):
    path = tmp_path / "codes"
    path.write_text("#version: 0.2\nl o\nl o\nlo w</w>\n")
    assert run("apply-bpe", "-c", str(path), "-m", "2", stdin="low") == "lo@@ w"
    path.write_text("l o\nlo w\nlow </w>\n")
    assert run("apply-bpe", "-c", str(path), "-m", "0", stdin="low") == "l@@ o@@ w"


def test_dropout_depends_on_the_seed_and_the_place(run, codes):
    given = ["apply-bpe", "-c", codes, "--dropout", "0.5", "--seed"]
    first = run(*given, "1", stdin="low low\n" * 50)
    assert first == run(*given, "1", stdin="low low\n" * 50)
    assert first != run(*given, "2", stdin="low low\n" * 50)
    assert len({*first.splitlines()}) > 1


def test_get_vocab_sorts_by_count_then_first_seen(run):
    assert run("get-vocab", stdin=" b a  c\nc x\ty\r\n") == "c 2\nb 1\na 1\nx\ty 1\n"


def test_a_vocabulary_with_tabs_is_read_back(run, codes, tmp_path):
    vocabulary = tmp_path / "vocab"
    vocabulary.write_text(run("get-vocab", stdin="low lo@@ \t@@ w\n"))
    given = ["apply-bpe", "-c", codes, "--vocabulary", str(vocabulary)]
    assert run(*given, stdin="low\tlow\n") == "lo@@ w@@ \t@@ low\n"


def test_models_that_lower_case_do_so_here(run, tmp_path):
    path = tmp_path / "model"
    subword.train({"low": 5, "lower": 2}, lowercase=True).save(path)
    assert (
        run("apply-bpe", "-c", str(path), stdin="LOW lower LOWLY\n") == "low lower lo@@ w@@ l@@ y\n"
    )


# -- bytes -------------------------------------------------------------------------------------


def test_byte_codes_by_hand(run, tmp_path):
    text = "é è é\n".encode()  # C3 A9, C3 A8
    learnt = run("learn-bpe", "--byte", "-s", "9", stdin=text)
    assert learnt.encode("utf-8", "surrogateescape") == b"#version: 0.2 byte\n\xc3 \xa9</w>\n"
    path = tmp_path / "codes"
    path.write_bytes(learnt.encode("utf-8", "surrogateescape"))
    applied = run("apply-bpe", "-c", str(path), stdin=text + b"\xff low\n")
    assert applied.encode("utf-8", "surrogateescape") == (
        b"\xc3\xa9 \xc3@@ \xa8 \xc3\xa9\n\xff l@@ o@@ w\n"
    )
    vocabulary = run("get-vocab", stdin=applied.encode("utf-8", "surrogateescape"))
    assert vocabulary.encode("utf-8", "surrogateescape").startswith(b"\xc3\xa9 2\n\xc3@@ 1\n")


def test_joint_learning_of_bytes(run, tmp_path):
    for name, text in (("x", "é é\n"), ("y", "è\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    out = [str(tmp_path / name) for name in ("codes", "vx", "vy")]
    texts = [str(tmp_path / "x"), str(tmp_path / "y")]
    run("learn-joint-bpe-and-vocab", "-b", "-i", *texts, "-o", out[0], "--write-voc", *out[1:])
    assert Path(out[0]).read_bytes() == b"#version: 0.2 byte\n\xc3 \xa9</w>\n"
    assert Path(out[1]).read_bytes() == b"\xc3\xa9 2\n"
    assert Path(out[2]).read_bytes() == b"\xc3@@ 1\n\xa8 1\n"


# -- where subword-nmt is wrong: the list in the README ------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("low\u2028low\n", "lo@@ w@@ \u2028@@ low\n"),  # no line ends here
        ("low\x85low\x0blow\n", "lo@@ w@@ \x85@@ lo@@ w@@ \x0b@@ low\n"),
        ("\ufefflow low\n", "low low\n"),  # a BOM is no text
        ("low\rlow\r\n", "low\rlow\r\n"),
    ],
)
def test_line_ends_are_those_of_text_files(run, codes, text, expected):
    assert run("apply-bpe", "-c", codes, stdin=text) == expected


@pytest.mark.parametrize(
    ("glossary", "text", "expected"),
    [
        ("low|y", "lowy", "low@@ y"),  # it looks for ^low or y$ first
        ("(l)(o)w", "xlowx", "x@@ low@@ x"),  # it writes the groups once more
    ],
)
def test_glossaries_are_whole_patterns(run, codes, glossary, text, expected):
    assert run("apply-bpe", "-c", codes, "--glossaries", glossary, stdin=text) == expected


def test_a_vocabulary_without_frequent_pieces_allows_none(run, codes, tmp_path):
    path = tmp_path / "vocab"
    path.write_text("low 9\n")
    given = ["apply-bpe", "-c", codes, "--vocabulary", str(path)]
    assert run(*given, stdin="low") == "low"
    assert run(*given, "--vocabulary-threshold", "10", stdin="low") == "l@@ o@@ w"


def test_nothing_to_learn_is_no_crash(run):
    for text in ("", "a b c\n"):
        assert run("learn-bpe", stdin=text) == "#version: 0.2\n"


def test_no_merge_is_learnt_that_is_not_there(run):
    learnt = run("learn-bpe", "--min-frequency", "0", stdin="ab cd\n")
    assert learnt == "#version: 0.2\nc d</w>\na b</w>\n"


# -- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "stdin", "message"),
    [
        (("apply-bpe", "-c", "BAD"), b"", "BAD, line 3: three columns"),
        (("apply-bpe", "-c", "BAD", "-m", "2"), b"", "BAD, line 3: three columns"),
        (("apply-bpe", "-c", "CODES", "--vocabulary", "BAD"), b"", "BAD, line 1: expected a word"),
        (("apply-bpe", "-c", "CODES"), b"low\nlow \xff\n", "<stdin>, line 2, byte 8: invalid UTF-8"),
        (("apply-bpe", "-c", "CODES", "-m", "-2"), b"", "--merges must be"),
        (("apply-bpe", "-c", "CODES", "--dropout", "2"), b"low", "dropout must be a number from 0 to 1"),
        (("apply-bpe", "-c", "CODES", "--glossaries", "("), b"low", "a glossary entry is a regular"),
        (("learn-bpe",), b"low \xff\n", "<stdin>, line 1, byte 4: invalid UTF-8"),
        (("learn-bpe", "--dict-input"), b"low 1\nlow\n", "<stdin>, line 2: expected a word"),
        (("learn-bpe", "-s", "-1"), b"low", "num_merges must be at least 0"),
        (("learn-bpe", "-s", "9" * 20), b"low", "num_merges must be below 2**63"),
        (("learn-bpe", "-i", "NONE"), b"", "NONE: No such file"),
        (("learn-joint-bpe-and-vocab", "-i", "CODES", "-o", "x", "--write-vocabulary", "x"), b"",
         "x would be written 2 times"),
        (("learn-joint-bpe-and-vocab", "-i", "CODES", "-o", "x", "--write-vocabulary", "./x"), b"",
         "x would be written 2 times"),
        (("learn-joint-bpe-and-vocab", "-i", "-", "-", "-o", "x", "--write-vocabulary", "y", "z"),
         b"low", "standard input, -, can be only one"),
    ],
)  # fmt: skip
def test_errors_are_one_line(fail, codes, tmp_path, monkeypatch, argv, stdin, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "BAD").write_text("#version: 0.2\nl o\nl o 12\n")
    given = ["codes" if a == "CODES" else a for a in argv]
    assert fail(*given, stdin=stdin).startswith(message)
    assert not (tmp_path / "x").exists()


def test_total_symbols_refuses_too_few(tmp_path, capsys):
    path = tmp_path / "text"
    path.write_text("ab ab\n")
    assert main(["learn-bpe", "-t", "-s", "1", "-i", str(path)]) == 1
    assert "has 2 characters, more than the 1 symbols asked for" in capsys.readouterr().err


@pytest.mark.parametrize(
    "argv",
    [
        ["apply-bpe"],
        ["learn-bpe", "-s", "many"],
        ["learn-joint-bpe-and-vocab", "-i", "a", "b", "-o", "c", "--write-vocabulary", "d"],
        ["apply-bpe", "-c", "CODES", "--vocabulary-threshold", "5"],
    ],
)
def test_wrong_usage_exits_with_2(argv, codes, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([codes if a == "CODES" else a for a in argv])
    assert "usage: subword" in capsys.readouterr().err


def test_an_old_output_survives_an_error(fail, codes, tmp_path):
    out = tmp_path / "out"
    out.write_text("old")
    fail("apply-bpe", "-c", codes, "-o", str(out), stdin=b"low\n" * 9 + b"\xff")
    assert out.read_text() == "old"


# -- as a process ------------------------------------------------------------------------------


def test_a_broken_pipe_ends_quietly(codes, tmp_path):
    line = f"yes low | $SUBWORD apply-bpe -c {codes} | head -n 1; exit ${{PIPESTATUS[1]}}"
    done = shell(line, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (b"low\n", b"", 141)


def test_each_line_is_answered_at_once(codes):
    with subprocess.Popen(
        [sys.executable, "-m", "subword", "apply-bpe", "-c", codes], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=environment(),
    ) as process:  # fmt: skip
        for line in (b"low\n", b"lower low\n"):
            process.stdin.write(line)
            process.stdin.flush()
            assert process.stdout.readline()  # hangs if lines are held back
        process.stdin.write(b"lo")
        process.stdin.close()
        assert process.stdout.read() == b"l@@ o"
        assert process.wait(30) == 0


def test_a_character_may_arrive_in_two_parts(codes):
    with subprocess.Popen(
        [sys.executable, "-m", "subword", "apply-bpe", "-c", codes], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=environment(),
    ) as process:  # fmt: skip
        for part in (b"\xef\xbb", b"\xbflow \xc3", b"\xa9\n"):
            process.stdin.write(part)
            process.stdin.flush()
        process.stdin.close()
        assert process.stdout.read() == "low é\n".encode()


def test_a_text_of_one_line_without_end(run, codes):
    assert run("apply-bpe", "-c", codes, stdin="low " * 600_000) == "low " * 600_000


def test_the_codes_are_a_model_of_ours_as_well(run, codes, tmp_path):
    path = tmp_path / "model.subword"
    subword.load(codes).save(path)
    assert run("apply-bpe", "-c", str(path), "-m", "1", stdin="low\n") == "lo@@ w\n"
