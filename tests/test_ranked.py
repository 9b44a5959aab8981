"""Merges from ranks: the ones that encoding with the ranks alone would show."""

from __future__ import annotations

import random

import pytest

from subword.formats.ranked import Ranked
from subword.reference import Ranks, encode


def by_encoding(
    units: dict[str, int], tokens: list[str]
) -> tuple[list[tuple[int, int]], list[str]]:
    """Find merges the slow way: encode each token with the merges of lower rank."""
    ranks: Ranks = {}
    refused = []
    for i, token in enumerate(tokens, len(units)):
        parts = encode([units[c] for c in token], ranks)
        if len(parts) == 2:
            ranks[parts[0], parts[1]] = (i, i)
        else:
            refused.append(token)
    return [*ranks], refused


@pytest.mark.parametrize("letters", ["a", "ab", "abc"])
def test_the_merge_is_what_encoding_leaves_of_a_token(letters):
    rng = random.Random(len(letters))
    for _ in range(400):
        found = {"".join(rng.choices(letters, k=rng.randrange(2, 9))) for _ in range(30)}
        tokens = rng.sample(sorted(found), len(found))
        if rng.random() < 0.7:
            tokens.sort(key=len)
        units = {c: i for i, c in enumerate(letters)}
        ranked = Ranked(units)
        refused = [t for i, t in enumerate(tokens, len(units)) if not ranked.add(t, i)]
        assert ([*ranked.made], refused) == by_encoding(units, tokens)


def test_units_are_there_whatever_their_rank():
    ranked = Ranked({b"a": 9, b"b": 7})
    assert ranked.add(b"ab", 0)
    assert ranked.add(b"aab", 1)
    assert [merge[:3] for merge in ranked.merges()] == [(9, 7, 0), (9, 0, 1)]
