"""Steps and explanations."""

from __future__ import annotations

import pytest

import subword
from subword.errors import SubwordError


def test_steps_lead_to_the_pieces(bpe):
    steps = bpe.trace("newest")
    assert [(s.left, s.right, s.position) for s in steps] == [
        ("s", "t</w>", 4), ("e", "st</w>", 3), ("w", "est</w>", 2), ("n", "e", 0), ("ne", "west</w>", 0),
    ]  # fmt: skip
    assert [s.rank for s in steps] == [0, 1, 3, 4, 5]
    assert steps[-1].result == "newest</w>"
    assert bpe.trace("") == []


@pytest.mark.parametrize("level", ["char", "byte"])
def test_pieces_are_those_of_tokenize(level):
    bpe = subword.train(
        ["low lower naïve naïve 北京 北京"], level=level, lowercase=True, normalization="NFC"
    )
    text = "Lower  nai\u0308ve, 北xé"
    words = bpe.explain(text)
    assert [text[w.start : w.end] for w in words] == text.split()
    shown = [p for w in words for p in w.pieces]
    ids = bpe.encode(text)
    if level == "byte":
        assert shown == [bpe.vocab[i] for i in ids]
    assert len(words[0].steps) == len(bpe.trace("lower"))


def test_unknown_characters_stand_as_they_are(bpe):
    (word,) = bpe.explain("☃low")
    assert word.pieces == ("☃", "low</w>")
    assert "merge 2: l + o -> lo (7 times in training)" in str(word)


def test_what_is_no_text_is_refused(bpe):
    for ask in (bpe.trace, bpe.explain):
        with pytest.raises(SubwordError, match="lone surrogate U\\+D800 at character 1"):
            ask("l\ud800")
        with pytest.raises(TypeError, match="expected a str, got int"):
            ask(5)
    (word,) = subword.train(["low low"], level="byte").explain("low\udcff")
    assert word.pieces[-1] == "<0xFF></w>"
