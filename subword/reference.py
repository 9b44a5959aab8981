"""Byte-pair encoding as one reads it: learning, encoding, dropout, decoding.

The oracle of the tests, and the engine where no compiler exists; standard library only.
A *symbol* is a pair ``(bytes, is_final)``, a word a list of symbol ids. Rules: Sennrich, Haddow
& Birch 2016 (learning, encoding); Provilkov, Emelianenko & Voita 2020 (dropout).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

Symbol = tuple[bytes, bool]
Pair = tuple[int, int]
Ranks = dict[Pair, tuple[int, int]]  # pair -> (rank, id of the result)

MARKER: Symbol = (b"", True)  # </w> on its own


class Merge(NamedTuple):
    """A learnt merge: three symbol ids, the pair's count when made, how often it applied."""

    left: int
    right: int
    result: int
    count: int  # type: ignore[assignment]
    applied: int


def spell(word: str, level: str, end_of_word: str | None) -> list[Symbol]:
    """Split a word into its initial symbols.

    >>> spell("low", "char", "suffix")
    [(b'l', False), (b'o', False), (b'w', True)]
    """
    units = word if level == "char" else map(chr, word.encode("utf-8", "surrogateescape"))
    codec = "utf-8" if level == "char" else "latin-1"
    symbols = [(unit.encode(codec, "surrogateescape"), False) for unit in units]
    if end_of_word == "suffix":
        symbols[-1] = (symbols[-1][0], True)
    return [*symbols, MARKER] if end_of_word == "separate" else symbols


def sort_key(symbol: Symbol) -> tuple[bytes, bool]:
    """Order symbols as they are spelt; UTF-8 bytes sort like code points."""
    return (symbol[0] + b"</w>" * symbol[1], symbol[1])


class Descending(tuple):  # type: ignore[type-arg]
    """A tuple that sorts the other way round."""

    __lt__ = tuple.__gt__


def replace(word: Sequence[int], pair: Pair, result: int) -> list[int]:
    """Merge a pair left to right: ``aaa`` becomes ``aa a``.

    >>> replace([7, 7, 7, 5], (7, 7), 9)
    [9, 7, 5]
    """
    merged, i = [], 0
    while i < len(word):
        hit = word[i] == pair[0] and i + 1 < len(word) and word[i + 1] == pair[1]
        merged.append(result if hit else word[i])
        i += 2 if hit else 1
    return merged


class Learner:
    """The words in their present state, the count of each pair, and the words it occurs in."""

    def __init__(self, words: Iterable[tuple[list[Symbol], int]], alphabet: Sequence[Symbol],
                 tie_break: str = "largest", max_length: int = 0) -> None:  # fmt: skip
        self.symbols, self.tie_break, self.max_length = list(alphabet), tie_break, max_length
        self.ids = {symbol: i for i, symbol in enumerate(alphabet)}
        self.lengths = {i: int(symbol != MARKER) for i, symbol in enumerate(alphabet)}  # in units
        self.words: list[list[int]] = []
        self.frequencies: list[int] = []
        self.counts: defaultdict[Pair, int] = defaultdict(int)
        self.where: defaultdict[Pair, set[int]] = defaultdict(set)
        self.heap: list[tuple[int, object, Pair]] = []
        for symbols, frequency in words:
            self.words.append([self.ids[symbol] for symbol in symbols])
            self.frequencies.append(frequency)
            self._recount(len(self.words) - 1, [])
        self._push(self.counts)

    def _recount(self, index: int, old: list[int]) -> set[Pair]:
        """Take the old pairs of a word out of the counts and its present pairs in."""
        frequency, new = self.frequencies[index], self.words[index]
        for pair in pairwise(old):
            self.counts[pair] -= frequency
        for pair in pairwise(new):
            self.counts[pair] += frequency  # overlapping: 'aaa' counts twice
        before, now = set(pairwise(old)), set(pairwise(new))
        for pair in before - now:
            self.where[pair].discard(index)
        for pair in now - before:
            self.where[pair].add(index)
        return now

    def _push(self, pairs: Iterable[Pair]) -> None:
        for pair in pairs:
            if self.counts[pair] >= 2**63:
                raise OverflowError("the count of a pair passes 2**63 - 1: divide the word counts")
            heappush(self.heap, (-self.counts[pair], self._tie_key(pair), pair))

    def _tie_key(self, pair: Pair) -> object:
        """Smaller is better."""
        if self.tie_break == "largest":
            return Descending(sort_key(self.symbols[i]) for i in pair)
        if self.tie_break == "first":
            index = min(self.where[pair])
            place = next(i for i, here in enumerate(pairwise(self.words[index])) if here == pair)
            return (index, sum(self.lengths[i] for i in self.words[index][:place]))
        return (-pair[0], -pair[1]) if self.tie_break == "largest_id" else pair

    def best(self, min_frequency: int = 1) -> Pair | None:
        """Return the most frequent pair, None when there is none as frequent as that."""
        while self.heap:  # an entry is never worse than the truth: a stale one is put right here
            entry = heappop(self.heap)
            pair = entry[2]
            too_long = 0 < self.max_length < self.lengths[pair[0]] + self.lengths[pair[1]]
            if self.counts[pair] < max(min_frequency, 1) or too_long:
                continue
            if entry[:2] == (-self.counts[pair], self._tie_key(pair)):
                return pair
            self._push([pair])
        return None

    def merge(self, pair: Pair) -> Merge:
        """Merge a pair in every word and bring the counts up to date."""
        (left, _), (right, is_final) = (self.symbols[i] for i in pair)
        result = self.ids.setdefault((left + right, is_final), len(self.symbols))
        if result == len(self.symbols):  # else 'ab' + 'c' found the symbol of 'a' + 'bc'
            self.symbols.append((left + right, is_final))
        self.lengths[result] = self.lengths[pair[0]] + self.lengths[pair[1]]
        grown: set[Pair] = set()
        count, applied = self.counts[pair], 0
        for index in [*self.where[pair]]:
            old, new = self.words[index], replace(self.words[index], pair, result)
            self.words[index] = new
            applied += self.frequencies[index] * (len(old) - len(new))
            grown.update(p for p in self._recount(index, old) if result in p)
        self._push(grown)
        return Merge(*pair, result, count, applied)


class Chain:
    """One word as a linked list of symbols, with a heap of the pairs that are merges."""

    def __init__(self, ids: Sequence[int], ranks: Ranks) -> None:
        self.ids, self.ranks = [*ids], ranks
        self.after = list(range(1, len(ids) + 1))
        self.before = list(range(-1, len(ids) - 1))
        self.heap = [entry for i in range(len(ids)) if (entry := self.candidate(i))]
        heapify(self.heap)

    def candidate(self, i: int) -> tuple[int, int] | None:
        """Return (rank, place) if the symbol at `i` and the next one are a merge."""
        j = self.after[i] if i >= 0 else len(self.ids)
        found = self.ranks.get((self.ids[i], self.ids[j])) if j < len(self.ids) else None
        return (found[0], i) if found else None

    def join(self, i: int) -> list[tuple[int, int]]:
        """Merge the symbol at `i` with the next one; return the candidates this makes."""
        j, self.after[i] = self.after[i], self.after[self.after[i]]
        self.ids[i], self.ids[j] = self.ranks[self.ids[i], self.ids[j]][1], _GONE
        if self.after[i] < len(self.ids):
            self.before[self.after[i]] = i
        return [entry for k in (self.before[i], i) if (entry := self.candidate(k))]


_GONE = -(2**63)  # in the place of a symbol that was merged into the one before


def encode(ids: Sequence[int], ranks: Ranks) -> list[int]:
    """Merge the lowest rank first, all its occurrences left to right, until none is left.

    >>> encode([0, 1, 0, 1], {(0, 1): (0, 2), (2, 2): (1, 3)})
    [3]
    """
    chain = Chain(ids, ranks)
    while chain.heap:
        rank, made = chain.heap[0][0], []
        while chain.heap and chain.heap[0][0] == rank:
            entry = heappop(chain.heap)
            if chain.candidate(entry[1]) == entry:  # else one of the two is merged already
                made += chain.join(entry[1])
        for entry in made:  # a new pair waits for the round to end, whatever its rank
            heappush(chain.heap, entry)
    return [i for i in chain.ids if i != _GONE]


def encode_dropout(
    ids: Sequence[int], ranks: Ranks, dropout: float, draw: Callable[[], float]
) -> list[int]:
    """Merge like `encode`, but at every step each candidate is skipped with some probability.

    Candidates are tried by rank, then left to right, one draw each; the first that is not
    skipped is merged and the next step draws afresh. When all are skipped, the word is done.
    """
    chain, skipped = Chain(ids, ranks), []
    while chain.heap:
        entry = heappop(chain.heap)
        if chain.candidate(entry[1]) != entry:
            continue
        skipped.append(entry)
        if draw() >= dropout:
            for again in skipped[:-1] + chain.join(entry[1]):
                heappush(chain.heap, again)
            skipped = []
    return [i for i in chain.ids if i != _GONE]


_GOLDEN, _MASK = 0x9E3779B97F4A7C15, 2**64 - 1


def mix(z: int) -> int:
    """Scramble 64 bits: the output function of SplitMix64 (Steele, Lea & Flood 2014)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def hash_text(text: bytes) -> int:
    """Hash a document with 64-bit FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in text:
        value = ((value ^ byte) * 0x100000001B3) & _MASK
    return value


def draws(seed: int, text_hash: int, position: int) -> Callable[[], float]:
    """Return a source of numbers in [0, 1) keyed by seed, document and position of the word."""
    start = mix(mix((seed + _GOLDEN) & _MASK) ^ text_hash) + position * _GOLDEN
    states = iter(range(start + _GOLDEN, start + 2**70 * _GOLDEN, _GOLDEN))
    return lambda: (mix(next(states) & _MASK) >> 11) * 2.0**-53


def decode(ids: Sequence[int], symbols: Sequence[Symbol]) -> bytes:
    """Join the symbols; a final one is followed by a space unless it is the last.

    >>> decode([0, 1, 1], [(b"lo", False), (b"w", True)])
    b'low w'
    """
    text = b"".join(symbols[i][0] + b" " * symbols[i][1] for i in ids)
    return text[:-1] if len(ids) and symbols[ids[-1]][1] else text
