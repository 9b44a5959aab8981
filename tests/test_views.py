"""Blocks of ones weighed together: ratios, scores and contributions by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.svm import LinearSVC

from subword import NBLogCountRatio
from subword.views import Ratios, View, contributions, keep_columns, mean_scores

# Rows are texts, columns low, lower, newest, and; the last one says nothing.
ONES = np.array([[1, 1, 0, 1], [1, 0, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]], bool)
OTHERS = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], bool)
ROWS = np.ones(4)
TWO, THREE = np.array([1, 1, 0, 0]), np.array([0, 0, 1, 2])


def block(ones):
    return sp.csr_array(ones)


def fit(ones, codes, beta=0.5):
    ratios = Ratios.learn(ones, codes, ROWS, 2.0)
    return View.learn(ones, ratios, codes, ROWS, LinearSVC(random_state=0), beta)


@pytest.mark.parametrize("codes", [TWO, THREE])
def test_ratios_are_those_of_the_transformer(codes):
    ratio = NBLogCountRatio(alpha=2.0, smoothing="shared").fit(ONES.astype(float), codes)
    ours = Ratios.learn(block(ONES), codes, ROWS, 2.0)
    kept = ours.scale > 0
    assert_allclose(ours.scale[kept], ratio.g_[kept])
    size = np.sqrt((ratio.r_**2).mean(axis=0))
    lines = ratio.r_ if len(ratio.classes_) > 2 else ratio.r_[1:]
    assert_allclose(ours.bayes[:, kept], (lines / size)[:, kept])


def test_small_ratios_say_nothing():
    """The third column is as frequent in one class as in the other."""
    ones = np.array([[1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1]], bool)
    ours = Ratios.learn(block(ones), TWO, ROWS, 2.0)
    assert ours.scale.tolist() == [np.log(3), np.log(3), 0]  # (2 + 1) / (0 + 1)
    assert ours.bayes.tolist() == [[1, -1, 0]]
    assert ours.take(ours.scale > 0).bayes.tolist() == [[1, -1]]


def test_weights_count_rows_again():
    rows = [0, 1, 1, 2, 3, 3]
    once = Ratios.learn(block(ONES), THREE, np.array([1.0, 2, 1, 2]), 2.0)
    twice = Ratios.learn(block(ONES[rows]), THREE[rows], np.ones(6), 2.0)
    assert_allclose(once.scale, twice.scale)
    assert_allclose(once.bayes, twice.bayes)


@pytest.mark.parametrize("codes", [TWO, THREE])
def test_scores_are_the_mean_and_contributions_sum_up_to_them(codes):
    blocks = [block(ONES), block(OTHERS)]
    views = [fit(ones, codes) for ones in blocks]
    scores = mean_scores(views, blocks)
    assert_allclose(scores, (views[0].scores(blocks[0]) + views[1].scores(blocks[1])) / 2)
    intercept = (views[0].intercept + views[1].intercept) / 2
    for row, present in enumerate(np.hstack([ONES, OTHERS])):
        for line in range(scores.shape[1]):
            values = contributions(views, np.flatnonzero(present), line)
            assert_allclose(values.sum() + intercept[line], scores[row, line], atol=1e-6)


def test_all_of_the_svm_or_nothing_of_it():
    svm, bayes = fit(block(ONES), TWO, beta=1), fit(block(ONES), TWO, beta=0)
    X = ONES * svm.scale / np.linalg.norm(ONES * svm.scale, axis=1, keepdims=True)
    alone = LinearSVC(random_state=0).fit(X, TWO)
    assert_allclose(svm.weights[:, 0], alone.coef_[0], atol=1e-6)
    assert_allclose(svm.intercept, alone.intercept_)
    assert bayes.intercept == 0
    assert np.sign(bayes.weights[:, 0]).tolist() == [1, 1, -1, 1]


def test_a_view_without_features_knows_the_larger_class():
    none = fit(block(ONES[:, :0]), np.array([1, 1, 1, 0]))
    assert none.weights.shape == (0, 1)
    assert (none.scores(block(ONES[:, :0])) > 0).all()


def test_columns_are_kept_in_order():
    kept = np.array([True, False, True, False])
    found = keep_columns(block(ONES), kept)
    assert found.toarray().tolist() == ONES[:, kept].tolist()
    assert found.has_sorted_indices
