"""Glossaries: a table of literal entries finds what trying them one by one finds."""

from __future__ import annotations

import random

import pytest
import regex

from subword import SubwordError
from subword.glossary import Glossary, compile_entry, isolate


def one_by_one(word: str, entries: list[str]) -> list[tuple[str, bool]]:
    patterns = list(map(regex.compile, entries))
    parts = isolate(word, patterns)
    return [(part, any(p.fullmatch(part) for p in patterns)) for part in parts]


def test_a_pattern_that_matches_nothing_cuts_nothing():
    assert isolate("axxb", [compile_entry("x*")]) == ["a", "xx", "b"]


def test_the_table_finds_what_trying_each_entry_finds():
    rng = random.Random(5)
    kinds = [
        "a",
        "b",
        "ab",
        "ba",
        "aab",
        "é",
        r"a\.",
        r"\+b",
        "a|b",
        "^a",
        "b$",
        r"\d+",
        "(a)(b)",
        r"(.)\1",
        "(?i)B",
        "é$|a",
        ".",
    ]
    for _ in range(2000):
        entries = rng.sample(kinds, rng.randrange(1, 5))
        word = "".join(rng.choices("aab.+é12", k=rng.randrange(1, 9)))
        expected = one_by_one(word, entries)
        found = Glossary(entries).parts(word)
        assert (found or [(word, False)]) == expected, (entries, word)


def test_entries_apply_in_turn_to_what_was_found_as_well():
    assert isolate("wordlikeword", [compile_entry("like")] * 2) == ["word", "like", "word"]
    assert Glossary(["lowlow", "low"]).parts("lowlowx") == [
        ("low", True),
        ("low", True),
        ("x", False),
    ]


def test_an_anchored_entry_sees_the_parts_that_others_leave():
    assert Glossary(["^low$", "x"]).parts("lowxlow") == [("low", True), ("x", True), ("low", True)]


def test_literal_entries_are_not_compiled(monkeypatch):
    monkeypatch.setattr(regex, "compile", None)
    glossary = Glossary([*(regex.escape(f"word.{i}") for i in range(5000)), "low"])
    assert glossary.parts("newest") is None
    assert glossary.parts("xword.4999low") == [
        ("x", False), ("word.4", True), ("999", False), ("low", True),
    ]  # fmt: skip


def test_what_is_no_pattern_is_named():
    with pytest.raises(SubwordError, match=r"'\(' is not.*re\.escape"):
        Glossary(["low", "("])
