"""The oracle's oracle: a trainer that counts everything again in each round, and its encoder."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from subword.reference import Symbol, replace


def learn(words, alphabet, tie_break, num_merges, min_frequency=1, max_length=0):
    """Return the merges as ((left, right), result, count); words are ([symbols], frequency)."""
    symbols = list(alphabet)
    texts = [([symbols.index(s) for s in word], n) for word, n in words]
    merges = []
    while len(merges) < num_merges:
        counts: Counter = Counter()  # in order of first occurrence
        for word, n in texts:
            for pair in pairwise(word):
                counts[pair] += n
        spelt = {p: tuple(key(symbols[i]) for i in p) for p in counts}
        for pair in [p for p in counts if too_long(p, symbols, max_length)]:
            del counts[pair]
        best = max(counts.values(), default=0)
        tied = [p for p, count in counts.items() if count == best]
        if best < max(min_frequency, 1):
            break
        chosen = {
            "first": tied[0], "smallest_id": min(tied), "largest_id": max(tied),
            "largest": max(tied, key=spelt.get),
        }[tie_break]  # fmt: skip
        (left, _), (right, final) = (symbols[i] for i in chosen)
        if (left + right, final) not in symbols:
            symbols.append((left + right, final))
        result = symbols.index((left + right, final))
        texts = [(replace(word, chosen, result), n) for word, n in texts]
        merges.append((chosen, result, best))
    return merges


def key(symbol: Symbol) -> tuple[bytes, bool]:
    """Spell a symbol with its marker."""
    return (symbol[0] + (b"</w>" if symbol[1] else b""), symbol[1])


def too_long(pair, symbols, limit) -> bool:
    """Say whether a pair gives more characters than allowed."""
    return bool(limit) and len(b"".join(symbols[i][0] for i in pair).decode()) > limit


def encode(ids, ranks):
    """Look for the lowest rank from the start each time and merge all its occurrences."""
    while found := [ranks[pair] + (pair,) for pair in pairwise(ids) if pair in ranks]:
        _, result, pair = min(found)
        ids = replace(ids, pair, result)
    return list(ids)
