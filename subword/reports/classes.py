"""One label at a time: precision and recall, confusions, how far probabilities can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .measures import Outcome, members_of
from .report import Bin, ClassScore, Confusion

_BINS = 10


def class_scores(
    truth: Sequence[str], outcome: Outcome, separator: str | None = None
) -> list[ClassScore]:
    """Return precision, recall and F1 of each label, in alphabetical order.

    Examples
    --------
    >>> outcome = Outcome(np.array(["low", "low", "wide"]), np.ones(3), 0.0)
    >>> first, _ = class_scores(["low", "wide", "wide"], outcome)
    >>> first.label, first.precision, first.recall
    ('low', 0.5, 1.0)

    """
    names = [*truth, *outcome.predicted.tolist()]
    labels, members = members_of(names, separator)
    is_label, said = members[: len(truth)], members[len(truth) :]
    hits = np.asarray(is_label.multiply(said).sum(axis=0)).ravel()
    rows, given = np.asarray(is_label.sum(axis=0)).ravel(), np.asarray(said.sum(axis=0)).ravel()
    return [
        ClassScore(label, _ratio(hit, g), _ratio(hit, n), _ratio(2 * hit, n + g), int(n), int(g))
        for label, hit, n, g in zip(labels, hits, rows, given, strict=True)
    ]


def _ratio(part: Any, whole: Any) -> float:
    return float(part / whole) if whole else 0.0


def confusion(truth: Sequence[str], outcome: Outcome) -> Confusion:
    """Return how often the text of a label (line) was given another (column).

    >>> outcome = Outcome(np.array(["low", "low", "wide"]), np.ones(3), 0.0)
    >>> confusion(["low", "wide", "wide"], outcome)
    Confusion(labels=['low', 'wide'], counts=[[1, 0], [1, 1]])
    """
    both = np.array([*truth, *outcome.predicted.tolist()], dtype=str)
    labels, codes = np.unique(both, return_inverse=True)
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    np.add.at(counts, (codes[: len(truth)], codes[len(truth) :]), 1)
    return Confusion(labels.tolist(), counts.tolist())


def calibration(truth: Sequence[str], outcome: Outcome) -> list[Bin]:
    """Return answers by tenths of probability; none where probabilities are not known."""
    if np.isnan(outcome.probability).any():
        return []
    right = np.asarray(truth) == outcome.predicted
    tenth = np.minimum((outcome.probability * _BINS).astype(int), _BINS - 1)
    return [
        Bin(float(outcome.probability[rows].mean()), float(right[rows].mean()), int(rows.sum()))
        for rows in (tenth == i for i in range(_BINS))
        if rows.any()
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return by how much probabilities are off, on average (expected calibration error).

    >>> calibration_error([Bin(0.9, 0.8, 30), Bin(0.6, 0.6, 10)])
    0.075
    """
    rows = sum(found.rows for found in bins)
    off = sum(abs(found.probability - found.right) * found.rows for found in bins)
    return round(off / rows, 6)
