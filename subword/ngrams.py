"""n-grams of ids as the columns of a sparse matrix: found, counted and chosen.

Documents come as `BPE.encode_batch` gives them: the ids of all one after another (`ids`) and
where each begins, the end of the last one included (`indptr`). Counts are CSR matrices of int64.
A `Layout` says more: a document may be several streams of ids, and words may be opened by an id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn import get_config

from . import native
from .coder import Ints, Longs
from .errors import SubwordError
from .options import check_whole

Places = npt.NDArray[Any]
Range = tuple[int, int]


class Layout(NamedTuple):
    """How the ids of documents lie, and which n-grams of them there are.

    Attributes
    ----------
    ranges : tuple of (min_n, max_n)
        The lengths of n-grams, both included, for each stream of a document. Streams lie one
        after another, and `indptr` has the bounds of each; no id is in two of them.
    openers : int
        So many of the last ids open words: an n-gram may begin with one, but does not reach
        beyond the next, and one alone is no n-gram.

    """

    ranges: tuple[Range, ...] = ((1, 1),)
    openers: int = 0

    @classmethod
    def of(cls, ngram_range: Layout | Range) -> Layout:
        """Return the layout of one stream with these lengths; a layout as it is.

        >>> Layout.of((1, 2))
        Layout(ranges=((1, 2),), openers=0)
        """
        return ngram_range if isinstance(ngram_range, cls) else cls(((*ngram_range,),))

    @property
    def streams(self) -> int:
        """How many streams a document has."""
        return len(self.ranges)

    @property
    def longest(self) -> int:
        """The length of the longest n-gram."""
        return max(longest for _, longest in self.ranges)

    def within(self, indptr: Longs) -> Layout:
        """Return the same with no lengths but those that documents can have."""
        most = int(np.diff(indptr).max(initial=1))
        return self._replace(ranges=tuple((low, min(high, most)) for low, high in self.ranges))


PLAIN = Layout()


class NgramTable:
    """Known n-grams, one a column, found by a walk over their prefixes.

    Parameters
    ----------
    flat : ndarray of int32
        The ids of all n-grams, one after another.
    sizes : ndarray of int32, shape (n_columns,)
        How many ids each n-gram has. One without any never occurs.
    base : int
        Greater than all ids.
    layout : Layout
        Its streams and openers; the lengths are those of the n-grams.

    Examples
    --------
    >>> table = NgramTable(np.array([0, 1, 0]), np.array([2, 1]), 2)  # (0, 1) and (0,)
    >>> table.names(["lo@@", "w"])
    ['lo@@ w', 'lo@@']
    >>> table.count(np.array([0, 1, 0]), np.array([0, 3])).toarray()
    array([[1, 2]])

    """

    def __init__(self, flat: Ints, sizes: Ints, base: int, layout: Layout = PLAIN) -> None:
        self.flat, self.sizes, self.base, self.layout = flat, sizes, base, layout
        self.starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))

    def __len__(self) -> int:
        return len(self.sizes)

    def gram(self, column: int) -> list[int]:
        """Return the ids of one n-gram."""
        ids: list[int] = self.flat[self.starts[column] : self.starts[column + 1]].tolist()
        return ids

    def names(self, pieces: Sequence[str]) -> list[str]:
        """Spell every n-gram: its pieces, joined by one space."""
        spelt = [*map(pieces.__getitem__, self.flat.tolist())]
        return [" ".join(spelt[a:b]) for a, b in pairwise(self.starts.tolist())]

    def by_name(self, columns: Places, pieces: Sequence[str] | range) -> Places:
        """Return some columns in the order of their names."""
        return columns[self.select(columns).order(pieces)]

    def order(self, pieces: Sequence[str] | range) -> Places:
        """Return the columns in the order of their names, without spelling these.

        A range in the place of names says that the order is that of the ids.
        No piece holds a blank or what comes before it, so names are in the order of their pieces.
        """
        ranks = name_ranks(pieces) + 1
        keys, room = [np.zeros(len(self), np.int64)], 1
        for n in range(int(self.sizes.max(initial=0))):
            longer = np.flatnonzero(self.sizes > n)  # of the others, 0: what ends there comes first
            room *= len(pieces) + 1
            if room > np.iinfo(np.int64).max:
                keys, room = [np.zeros(len(self), np.int64), *keys], len(pieces) + 1
            keys[0] *= len(pieces) + 1
            keys[0][longer] += ranks[self.flat[self.starts[longer] + n]]
        return np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys)

    def unmatched(self, vocabulary: Mapping[str, int]) -> list[str]:
        """Return those names whose n-gram never occurs."""
        return [name for name, column in vocabulary.items() if not self.sizes[column]]

    def select(self, columns: Places) -> NgramTable:
        """Return the table of some columns in the order given."""
        sizes = self.sizes[columns]
        ends = np.cumsum(sizes, dtype=np.int64)
        shift = np.repeat(self.starts[columns] - (ends - sizes), sizes)
        flat = self.flat[np.arange(len(shift)) + shift]
        return type(self)(flat, sizes, self.base, self.layout)

    def count(
        self, ids: Ints, indptr: Longs, dtype: npt.DTypeLike = np.int64, n_jobs: int = 1
    ) -> Any:
        """Count the n-grams in documents.

        Parameters
        ----------
        ids, indptr : ndarray
            The documents.
        dtype : dtype
            The type the counts are wanted in: they have it, or are int64.
        n_jobs : int
            Threads of the native engine.

        Returns
        -------
        CSR array of shape (n_documents, n_columns)
            With sorted indices.

        """
        documents = _document_of(indptr) // self.layout.streams
        levels = [*self._levels()]
        rows, columns = [], []
        ends = ngram_ends(ids, indptr, self.base, self.layout.openers)
        found = walk(ids, ends, self.base, [keys for keys, _ in levels])
        for (_, places, nodes), (_, column_of) in zip(found, levels, strict=True):
            column = column_of[nodes]
            rows.append(documents[places[column >= 0]])
            columns.append(column[column >= 0])
        return count_cells(rows, columns, (documents_in(indptr, self.layout), len(self)))

    def _levels(self) -> Iterator[tuple[Places, Places]]:
        """Yield by length the sorted keys of all prefixes, and the column each is (-1: none)."""
        nodes = np.zeros(len(self), np.int64)
        for n in range(int(self.sizes.max(initial=0))):
            longer = np.flatnonzero(self.sizes > n)
            raw = nodes[longer] * self.base + self.flat[self.starts[longer] + n]
            keys, nodes[longer] = np.unique(raw, return_inverse=True)
            columns = np.full(len(keys), -1)
            whole = np.flatnonzero(self.sizes == n + 1)
            columns[nodes[whole]] = whole
            yield keys, columns


class FoundNgrams:
    """All n-grams of documents, to choose the columns of a matrix from.

    Parameters
    ----------
    ids, indptr : ndarray
        The documents.
    layout : Layout
        Their streams, and the lengths of n-grams in each.
    base : int
        Greater than all ids.
    min_documents : int
        n-grams in fewer documents will not be needed.

    """

    def __init__(
        self, ids: Ints, indptr: Longs, layout: Layout, base: int, min_documents: int
    ) -> None:
        self._table, self._counts = find_ngrams(ids, indptr, layout, base)

    def __len__(self) -> int:
        return len(self._table)

    def frequent(self, max_df: float, min_df: float) -> Places:
        """Return the columns whose document frequency is in bounds."""
        return frequent(self._counts, max_df, min_df)

    def totals(self, columns: Places, binary: bool) -> Places:
        """Return how often n-grams occur, or in how many documents."""
        totals: Places = (self._counts > 0 if binary else self._counts).sum(axis=0)[columns]
        return totals

    def select(self, columns: Places) -> NgramTable:
        """Return the table of some columns in the order given."""
        return self._table.select(columns)

    def by_name(self, columns: Places, pieces: Sequence[str] | range) -> Places:
        """Return some columns in the order of their names."""
        return columns[self.select(columns).order(pieces)]

    def take(
        self, order: Places, dtype: npt.DTypeLike = np.int64, n_jobs: int = 1
    ) -> tuple[NgramTable, Any]:
        """Return the table and the counts of some columns in the order given."""
        return self.select(order), take_columns(self._counts, order)


class CountedNgrams(FoundNgrams):
    """n-grams that are counted already, to choose columns of theirs.

    Parameters
    ----------
    table : NgramTable
        All that were counted, in the order of their names; those that do not occur are no columns.
    counts : CSR array
        The counts; it is changed.

    """

    def __init__(self, table: NgramTable, counts: Any) -> None:
        self._table, self._counts = table, counts
        frequencies = document_frequencies(counts)
        self._places = np.flatnonzero(frequencies)
        self._frequencies = frequencies[self._places]

    def __len__(self) -> int:
        return len(self._places)

    def frequent(self, max_df: float, min_df: float) -> Places:
        """Return the columns whose document frequency is in bounds."""
        return in_bounds(self._frequencies, self._counts.shape[0], max_df, min_df)

    def totals(self, columns: Places, binary: bool) -> Places:
        """Return how often n-grams occur, or in how many documents."""
        if binary:
            return self._frequencies[columns]
        totals: Places = self._counts.sum(axis=0, dtype=np.int64)[self._places[columns]]
        return totals

    def select(self, columns: Places) -> NgramTable:
        """Return the table of some columns in the order given."""
        return self._table.select(self._places[columns])

    def by_name(self, columns: Places, pieces: Sequence[str] | range) -> Places:
        """Return some columns in the order of their names, which they have."""
        return np.sort(columns)

    def take(
        self, order: Places, dtype: npt.DTypeLike = np.int64, n_jobs: int = 1
    ) -> tuple[NgramTable, Any]:
        """Return the table and the counts of some columns in the order of their names."""
        return self.select(order), keep_columns(self._counts, self._places[order])


# -- finding and counting ----------------------------------------------------------------------


def documents_in(indptr: Longs, layout: Layout) -> int:
    """Return how many documents there are."""
    return (len(indptr) - 1) // layout.streams


def ngram_ends(
    ids: Ints, indptr: Longs, base: int, openers: int = 0, longest: Iterable[int] = ()
) -> Longs:
    """Return for each place where an n-gram that begins there must end at the latest.

    Parameters
    ----------
    ids, indptr : ndarray
        The documents.
    base, openers : int
        Ids from ``base - openers`` on open words.
    longest : iterable of int
        For each stream the greatest length, if there is one.

    """
    places = np.arange(len(ids))
    ends: Longs = np.repeat(indptr[1:], np.diff(indptr))
    if openers:
        opened = np.flatnonzero(ids >= base - openers)
        following = np.append(opened, len(ids))[np.searchsorted(opened, places, side="right")]
        ends = np.minimum(ends, following)
    if limits := [*longest]:
        streams = _document_of(indptr) % len(limits)
        ends = np.minimum(ends, places + np.array(limits)[streams])
    return ends


def walk(
    ids: Ints, ends: Longs, base: int, known: Iterable[Places | None]
) -> Iterator[tuple[Places, Places, Places]]:
    """Find the n-grams of documents for n = 1, 2, ...

    An n-gram is (its first n - 1 ids, its last id); its key is the index of the former among
    the keys one shorter, times `base`, plus the latter.

    Parameters
    ----------
    ids : ndarray
        The ids of all documents.
    ends : ndarray
        As from `ngram_ends`.
    base : int
        Greater than all ids.
    known : iterable of (ndarray or None)
        For each n the sorted keys to find; None finds all there are.

    Yields
    ------
    keys, places, nodes : ndarray
        The keys, where in `ids` an n-gram begins, and the index of its key.

    """
    places, nodes = np.arange(len(ids)), np.zeros(len(ids), np.int64)
    for n, keys in enumerate(known):
        fits = places + n < ends[places]
        places, nodes = places[fits], nodes[fits]
        raw = nodes * base + ids[places + n]
        if keys is None:
            keys, nodes = np.unique(raw, return_inverse=True)
        else:
            nodes = np.searchsorted(keys, raw)
            hits = keys[np.minimum(nodes, len(keys) - 1)] == raw
            places, nodes = places[hits], nodes[hits]
        yield keys, places, nodes


def number_names(names: Sequence[str]) -> dict[str, int]:
    """Return the place of each name, by name.

    >>> number_names(["lo@@", "w"])
    {'lo@@': 0, 'w': 1}
    """
    # A dict that once had a key other than a str keeps the hashes of all keys beside them: to
    # fill it, the names that it has need not be looked at, which lie all over the memory.
    places: dict[Any, int] = {None: 0}
    places.popitem()
    places.update(zip(names, range(len(names)), strict=True))
    return places


def name_ranks(pieces: Sequence[str] | range) -> Longs:
    """Return the place of each piece in the order of names."""
    ranks = np.empty(len(pieces), np.int64)
    ranks[sorted(range(len(pieces)), key=pieces.__getitem__)] = np.arange(len(pieces))
    return ranks


def find_ngrams(
    ids: Ints, indptr: Longs, ngram_range: Layout | Range, base: int
) -> tuple[NgramTable, Any]:
    """Return all n-grams that occur, and their counts, by length."""
    layout = Layout.of(ngram_range).within(indptr)
    rows_of = _document_of(indptr)
    longest = [high for _, high in layout.ranges]
    grams, total = np.zeros((1, 0), np.int32), 0
    flat, sizes, rows, columns = [], [], [], []
    ends = ngram_ends(ids, indptr, base, layout.openers, longest)
    walked = walk(ids, ends, base, [None] * layout.longest)
    for n, (keys, places, nodes) in enumerate(walked, 1):
        grams = np.column_stack([grams[keys // base], (keys % base).astype(np.int32)])
        wanted = np.array([low <= n for low, _ in layout.ranges])[rows_of[places] % layout.streams]
        if n == 1:
            wanted &= ids[places] < base - layout.openers
        kept, nodes = np.unique(nodes[wanted], return_inverse=True)
        flat.append(grams[kept].ravel())
        sizes.append(np.full(len(kept), n, np.int32))
        rows.append(rows_of[places[wanted]] // layout.streams)
        columns.append(nodes + total)
        total += len(kept)
    table = NgramTable(
        np.concatenate(flat).astype(np.int32, copy=False), np.concatenate(sizes), base, layout
    )
    return table, count_cells(rows, columns, (documents_in(indptr, layout), total))


def _document_of(indptr: Longs) -> Places:
    """Return for each id the number of its document."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def count_cells(rows: Iterable[Places], columns: Iterable[Places], shape: tuple[int, int]) -> Any:
    """Count how often each (row, column) comes."""
    row, column = (np.concatenate([np.zeros(0, np.int64), *parts]) for parts in (rows, columns))
    ones = np.ones(len(row), np.int64)
    return as_csr(sp.coo_array((ones, (row, column)), shape=shape).tocsr())


def as_csr(counts: Any) -> Any:
    """Sort the indices and give them the smallest type that holds them."""
    counts.sort_indices()
    dtype = index_dtype(max(counts.nnz, *counts.shape))
    counts.indices = counts.indices.astype(dtype, copy=False)
    counts.indptr = counts.indptr.astype(dtype, copy=False)
    return counts


def sorted_matrix(columns: int, data: Places, indices: Places, indptr: Places) -> Any:
    """Return a CSR array of these arrays, whose indices are sorted, and get the smallest type."""
    counts = sp.csr_array((len(indptr) - 1, columns), dtype=data.dtype)
    dtype = index_dtype(max(len(data), *counts.shape))
    counts.data, counts.indices = data, indices.astype(dtype, copy=False)
    counts.indptr = indptr.astype(dtype, copy=False)
    counts.has_sorted_indices = counts.has_canonical_format = True
    return counts


def packed(numbers: Places) -> Places:
    """Return an array in the smallest type that holds it.

    >>> packed(np.array([1, 300])).dtype
    dtype('uint16')
    """
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))


def index_dtype(total: int) -> type[np.int32 | np.int64]:
    """Return int32 while it can hold the number of entries, then int64."""
    return np.int32 if total <= np.iinfo(np.int32).max else np.int64


def finished(counts: Any, dtype: Any, binary: bool) -> Any:
    """Give a matrix of counts the type and the form that users ask for."""
    dtype = np.dtype(dtype)
    if binary:
        counts.data.fill(1)
    elif (
        dtype.kind in "iu"
        and not np.can_cast(counts.dtype, dtype)
        and counts.nnz
        and counts.data.max() > np.iinfo(dtype).max
    ):
        raise OverflowError(f"a count of {counts.data.max()} does not fit into dtype {dtype}")
    wanted = get_config().get("sparse_interface", "spmatrix")
    form = sp.csr_array if wanted == "sparray" else sp.csr_matrix
    data = counts.data.astype(dtype, copy=False)
    matrix = form((data, counts.indices, counts.indptr), counts.shape)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def check_dtype(dtype: Any) -> None:
    """Raise `SubwordError` for what is no numeric type."""
    try:
        known = np.dtype(dtype).char in "?bBhHiIlLqQfd"
    except TypeError:
        known = False
    if not known:
        raise SubwordError(f"dtype must be a numeric type such as numpy.int64, got {dtype!r}")


# -- choosing ----------------------------------------------------------------------------------


def count_before(kept: npt.NDArray[np.bool_]) -> Longs:
    """Return how many are kept before each place, the end included."""
    return np.concatenate(([0], np.cumsum(kept)))


def take_columns(counts: Any, order: Places) -> Any:
    """Return some columns in a new order."""
    new = np.full(counts.shape[1], -1)
    new[order] = np.arange(len(order))
    columns = new[counts.indices]
    kept = columns >= 0
    parts = (counts.data[kept], columns[kept], count_before(kept)[counts.indptr])
    return as_csr(sp.csr_array(parts, (counts.shape[0], len(order))))


def keep_columns(counts: Any, kept: Places, at_once: int = 1 << 17) -> Any:
    """Drop all columns but some, given in their order; about so many cells at once, in place."""
    if len(kept) == counts.shape[1]:
        return counts
    new = np.full(counts.shape[1], -1, counts.indices.dtype)
    new[kept] = np.arange(len(kept))
    if core := native.core():
        end = core.renumber_columns(counts.data, counts.indices, counts.indptr, new)
    else:
        end = _renumber(counts, new, at_once)
    shrunk = end < 0.75 * len(counts.data)  # else what is left over is less than a copy
    data, indices = counts.data[:end], counts.indices[:end]
    data, indices = (data.copy(), indices.copy()) if shrunk else (data, indices)
    return sorted_matrix(len(kept), data, indices, counts.indptr)


def _renumber(counts: Any, new: Places, at_once: int) -> int:
    """Number the columns anew and drop the cells of those that are -1; return how many are left."""
    end, bounds = 0, counts.indptr.copy()
    step = 1 + at_once * counts.shape[0] // (counts.nnz + 1)
    for row in range(0, counts.shape[0], step):
        rows = slice(row, row + step + 1)
        first, last = bounds[rows][[0, -1]]
        columns, data = new[counts.indices[first:last]], counts.data[first:last]
        wanted = columns >= 0
        counts.indptr[rows] = end + count_before(wanted)[bounds[rows] - first]
        start, end = end, int(counts.indptr[rows][-1])
        counts.indices[start:end], counts.data[start:end] = columns[wanted], data[wanted]
    return end


def document_frequencies(counts: Any, at_once: int = 1 << 20) -> Longs:
    """Return in how many rows each column is, in little memory."""
    if core := native.core():
        found: Longs = core.count_columns(counts.indices, counts.shape[1])
        return found
    frequencies = np.zeros(counts.shape[1], np.int64)
    for i in range(0, len(counts.indices), at_once):
        part = counts.indices[i : i + at_once]
        frequencies += np.bincount(part, minlength=len(frequencies))
    return frequencies


def frequent(counts: Any, max_df: float, min_df: float) -> Places:
    """Return the columns whose document frequency is in bounds."""
    return in_bounds(document_frequencies(counts), counts.shape[0], max_df, min_df)


def in_bounds(frequencies: Places, documents: int, max_df: float, min_df: float) -> Places:
    """Return which frequencies, of so many documents, are in bounds."""
    high, low = limit(max_df, documents), limit(min_df, documents)
    if high < low:
        raise SubwordError(
            f"max_df corresponds to < documents than min_df: {high} and {low} of {documents}"
        )
    kept = np.flatnonzero((frequencies >= low) & (frequencies <= high))
    if not len(kept):
        raise SubwordError(
            f"no features remain of {len(frequencies)}: try a lower min_df (now {min_df}) or a "
            f"higher max_df (now {max_df})"
        )
    return kept


def limit(df: float, documents: int) -> float:
    """Return a number of documents as it is, a share as the number it is of all."""
    return df if isinstance(df, Integral) else df * documents


def largest(
    kept: Places, totals: Places, size: int, table: NgramTable | FoundNgrams, pieces: Sequence[str]
) -> Places:
    """Return the columns with the largest totals; of equal ones the first by name."""
    cut = np.partition(totals, len(totals) - size)[len(totals) - size]
    above, equal = kept[totals > cut], kept[totals == cut]
    return np.concatenate([above, table.by_name(equal, pieces)[: size - len(above)]])


def check_df(name: str, value: Any) -> None:
    """Raise `SubwordError` for what is neither a share nor a number of documents."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    is_share = is_number and not isinstance(value, Integral)
    if not is_number or not (0 <= value <= 1 if is_share else value >= 1):
        raise SubwordError(
            f"{name} must be a share of the documents (float from 0.0 to 1.0) or a number of them "
            f"(int of at least 1); got {value!r}"
        )


def check_ngram_range(value: Any) -> None:
    """Raise `SubwordError` for what is no pair of lengths, the shorter one first."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise SubwordError(f"ngram_range must be a pair such as (1, 2), got {value!r}")
    for bound in value:
        check_whole("ngram_range", bound, 1)
    if value[0] > value[1]:
        raise SubwordError(
            f"Invalid value for ngram_range={value}: lower boundary larger than the upper boundary"
        )
