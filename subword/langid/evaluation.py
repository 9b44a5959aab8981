"""How well languages are told apart: by language, by length of text, by what was said."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .identifier import UNDETERMINED, LanguageIdentifier

_LENGTHS = (0, 5, 10, 20, 50, 100, 200)  # characters
_CONFIDENCES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
_Z = 1.959964  # of the normal distribution, for 95 %


@dataclass(frozen=True)
class Share:
    """Right answers of some texts.

    Parameters
    ----------
    name : str
        What these texts have in common.
    rows, right : int
        How many there are, and how many answers were right.
    low, high : float
        The 95 % interval of the accuracy (Wilson 1927).
    probability : float
        The mean probability that the answers were given with.

    """

    name: str
    rows: int
    right: int
    low: float
    high: float
    probability: float

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right / self.rows


@dataclass(frozen=True)
class Evaluation:
    """The answers for labelled texts, counted.

    Parameters
    ----------
    overall : Share
        Of all texts.
    mean : float
        The mean of the accuracies of the languages.
    languages, lengths, confidences : list of Share
        By language, by number of characters, by probability of the answer.
    confusions : list of (language, answer, rows)
        Wrong answers, the most frequent first.
    undetermined : int
        Texts that got no language.
    unknown : list of str
        Languages of the texts that the model does not know.
    seconds : float
        CPU time of the answers.

    """

    overall: Share
    mean: float
    languages: list[Share]
    lengths: list[Share]
    confidences: list[Share]
    confusions: list[tuple[str, str, int]]
    undetermined: int
    unknown: list[str]
    seconds: float


def evaluate(
    identifier: LanguageIdentifier, texts: Sequence[str], languages: Sequence[str]
) -> Evaluation:
    """Ask an identifier about texts whose languages are known.

    Parameters
    ----------
    identifier : LanguageIdentifier
        A fitted one.
    texts, languages : sequence of str
        At least one, and their languages.

    Examples
    --------
    >>> words = {"de": {"guten": 2, "morgen": 1}, "en": {"good": 2, "morning": 1}}
    >>> model = LanguageIdentifier(num_merges=9).fit_dictionaries(words)
    >>> found = evaluate(model, ["Good!", "Guten!", "Morgen", "42"], ["en", "de", "en", "de"])
    >>> found.mean, found.confusions, found.undetermined
    (0.5, [('de', 'und', 1), ('en', 'de', 1)], 1)

    """
    started = time.process_time()
    said = identifier.predict(texts).astype(str)
    seconds = time.process_time() - started
    sure = identifier.predict_proba(texts).max(axis=1)
    truth = np.array(languages, dtype=str)
    table = _Answers(said == truth, sure)
    by_language = table.shares(truth, [(name, name) for name in np.unique(truth)])
    wrong = Counter(zip(truth[~table.right].tolist(), said[~table.right].tolist(), strict=True))
    known = {str(name) for name in identifier.classes_}
    return Evaluation(
        overall=table.share("all", np.ones(len(truth), bool)),
        mean=float(np.mean([share.accuracy for share in by_language])),
        languages=by_language,
        lengths=table.bins(np.array([*map(len, texts)]), _LENGTHS),
        confidences=table.bins(sure, _CONFIDENCES),
        confusions=[(*pair, n) for pair, n in sorted(wrong.items(), key=lambda x: (-x[1], x[0]))],
        undetermined=int((said == UNDETERMINED).sum()),
        unknown=sorted(set(truth.tolist()) - known),
        seconds=seconds,
    )


@dataclass(frozen=True)
class _Answers:
    right: npt.NDArray[np.bool_]
    sure: npt.NDArray[np.float64]

    def share(self, name: str, rows: npt.NDArray[np.bool_]) -> Share:
        n, right = int(rows.sum()), int(self.right[rows].sum())
        return Share(name, n, right, *wilson(right, n), float(self.sure[rows].mean()))

    def shares(self, values: Any, named: Iterable[tuple[str, Any]]) -> list[Share]:
        return [self.share(str(name), values == value) for name, value in named]

    def bins(self, values: Any, bounds: Sequence[float]) -> list[Share]:
        """Return the shares of texts by a number, those of empty bins left out."""
        numbers = np.searchsorted(bounds, values, side="right") - 1
        names = [f"{low:g} to {high:g}" for low, high in pairwise(bounds)] + [f"{bounds[-1]:g} on"]
        return self.shares(numbers, [(names[i], i) for i in np.unique(numbers)])


def wilson(right: int, rows: int) -> tuple[float, float]:
    """Return the 95 % interval of a share.

    >>> [round(bound, 2) for bound in wilson(9, 10)]
    [0.6, 0.98]
    """
    share, z = right / rows, _Z * _Z / rows
    middle = (share + z / 2) / (1 + z)
    half = _Z / (1 + z) * (share * (1 - share) / rows + z / rows / 4) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)
