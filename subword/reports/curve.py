"""The learning curve: what a system is worth with fewer rows to learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .measures import Split, answer, measure
from .report import CurvePoint

_STEPS = 6  # points of the curve; each has twice the rows of the one before


def learning_curve(
    systems: Mapping[str, Any], texts: Sequence[str], labels: Sequence[str], split: Split, bar: Any,
    *, seed: int = 0, separator: str | None = None,
) -> list[CurvePoint]:  # fmt: skip
    """Measure systems on the same rows, learning from more and more others.

    Parameters
    ----------
    systems : mapping of str to estimator
        Not fitted.
    texts, labels : sequence of str
        All rows.
    split : (rows, rows)
        To learn from, and to test on.
    bar : progress bar
        Told of each fit.
    seed : int
        Of the order in which rows are added, and of the intervals.
    separator : str, optional
        What stands between the labels of a text that has several.

    """
    train, test = split
    order = np.random.default_rng(seed).permutation(train)
    truth = [labels[i] for i in test]
    points = []
    for rows in curve_sizes(len(train)):
        part = [(_with_two_labels(order, rows, labels), test)]
        outcomes = {
            name: answer(system, texts, labels, part, bar, calibrated=False)[0]
            for name, system in systems.items()
        }
        scores, _ = measure(truth, outcomes, seed=seed, separator=separator)
        points.append(CurvePoint(len(part[0][0]), {score.name: score.accuracy for score in scores}))
    return points


def curve_sizes(rows: int) -> list[int]:
    """Return the numbers of rows to learn from, smallest first.

    >>> curve_sizes(1000)
    [32, 63, 125, 250, 500, 1000]
    """
    return sorted({max(2, -(-rows // 2**step)) for step in range(_STEPS)})


def _with_two_labels(order: Any, rows: int, labels: Sequence[str]) -> Any:
    """Return the first rows, and as many more as it takes to meet a second label."""
    first = labels[order[0]]
    other = next((i for i, row in enumerate(order) if labels[row] != first), 0)
    return order[: max(rows, other + 1)]
