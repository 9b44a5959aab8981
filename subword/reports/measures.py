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
from sklearn.model_selection import KFold, StratifiedKFold

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
    """How well one system did.

    Where texts have several labels `accuracy` counts those whose labels are all right, and
    `micro_f1` is that of all single decisions; elsewhere it would be the accuracy, and is None.
    """

    name: str
    accuracy: Interval
    macro_f1: Interval
    seconds: float
    micro_f1: Interval | None = None


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
    """What a system said about the rows it was tested on, and the seconds it took.

    The probability of a system that knows none is NaN.
    """

    predicted: Labels
    probability: npt.NDArray[np.float64]
    seconds: float


def splits(train: Table, test: Table | None, folds: int, seed: int) -> list[Split]:
    """Return rows to learn from and rows to test on: folds, or one split if there is a test.

    Every label has its share in each fold, unless texts have several labels.
    """
    if test is not None:
        every = np.arange(len(train) + len(test))
        return [(every[: len(train)], every[len(train) :])]
    kind = KFold if train.separator else StratifiedKFold
    folded = kind(folds, shuffle=True, random_state=seed)
    return list(folded.split(train.texts, train.labels))


def predict(
    model: Any, texts: Sequence[str], calibrated: bool = True
) -> tuple[Labels, npt.NDArray[np.float64]]:
    """Return the likeliest label of each text, and its probability.

    The probability of several labels is that of all of them and no other, as if independent.

    Parameters
    ----------
    model : estimator
        Fitted.
    texts : sequence of str
        What to label.
    calibrated : bool
        Ask for probabilities, which some models have to learn first.

    """
    if not calibrated or not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(texts)), np.full(len(texts), np.nan)
    probabilities = model.predict_proba(texts)
    if hasattr(model, "labels_of"):  # several labels a text
        labels = model.labels_of(probabilities)
        return labels, model.probability_of(labels, probabilities)
    best = probabilities.argmax(axis=1)
    return model.classes_[best], probabilities[np.arange(len(best)), best]


def answer(
    model: Any, texts: Sequence[str], labels: Sequence[str], parts: Sequence[Split], bar: Any,
    calibrated: bool = True,
) -> tuple[Outcome, Any]:  # fmt: skip
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
        answers.append(predict(fitted, [texts[i] for i in test], calibrated))
        bar.update()
    predicted, probability = (np.concatenate(part) for part in zip(*answers, strict=True))
    return Outcome(predicted, probability, time.perf_counter() - started), fitted


def measure(
    truth: Sequence[str], outcomes: Mapping[str, Outcome], *, seed: int = 0, repeats: int = 2000,
    separator: str | None = None,
) -> tuple[list[Score], list[Difference]]:  # fmt: skip
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
    separator : str, optional
        What stands between the labels of a text that has several.

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
    names, codes = np.unique(np.concatenate(answers), return_inverse=True)
    cells, counts = np.unique(codes.reshape(len(answers), -1), axis=1, return_counts=True)
    draws = list(_resamples(counts, seed, repeats))
    accuracy = np.concatenate([_accuracies(cells, block) for block in draws], axis=1)
    members = members_of(names.tolist(), separator)[1]
    f1 = np.concatenate([_f1s(cells, block, members) for block in draws], axis=2)
    scores = [
        Score(name, interval(accuracy[i]), interval(f1[0, i]), outcome.seconds,
              interval(f1[1, i]) if separator else None)
        for i, (name, outcome) in enumerate(outcomes.items())
    ]  # fmt: skip
    systems = list(outcomes)
    differences = [
        Difference((systems[0], name), interval(accuracy[0] - accuracy[i]))
        for i, name in enumerate(systems)
        if i
    ]
    return scores, differences


def members_of(names: Sequence[str], separator: str | None) -> tuple[list[str], Any]:
    """Return the single labels, and a sparse matrix that says which names hold which.

    >>> labels, members = members_of(["low", "low|wide"], "|")
    >>> labels, members.toarray().tolist()
    (['low', 'wide'], [[1.0, 0.0], [1.0, 1.0]])
    """
    parts = [str(name).split(separator) if separator else [str(name)] for name in names]
    labels = sorted({label for part in parts for label in part})
    number = {label: i for i, label in enumerate(labels)}
    columns = [number[label] for part in parts for label in part]
    indptr = np.cumsum([0, *map(len, parts)])
    shape = (len(parts), len(labels))
    return labels, sp.csr_array((np.ones(len(columns)), columns, indptr), shape)


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


def _f1s(cells: Any, draws: Any, members: Any) -> Any:
    """Return macro-F1 and micro-F1 by system and draw, over the labels that a draw holds."""
    marks = [members[row] for row in cells]
    is_label = draws @ marks[0]
    result = []
    for said in marks[1:]:
        hits = draws @ marks[0].multiply(said).tocsr()
        met = is_label + draws @ said
        f1 = np.divide(2 * hits, met, out=np.zeros(met.shape), where=met > 0)
        micro = 2 * hits.sum(axis=1) / met.sum(axis=1)
        result.append([f1.sum(axis=1) / (met > 0).sum(axis=1), micro])
    return np.array(result).swapaxes(0, 1)


def interval(values: Any) -> Interval:
    """Make an interval of a figure followed by its resamples."""
    low, high = np.quantile(values[1:], (0.025, 0.975))
    return Interval(float(values[0]), float(low), float(high))
