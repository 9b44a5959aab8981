"""Special tokens: the leftmost, of those the longest, however many there are."""

from __future__ import annotations

import random

import pytest
import regex

import subword
from subword.specials import special_pattern, without_specials


@pytest.mark.parametrize("seed", range(20))
def test_equals_the_regular_expression(seed):
    rng = random.Random(seed)
    tokens = list({"".join(rng.choices("a]^\\-<é", k=rng.randint(1, 4))) for _ in range(6)})
    texts = ["".join(rng.choices("a]^\\-<é b", k=40)) for _ in range(20)]
    expected = regex.compile(r"\L<tokens>", tokens=tokens)
    for text in texts:
        assert list(special_pattern(tokens).spans(text)) == [
            m.span() for m in expected.finditer(text)
        ]
    pieces = [piece for text in texts for piece in expected.split(text) if piece]
    assert list(without_specials(texts, tokens)) == pieces


@pytest.mark.slow
def test_a_million_tokens():
    tokens = [f"<{i}>" for i in range(1_000_000)]
    bpe = subword.train(["low<5> lower<77>"] * 9, special_tokens=tokens)
    assert not any(b"<" in text for text, _ in bpe._plain[256:])
    first = len(bpe) - len(tokens)
    ids, _ = bpe.encode_batch(["<5><999999> <1000000>"] * 3, allowed_special="all")
    assert ids[:2].tolist() == [first + 5, first + 999_999]
    with pytest.raises(subword.SpecialTokenError, match="'<x>' is no special token") as caught:
        bpe.encode("low", allowed_special={"<x>"})
    assert len(str(caught.value)) < 300
