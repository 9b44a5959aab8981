"""The text form, as subword-nmt writes it."""

from __future__ import annotations

import pytest

import subword
from subword import SubwordError
from subword.glossary import compile_entry, isolate

LOW = subword.loads("#version: 0.2\nl o\nlo w</w>\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  low  low \r\n", "  low low \r\n"),
        ("low\tlow", "lo@@ w@@ \t@@ low"),
        ("\n\n\n", "\n\n\n"),
        ("a\u2028b\nc\u0085d\n\ne", "a@@ \u2028@@ b\nc@@ \u0085@@ d\n\ne"),
        (" \r\n", " \r\n"),
        ("", ""),
        ("low é", "low é"),
    ],
)
def test_white_space_follows_subword_nmt(line, expected):
    assert LOW.segment(line) == expected


def test_version_0_1():
    codes = subword.loads("e s\nes t\nest </w>\nl o\nlo w\n")
    assert codes.segment("low lowest newest q") == "low low@@ est n@@ e@@ w@@ est q"


def test_overlaps_go_left_to_right():
    bpe = subword.loads("#version: 0.2\na a\naa aa\na a</w>\n")
    assert bpe.segment("aaaaa") == "aaaa@@ a"


@pytest.mark.parametrize(
    ("glossary", "line", "expected"),
    [
        ("low", "lowlow lo", "low@@ low l@@ o"),
        (
            r"<num>\d+</num>",
            "<num>12</num> low <num>3</num>low",
            "<num>12</num> low <num>3</num>@@ low",
        ),
        ("a.c", "abc", "abc"),
    ],
)
def test_glossaries_are_patterns(glossary, line, expected):
    assert LOW.segment(line, glossaries=[glossary]) == expected


def test_glossary_entries_apply_in_turn():
    assert isolate("wordlikeword", [compile_entry("like")] * 2) == ["word", "like", "word"]
    with pytest.raises(SubwordError, match=r"re\.escape"):
        LOW.segment("low", glossaries=["("])


@pytest.mark.parametrize(
    ("vocabulary", "line", "expected"),
    [
        ({"l@@", "o@@", "w", "lo@@"}, "low", "lo@@ w"),
        ({"l@@", "o@@", "w"}, "low", "l@@ o@@ w"),
        ({"zz"}, "q low", "q l@@ o@@ w"),
        ({"low"}, "low", "low"),
    ],
)
def test_a_vocabulary_undoes_merges(vocabulary, line, expected):
    assert LOW.segment(line, vocabulary=vocabulary) == expected


def test_a_vocabulary_under_version_0_1_leaves_no_empty_piece():
    bpe = subword.loads("l o\nlo w\nlow </w>\n")
    assert bpe.segment("low", vocabulary={"lo@@", "w"}) == "lo@@ w"


def test_other_separators_and_dropout():
    assert LOW.segment("lower", "+") == "lo+ w+ e+ r"
    assert LOW.segment("low", dropout=1.0) == "l@@ o@@ w"
    line = "low lower " * 30
    assert LOW.segment(line, dropout=0.5, seed=1) == LOW.segment(line, dropout=0.5, seed=1)


def test_bytes_that_are_no_characters_are_spelt():
    bpe = subword.train(["é é"], 0, level="byte")
    assert bpe.segment("é") == "<0xC3>@@ <0xA9>"
