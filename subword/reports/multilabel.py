"""Texts with several labels: one yes-or-no question for each label, on shared features."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from ..errors import SubwordWarning
from .measures import members_of

ABOUT_PROBABILITY = "the probability of several labels is that of exactly these, as if independent"
_FOLDS = 3
_TINY = 1e-12
_BLOCK = 1000  # texts whose chances of all sets are held at once


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """Ask about every label on its own, and give a text those that are likelier than not.

    Scores become probabilities by a logistic curve per label (Platt 1999), learnt from scores of
    rows that a model has not seen. A set of labels that no text has had must be likelier than any
    that one has had, by the factor by which new sets are rare: their share is about that of the
    sets met once (Good 1953).

    Parameters
    ----------
    features : transformer
        From texts to a matrix; learnt once.
    classifier : classifier
        Of two classes, with `decision_function`; one is learnt per label.
    separator : str
        What stands between the labels of a text.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The single labels.
    curves_ : ndarray of shape (n_labels, 2)
        Slope and offset of each label's logistic curve.
    sets_ : ndarray of shape (n_sets, n_labels)
        The sets of labels that texts have had.
    surprise_ : float
        Logarithm of the factor by which a new set must be likelier.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.svm import LinearSVC
    >>> model = MultiLabelClassifier(CountVectorizer(), LinearSVC())
    >>> texts, labels = ["low", "wide", "low and wide"] * 3, ["deep", "broad", "broad|deep"] * 3
    >>> model.fit(texts, labels).predict(["wide", "so wide and low"]).tolist()
    ['broad', 'broad|deep']

    """

    def __init__(self, features: Any, classifier: Any, separator: str = "|") -> None:
        self.features = features
        self.classifier = classifier
        self.separator = separator

    def fit(self, X: Iterable[str], y: Sequence[str]) -> Self:
        """Learn from texts, and labels with separators between them."""
        labels, members = members_of(y, self.separator)
        self.features_ = clone(self.features)
        matrix = self.features_.fit_transform(X)
        self.classes_ = np.array(labels)
        has = members.toarray() > 0
        self.sets_, times = np.unique(has, axis=0, return_counts=True)
        self.surprise_ = float(np.log((len(has) + 1) / (np.count_nonzero(times == 1) + 1)))
        self.everywhere_ = has.all(axis=0)  # nothing to learn about such a label
        asked = np.flatnonzero(~self.everywhere_)
        self.classifiers_ = [clone(self.classifier).fit(matrix, has[:, i]) for i in asked]
        curves = np.array([self._curve(matrix, has[:, i]) for i in asked]).reshape(-1, 2)
        # Labels too rare to test on others' rows borrow the usual slope.
        usual = np.nanmedian(curves[:, 0]) if np.isfinite(curves).any() else 1.0
        self.curves_ = np.where(np.isnan(curves), [usual, 0.0], curves)
        return self

    def _curve(self, matrix: Any, has: Any) -> tuple[float, float]:
        """Return slope and offset of the logistic curve through scores of rows not learnt from."""
        if min(has.sum(), (~has).sum()) < _FOLDS:
            return np.nan, np.nan
        scores = np.zeros((len(has), 1))
        folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SubwordWarning)
            for train, test in folds.split(matrix, has):
                model = clone(self.classifier).fit(matrix[train], has[train])
                scores[test, 0] = model.decision_function(matrix[test])
        curve = LogisticRegression(C=1e3).fit(scores, has)
        return float(curve.coef_[0, 0]), float(curve.intercept_[0])

    def decision_function(self, X: Iterable[str]) -> Any:
        """Return the logarithm of the odds of every label for every text, above 0 where likely."""
        matrix = self.features_.transform(X)
        found = np.full((matrix.shape[0], len(self.classes_)), np.inf)
        asked = np.flatnonzero(~self.everywhere_)
        for i, model, (slope, offset) in zip(asked, self.classifiers_, self.curves_, strict=True):
            found[:, i] = slope * model.decision_function(matrix) + offset
        return found

    def predict_proba(self, X: Iterable[str]) -> Any:
        """Return a probability for every text and label; rows need not sum to 1."""
        return expit(self.decision_function(X))

    def labels_of(self, probabilities: Any) -> Any:
        """Return the likeliest labels of each text, at least one."""
        odds = logit(probabilities.clip(_TINY, 1 - _TINY))
        parts = [self._chosen(odds[i : i + _BLOCK]) for i in range(0, len(odds), _BLOCK)]
        names = [self.separator.join(self.classes_[row]) for part in parts for row in part]
        return np.array(names, dtype=object)

    def probability_of(self, answers: Sequence[str], probabilities: Any) -> Any:
        """Return how likely each answer is: all its labels and no other, as if independent."""
        said = [np.isin(self.classes_, answer.split(self.separator)) for answer in answers]
        has = np.reshape(said, probabilities.shape).astype(bool)
        return np.where(has, probabilities, 1 - probabilities).prod(axis=1)

    def _chosen(self, odds: Any) -> Any:
        """Return which text has which label."""
        free = odds >= np.minimum(0.0, odds.max(axis=1, keepdims=True))
        of_sets = odds @ self.sets_.T
        known = self.sets_[of_sets.argmax(axis=1)]
        gain = (odds * free).sum(axis=1) - of_sets.max(axis=1)
        return np.where(gain[:, None] > self.surprise_, free, known)

    def predict(self, X: Iterable[str]) -> Any:
        """Return the labels of each text, in alphabetical order with separators between them."""
        return self.labels_of(self.predict_proba(X))
