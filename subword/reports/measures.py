"""Asking systems about texts they have not seen, and scoring what they said."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from ..tables import Table

_BLOCK = 10**7  # numbers that one block of resamples may hold

Labels = npt.NDArray[np.str_]
Split = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]


@dataclass(frozen=True)
class Interval:
    """A figure and the bounds of its bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Score:
    """How well one system did."""

    name: str
    accuracy: Interval
    macro_f1: Interval
    seconds: float


@dataclass(frozen=True)
class Difference:
    """The accuracy of the first system minus that of the second on the same rows."""

    systems: tuple[str, str]
    accuracy: Interval

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.accuracy.low > 0 or self.accuracy.high < 0


@dataclass(frozen=True)
class Outcome:
    """What a system said about the rows it was tested on, and the seconds it took."""

    predicted: Labels
    probability: npt.NDArray[np.float64]
    seconds: float


def splits(train: Table, test: Table | None, folds: int, seed: int) -> list[Split]:
    """Return rows to learn from and rows to test on: folds, or one split if there is a test."""
    if test is not None:
        every = np.arange(len(train) + len(test))
        return [(every[: len(train)], every[len(train) :])]
    folded = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return list(folded.split(train.texts, train.labels))


def predict(model: Any, texts: Sequence[str]) -> tuple[Labels, npt.NDArray[np.float64]]:
    """Return the likeliest label of each text, and its probability."""
    probabilities = model.predict_proba(texts)
    best = probabilities.argmax(axis=1)
    return model.classes_[best], probabilities[np.arange(len(best)), best]


def answer(
    model: Any, texts: Sequence[str], labels: Sequence[str], parts: Sequence[Split], bar: Any
) -> tuple[Outcome, Any]:
    """Fit a fresh copy for every split and ask it about the other rows.

    Returns
    -------
    outcome : Outcome
        Over the tested rows of all splits, in the order of `parts`.
    fitted : estimator
        The copy of the last split.

    """
    started = time.perf_counter()
    answers = []
    for train, test in parts:
        fitted = clone(model).fit([texts[i] for i in train], [labels[i] for i in train])
        answers.append(predict(fitted, [texts[i] for i in test]))
        bar.update()
    predicted, probability = (np.concatenate(part) for part in zip(*answers, strict=True))
    return Outcome(predicted, probability, time.perf_counter() - started), fitted


def measure(
    truth: Sequence[str], outcomes: Mapping[str, Outcome], *, seed: int = 0, repeats: int = 2000
) -> tuple[list[Score], list[Difference]]:
    """Score systems on the same rows, with 95 % bootstrap intervals over these rows.

    The intervals tell how far the figures might move with other test rows of the same kind, not
    with other training rows.

    Parameters
    ----------
    truth : sequence of str
        The right labels.
    outcomes : mapping of str to Outcome
        What each system said; differences are those of the first to each other one.
    seed : int
        Of the resampling.
    repeats : int
        How many resamples to draw.

    Examples
    --------
    >>> truth = ["low", "wide"] * 50
    >>> right = Outcome(np.array(truth), np.ones(100), 0.0)
    >>> half = Outcome(np.array(["low"] * 100), np.ones(100), 0.0)
    >>> scores, differences = measure(truth, {"right": right, "half": half})
    >>> [score.accuracy.value for score in scores], differences[0].is_clear
    ([1.0, 0.5], True)

    """
    answers = [np.asarray(truth), *(outcome.predicted for outcome in outcomes.values())]
    codes = np.unique(np.concatenate(answers), return_inverse=True)[1].reshape(len(answers), -1)
    cells, counts = np.unique(codes, axis=1, return_counts=True)
    draws = list(_resamples(counts, seed, repeats))
    accuracy = np.concatenate([_accuracies(cells, block) for block in draws], axis=1)
    macro_f1 = np.concatenate([_macro_f1s(cells, block) for block in draws], axis=1)
    scores = [
        Score(name, _interval(accuracy[i]), _interval(macro_f1[i]), outcome.seconds)
        for i, (name, outcome) in enumerate(outcomes.items())
    ]
    names = list(outcomes)
    differences = [
        Difference((names[0], name), _interval(accuracy[0] - accuracy[i]))
        for i, name in enumerate(names)
        if i
    ]
    return scores, differences


def _resamples(counts: npt.NDArray[np.intp], seed: int, repeats: int) -> Iterator[Any]:
    """Yield the counts themselves, then resamples of them, in blocks.

    Rows with the same right label and the same answers are alike, so drawing rows is drawing
    numbers of each kind.
    """
    yield counts[None]
    random = np.random.default_rng(seed)
    size = max(1, _BLOCK // len(counts))
    for start in range(0, repeats, size):
        shape = min(size, repeats - start)
        yield random.multinomial(counts.sum(), counts / counts.sum(), shape)


def _accuracies(cells: Any, draws: Any) -> Any:
    right = cells[1:] == cells[0]
    return right.astype(float) @ draws.T / draws[0].sum()


def _macro_f1s(cells: Any, draws: Any) -> Any:
    """Return macro-F1 by system and draw, over the labels that a draw holds."""
    wide = int(cells.max()) + 1
    rows = np.arange(cells.shape[1])
    marks = [sp.csr_array((np.ones(len(rows)), (rows, row)), (len(rows), wide)) for row in cells]
    is_label = draws @ marks[0]
    result = []
    for row, said in zip(cells[1:], marks[1:], strict=True):
        hits = (draws * (row == cells[0])) @ marks[0]
        met = is_label + draws @ said
        f1 = np.divide(2 * hits, met, out=np.zeros(met.shape), where=met > 0)
        result.append(f1.sum(axis=1) / (met > 0).sum(axis=1))
    return np.array(result)


def _interval(values: Any) -> Interval:
    """Make an interval of a figure followed by its resamples."""
    low, high = np.quantile(values[1:], (0.025, 0.975))
    return Interval(float(values[0]), float(low), float(high))
