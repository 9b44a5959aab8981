"""Whole words, told from the pieces of encoded documents, and numbers for them."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from . import native, ngrams
from .coder import Ints, Longs


class Words(NamedTuple):
    """The words of encoded documents: where each begins, its number of pieces, where documents do.

    The document i has the words ``indptr[i]:indptr[i + 1]``.
    """

    starts: Longs
    sizes: Longs
    indptr: Longs

    @classmethod
    def find(cls, ids: Ints, indptr: Longs, final: npt.NDArray[np.bool_]) -> Words:
        """Find the words in what `BPE.encode_batch` returns; `final` says which ids end one."""
        ends = np.flatnonzero(final[ids]) + 1
        starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
        return cls(starts, ends - starts, np.searchsorted(ends, indptr, side="right"))


class WordIndex:
    """Numbers for words, told by their pieces, and in the order of these.

    Parameters
    ----------
    table : NgramTable
        The words, as n-grams of pieces.

    Examples
    --------
    >>> ids, indptr, final = np.array([0, 2, 1, 0, 2]), np.array([0, 5]), np.arange(3) > 0
    >>> words = Words.find(ids, indptr, final)  # 0 2, 1, 0 2
    >>> index, numbers = WordIndex.learn(ids, words.sizes, 3)
    >>> numbers.tolist(), len(index)
    ([0, 1, 0], 2)
    >>> index.number(np.array([1, 2]), np.array([1, 1])).tolist()  # 1, and 2, which is not known
    [1, 2]

    """

    def __init__(self, table: ngrams.NgramTable) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    @classmethod
    def learn(cls, ids: Ints, sizes: Longs, base: int) -> tuple[Self, Longs]:
        """Number the words that there are.

        Parameters
        ----------
        ids : ndarray of int
            The pieces of all words, one after another.
        sizes : ndarray of int
            How many pieces each has.
        base : int
            Greater than all ids.

        """
        spelt = _spell(ids, sizes)
        kinds = sorted({*spelt})
        flat = np.frombuffer(b"".join(kinds), ">i4").astype(np.int32)
        index = cls(ngrams.NgramTable(flat, np.array([len(k) // 4 for k in kinds], np.int32), base))
        return index, index._look_up(spelt)

    def number(self, ids: Ints, sizes: Longs) -> Longs:
        """Return the numbers of words; of one that is not known the number of words."""
        return self._look_up(_spell(ids, sizes))

    def _look_up(self, spelt: list[bytes]) -> Longs:
        numbers = (self._numbers.get(word, len(self)) for word in spelt)
        return np.fromiter(numbers, np.int64, len(spelt))

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        return {word: i for i, word in enumerate(_spell(self.table.flat, self.table.sizes))}


class NativeWordIndex(WordIndex):
    """The same by the engine: a word is an n-gram of pieces."""

    @classmethod
    def learn(cls, ids: Ints, sizes: Longs, base: int) -> tuple[Self, Longs]:
        """Number the words that there are."""
        index = native.core().NgramIndex(base)
        nodes = index.add(ids, sizes)
        kinds = np.flatnonzero(np.bincount(nodes))
        flat, lengths = index.spell(kinds)
        order = native.core().order_ngrams(flat, lengths, np.arange(base))
        learnt = cls(ngrams.NgramTable(flat, lengths, base).select(order))
        return learnt, _places(kinds[order])[nodes]

    def number(self, ids: Ints, sizes: Longs) -> Longs:
        """Return the numbers of words; of one that is not known the number of words."""
        index, numbers = self._index
        found: Longs = numbers[index.look_up(ids, sizes)]
        return found

    @cached_property
    def _index(self) -> tuple[Any, Longs]:
        index = native.core().NgramIndex(self.table.base)
        nodes = index.add(self.table.flat, self.table.sizes)
        return index, np.append(_places(nodes, absent=len(self)), len(self))  # for -1 the last one


def make_index(table: ngrams.NgramTable) -> WordIndex:
    """Return the index of the engine that runs."""
    return _kind()(table)


def learn_words(ids: Ints, sizes: Longs, base: int) -> tuple[WordIndex, Longs]:
    """Number the words that there are, by the engine that runs; see `WordIndex.learn`."""
    return _kind().learn(ids, sizes, base)


def _kind() -> type[WordIndex]:
    return NativeWordIndex if native.core() else WordIndex


def _spell(ids: Ints, sizes: npt.NDArray[Any]) -> list[bytes]:
    """Return each word as bytes, which sort as its ids do."""
    spelt, borders = ids.astype(">i4").tobytes(), 4 * np.append(0, np.cumsum(sizes))
    return [spelt[a:b] for a, b in pairwise(borders.tolist())]


def _places(numbers: Longs, absent: int = 0) -> Longs:
    """Return the inverse: at each number its place, elsewhere `absent`."""
    places = np.full(int(numbers.max(initial=-1)) + 1, absent, np.int64)
    places[numbers] = np.arange(len(numbers))
    return places
