"""Model files: what is written is read, what is broken is refused with its line."""

from __future__ import annotations

import hashlib
import random
import re

import pytest
from conftest import TOY, read

import subword
from subword import ModelFileError, SubwordWarning
from subword.formats import subword_model, subword_nmt

CODES = "#version: 0.2\nl o\nlo w</w>\n"


def resigned(text: str) -> str:
    """Put a right checksum under a changed model, so that the change itself is met."""
    body = text[: text.rindex("checksum")]
    return f"{body}checksum sha256 {hashlib.sha256(body.encode()).hexdigest()}\n"


# -- our own -------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["char", "byte"])
@pytest.mark.parametrize("end_of_word", ["suffix", "separate", None])
@pytest.mark.parametrize("unknown", ["bytes", "unk"])
def test_every_mode_comes_back(tmp_path, level, end_of_word, unknown):
    bpe = subword.train(
        ["low\\ \\s a</w> a</w> é😀 é😀 \u2028\u0301 \u2028\u0301 a\n\n  b" * 2, "\ufeff\0 \ufeff\0 #x"],
        level=level, end_of_word=end_of_word, unknown=unknown, pretokenizer="gpt2",
        special_tokens=["<s>", "a b\n"], tie_break="first", lowercase=True, normalization=("NFC", "squeeze"),
    )  # fmt: skip
    bpe.save(tmp_path / "model")
    again = subword.load(tmp_path / "model")
    assert again == bpe
    assert again.dumps() == bpe.dumps()
    assert (again.symbols, again.merge_table(), again.options) == (
        bpe.symbols,
        bpe.merge_table(),
        bpe.options,
    )


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (("#subword-model 1", "#subword-model 2"), 1, "version 2"),
        (("#subword-model 1", "#subword-model x"), 1, "expected '#subword-model 1'"),
        (('level "char"', 'level "word"'), 9, "level must be one of"),
        (('level "char"', "level char"), 2, "cannot be read"),
        (("tie_break", "tie"), 5, "expected the option 'tie_break'"),
        (("characters 10", "characters 9"), 20, "expected merges"),
        (("characters 10", "characters 999"), 10, "cut off"),
        (("\nd\ne\n", "\ne\nd\n"), 12, "greater than the last"),
        (("l o 7 7", "l o 7"), 24, "two symbols and two counts"),
        (("l o 7 7", "s t</w> 7 7"), 24, "duplicate merge"),
        (("l o 7 7", "l xy 7 7"), 24, "impossible merge: 'xy'"),
        (("l o 7 7", "t</w> o 7 7"), 24, "impossible merge: nothing can follow"),
        (("l o 7 7", "l \\q 7 7"), 24, "backslash"),
        (("l o 7 7", "l o 9999999999999999999 7"), 24, "2\\*\\*63"),
        (("special 0", 'special 1\n""'), 37, "must not be empty"),
        (("[72, ", "[73, "), 37, "self-test"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_line(bpe, change, line, reason):
    text = bpe.dumps()
    assert text.count(change[0]) == 1
    with pytest.raises(ModelFileError, match=reason) as caught:
        subword.loads(resigned(text.replace(*change)), "model")
    assert str(caught.value).startswith(f"model, line {caught.value.line}: ")
    assert abs(caught.value.line - line) <= 1


def test_a_cut_file_is_refused_wherever_it_is_cut(bpe):
    text = bpe.dumps()
    for size in range(len("#subword-model"), len(text) - 1, 7):
        with pytest.raises(ModelFileError, match="line"):
            subword.loads(text[:size])


def test_a_flipped_bit_is_refused_wherever_it_is(bpe):
    raw = bytearray(bpe.dumps().encode())
    rng = random.Random(0)
    for _ in range(300):
        place, bit = rng.randrange(len(raw)), 1 << rng.randrange(8)
        raw[place] ^= bit
        with pytest.raises(ModelFileError):
            subword.loads(raw.decode("utf-8", "surrogateescape"))
        raw[place] ^= bit


def test_the_checksum_guards_what_the_lines_do_not(bpe):
    text = bpe.dumps().replace("l o 7 7", "l o 8 7")
    with pytest.raises(ModelFileError, match="checksum differs"):
        subword.loads(text)


def test_symbols_are_escaped_and_back():
    rng = random.Random(3)
    for _ in range(500):
        raw = "".join(rng.choices("a \\<>/w\n\t\u00a0\u0301x</w>", k=6)).encode()
        raw += rng.choice([b"", b"\xe2", b"</w>"])
        symbol = (raw, rng.random() < 0.5)
        assert subword_model.unescape(subword_model.escape(symbol)) == symbol
        assert re.fullmatch(r"\S*", subword_model.escape(symbol))


@pytest.mark.parametrize(
    ("raw", "spelt"),
    [(b" \n\t\r\\", r"\s\n\t\r\\"), ("\u200d".encode(), r"\u{200d}"), (b"\xe2", r"\xE2")],
)
def test_symbols_are_spelt_visibly(raw, spelt):
    assert subword_model.escape((raw, True)) == spelt + "</w>"
    assert subword_model.unescape(spelt) == (raw, False)


def test_any_character_may_come_by_its_number():
    assert subword_model.unescape(r"\u{d}\u{a}\u{6c}</w>") == (b"\r\nl", True)


def test_what_is_no_model_is_said_to_be_none(tmp_path):
    with pytest.raises(ModelFileError, match="no model file"):
        subword.loads('{"a": 1}' * 3 + " and more text than that\n")
    with pytest.raises(FileNotFoundError):
        subword.load(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        subword.load(tmp_path)
    with pytest.raises(ModelFileError, match="line 2: lone surrogate"):
        subword.loads("l o\n\ud800 o\n")
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    with pytest.raises(ModelFileError):
        subword.load(tmp_path / "noise")


# -- subword-nmt ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        CODES, CODES.replace("\n", "\r\n"), "\ufeff" + CODES, CODES + "l o\n", CODES + "\n",
        CODES.replace("l o\n", " l o \n"), CODES[:-1],
    ],
    ids=["plain", "crlf", "bom", "duplicate", "blank end", "blanks", "no newline"],
)  # fmt: skip
def test_codes_are_read_as_they_come(text):
    bpe = subword.loads(text)
    assert bpe.merges == (("l", "o"), ("lo", "w</w>"))
    assert bpe.segment("low lo") == "low l@@ o"


def test_a_header_alone_is_a_model():
    bpe = subword.loads("#version: 0.2\n")
    assert (bpe.num_merges, bpe.segment("low")) == (0, "l@@ o@@ w")
    assert subword_nmt.write(bpe) == "#version: 0.2\n"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("lo", "two symbols"), ("l o 12", "fastBPE"), ("l\to", "two symbols"), ("", "two symbols"),
        ("l  o", "two symbols"), ("l o x", "two symbols"),
    ],
)  # fmt: skip
def test_malformed_codes_name_their_line(row, reason):
    with pytest.raises(ModelFileError, match=reason) as caught:
        subword.loads(f"#version: 0.2\nl o\n{row}\nlo w</w>\n", "codes")
    assert caught.value.line == 3


def test_unknown_versions_are_refused_when_loading():
    with pytest.raises(ModelFileError, match="0.1, 0.2, 0.2 byte"):
        subword.loads(CODES.replace("0.2", "0.3"))


def test_one_byte_order_mark_is_dropped(tmp_path):
    for marks in (0, 1):  # a second one is a symbol
        codes = "\ufeff" * (marks + 1) + "l o\n"
        (tmp_path / "codes").write_text(codes, encoding="utf-8")
        for bpe in (subword.load(tmp_path / "codes"), subword.loads(codes)):
            assert bpe.merges[0] == ("\ufeff" * marks + "l", "o")


def test_a_missing_header_is_mentioned():
    with pytest.warns(SubwordWarning, match="look like version 0.2"):
        bpe = subword.loads("l o\nlo w</w>\n")
    assert bpe.segment("low lo") == "lo@@ w lo"


def test_line_separators_inside_symbols_stay():
    text = "#version: 0.2\n. \u2028</w>\na \u0085\n"
    bpe = subword.loads(text)
    assert bpe.num_merges == 2
    assert subword_nmt.write(bpe) == text


@pytest.mark.parametrize(
    "options", [{}, {"end_of_word": "separate"}, {"level": "byte"}], ids=["0.2", "0.1", "byte"]
)
def test_codes_come_back(tmp_path, options):
    bpe = subword.train(["low lower é北 é北 \\g \\g"], **options)
    bpe.export(tmp_path / "codes", "subword-nmt")
    again = subword.load(tmp_path / "codes")
    assert again.merges == bpe.merges
    assert subword_nmt.write(again) == (tmp_path / "codes").read_bytes().decode(
        "utf-8", "surrogateescape"
    )
    assert again.segment("low slower é北 x") == bpe.segment("low slower é北 x")
    assert subword.loads(again.dumps()) == again


def test_byte_codes_by_hand():
    bpe = subword.loads("#version: 0.2 byte\n\udcc3 \udca9</w>\n")
    assert bpe.symbols[-1] == ("é".encode(), True)
    assert bpe.segment("é") == "é"


@pytest.mark.parametrize("format", ["subword-nmt", "fastbpe"])
def test_codes_say_nothing_of_words(tmp_path, format):
    bpe = subword.train(["low, lower"] * 2, pretokenizer="words", lowercase=True)
    with pytest.warns(SubwordWarning, match="how texts become words.*'words', lowercase=True"):
        bpe.export(tmp_path / "codes", format)
    assert subword.load(tmp_path / "codes", pretokenizer="words").merges == bpe.merges


def test_codes_refuse_what_they_cannot_hold():
    with pytest.raises(ModelFileError, match="end_of_word=None"):
        subword_nmt.write(subword.train(["low low"], pretokenizer="gpt2"))
    spaces = subword.train(["a b a b"], pretokenizer="none", end_of_word="suffix")
    with pytest.raises(ModelFileError, match="spaces"):
        subword_nmt.write(spaces)
    literal = subword.train({"</w>y": 9, "</w>z": 9})
    with pytest.raises(ModelFileError, match="literal"):
        subword_nmt.write(literal)


def test_unknown_formats_list_the_known(bpe, tmp_path):
    with pytest.raises(subword.SubwordError, match="subword-nmt"):
        bpe.export(tmp_path / "x", "word2vec")


def test_the_test_files_of_subword_nmt(shared):
    folder = shared / "golden" / "subword-nmt"
    bpe = subword.train_files(folder / "corpus.en", 1000)
    assert subword_nmt.write(bpe).rstrip("\n") == read(folder / "bpe.ref").rstrip("\n")
    assert bpe.segment(read(folder / "corpus.en")) == read(folder / "corpus.bpe.ref.en")


@pytest.mark.parametrize("language", ["rus", "kat", "hin"])
def test_subword_nmt_in_other_scripts(shared, language):
    folder = shared / "golden" / "subword-nmt-0.3.8"
    bpe = subword.train_files(folder / f"{language}.tok.gz", 2000)
    assert subword_nmt.write(bpe) == read(folder / f"codes.{language}.gz")
    lines = read(folder / f"{language}.tok.gz").split("\n")[:500]
    assert bpe.segment("\n".join(lines) + "\n") == read(folder / f"{language}.500.bpe.gz")


def test_subword_nmt_joint_codes_and_thresholds(shared):
    folder = shared / "golden" / "subword-nmt-0.3.8"
    bpe = subword.train_files([folder / "train.en.gz", folder / "train.de.gz"], 4000)
    assert subword_nmt.write(bpe) == read(folder / "codes.gz")
    for side in ("en", "de"):
        text = read(folder / f"test.{side}.gz")
        rows = (row.split(" ") for row in read(folder / f"vocab.{side}.gz").splitlines())
        frequent = {piece for piece, count in rows if int(count) >= 10}
        assert bpe.segment(text) == read(folder / f"test.bpe.{side}.gz")
        assert bpe.segment(text, vocabulary=frequent) == read(folder / f"test.bpe10.{side}.gz")


def test_saving_is_stable_under_round_trips():
    first = subword.train(TOY).dumps()
    assert subword.loads(first).dumps() == first


def test_the_engines_write_the_same_vocabulary(monkeypatch):
    rng = random.Random(3)
    pieces = ["".join(rng.choices("ab\t@é\udcff0", k=rng.randrange(1, 9))) for _ in range(500)]
    for counts in ({}, {piece: rng.choice([1, 2, 7, 2**63 - 1]) for piece in pieces}):
        held = subword.WordCounts._of(counts, subword.WordCounts().splitter)
        written = subword_nmt.write_vocabulary(held)
        monkeypatch.setattr(subword_nmt, "core", lambda: None)
        assert subword_nmt.write_vocabulary(held) == written
        monkeypatch.undo()
