"""Texts to counts of n-grams: in pure Python by way of ids, or in one go by the engine."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import normalize

from . import native
from .coder import Ints, Longs
from .ngrams import (
    CountedNgrams,
    FoundNgrams,
    Layout,
    NgramTable,
    Places,
    Range,
    documents_in,
    in_bounds,
    sorted_matrix,
)
from .streams import Streams

_WRITTEN = ("int64", "float32", "float64")  # what the engine writes; other types are made of int64


class NativeTable(NgramTable):
    """Known n-grams, counted by the engine."""

    _adopted: tuple[Any, Any] = None, None

    @cached_property
    def _index(self) -> Any:
        index, numbers = self._adopted
        if index is None:
            index = native.core().NgramIndex(self.base, self.layout.streams, self.layout.openers)
            numbers = index.add(self.flat, self.sizes)
        index.set_columns(numbers, *self._lengths())
        self._adopted = None, None
        return index

    def _lengths(self) -> tuple[int, int]:
        """Return the lengths of the shortest and the longest n-gram that can occur."""
        longest = int(self.sizes.max(initial=0))
        return int(self.sizes.min(initial=longest, where=self.sizes > 0)), longest

    def adopt(self, index: Any, numbers: Places) -> None:
        """Use an index that has the n-grams already, by these numbers."""
        self._adopted = index, numbers

    def names(self, pieces: Sequence[str]) -> list[str]:
        """Spell every n-gram: its pieces, joined by one space."""
        names: list[str] = native.core().join_names(self.flat, self.sizes, pieces)
        return names

    def order(self, pieces: Sequence[str] | range) -> Places:
        """Return the columns in the order of their names, without spelling these."""
        by_id = isinstance(pieces, range)
        ranks = np.asarray(pieces, np.int32) if by_id else native.core().rank_names(pieces)
        columns: Places = native.core().order_ngrams(self.flat, self.sizes, ranks)
        return columns

    def count(
        self, ids: Ints, indptr: Longs, dtype: npt.DTypeLike = np.int64, n_jobs: int = 1
    ) -> Any:
        """Count the n-grams in documents."""
        return sorted_matrix(len(self), *self._index.count(ids, indptr, written(dtype), n_jobs))

    def count_texts(
        self, streams: Streams, texts: Sequence[str], dtype: npt.DTypeLike, n_jobs: int
    ) -> Any:
        """Count the n-grams in texts, if the engine can take them as they are; None if not."""
        with contextlib.suppress(TypeError, ValueError):  # bytes, or some that are no UTF-8
            if given := streams.for_engine(texts):
                found = self._index.count_texts(*given, written(dtype), n_jobs)
                return sorted_matrix(len(self), *found)
        return None


class NativeFoundNgrams(FoundNgrams):
    """All n-grams of documents, found by the engine.

    None is looked for that contains one in fewer than `min_documents` documents.
    """

    def __init__(
        self, ids: Ints, indptr: Longs, layout: Layout, base: int, min_documents: int
    ) -> None:
        self.ids, self.indptr, self.base, self.layout = ids, indptr, base, layout
        self._index = native.core().NgramIndex(base, layout.streams, layout.openers)
        ranges = layout.within(indptr).ranges
        frequencies, totals = self._index.find(ids, indptr, ranges, min_documents)
        self._nodes = np.flatnonzero(frequencies).astype(np.int32)
        self._frequencies, self._totals = frequencies[self._nodes], totals[self._nodes]

    def __len__(self) -> int:
        return len(self._nodes)

    def frequent(self, max_df: float, min_df: float) -> Places:
        """Return the columns whose document frequency is in bounds."""
        return in_bounds(self._frequencies, documents_in(self.indptr, self.layout), max_df, min_df)

    def totals(self, columns: Places, binary: bool) -> Places:
        """Return how often n-grams occur, or in how many documents."""
        totals: Places = (self._frequencies if binary else self._totals)[columns]
        return totals

    def select(self, columns: Places) -> NativeTable:
        """Return the table of some columns in the order given."""
        flat, sizes = self._index.spell(self._nodes[columns])
        return NativeTable(flat, sizes, self.base, self.layout)

    def take(
        self, order: Places, dtype: npt.DTypeLike = np.int64, n_jobs: int = 1
    ) -> tuple[NgramTable, Any]:
        """Return the table and the counts of some columns in the order given; this is over then."""
        table, numbers, index = self.select(order), self._nodes[order], self._index
        if 2 * len(order) > len(self):  # or a new one, of what is kept, is worth its time
            table.adopt(index, numbers)
        del self._index, self._nodes, self._frequencies, self._totals  # room for the counts
        counts = index.count_found(self.ids, self.indptr, numbers, written(dtype), n_jobs)
        return table, sorted_matrix(len(table), *counts)


def make_table(table: NgramTable) -> NgramTable:
    """Return the same n-grams as a table of the engine that runs."""
    if not native.core():
        return table
    return NativeTable(table.flat, table.sizes, table.base, table.layout)


def find(
    ids: Ints, indptr: Longs, ngram_range: Layout | Range, base: int, min_documents: int = 1
) -> FoundNgrams:
    """Return the n-grams of documents, found by the engine that runs.

    Parameters
    ----------
    ids, indptr : ndarray
        The documents: ids of pieces, or of words, one after another, and where each begins.
    ngram_range : tuple (min_n, max_n) or Layout
        The lengths of n-grams, both included; in a `Layout` for each stream of a document.
    base : int
        Greater than all ids.
    min_documents : int
        Those in fewer documents will not be needed; they may be left out.

    Returns
    -------
    FoundNgrams
        To choose the columns of a matrix from.

    Examples
    --------
    >>> found = find(np.array([0, 1, 0, 1]), np.array([0, 2, 4]), (1, 2), 2)
    >>> table, counts = found.take(found.by_name(found.frequent(1.0, 1), ["lo@@", "w"]))
    >>> table.names(["lo@@", "w"]), counts.toarray().tolist()
    (['lo@@', 'lo@@ w', 'w'], [[1, 1, 1], [1, 1, 1]])

    """
    kind = NativeFoundNgrams if native.core() else FoundNgrams
    return kind(ids, indptr, Layout.of(ngram_range), base, min_documents)


def count_texts(
    table: NgramTable,
    streams: Streams,
    texts: Sequence[str],
    dtype: npt.DTypeLike = np.int64,
    n_jobs: int = 1,
) -> Any:
    """Count known n-grams in texts: in one go, or by way of ids."""
    if isinstance(table, NativeTable):
        counts = table.count_texts(streams, texts, dtype, n_jobs)
        if counts is not None:
            return counts
    return table.count(*streams.encode(texts, n_jobs), dtype, n_jobs)


def count_pieces(
    streams: Streams,
    texts: Sequence[str],
    stops: Places,
    dtype: npt.DTypeLike = np.int64,
    n_jobs: int = 1,
) -> CountedNgrams:
    """Count all pieces but the stop words, to choose columns from: no ids are held meanwhile."""
    ids = np.delete(np.arange(len(streams) - streams.layout.openers, dtype=np.int32), stops)
    listed = NgramTable(ids, np.ones(len(ids), np.int32), len(streams), streams.layout)
    table = make_table(listed)
    table = table.select(table.order(streams.names))
    return CountedNgrams(table, count_texts(table, streams, texts, dtype, n_jobs))


def weigh(counts: Any, idf: Places | None, norm: str | None) -> Any:
    """Multiply a CSR matrix by the idf of its columns, and make the norm of its rows 1.

    The matrix may be changed. The result is that of scikit-learn, to the last bit.

    >>> from scipy.sparse import csr_array
    >>> weigh(csr_array([[3.0, 2.0]]), np.array([1.0, 2.0]), "l2").toarray()
    array([[0.6, 0.8]])
    """
    if native.core() and counts.dtype in (np.float32, np.float64):
        native.core().weigh(counts.data, counts.indices, counts.indptr, idf, norm)
        return counts
    if idf is not None:
        counts.data *= idf[counts.indices]
    return normalize(counts, norm=norm, copy=False) if norm and counts.shape[0] else counts


def written(dtype: npt.DTypeLike) -> str:
    """Return the type that the engine writes the counts in."""
    name = np.dtype(dtype).name
    return name if name in _WRITTEN else "int64"
