"""Views of texts: the features of a block, scaled, in rows of length 1, and weighed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from .labels import Array
from .log_counts import class_sums, directions, log_ratios, sizes_of, smooth_idf
from .nbsvm import mix

_LEAST = 0.05  # smaller ratios say nothing, and are those of a fifth of what occurs


class Ratios(NamedTuple):
    """What naive Bayes knows of the features of a block.

    Attributes
    ----------
    scale : ndarray of shape (n_features,)
        The factor of each column; 0 for those that say nothing.
    bayes : ndarray of shape (1 or n_classes, n_features)
        The weights that naive Bayes would give the scaled columns, up to one factor.

    """

    scale: Array
    bayes: Array

    @classmethod
    def learn(cls, ones: Any, codes: Array, rows: Array, alpha: float) -> Self:
        """Compare the classes; see `NBLogCountRatio` with ``smoothing="shared"``."""
        sums = class_sums(ones, codes, rows)
        ratios = log_ratios(sums, alpha, "shared")
        sizes = sizes_of(ratios)
        sizes[sizes < _LEAST] = 0
        scale = sizes
        if len(sums) > 2:
            scale = sizes * np.sqrt(smooth_idf(sums.sum(axis=0), rows.sum()))
        lines = ratios if len(sums) > 2 else ratios[1:]
        return cls(scale, directions(lines, sizes))

    def take(self, columns: Array) -> Ratios:
        """Return those of some columns."""
        return Ratios(self.scale[columns], self.bayes[:, columns])


class View(NamedTuple):
    """The linear model of a block: features by their scale, rows of length 1, by the weights.

    Of two classes `weights` has one column, of more one per class.
    """

    scale: Array
    weights: Array
    intercept: Array

    @classmethod
    def learn(
        cls, ones: Any, ratios: Ratios, labels: Array, rows: Array, svm: LinearSVC, beta: float
    ) -> Self:
        """Fit the SVM, and mix its weights with those of naive Bayes.

        Parameters
        ----------
        ones : CSR array of bool, shape (n_documents, n_features)
            Which document has which feature.
        ratios : Ratios
            Those of the features.
        labels : ndarray of shape (n_documents,)
            Of at least two classes.
        rows : ndarray of float, shape (n_documents,)
            How often each document counts.
        svm : LinearSVC
            Not fitted yet.
        beta : float
            Share of the SVM.

        """
        matrix = scaled(ones, ratios.scale)
        if not len(ratios.scale):  # then there is nothing but the intercept
            matrix = sp.csr_array((len(labels), 1))
        svm.fit(matrix, labels, rows)
        coef = mix(svm.coef_[:, : len(ratios.scale)], ratios.bayes, beta)
        single = np.float32  # half the memory; scores change in the seventh digit
        weights = np.ascontiguousarray(coef.T, single)
        return cls(ratios.scale.astype(single), weights, svm.intercept_ * beta)

    def scores(self, ones: Any) -> Array:
        """Return the scores of documents, of shape (n_documents, n_columns of the weights)."""
        scores: Array = scaled(ones, self.scale) @ self.weights + self.intercept
        return scores


def mean_scores(views: Sequence[View], blocks: Sequence[Any]) -> Array:
    """Return the mean of the scores of all views, each of its block."""
    each = [view.scores(ones) for view, ones in zip(views, blocks, strict=True)]
    mean: Array = np.mean(each, axis=0)
    return mean


def contributions(views: Sequence[View], columns: Array, line: int) -> Array:
    """Return what each feature of a document adds to a score.

    Parameters
    ----------
    views : sequence of View
        The linear models.
    columns : ndarray of int, shape (n_present,)
        The features it has, in rising order, numbered over all views.
    line : int
        Which column of the weights.

    """
    values, first = [], 0
    for view in views:
        mine = columns[(columns >= first) & (columns < first + len(view.scale))] - first
        scale = view.scale[mine].astype(float)
        values.append(scale * view.weights[mine, line] / (np.linalg.norm(scale) or 1.0))
        first += len(view.scale)
    return np.concatenate(values) / len(views)


def scaled(ones: Any, scale: Array) -> Any:
    """Return rows of ones with their columns scaled, of length 1."""
    rows = sp.csr_array((scale[ones.indices], ones.indices, ones.indptr), ones.shape)
    return normalize(rows, copy=False) if all(rows.shape) else rows


def keep_columns(ones: Any, kept: Array) -> Any:
    """Return the columns that are kept; the matrix given is used up."""
    ones.data = kept[ones.indices]
    ones.eliminate_zeros()
    places = np.cumsum(kept, dtype=ones.indices.dtype) - 1
    shape = (ones.shape[0], int(kept.sum()))
    return sp.csr_array((ones.data, places[ones.indices], ones.indptr), shape)
