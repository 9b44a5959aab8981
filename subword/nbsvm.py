"""The linear classifier on top of naive-Bayes log-count ratios."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .errors import SubwordError
from .labels import Array, check_weights, encode_labels, label_of
from .log_counts import (
    SMOOTHINGS,
    NBLogCountRatio,
    as_counts,
    directions,
    scale_columns,
    sizes_of,
)
from .options import check_choice, check_positive, check_share
from .temperature import Fit, cross_temperature, softmax


class NBSVMClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """A linear SVM on log-count ratios, mixed with naive Bayes (Wang & Manning 2012).

    Each class is told from all others by a `LinearSVC` on the counts times the log-count ratios
    of `NBLogCountRatio`, see `scale`. Its weights are then drawn towards their mean size, as if
    every feature were as reliable as the others: ``beta * w + (1 - beta) * mean(abs(w))``.

    Parameters
    ----------
    C : float, default=0.1
        Inverse strength of the regularisation.
    alpha : float, default=1.0
        Smoothing of the ratios.
    beta : float in [0, 1], default=0.25
        Share of the SVM; with 0 the ratios decide alone, with 1 they only scale.
    smoothing : {"plain", "shared"}, default="plain"
        See `NBLogCountRatio`.
    scale : {"class", "all"}, default="class"
        By what columns are multiplied where there are more than two classes: for each class by
        its own ratios, or for all of them by the one weight of `NBLogCountRatio.transform`. What
        is mixed in is then ratio by size of the ratios, made as long a vector as w.
    binarize : bool, default=True
        Take what is above 0 as 1.
    norm : {"l1", "l2", None}, default=None
        What is made 1 in every row after scaling.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the SVM.
    calibrate : bool, default=False
        Learn the temperature that `predict_proba` needs, from scores of three folds; it takes
        three more fits.
    tol : float, default=1e-2
        Where the SVM stops.
    max_iter : int, default=1000
        Rounds of the SVM at most.
    random_state : int, RandomState instance or None, default=0
        The order in which the SVM visits the rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    coef_ : ndarray of shape (1 or n_classes, n_features)
        Weights of the scaled rows; a single line for two classes.
    r_ : ndarray of shape (1 or n_classes, n_features)
        By what columns are multiplied, for each line of `coef_` or for all.
    intercept_ : ndarray of shape (1 or n_classes,)
        Added to the scores.
    n_iter_ : int
        Rounds that the SVM took; of several the most.
    temperature_ : float
        Scores are divided by it before they become probabilities; with `calibrate`.
    n_features_in_ : int
        Number of features seen in `fit`.

    Examples
    --------
    >>> counts = [[2, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]  # low, lower, newest
    >>> model = NBSVMClassifier().fit(counts, ["short", "short", "long", "long"])
    >>> model.predict([[1, 1, 0], [0, 0, 3]])
    array(['short', 'long'], dtype='<U5')

    """

    def __init__(
        self,
        *,
        C: float = 0.1,
        alpha: float = 1.0,
        beta: float = 0.25,
        smoothing: str = "plain",
        scale: str = "class",
        binarize: bool = True,
        norm: str | None = None,
        class_weight: Any = None,
        calibrate: bool = False,
        tol: float = 1e-2,
        max_iter: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.beta = beta
        self.smoothing = smoothing
        self.scale = scale
        self.binarize = binarize
        self.norm = norm
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from counts and labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts; not negative unless they are binarized.
        y : array of shape (n_samples,)
            Labels of at least two classes.
        sample_weight : array of shape (n_samples,), default=None
            How often each row counts, in the ratios and in the SVM.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        ValueError
            For negative counts, a single class, or parameters that are out of range.

        """
        check_positive("alpha", self.alpha)
        check_positive("C", self.C)
        check_share("beta", self.beta)
        check_choice("smoothing", self.smoothing, SMOOTHINGS)
        check_choice("scale", self.scale, ("class", "all"))
        check_choice("norm", self.norm, ("l1", "l2", None))
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        counts = as_counts(X, self.binarize, type(self).__name__)
        self.classes_, codes = encode_labels(y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        check_weights(codes, weights, self.classes_)
        self.r_, self.coef_, self.intercept_, self.n_iter_ = self._learn(counts, codes, weights)
        if self.calibrate:
            scorer = self._scorer(counts, codes, weights)
            self.temperature_ = cross_temperature(scorer, codes, weights)
        return self

    def _learn(self, counts: Any, codes: Array, weights: Array) -> tuple[Array, Array, Array, int]:
        """Return ratios, weights, intercepts by class told from the others; and the rounds."""
        ratio = NBLogCountRatio(alpha=self.alpha, smoothing=self.smoothing, binarize=self.binarize)
        present = ratio.fit(counts, codes, weights).classes_
        if self.scale == "all" and len(present) > 2:
            return self._learn_all(counts, codes, weights, ratio)
        lines = [1] if len(present) == 2 else range(len(present))
        coef, intercept, rounds = [], [], 0
        for line in lines:
            svm = self._svm(self._class_weight(codes, present[line], weights))
            rows = self._scaled(counts, ratio.r_[line])
            svm.fit(rows, codes == present[line], weights)
            coef.append(mix(svm.coef_, np.ones_like(svm.coef_), self.beta)[0])
            intercept.append(svm.intercept_[0] * self.beta)
            rounds = max(rounds, int(svm.n_iter_))
        return ratio.r_[[*lines]], np.array(coef), np.array(intercept), rounds

    def _learn_all(
        self, counts: Any, codes: Array, weights: Array, ratio: NBLogCountRatio
    ) -> tuple[Array, Array, Array, int]:
        """Do the same with the columns scaled once for all classes."""
        svm = self._svm(self.class_weight)
        svm.fit(self._scaled(counts, ratio.g_), self.classes_[codes], weights)
        coef = mix(svm.coef_, directions(ratio.r_, sizes_of(ratio.r_)), self.beta)
        return ratio.g_[None], coef, svm.intercept_ * self.beta, int(svm.n_iter_)

    def _svm(self, class_weight: Any) -> LinearSVC:
        return LinearSVC(
            C=self.C, tol=self.tol, max_iter=self.max_iter, random_state=self.random_state,
            class_weight=class_weight,
        )  # fmt: skip

    def _class_weight(self, codes: Array, positive: int, rows: Array) -> Any:
        """Return the weights of "the class" and "all others" for one line."""
        if self.class_weight is None or isinstance(self.class_weight, str):
            return self.class_weight
        given = dict(self.class_weight)
        if unknown := given.keys() - {*self.classes_.tolist()}:
            raise SubwordError(
                f"class_weight names {sorted(map(repr, unknown))[0]}, which is no class; these are "
                f"{self.classes_.tolist()}"
            )
        weights = np.array([given.get(label, 1.0) for label in self.classes_.tolist()])
        others = codes != positive
        of_others = np.average(weights[codes[others]], weights=rows[others])
        return {True: weights[positive], False: of_others}

    def _scaled(self, counts: Any, ratios: Array) -> Any:
        rows = scale_columns(counts, ratios)
        return rows if self.norm is None else normalize(rows, self.norm, copy=False)

    def _scores(self, counts: Any, ratios: Array, coef: Array, intercept: Array) -> Array:
        if self.norm is None:  # no copy of the counts for each line
            scores: Array = counts @ (ratios * coef).T + intercept
            return scores
        if len(ratios) == 1:
            return np.asarray(self._scaled(counts, ratios[0]) @ coef.T + intercept)
        lines = [self._scaled(counts, r) @ w for r, w in zip(ratios, coef, strict=True)]
        return np.column_stack(lines) + intercept

    def _scorer(self, counts: Any, codes: Array, weights: Array) -> Fit:
        """Return the function with which `cross_temperature` fits on some rows."""

        def fit(rows: Array) -> Callable[[Array], Array]:
            learnt = self._learn(counts[rows], codes[rows], weights[rows])[:3]
            return lambda others: self._scores(counts[others], *learnt)

        return fit

    def decision_function(self, X: Any) -> Array:
        """Return the scores.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column per class; with two classes that of the second one.

        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        counts = as_counts(X, self.binarize, type(self).__name__)
        scores = self._scores(counts, self.r_, self.coef_, self.intercept_)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Array:
        """Return the label with the highest score for each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.

        """
        return label_of(self.decision_function(X), self.classes_)

    @available_if(lambda self: self.calibrate)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return probabilities; only with ``calibrate=True``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1.

        """
        scores = self.decision_function(X)
        if not hasattr(self, "temperature_"):
            raise NotFittedError("there is no temperature_ yet: fit again with calibrate=True")
        return softmax(scores, self.temperature_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self.binarize
        # Whether a value is above 0 says little about the clusters that scikit-learn checks with.
        tags.classifier_tags.poor_score = self.binarize
        return tags


def mix(coef: Array, ratios: Array, beta: float) -> Array:
    """Draw the weights of a linear model towards naive Bayes, made as large as they are.

    Of a single line sums of absolute weights are compared, which gives their mean where the ratios
    are 1 or -1. Of more lines lengths are: most features say little of a class, so the mean would
    leave next to nothing of naive Bayes.

    Parameters
    ----------
    coef : ndarray of shape (n_lines, n_features)
        The weights of scaled columns.
    ratios : ndarray of shape (n_lines, n_features)
        What naive Bayes would give these columns, up to a factor.
    beta : float
        Share of the linear model.

    Examples
    --------
    >>> mix(np.array([[1.0, 3.0]]), np.array([[1.0, -1.0]]), 0.5)
    array([[1.5, 0.5]])
    >>> mix(np.array([[0.0, 5.0], [3.0, 4.0]]), np.array([[3.0, -4.0], [0.0, 0.5]]), 0.5)
    array([[1.5, 0.5],
           [1.5, 4.5]])

    """
    norm = 1 if len(coef) == 1 else 2
    mixed = np.empty(coef.shape)
    for line, weights in enumerate(coef):  # all at once would triple the memory
        size = np.linalg.norm(weights, norm) / (np.linalg.norm(ratios[line], norm) or 1.0)
        mixed[line] = beta * weights + (1 - beta) * size * ratios[line]
    return mixed
