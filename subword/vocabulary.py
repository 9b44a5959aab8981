"""Columns that are given: names of features, and the n-grams they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np

from .errors import SubwordError
from .ngrams import Layout, NgramTable, Range
from .options import check_whole


def table_of(
    vocabulary: Mapping[str, int],
    pieces: Sequence[str],
    ngram_range: Layout | Range,
    streams: Sequence[int] | None = None,
) -> NgramTable:
    """Return the n-grams of given names; what cannot occur gets an empty one.

    Parameters
    ----------
    vocabulary : mapping of str to int
        Columns by name.
    pieces : sequence of str
        The name of each id.
    ngram_range : tuple (min_n, max_n) or Layout
        The lengths there are.
    streams : sequence of int
        For each id the stream it belongs to, if there are several.

    """
    layout = Layout.of(ngram_range)
    known = {piece: i for i, piece in enumerate(pieces)}
    grams: list[list[int]] = [[] for _ in vocabulary]
    for name, column in vocabulary.items():
        ids = [known.get(part, -1) for part in name.split(" ")]
        if min(ids) >= 0 and _can_occur(ids, len(pieces), layout, streams):
            grams[column] = ids
    flat = np.fromiter(chain.from_iterable(grams), np.int32)
    return NgramTable(flat, np.array([*map(len, grams)], np.int32), len(pieces), layout)


def _can_occur(ids: list[int], base: int, layout: Layout, streams: Sequence[int] | None) -> bool:
    """Say whether there are n-grams like this, if each id is one."""
    found = {streams[i] for i in ids} if streams is not None else {0}
    shortest, longest = layout.ranges[min(found)]
    opened = [i for i, number in enumerate(ids) if number >= base - layout.openers]
    alone = len(ids) == 1 and bool(opened)
    return len(found) == 1 and shortest <= len(ids) <= longest and opened in ([], [0]) and not alone


def check_vocabulary(vocabulary: Mapping[str, int] | Iterable[str]) -> dict[str, int]:
    """Return a given vocabulary as name -> column.

    >>> check_vocabulary(["low", "lower"])
    {'low': 0, 'lower': 1}
    """
    if isinstance(vocabulary, str) or not isinstance(vocabulary, Iterable):
        raise SubwordError(f"vocabulary must be names of features, got {vocabulary!r:.60}")
    if isinstance(vocabulary, Mapping):
        for name, column in vocabulary.items():
            check_whole(f"the column of {name!r:.60} in vocabulary", column, 0)
        columns = {name: int(column) for name, column in vocabulary.items()}
    else:
        is_set = isinstance(vocabulary, (set, frozenset))
        columns = _number(sorted(vocabulary) if is_set else vocabulary)
    wrong = next((name for name in columns if not isinstance(name, str)), None)
    if wrong is not None:
        raise SubwordError(f"vocabulary must hold names of features (str), got {wrong!r:.60}")
    _check_columns(columns)
    return columns


def _number(names: Iterable[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for name in names:
        if name in columns:
            raise SubwordError(f"Duplicate term in vocabulary: {name!r}")
        columns[name] = len(columns)
    return columns


def _check_columns(columns: Mapping[str, int]) -> None:
    if not columns:
        raise SubwordError("empty vocabulary passed to fit; give names of features, or None")
    numbers = {*columns.values()}
    if len(numbers) < len(columns):
        raise SubwordError("Vocabulary contains repeated indices; every name needs its own column")
    gap = next((i for i in range(len(columns)) if i not in numbers), None)
    if gap is not None:
        raise SubwordError(
            f"Vocabulary of size {len(columns)} doesn't contain index {gap}; columns are numbered "
            "from 0 without gaps"
        )
