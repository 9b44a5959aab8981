"""From scores to probabilities: how much to believe the sum of what many features say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

Floats = npt.NDArray[np.float64]
Sums = npt.NDArray[np.int64]


class Calibration(NamedTuple):
    """``softmax(unit * scale * n ** -damping * scores)``, n being the number of known features.

    Features of a text say much the same again and again, which naive Bayes takes for news; the
    more there are, the less each must count.

    Attributes
    ----------
    unit : float
        What a score of 1 is, in nats.
    scale, damping : float
        See above.

    """

    unit: float
    scale: float = 1.0
    damping: float = 0.6

    def logits(self, scores: Sums, known: Sums) -> Floats:
        """Return what the softmax is taken of; languages with a score below 0 are ruled out."""
        factors = self.unit * self.scale * np.maximum(known, 1.0) ** -self.damping
        logits: Floats = np.where(scores < 0, -np.inf, scores * factors[:, None])
        return logits

    def probabilities(self, scores: Sums, known: Sums) -> Floats:
        """Return the probabilities of languages, which sum to 1 in each row."""
        if not len(scores):
            return np.empty(scores.shape)
        probabilities: Floats = softmax(self.logits(scores, known), axis=1)
        return probabilities


def fit_calibration(start: Calibration, scores: Sums, known: Sums, right: Sums) -> Calibration:
    """Return the scale and damping under which the right languages are most likely.

    Parameters
    ----------
    start : Calibration
        Where to begin; its unit stays.
    scores, known : ndarray
        Of texts that were not learnt from.
    right : ndarray of int
        The number of the language of each.

    """
    telling = scores.max(axis=1) > 0
    rows = np.flatnonzero(telling)

    def loss(parameters: Floats) -> float:
        calibration = Calibration(start.unit, float(np.exp(parameters[0])), float(parameters[1]))
        logs = log_softmax(calibration.logits(scores[rows], known[rows]), axis=1)
        return -float(np.maximum(logs[np.arange(len(rows)), right[rows]], -50.0).mean())

    if not len(rows):
        return start
    found = minimize(loss, [np.log(start.scale), start.damping], method="Nelder-Mead").x
    return Calibration(start.unit, float(np.exp(found[0])), float(found[1]))
