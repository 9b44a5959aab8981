"""Texts with several labels: one yes-or-no question for each label, on shared features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from .measures import members_of


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """Ask about every label on its own, and give a text those that are likelier than not.

    A text gets at least one label, as every text it has learnt from had one.

    Parameters
    ----------
    features : transformer
        From texts to a matrix; learnt once.
    classifier : classifier
        Of two classes, with probabilities; one is learnt per label.
    separator : str
        What stands between the labels of a text.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The single labels.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = MultiLabelClassifier(CountVectorizer(), LogisticRegression())
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
        self.everywhere_ = has.all(axis=0)  # nothing to learn about such a label
        self.classifiers_ = [
            clone(self.classifier).fit(matrix, has[:, i]) for i in np.flatnonzero(~self.everywhere_)
        ]
        return self

    def decision_function(self, X: Iterable[str]) -> Any:
        """Return a score for every text and label, above 0 where it is likely."""
        return self._columns(X, "decision_function", np.inf)

    def predict_proba(self, X: Iterable[str]) -> Any:
        """Return a probability for every text and label; rows need not sum to 1."""
        return self._columns(X, "predict_proba", 1.0)

    def _columns(self, X: Iterable[str], method: str, always: float) -> Any:
        matrix = self.features_.transform(X)
        found = np.full((matrix.shape[0], len(self.classes_)), always)
        for i, model in zip(np.flatnonzero(~self.everywhere_), self.classifiers_, strict=True):
            answer = getattr(model, method)(matrix)
            found[:, i] = answer[:, 1] if answer.ndim == 2 else answer
        return found

    def labels_of(self, probabilities: Any, limit: float = 0.5) -> Any:
        """Return the labels above a limit, the likeliest where there is none."""
        chosen = probabilities >= np.minimum(limit, probabilities.max(axis=1, keepdims=True))
        return np.array([self.separator.join(self.classes_[row]) for row in chosen], dtype=object)

    def predict(self, X: Iterable[str]) -> Any:
        """Return the labels of each text, in alphabetical order with separators between them."""
        return self.labels_of(self.decision_function(X), 0.0)
