"""What checks are made of: texts to learn from, claims, refusals, and comparisons of results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from importlib import import_module
from typing import Any
from unittest import SkipTest

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

TEXTS = [
    "low lower lowest river",
    "the newest tower, the widest tower",
    "a low and slow river runs",
    "new towers: high, higher, highest",
    "slow rivers run low today",
    "the highest tower is the newest",
    "the river runs lower and slower",
    "wide and high, a new tower",
]
LABELS = ["river", "tower"] * 4
UNSEEN = ["a newer river", "Lower towers!", "", "qqq 42", "the the the low", "wide\nriver\t\x00"]

METHODS = ("transform", "decision_function", "predict_proba", "predict")

Check = Callable[[Any], None]


class TextCheckError(AssertionError):
    """A text estimator does not pass a check."""


def check(function: Check) -> Check:
    """Make a check: it gets a clone; failures, and errors nobody expected, carry its name."""

    @wraps(function)
    def run(estimator: Any) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(clone(estimator))
        except AssertionError as failure:
            raise TextCheckError(f"{function.__name__}: {failure}") from failure
        except SkipTest:
            raise
        except Exception as error:
            raise TextCheckError(f"{function.__name__}: raised {spelt(error)}") from error

    return run


def claim(condition: object, message: str) -> None:
    """Fail with a message unless something holds."""
    if not condition:
        raise AssertionError(message)


def only_if(condition: object, reason: str) -> None:
    """Skip the check, with a reason, unless something holds."""
    if not condition:
        raise SkipTest(reason)


def refuses(
    what: str, call: Callable[..., Any], *args: Any, errors: Any = (TypeError, ValueError)
) -> str:
    """Return the message with which a call is refused; it is a failure if it is not, or oddly."""
    try:
        call(*args)
    except errors as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"{what} should be refused, but raised {spelt(error)}") from error
    raise AssertionError(f"{what} should be refused, but was taken")


def spelt(error: Exception) -> str:
    """Return an error as it is told."""
    return f"{type(error).__name__}: {error}"


def takes_labels(estimator: Any) -> bool:
    """Say whether an estimator cannot be fitted without labels."""
    return bool(get_tags(estimator).target_tags.required) or is_classifier(estimator)


def fit(estimator: Any, X: Any = TEXTS, y: Any = LABELS) -> Any:
    """Fit a clone."""
    return clone(estimator).fit(X, y) if takes_labels(estimator) else clone(estimator).fit(X)


def names_columns(estimator: Any) -> bool:
    """Say whether an estimator makes a matrix whose columns have names."""
    return hasattr(estimator, "transform") and hasattr(estimator, "get_feature_names_out")


def use(fitted: Any, X: Any) -> Any:
    """Return what an estimator makes of texts: a matrix, scores or labels."""
    method = next((name for name in METHODS if hasattr(fitted, name)), None)
    only_if(method, "it neither transforms nor predicts")
    return getattr(fitted, str(method))(X)


def same(one: Any, other: Any, what: str, rtol: float = 0) -> None:
    """Fail unless two results are equal, or nearly so with `rtol`."""
    if sp.issparse(one) and sp.issparse(other) and one.shape == other.shape:
        one, other = (one - other).data, 0  # there may be a million columns
    else:
        one, other = dense(one), dense(other)
        claim(one.shape == other.shape, f"{what}: {one.shape} against {other.shape}")
    if rtol and one.dtype.kind == "f":
        claim(np.allclose(one, other, rtol=rtol, atol=rtol), what)
    else:
        claim((one == other).all(), what)


def dense(result: Any) -> Any:
    """Return a result as an array that is not sparse."""
    return result.toarray() if sp.issparse(result) else np.asarray(result)


def objects(values: Iterable[Any]) -> Any:
    """Return a one-dimensional array of objects."""
    values = list(values)
    array = np.empty(len(values), object)
    array[:] = values
    return array


def import_pandas() -> Any:
    """Return pandas; None where it is not installed."""
    try:
        return import_module("pandas")
    except ImportError:
        return None
