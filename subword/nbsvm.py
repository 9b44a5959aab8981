"""Naive-Bayes log-count ratios as column weights, and the linear classifier on top of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .errors import SubwordError
from .options import check_choice

Array = npt.NDArray[Any]
Fit = Callable[[Array], Callable[[Array], Array]]  # rows to learn from -> rows to their scores

SMOOTHINGS = ("plain", "shared")
_FOLDS = 3
_FLOATS = (np.float64, np.float32)


class NBLogCountRatio(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Weigh the columns of a matrix of counts by how unevenly the classes use them.

    A supervised weight in place of idf (Wang & Manning 2012). For each class and feature the
    log-count ratio compares the class with all others:

    ``smoothing="plain"``
        ``log(p / sum(p)) - log(q / sum(q))`` with ``p = P + alpha`` and ``q = T - P + alpha``,
        where P is the sum of the feature's column in the class and T that in all classes.
    ``smoothing="shared"``
        ``log((P + alpha * s) / (T - P + alpha * (1 - s))) - log(s / (1 - s))``, where s is the
        share of the class in the sum of the whole matrix. Rare features shrink to 0 in every
        class, however much the classes differ in size.

    With two classes a column is multiplied by the size of its ratio. With more there is one
    weight for all of them, the root mean square of the ratios times the root of the smoothed idf.

    Parameters
    ----------
    alpha : float, default=1.0
        Smoothing, more than 0.
    smoothing : {"plain", "shared"}, default="plain"
        How it is shared out.
    binarize : bool, default=True
        Count a document once for each of its features: what is above 0 is taken as 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    r_ : ndarray of shape (n_classes, n_features)
        The log-count ratios.
    g_ : ndarray of shape (n_features,)
        The weights of the columns.
    idf_ : ndarray of shape (n_features,)
        Inverse document frequencies; only with more than two classes.
    n_features_in_ : int
        Number of features seen in `fit`.

    See Also
    --------
    NBSVMClassifier : The classifier these weights were made for.

    Examples
    --------
    >>> counts = [[2, 1, 0], [1, 0, 0], [0, 1, 1]]  # low, lower, newest
    >>> ratio = NBLogCountRatio().fit(counts, ["short", "short", "long"])
    >>> ratio.r_.round(2)
    array([[-0.92,  0.18,  0.88],
           [ 0.92, -0.18, -0.88]])
    >>> ratio.transform(counts).round(2)
    array([[0.92, 0.18, 0.  ],
           [0.92, 0.  , 0.  ],
           [0.  , 0.18, 0.88]])

    """

    def __init__(
        self, *, alpha: float = 1.0, smoothing: str = "plain", binarize: bool = True
    ) -> None:
        self.alpha = alpha
        self.smoothing = smoothing
        self.binarize = binarize

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn the ratios.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts; not negative unless they are binarized.
        y : array of shape (n_samples,)
            Labels of at least two classes.
        sample_weight : array of shape (n_samples,), default=None
            How often each row counts.

        Returns
        -------
        self
            The fitted transformer.

        Raises
        ------
        ValueError
            For negative counts, a single class, or parameters that are out of range.

        """
        check_positive("alpha", self.alpha)
        check_choice("smoothing", self.smoothing, SMOOTHINGS)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=_FLOATS)
        counts = _counts(X, self.binarize, type(self).__name__)
        self.classes_, codes = encode_labels(y)
        rows = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        self._learn(counts, codes, rows)
        return self

    def _learn(self, counts: Any, codes: Array, rows: Array | None) -> None:
        """Set the ratios and the weights."""
        weights = np.ones(len(codes)) if rows is None else rows
        n_classes = len(self.classes_)
        places = (codes, np.arange(len(codes)))
        of_class = sp.csr_array((weights, places), shape=(n_classes, len(codes)))
        sums = of_class @ counts  # in double precision, whatever the counts have
        sums = sums.toarray() if sp.issparse(sums) else sums
        self.r_ = log_ratios(sums, self.alpha, self.smoothing)
        self.g_ = _size(self.r_)
        if n_classes > 2:
            self.idf_ = np.log((1 + weights.sum()) / (1 + weights @ (counts > 0))) + 1
            self.g_ = self.g_ * np.sqrt(self.idf_)

    def transform(self, X: Any) -> Any:
        """Multiply the columns by their weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts.

        Returns
        -------
        array or CSR matrix of shape (n_samples, n_features)
            Sparse if `X` is.

        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, reset=False)
        return scale_columns(_counts(X, self.binarize, type(self).__name__), self.g_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self.binarize
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class NBSVMClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """A linear SVM on log-count ratios, mixed with naive Bayes (Wang & Manning 2012).

    Each class is told from all others by a `LinearSVC` on the counts times the log-count ratios
    of `NBLogCountRatio`; its weights are then drawn towards their mean size, as if every feature
    were as reliable as the others: ``beta * w + (1 - beta) * mean(abs(w))``.

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
        The ratios by which columns are multiplied, for each line of `coef_`.
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
        self.binarize = binarize
        self.norm = norm
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from counts and labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Counts; not negative unless they are binarized.
        y : array of shape (n_samples,)
            Labels of at least two classes.

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
        check_choice("norm", self.norm, ("l1", "l2", None))
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        counts = _counts(X, self.binarize, type(self).__name__)
        self.classes_, codes = encode_labels(y)
        self.r_, self.coef_, self.intercept_, self.n_iter_ = self._learn(counts, codes)
        if self.calibrate:
            self.temperature_ = cross_temperature(self._scorer(counts, codes), codes)
        return self

    def _learn(self, counts: Any, codes: Array) -> tuple[Array, Array, Array, int]:
        """Return ratios, weights, intercepts by class told from the others; and the rounds."""
        ratio = NBLogCountRatio(alpha=self.alpha, smoothing=self.smoothing, binarize=self.binarize)
        present = ratio.fit(counts, codes).classes_
        lines = [1] if len(present) == 2 else range(len(present))
        coef, intercept, rounds = [], [], 0
        for line in lines:
            svm = LinearSVC(
                C=self.C, tol=self.tol, max_iter=self.max_iter, random_state=self.random_state,
                class_weight=self._class_weight(codes, present[line]),
            )  # fmt: skip
            rows = self._scaled(counts, ratio.r_[line])
            svm.fit(rows, codes == present[line])
            coef.append(mix(svm.coef_, np.ones_like(svm.coef_), self.beta)[0])
            intercept.append(svm.intercept_[0] * self.beta)
            rounds = max(rounds, int(svm.n_iter_))
        return ratio.r_[[*lines]], np.array(coef), np.array(intercept), rounds

    def _class_weight(self, codes: Array, positive: int) -> Any:
        """Return the weights of "the class" and "all others" for one line."""
        if self.class_weight is None or isinstance(self.class_weight, str):
            return self.class_weight
        given = dict(self.class_weight)
        weights = np.array([given.get(label, 1.0) for label in self.classes_.tolist()])
        others = weights[codes[codes != positive]].mean()
        return {True: weights[positive], False: others}

    def _scaled(self, counts: Any, ratios: Array) -> Any:
        rows = scale_columns(counts, ratios)
        return rows if self.norm is None else normalize(rows, self.norm, copy=False)

    def _scores(self, counts: Any, ratios: Array, coef: Array, intercept: Array) -> Array:
        scores = [self._scaled(counts, r) @ w for r, w in zip(ratios, coef, strict=True)]
        return np.column_stack(scores) + intercept

    def _scorer(self, counts: Any, codes: Array) -> Fit:
        """Return the function with which `cross_temperature` fits on some rows."""

        def fit(rows: Array) -> Callable[[Array], Array]:
            learnt = self._learn(counts[rows], codes[rows])[:3]
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
        counts = _counts(X, self.binarize, type(self).__name__)
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
        return softmax(self.decision_function(X), self.temperature_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self.binarize
        # Whether a value is above 0 says little about the clusters that scikit-learn checks with.
        tags.classifier_tags.poor_score = self.binarize
        return tags


# -- ratios and weights ------------------------------------------------------------------------


def log_ratios(sums: Array, alpha: float, smoothing: str) -> Array:
    """Return the log-count ratio of each class against all others.

    Parameters
    ----------
    sums : ndarray of shape (n_classes, n_features)
        Column sums by class.
    alpha, smoothing
        As for `NBLogCountRatio`.

    Examples
    --------
    >>> log_ratios(np.array([[2.0, 0.0], [1.0, 3.0]]), 2.0, "shared").round(2)
    array([[ 0.83, -1.18],
           [-0.83,  1.18]])

    """
    total = sums.sum(axis=0)
    everything = total.sum() or 1.0
    ratios = np.empty(sums.shape)
    for line, inside in enumerate(sums):  # line by line: all at once would triple the memory
        share = min(max(inside.sum() / everything, 1e-12), 1 - 1e-12) if alpha else 0.5
        mine, theirs = (share, 1 - share) if smoothing == "shared" else (1.0, 1.0)
        p, q = inside + alpha * mine, total - inside + alpha * theirs
        # Of "shared" the sums are alpha a feature in all, in the proportion of the shares.
        odds = share / (1 - share) if smoothing == "shared" else p.sum() / q.sum()
        ratios[line] = np.log(p / q) - np.log(odds)
    return ratios


def _size(ratios: Array) -> Array:
    """Return one weight per column: the root mean square over the classes."""
    if len(ratios) == 2:
        size: Array = np.abs(ratios[1])
        return size
    squares = np.zeros(ratios.shape[1])
    for line in ratios:
        squares += line**2
    root: Array = np.sqrt(squares / len(ratios))
    return root


def mix(coef: Array, ratios: Array, beta: float) -> Array:
    """Draw the weights of a linear model towards naive Bayes.

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

    """
    sizes = np.abs(coef).mean(axis=1, keepdims=True)
    mixed: Array = beta * coef + (1 - beta) * sizes * ratios
    return mixed


def scale_columns(X: Any, weights: Array) -> Any:
    """Return a matrix with its columns multiplied; sparse if it was."""
    if not sp.issparse(X):
        return X * weights.astype(X.dtype, copy=False)
    scaled = X.data * weights.astype(X.dtype, copy=False)[X.indices]
    return type(X)((scaled, X.indices, X.indptr), X.shape)


def _counts(X: Any, binarize: bool, name: str) -> Any:
    """Return counts as the ratios take them."""
    if binarize:
        if not sp.issparse(X):
            return (X > 0).astype(X.dtype)
        present = (X.data > 0).astype(X.dtype)
        return type(X)((present, X.indices, X.indptr), X.shape)
    if (X.data if sp.issparse(X) else X).min(initial=0) < 0:
        raise ValueError(f"Negative values in data passed to {name}; counts are needed")
    return X


# -- scores and probabilities ------------------------------------------------------------------


def label_of(scores: Array, classes: Array) -> Array:
    """Return the label with the highest score; of two classes by the sign."""
    codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    labels: Array = classes[codes]
    return labels


def softmax(scores: Array, temperature: float) -> Array:
    """Turn scores into probabilities.

    >>> softmax(np.array([0.0, 2.0]), 2.0).round(2)
    array([[0.5 , 0.5 ],
           [0.27, 0.73]])
    """
    probabilities: Array = np.exp(_log_softmax(scores / temperature))
    return probabilities


def _log_softmax(scores: Array) -> Array:
    both = np.column_stack([-scores / 2, scores / 2]) if scores.ndim == 1 else scores
    logs: Array = both - logsumexp(both, axis=1, keepdims=True)
    return logs


def fit_temperature(scores: Array, codes: Array) -> float:
    """Return the temperature under which the right classes are most likely.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Scores of rows that were not learnt from.
    codes : ndarray of int, shape (n_samples,)
        The right classes.

    """
    if not len(codes):
        return 1.0
    rows = np.arange(len(codes))

    def loss(log: float) -> float:
        return -float(_log_softmax(scores * np.exp(log))[rows, codes].mean())

    return float(np.exp(-minimize_scalar(loss, bounds=(-5, 7), method="bounded").x))


def cross_temperature(fit: Fit, codes: Array) -> float:
    """Learn the temperature from scores of folds that were left out, one after another.

    Parameters
    ----------
    fit : callable
        Learns from the rows it is given, and returns what scores others: of two classes one
        column, of more one per class that it was given.
    codes : ndarray of int, shape (n_samples,)
        The classes. Rows whose class is in no other fold, or folds that leave a single class,
        say nothing.

    """
    n_classes, folds = codes.max() + 1, _fold_numbers(codes)
    all_scores, right = [], []
    for fold in range(_FOLDS):
        rows, others = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        present = np.unique(codes[rows])
        others = others[np.isin(codes[others], present)]
        if len(present) < min(n_classes, 3) or not len(others):
            continue
        scores = np.full((len(others), n_classes if n_classes > 2 else 1), -1e6)
        scores[:, present if n_classes > 2 else slice(None)] = fit(rows)(others)
        all_scores.append(scores)
        right.append(codes[others])
    if not right:
        return 1.0
    scores = np.concatenate(all_scores)
    return fit_temperature(scores[:, 0] if n_classes == 2 else scores, np.concatenate(right))


def _fold_numbers(codes: Array) -> Array:
    """Deal the rows of each class out to the folds in turn."""
    order = np.argsort(codes, kind="stable")
    first = np.searchsorted(codes[order], codes[order])
    folds = np.empty(len(codes), int)
    folds[order] = (np.arange(len(codes)) - first + codes[order]) % _FOLDS
    return folds


# -- checks ------------------------------------------------------------------------------------


def encode_labels(y: Any) -> tuple[Array, Array]:
    """Return the classes, and the number of each label's.

    Raises
    ------
    SubwordError
        For a single class.
    ValueError
        For numbers that are no classes.

    """
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise SubwordError(
            f"labels of at least 2 classes are needed, got only one class: {classes.tolist()}"
        )
    return classes, codes


def check_positive(name: str, value: Any) -> None:
    """Raise `SubwordError` for what is no number above 0."""
    if not _is_number(value) or not 0 < value < np.inf:
        raise SubwordError(f"{name} must be a number above 0, got {value!r}")


def check_share(name: str, value: Any) -> None:
    """Raise `SubwordError` for what is no number from 0 to 1."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise SubwordError(f"{name} must be a number from 0 to 1, got {value!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
