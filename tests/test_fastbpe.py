"""fastBPE: three columns, with counts that come back."""

from __future__ import annotations

import pytest

import subword
from subword import ModelFileError
from subword.formats import fastbpe

CODES = "l o 7\nlo w</w> 5\n"


@pytest.mark.parametrize(
    "text", [CODES, CODES.replace("\n", "\r\n"), "\ufeff" + CODES, CODES + "l o 3\n", CODES[:-1]],
    ids=["plain", "crlf", "bom", "duplicate", "no newline"],
)  # fmt: skip
def test_codes_are_read_as_they_come(text):
    bpe = subword.loads(text)
    assert bpe.merges == (("l", "o"), ("lo", "w</w>"))
    assert bpe.merge_counts.tolist() == [7, 5]
    assert bpe.segment("low lo") == "low l@@ o"
    assert fastbpe.write(bpe) == CODES


def test_they_split_as_the_codes_of_subword_nmt_do(bpe, tmp_path):
    bpe.export(tmp_path / "codes", "fastbpe")
    again = subword.load(tmp_path / "codes")
    assert again.merges == bpe.merges
    assert again.segment("low lowest slower") == bpe.segment("low lowest slower")


@pytest.mark.parametrize(
    "row", ["lo", "l o", "l o x", "l o -1", "l  o 1", "", "l o 1 2", "l o ²", "l o " + "9" * 19, "l\to 7"]
)  # fmt: skip
def test_malformed_lines_are_named(row):
    with pytest.raises(ModelFileError, match="expected left, right and count") as caught:
        subword.loads(f"l o 7\n{row}\nlo w</w> 5\n", "codes")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"level": "byte"}, "byte level .* format='subword-nmt'"),
        ({"end_of_word": "separate"}, "'separate'.* format='subword-nmt'"),
        ({"pretokenizer": "gpt2"}, "None.* format='huggingface'"),
        ({"num_merges": 0}, "empty file"),
    ],
)  # fmt: skip
def test_what_it_cannot_hold_is_refused(options, reason):
    with pytest.raises(ModelFileError, match=reason):
        fastbpe.write(subword.train(["low low"], **options))


def test_vocabularies():
    counts = {"lo@@": 2, "low": 5, "est": 2}
    text = fastbpe.write_vocab(counts)
    assert text == "low 5\nest 2\nlo@@ 2\n"
    assert fastbpe.read_vocab(text) == counts
    assert fastbpe.read_vocab("") == {}
    with pytest.raises(ModelFileError, match="vocab, line 2: expected a piece and its count"):
        fastbpe.read_vocab("low 5\nlow\n", "vocab")
