"""`BudgetSearch`: settings by successive halving, as many as the seconds allow."""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline

from ..errors import SubwordWarning
from ..progress import progress_bar
from ..terminal import shows_progress

SPACE: dict[str, tuple[Any, ...]] = {
    "num_merges": (500, 200, 1000, 4000),
    "word_ngram_range": ((1, 3), (1, 1), (1, 2)),
    "piece_ngram_range": ((1, 3), (1, 2), (1, 4)),
    "C": (1.0, 0.1, 0.3, 3.0),
    "beta": (0.5, 0.25, 0.75),
}
_FOLDS, _SHARE, _FIRST_ROWS, _ROUNDS = 3, 3, 500, 4


class BudgetSearch(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Search settings by successive halving (Jamieson & Talwalkar 2016) within a time.

    Many settings are compared on few rows, the best third of them on three times as many, and so
    on, by cross-validation on the rows given to `fit` and on no others. Each round has the same
    share of the time; the settings as they come take part in all rounds, and win ties. How far
    the search comes depends on the machine, so two runs may choose differently.

    Every round has rows of every label for each of 3 folds, or 2 where a label has but 2 rows.
    Where one has a single row nothing is searched.

    Parameters
    ----------
    estimator : estimator
        A classifier of texts, or a pipeline that ends in one.
    seconds : float
        For the search; the last fit on all rows comes on top.
    space : mapping of str to sequence, default=None
        Parameters of the classifier and their values. None: those of `SubwordTextClassifier`.
    random_state : int, default=0
        The order in which settings are tried, and of the folds.

    Attributes
    ----------
    best_estimator_ : estimator
        With the chosen settings, fitted on all rows.
    best_params_ : dict
        The chosen settings, where they are not those of `estimator`.
    rounds_ : list of dict
        By round: rows, settings tried, accuracy of the best and of the settings as they come;
        empty where nothing was searched.

    Examples
    --------
    >>> from subword import SubwordTextClassifier
    >>> texts, labels = ["so low", "the newest", "lower"] * 3, ["down", "up", "down"] * 3
    >>> search = BudgetSearch(SubwordTextClassifier(), 0.0).fit(texts, labels)
    >>> search.best_params_, search.rounds_[0]["rows"]
    ({}, 9)

    """

    def __init__(
        self, estimator: Any, seconds: float, space: Mapping[str, Sequence[Any]] | None = None,
        random_state: int = 0,
    ) -> None:  # fmt: skip
        self.estimator = estimator
        self.seconds = seconds
        self.space = space
        self.random_state = random_state

    def fit(self, X: Sequence[str], y: Sequence[str]) -> Self:
        """Search, then learn from all rows with what was found."""
        self.rounds_: list[dict[str, Any]] = []
        self.best_params_ = self._search(np.asarray(X, dtype=object), np.asarray(y))
        self.best_estimator_ = self._with(self.best_params_).fit(X, y)
        self.classes_ = self.best_estimator_.classes_
        return self

    def _search(self, texts: Any, labels: Any) -> dict[str, Any]:
        """Return the settings that win the last round."""
        counts = np.unique(labels, return_counts=True)[1]
        folds = min(_FOLDS, int(counts.min()))
        if folds < 2:
            return {}
        order = self._order(labels, folds)
        candidates, sizes = self._candidates(), round_sizes(len(texts), folds * len(counts))
        end = time.perf_counter() + self.seconds
        for left, rows in zip(range(len(sizes), 0, -1), sizes, strict=True):
            now, part = time.perf_counter(), order[:rows]
            until = now + (end - now) / left
            ranked = self._round(texts[part], labels[part], candidates, folds, until)
            best = [found for found in ranked[: max(1, len(ranked) // _SHARE)] if found]
            candidates = [{}, *best]
        return ranked[0]

    def _order(self, labels: Any, folds: int) -> Any:
        """Return rows in random order, behind the first `folds` of every label."""
        order = np.random.default_rng(self.random_state).permutation(len(labels))
        codes = np.unique(labels[order], return_inverse=True)[1]
        first = np.zeros(len(order), dtype=bool)
        for code in range(codes.max() + 1):
            first[np.flatnonzero(codes == code)[:folds]] = True
        return np.concatenate([order[first], order[~first]])

    def _candidates(self) -> list[dict[str, Any]]:
        """Return all settings in random order; first of all none, which leaves all as it is."""
        space = SPACE if self.space is None else self.space
        values = [
            dict(zip(space, found, strict=True)) for found in itertools.product(*space.values())
        ]
        order = np.random.default_rng(self.random_state).permutation(len(values))
        return [{}, *(values[i] for i in order)]

    def _round(
        self, texts: Any, labels: Any, candidates: list[dict[str, Any]], folds: int, end: float
    ) -> list[dict[str, Any]]:
        """Try settings while there is time, and return those tried, the best first."""
        scores: list[float] = []
        start = time.perf_counter()
        with progress_bar(
            title=f"search on {len(texts):,} rows", shown=shows_progress(), leave=False,
            total=round(max(0.0, end - start)),
            bar_format="{desc}: {percentage:3.0f} % |{bar}| {remaining}",
        ) as bar:  # fmt: skip
            for candidate in candidates:
                scores.append(self._accuracy(candidate, texts, labels, folds))
                bar.update(time.perf_counter() - start - bar.n)
                if time.perf_counter() > end:
                    break
        best = np.argsort(-np.array(scores), kind="stable")
        self.rounds_.append(
            {
                "rows": len(texts),
                "tried": len(scores),
                "best": max(scores),
                "as_it_comes": scores[0],
            }
        )
        return [candidates[i] for i in best]

    def _accuracy(self, candidate: dict[str, Any], texts: Any, labels: Any, folds: int) -> float:
        parts = StratifiedKFold(folds, shuffle=True, random_state=self.random_state)
        right = 0
        with warnings.catch_warnings():  # what a fold has too little of the last fit speaks of
            warnings.simplefilter("ignore", SubwordWarning)
            for train, test in parts.split(texts, labels):
                model = self._with(candidate).fit(texts[train].tolist(), labels[train])
                right += int((model.predict(texts[test].tolist()) == labels[test]).sum())
        return right / len(labels)

    def _with(self, candidate: dict[str, Any]) -> Any:
        model = clone(self.estimator)
        (model[-1] if isinstance(model, Pipeline) else model).set_params(**candidate)
        return model

    def predict(self, X: Sequence[str]) -> Any:
        """Return what the best estimator says."""
        return self.best_estimator_.predict(X)

    def predict_proba(self, X: Sequence[str]) -> Any:
        """Return the probabilities of the best estimator."""
        return self.best_estimator_.predict_proba(X)

    def decision_function(self, X: Sequence[str]) -> Any:
        """Return the scores of the best estimator."""
        return self.best_estimator_.decision_function(X)


def round_sizes(rows: int, smallest: int = 0) -> list[int]:
    """Return on how many rows each round compares settings: all of them in the last.

    >>> round_sizes(6920), round_sizes(320), round_sizes(6920, smallest=900)
    ([768, 2306, 6920], [320], [2306, 6920])
    """
    sizes = [rows]
    while len(sizes) < _ROUNDS and sizes[0] // _SHARE >= max(smallest, _FIRST_ROWS):
        sizes.insert(0, sizes[0] // _SHARE)
    return sizes


def chosen(model: Any) -> Any:
    """Return what a search has chosen; what is no search as it is."""
    return model.best_estimator_ if isinstance(model, BudgetSearch) else model


def search_notes(model: Any) -> list[str]:
    """Say what a search has found, if the model is one."""
    if not isinstance(model, BudgetSearch):
        return []
    if not model.rounds_:
        return ["no search: settings are compared by cross-validation, for which every label needs "
                "2 rows, and one has a single row"]  # fmt: skip
    rounds = ", ".join(f"{found['tried']} on {found['rows']:,} rows" for found in model.rounds_)
    settings = ", ".join(f"{name}={value}" for name, value in model.best_params_.items())
    last = model.rounds_[-1]
    return [
        f"search within the training data: settings tried: {rounds}; chosen: "
        f"{settings or 'the settings as they come'}, there {100 * last['best']:.2f} % right, as "
        f"they come {100 * last['as_it_comes']:.2f} %"
    ]
