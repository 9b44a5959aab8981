"""Log-count ratios by hand, and scikit-learn's official checks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from subword import NBLogCountRatio
from subword.log_counts import class_sums, log_ratios

# Rows are texts, columns low, lower, newest.
COUNTS = np.array([[2, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1]])
TWO = np.array(["up", "up", "down", "down"])
THREE = np.array(["a", "a", "b", "c"])


@parametrize_with_checks([NBLogCountRatio(), NBLogCountRatio(binarize=False, smoothing="shared")])
def test_official_check(estimator, check):
    check(estimator)


def test_sums_by_class_by_hand():
    codes, weights = np.array([1, 1, 0, 0]), np.array([1, 3, 1, 0.5])
    for counts in (COUNTS, sp.csr_array(COUNTS), sp.csr_array(COUNTS.astype(np.float32))):
        assert class_sums(counts, codes, weights).tolist() == [[1, 0.5, 1.5], [5, 1, 0]]


def test_plain_ratios_by_hand():
    """up has low 2, lower 1, newest 0 documents; down has 1, 1, 2; each 1 more, shares of 6, 7."""
    ratio = NBLogCountRatio(alpha=1.0).fit(COUNTS, TWO)
    up = np.log([3 / 6, 2 / 6, 1 / 6]) - np.log([2 / 7, 2 / 7, 3 / 7])
    assert_array_equal(ratio.classes_, ["down", "up"])
    assert_allclose(ratio.r_, [-up, up])
    assert_allclose(ratio.g_, abs(up))
    assert not hasattr(ratio, "idf_")
    assert_allclose(ratio.transform(COUNTS)[0], [abs(up[0]), abs(up[1]), 0])


def test_counts_are_used_as_they_are_if_asked():
    ratio = NBLogCountRatio(binarize=False).fit(COUNTS, TWO)
    assert_allclose(ratio.r_[1, 0], np.log((4 / 7) / (2 / 7)))
    assert_allclose(ratio.transform(COUNTS)[0, 0], 2 * ratio.g_[0])


def test_shared_ratios_by_hand():
    """up has 3 of all 7 (feature, document) pairs, so the smoothing is 2 * 3/7 there."""
    ratio = NBLogCountRatio(alpha=2.0, smoothing="shared").fit(COUNTS, TWO)
    mine, theirs = np.array([2, 1, 0]) + 6 / 7, np.array([1, 1, 2]) + 8 / 7
    assert_allclose(ratio.r_[1], np.log(mine / theirs) - np.log(3 / 4))


def test_shared_smoothing_says_nothing_about_what_was_not_seen():
    sums = np.array([[90.0, 0.0, 30.0], [1.0, 0.0, 2.0], [5.0, 0.0, 0.0]])
    shared, plain = (log_ratios(sums, 2.0, smoothing) for smoothing in ("shared", "plain"))
    assert_allclose(shared[:, 1], 0, atol=1e-12)
    assert abs(plain[:, 1]).min() > 0.4


def test_more_classes_share_one_weight_with_idf():
    ratio = NBLogCountRatio(alpha=2.0, smoothing="shared").fit(COUNTS, THREE)
    assert ratio.r_.shape == (3, 3)
    assert_allclose(ratio.idf_, np.log(5 / np.array([4, 3, 3])) + 1)
    assert_allclose(ratio.g_, np.sqrt((ratio.r_**2).mean(axis=0)) * np.sqrt(ratio.idf_))


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_array])
def test_sparse_in_sparse_out_and_the_same(kind):
    dense, sparse = (NBLogCountRatio().fit(X, THREE) for X in (COUNTS, kind(COUNTS)))
    assert_allclose(dense.r_, sparse.r_)
    given = kind(COUNTS)
    weighed = sparse.transform(given)
    assert sp.issparse(weighed)
    assert_allclose(weighed.toarray(), dense.transform(COUNTS))
    assert_array_equal(given.toarray(), COUNTS)  # not written to


def test_single_precision_stays_single():
    X = sp.csr_array(COUNTS.astype(np.float32))
    assert NBLogCountRatio().fit(X, TWO).transform(X).dtype == np.float32


@pytest.mark.parametrize("y", [TWO, THREE])
def test_a_weight_of_two_is_a_row_twice(y):
    once = NBLogCountRatio().fit(COUNTS, y, sample_weight=[1, 2, 1, 0 if y is TWO else 1])
    rows = [0, 1, 1, 2] + ([] if y is TWO else [3])
    twice = NBLogCountRatio().fit(COUNTS[rows], y[rows])
    assert_allclose(once.g_, twice.g_)
