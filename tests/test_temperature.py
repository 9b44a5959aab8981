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


def test_classes_in_one_fold_only_do_no_harm():
    def fit(rows):
        present = np.unique(codes[rows])
        assert len(present) >= 2
        return lambda others: np.zeros((len(others), len(present)))

    codes = np.array([0, 0, 0, 1, 1, 1, 2])
    assert np.isfinite(cross_temperature(fit, codes, np.ones(7)))
    assert cross_temperature(fit, np.array([0, 1]), np.ones(2)) == 1.0
