"""n-grams in columns by the hashes of their names: no vocabulary is needed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils import murmurhash3_32

from . import native
from .coder import Ints, Longs
from .matrix import written
from .ngrams import Layout, as_csr, find_ngrams, sorted_matrix
from .streams import Streams


class Hasher:
    """Counts n-grams in columns by the hashes of their names; see `hash_columns`.

    Parameters
    ----------
    streams : Streams
        Whose pieces they are made of.
    columns : int
        How many columns there are.
    alternate_sign : bool
        Whether the counts of half of the n-grams are negative, so that collisions cancel out.

    Examples
    --------
    >>> import subword
    >>> from subword.streams import Streams
    >>> streams = Streams(subword.train({"low": 5, "lower": 2}), (1, 1))
    >>> Hasher(streams, 4, False).count_texts(["low low lower"]).toarray()
    array([[2, 1, 0, 0]])

    """

    def __init__(self, streams: Streams, columns: int, alternate_sign: bool) -> None:
        self.streams, self.columns, self.alternate_sign = streams, columns, alternate_sign

    @cached_property
    def _engine(self) -> Any:
        ranges, openers = self.streams.layout
        return native.core().NgramHasher(
            self.streams.names, ranges, openers, self.columns, self.alternate_sign
        )

    def count(
        self, ids: Ints, indptr: Longs, dtype: npt.DTypeLike = np.int64, n_jobs: int = 1
    ) -> Any:
        """Count in documents as `Streams.encode` gives them."""
        if native.core():
            found = self._engine.count(ids, indptr, written(dtype), n_jobs)
            return sorted_matrix(self.columns, *found)
        names, layout = self.streams.names, self.streams.layout
        return hash_ngrams(ids, indptr, layout, names, self.columns, self.alternate_sign)

    def count_texts(
        self, texts: Sequence[str], dtype: npt.DTypeLike = np.int64, n_jobs: int = 1
    ) -> Any:
        """Count in texts: in one go, or by way of ids."""
        with contextlib.suppress(TypeError, ValueError):  # bytes, or some that are no UTF-8
            if given := self.streams.for_engine(texts):
                found = self._engine.count_texts(*given, written(dtype), n_jobs)
                return sorted_matrix(self.columns, *found)
        return self.count(*self.streams.encode(texts, n_jobs), dtype, n_jobs)


def hash_columns(names: Sequence[str], columns: int, alternate_sign: bool) -> tuple[Longs, Longs]:
    """Return the column of each name, and the sign of its counts.

    MurmurHash3 of the name, as in scikit-learn's `FeatureHasher`: its absolute value modulo the
    number of columns, and its sign.

    >>> hash_columns(["low", "w@@"], 16, alternate_sign=True)
    (array([4, 7]), array([ 1, -1]))
    """
    hashes = np.array([murmurhash3_32(name) for name in names], np.int64)
    signs = np.where(alternate_sign & (hashes < 0), -1, 1)
    return np.abs(hashes) % columns, signs


def hash_ngrams(
    ids: Ints, indptr: Longs, layout: Layout, names: Sequence[str], columns: int, alternate: bool
) -> Any:
    """Count n-grams in columns by the hashes of their names; see `hash_columns`."""
    table, counts = find_ngrams(ids, indptr, layout, len(names))
    places, signs = hash_columns(table.names(names), columns, alternate)
    summed = sp.csr_array(
        (counts.data * signs[counts.indices], places[counts.indices], counts.indptr),
        shape=(counts.shape[0], columns),
    )
    summed.sum_duplicates()
    return as_csr(summed)
