"""Probabilities out of scores: the temperature is found again, whatever the folds look like."""

from __future__ import annotations

import numpy as np
import pytest

from subword.temperature import cross_temperature, fit_temperature, softmax


def test_the_temperature_is_that_of_the_scores():
    rng = np.random.default_rng(0)
    for shape in ((20_000,), (20_000, 4)):
        scores = rng.normal(size=shape) * 3
        sure = softmax(scores, 2.0).cumsum(axis=1)
        codes = (rng.random((len(scores), 1)) > sure).sum(axis=1)
        assert fit_temperature(scores, codes) == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("n", [1, 4, 98])
def test_scores_without_a_mistake_leave_room_for_one(n):
    for scores in (np.full(n, 0.1), np.eye(3)[np.ones(n, int)]):
        temperature = fit_temperature(scores, np.ones(n, int))
        assert softmax(scores, temperature)[:, 1] == pytest.approx((n + 1) / (n + 2), rel=1e-3)


def test_weights_count_rows_again():
    scores, codes = np.array([0.2, 0.3, -0.1]), np.array([1, 1, 1])
    twice = fit_temperature(scores.repeat([1, 2, 2]), codes.repeat([1, 2, 2]))
    assert fit_temperature(scores, codes, np.array([1.0, 2, 2])) == pytest.approx(twice, rel=1e-4)


def test_classes_in_one_fold_only_do_no_harm():
    def fit(rows):
        present = np.unique(codes[rows])
        assert len(present) >= 2
        return lambda others: np.zeros((len(others), len(present)))

    codes = np.array([0, 0, 0, 1, 1, 1, 2])
    assert np.isfinite(cross_temperature(fit, codes, np.ones(7)))
    assert cross_temperature(fit, np.array([0, 1]), np.ones(2)) == 1.0
