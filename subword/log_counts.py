"""Naive-Bayes log-count ratios as weights of the columns of a matrix of counts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .labels import Array, encode_labels
from .options import check_choice, check_positive

SMOOTHINGS = ("plain", "shared")
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
        counts = as_counts(X, self.binarize, type(self).__name__)
        self.classes_, codes = encode_labels(y)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._learn(counts, codes, weights)
        return self

    def _learn(self, counts: Any, codes: Array, weights: Array) -> None:
        """Set the ratios and the weights."""
        self.r_ = log_ratios(class_sums(counts, codes, weights), self.alpha, self.smoothing)
        self.g_ = sizes_of(self.r_)
        if len(self.classes_) > 2:
            self.idf_ = smooth_idf(weights @ (counts > 0), weights.sum())
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
        return scale_columns(as_counts(X, self.binarize, type(self).__name__), self.g_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self.binarize
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def class_sums(counts: Any, codes: Array, weights: Array) -> Array:
    """Return the sums of the columns in each class, in double precision.

    Parameters
    ----------
    counts : array or CSR matrix of shape (n_samples, n_features)
        What is summed.
    codes : ndarray of int, shape (n_samples,)
        The class of each row.
    weights : ndarray of float, shape (n_samples,)
        How often each row counts.

    """
    sums = np.empty((codes.max() + 1, counts.shape[1]))
    for code in range(len(sums)):
        rows = np.flatnonzero(codes == code)
        sums[code] = counts[rows].T @ weights[rows]
    return sums


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


def sizes_of(ratios: Array) -> Array:
    """Return how far the ratios of each column are from 0: their root mean square."""
    squares = np.zeros(ratios.shape[1])
    for line in ratios:  # line by line, as above
        squares += line**2
    sizes: Array = np.sqrt(squares / len(ratios))
    return sizes


def directions(ratios: Array, sizes: Array) -> Array:
    """Return what naive Bayes would give columns that are scaled by these sizes; 0 where they are.

    >>> directions(np.array([[0.5, -2.0, 0.0]]), np.array([0.5, 1.0, 0.0]))
    array([[ 1., -2.,  0.]])
    """
    return np.divide(ratios, sizes, out=np.zeros_like(ratios), where=sizes > 0)


def smooth_idf(frequencies: Array, documents: float) -> Array:
    """Return the inverse document frequencies, as if one more document had every feature."""
    idf: Array = np.log((1 + documents) / (1 + frequencies)) + 1
    return idf


def scale_columns(X: Any, weights: Array) -> Any:
    """Return a matrix with its columns multiplied; sparse if it was."""
    if not sp.issparse(X):
        return X * weights.astype(X.dtype, copy=False)
    scaled = X.data * weights.astype(X.dtype, copy=False)[X.indices]
    return type(X)((scaled, X.indices, X.indptr), X.shape)


def as_counts(X: Any, binarize: bool, name: str) -> Any:
    """Return counts as the ratios take them."""
    if binarize:
        if not sp.issparse(X):
            return (X > 0).astype(X.dtype)
        present = (X.data > 0).astype(X.dtype)
        return type(X)((present, X.indices, X.indptr), X.shape)
    if (X.data if sp.issparse(X) else X).min(initial=0) < 0:
        raise ValueError(f"Negative values in data passed to {name}; counts are needed")
    return X
