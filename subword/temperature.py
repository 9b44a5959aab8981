"""Scores as probabilities: a softmax whose one temperature is learnt from rows left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from .labels import Array

Fit = Callable[[Array], Callable[[Array], Array]]  # rows to learn from -> rows to their scores

_FOLDS = 3
_ENOUGH = 5000


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


def fit_temperature(scores: Array, codes: Array, weights: Array | None = None) -> float:
    """Return the temperature under which the right classes are most likely, and wrong ones not out.

    As in Platt's (1999) scaling, no row is taken as certain: of n rows each counts as right with a
    share of (n + 1) / (n + 2), the chance of the next one when all of n were right, and as wrong
    with the rest. So even scores that make no mistake leave room for one.

    Parameters
    ----------
    scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Scores of rows that were not learnt from.
    codes : ndarray of int, shape (n_samples,)
        The right classes.
    weights : ndarray of float, shape (n_samples,), default=None
        How often each row counts.

    Examples
    --------
    >>> scores = np.array([4.0, 3.0, -2.0, 4.0, -3.0, -4.0])  # above 0 for class 1
    >>> temperature = fit_temperature(scores, np.array([1, 1, 0, 0, 0, 0]))  # the fourth is wrong
    >>> softmax(scores[:2], temperature).round(2)
    array([[0.25, 0.75],
           [0.3 , 0.7 ]])

    """
    rows = np.arange(len(codes))
    doubt = 1 / (2 + (len(codes) if weights is None else weights.sum()))

    def loss(log: float) -> float:
        logs = _log_softmax(scores * np.exp(log))
        right = logs[rows, codes]
        logs[rows, codes] = -np.inf
        wrong = logsumexp(logs, axis=1)
        return -float(np.average((1 - doubt) * right + doubt * wrong, weights=weights))

    return float(np.exp(-minimize_scalar(loss, bounds=(-5, 7), method="bounded").x))


def cross_temperature(fit: Fit, codes: Array, weights: Array) -> float:
    """Learn the temperature from scores of folds that were left out, one after another.

    One number needs no more than some thousand scores: of many rows not every fold is left out.

    Parameters
    ----------
    fit : callable
        Learns from the rows it is given, and returns what scores others: of two classes one
        column, of more one per class that it was given.
    codes : ndarray of int, shape (n_samples,)
        The classes. Rows whose class is in no other fold, or folds that leave a single class,
        say nothing.
    weights : ndarray of float, shape (n_samples,)
        How often each row counts.

    """
    n_classes, folds = codes.max() + 1, _fold_numbers(codes)
    held_out: list[Array] = []
    all_scores: list[Array] = []
    for fold in range(_FOLDS):
        rows, others = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        present = np.unique(codes[rows])
        others = others[np.isin(codes[others], present) & (weights[others] > 0)]
        if len(present) < min(n_classes, 3) or not len(others):
            continue
        scores = np.full((len(others), n_classes if n_classes > 2 else 1), -1e6)
        scores[:, present if n_classes > 2 else slice(None)] = fit(rows)(others)
        all_scores.append(scores)
        held_out.append(others)
        if sum(map(len, held_out)) >= _ENOUGH:
            break
    if not held_out:
        return 1.0
    scores, rows = np.concatenate(all_scores), np.concatenate(held_out)
    return fit_temperature(scores[:, 0] if n_classes == 2 else scores, codes[rows], weights[rows])


def _fold_numbers(codes: Array) -> Array:
    """Deal the rows of each class out to the folds in turn."""
    order = np.argsort(codes, kind="stable")
    first = np.searchsorted(codes[order], codes[order])
    folds = np.empty(len(codes), int)
    folds[order] = (np.arange(len(codes)) - first + codes[order]) % _FOLDS
    return folds
