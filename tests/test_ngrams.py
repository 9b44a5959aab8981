"""n-grams of ids: found, counted, chosen, named."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from subword import SubwordError
from subword.ngrams import (
    CountedNgrams,
    FoundNgrams,
    Layout,
    NgramTable,
    as_csr,
    document_frequencies,
    find_ngrams,
    finished,
    frequent,
    index_dtype,
    keep_columns,
    largest,
    ngram_ends,
    scale_columns,
    take_columns,
)

PIECES = ["lo@@", "w", "er"]


@pytest.fixture
def found():
    """Documents ``low low`` and ``lower``: their pieces and pairs of pieces."""
    return find_ngrams(np.array([0, 1, 0, 1, 0, 2], np.int32), np.array([0, 4, 6]), (1, 2), 3)


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 4), (3, 3)])
def test_ngrams_equal_those_counted_one_by_one(ngram_range):
    rng = np.random.default_rng(7)
    documents = [rng.integers(0, 5, size).tolist() for size in rng.integers(0, 12, 40)]
    ids = np.concatenate(documents).astype(np.int32)
    indptr = np.cumsum([0, *map(len, documents)])
    table, counts = find_ngrams(ids, indptr, ngram_range, 5)
    grams = [tuple(table.gram(i)) for i in range(len(table))]
    for document, row in zip(documents, counts.toarray(), strict=True):
        shortest, longest = ngram_range
        expected = Counter(
            tuple(document[i : i + n])
            for n in range(shortest, longest + 1)
            for i in range(len(document) - n + 1)
        )
        assert {grams[i]: n for i, n in enumerate(row) if n} == expected
    order = rng.permutation(len(table))[: len(table) // 2]
    chosen = table.select(order).count(ids, indptr)
    np.testing.assert_array_equal(chosen.toarray(), counts.toarray()[:, order])


def test_tables_without_any_ngram_count_nothing():
    table = NgramTable(np.zeros(0, np.int32), np.zeros(2, np.int32), 9)
    assert table.count(np.array([1, 2], np.int32), np.array([0, 2])).toarray().tolist() == [[0, 0]]


def test_indices_are_int32_while_they_fit():
    assert index_dtype(2**31 - 1) is np.int32
    assert index_dtype(2**31) is np.int64


def test_names_are_pieces_joined_by_one_space(found):
    table, counts = found
    assert table.names(PIECES) == ["lo@@", "w", "er", "lo@@ w", "lo@@ er", "w lo@@"]
    assert counts.toarray().tolist() == [[2, 2, 0, 2, 0, 1], [1, 0, 1, 0, 1, 0]]
    assert table.gram(4) == [0, 2]
    assert table.by_name(np.arange(6), PIECES).tolist() == [2, 0, 4, 3, 1, 5]


def test_columns_are_taken_in_the_order_asked_for(found):
    chosen = take_columns(found[1], np.array([3, 0]))
    assert chosen.toarray().tolist() == [[2, 2], [0, 1]]
    assert chosen.has_sorted_indices


def test_limits_are_shares_or_numbers_of_documents(found):
    _, counts = found
    assert frequent(counts, 1.0, 2).tolist() == frequent(counts, 1.0, 1.0).tolist() == [0]
    assert frequent(counts, 1, 0.0).tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(SubwordError, match="no features remain of 6"):
        frequent(counts, 3, 3)


def test_the_largest_are_kept_and_of_equal_ones_the_first_by_name(found):
    table, counts = found
    totals = counts.sum(axis=0)
    assert sorted(largest(np.arange(6), totals, 2, table, PIECES)) == [0, 3]
    assert sorted(largest(np.arange(6), totals, 4, table, PIECES)) == [0, 1, 2, 3]


def test_a_finished_matrix_has_the_type_asked_for(found):
    counts = found[1]
    assert finished(counts.copy(), np.float32, False).dtype == np.float32
    assert finished(counts.copy(), bool, True).toarray()[1].tolist() == [1, 0, 1, 0, 1, 0]
    with pytest.raises(OverflowError, match="a count of 300 does not fit into dtype uint8"):
        finished(counts * 150, np.uint8, False)


# -- columns of what is counted already --------------------------------------------------------


@pytest.mark.parametrize("at_once", [1, 7, 1 << 17])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_columns_are_kept_in_place_as_if_taken(at_once, share):
    rng = np.random.default_rng(5)
    cells = rng.poisson(0.4, (60, 30))
    kept = np.flatnonzero(rng.random(30) < share)
    counts = as_csr(sp.csr_array(cells))
    ours = keep_columns(counts.copy(), kept, at_once)
    theirs = take_columns(counts, kept)
    np.testing.assert_array_equal(ours.toarray(), cells[:, kept])
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_columns_are_scaled_in_place(found, at_once):
    matrix, factors = found[1].astype(float), np.arange(found[1].shape[1]) / 7
    expected = matrix.toarray() * factors
    scale_columns(matrix, factors, at_once)
    np.testing.assert_array_equal(matrix.toarray(), expected)


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_document_frequencies_are_those_of_all_cells(found, at_once):
    assert document_frequencies(found[1], at_once).tolist() == [2, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("min_df", [0.0, 1, 2])
def test_counted_pieces_are_chosen_like_found_ones(min_df):
    """A table of all pieces in the order of their names, of which one never occurs."""
    ids, indptr = np.array([0, 1, 0, 1, 0, 2], np.int32), np.array([0, 4, 6])
    pieces = [*PIECES, "never"]
    everything = NgramTable(np.array([2, 0, 3, 1], np.int32), np.ones(4, np.int32), 4)
    counted = CountedNgrams(everything, everything.count(ids, indptr))
    found = FoundNgrams(ids, indptr, Layout(), 4, 1)
    assert len(counted) == len(found) == 3
    both = []
    for ngrams in (counted, found):
        order = ngrams.by_name(ngrams.frequent(1.0, min_df), pieces)
        totals = [ngrams.totals(order, binary).tolist() for binary in (False, True)]
        table, counts = ngrams.take(order)
        both.append((table.names(pieces), counts.toarray().tolist(), totals))
    assert both[0] == both[1]


# -- streams and openers -----------------------------------------------------------------------


def test_ngrams_end_before_the_next_opener_and_with_their_stream():
    ids, indptr = np.array([3, 0, 1, 3, 0, 2, 2, 2], np.int32), np.array([0, 5, 8])
    assert ngram_ends(ids, indptr, 4, 1).tolist() == [3, 3, 3, 5, 5, 8, 8, 8]
    assert ngram_ends(ids, indptr, 4, 1, [2, 1]).tolist() == [2, 3, 3, 5, 5, 6, 7, 8]
    table, counts = find_ngrams(ids, indptr, Layout(((1, 2), (1, 1)), 1), 4)
    assert table.names(["a", "b", "c", "^"]) == ["a", "b", "c", "a b", "^ a"]
    assert counts.toarray().tolist() == [[2, 1, 3, 1, 2]]


def test_no_length_is_looked_for_that_documents_do_not_have():
    ids, indptr = np.array([0, 1, 0], np.int32), np.array([0, 3])
    table, _ = find_ngrams(ids, indptr, (2, 10**9), 2)
    assert sorted(table.sizes.tolist()) == [2, 2, 3]
