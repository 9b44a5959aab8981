"""Checks for any estimator that takes raw texts: vectorizers, classifiers, pipelines.

scikit-learn's `check_estimator` feeds numbers, so it leaves out nearly all of its checks for an
estimator whose tags say that it takes texts. These checks feed texts. They hold the estimators of
this package to their contract and can be run on any other::

    import pytest
    from subword.testing import text_estimator_checks

    @pytest.mark.parametrize(("estimator", "check"), text_estimator_checks(MyVectorizer()))
    def test_my_vectorizer(estimator, check):
        check(estimator)
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import product
from typing import Any, NamedTuple
from unittest import SkipTest

from . import labels, matrices, parameters, repetition, texts
from .harness import Check, TextCheckError, fit, spelt

__all__ = [
    "CHECKS",
    "CheckResult",
    "TextCheckError",
    "check_text_estimator",
    "text_estimator_checks",
]

CHECKS: dict[str, Check] = {
    name: check
    for room in (parameters, texts, repetition, matrices, labels)
    for name, check in vars(room).items()
    if name.startswith("check_")
}


class CheckResult(NamedTuple):
    """What came of one check.

    Attributes
    ----------
    name : str
        The name of the check.
    status : {"passed", "failed", "skipped"}
        Skipped is what the estimator has no method, or the environment no package for.
    message : str
        Why it failed or was skipped.

    """

    name: str
    status: str
    message: str


def check_text_estimator(
    estimator: Any, *, on_fail: str | None = "raise", known: Mapping[str, str] | None = None
) -> list[CheckResult]:
    """Run all checks on an estimator of raw texts.

    Parameters
    ----------
    estimator : estimator object
        An instance; it is cloned and stays as it is.
    on_fail : {"raise", None}, default="raise"
        Whether failures are raised, all at once when every check has run, or only reported.
    known : mapping of str to str, default=None
        Checks that are to be skipped, and why.

    Returns
    -------
    list of CheckResult
        In the order of the checks.

    Raises
    ------
    TextCheckError
        With the name and the reason of every failure.
    TypeError
        For what cannot be fitted on texts at all.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> report = check_text_estimator(CountVectorizer(), on_fail=None)
    >>> for name, status, message in report:
    ...     if status == "failed":
    ...         print(name)
    check_single_text_is_refused
    check_missing_values
    check_two_dimensional_input
    check_nothing_to_learn_from

    """
    if on_fail not in ("raise", None):
        raise ValueError(f"on_fail must be 'raise' or None, got {on_fail!r}")
    known = known or {}
    if wrong := [*known.keys() - CHECKS.keys()]:
        raise ValueError(f"known names no check: {', '.join(sorted(wrong))}")
    _try(estimator)
    report = [
        CheckResult(name, "skipped", known[name]) if name in known else _run(check, estimator)
        for name, check in CHECKS.items()
    ]
    failures = [result.message for result in report if result.status == "failed"]
    if failures and on_fail == "raise":
        lines = "\n  ".join(message.replace("\n", "\n    ") for message in failures)
        counted = f"{len(failures)} of {len(report)} checks failed"
        raise TextCheckError(f"{estimator!r}: {counted}:\n  {lines}")
    return report


def text_estimator_checks(*estimators: Any) -> list[tuple[Any, Check]]:
    """Return every pair of an estimator and a check, for `pytest.mark.parametrize`.

    Parameters
    ----------
    *estimators : estimator objects
        Instances; checks clone them.

    Returns
    -------
    list of (estimator, check)
        ``check(estimator)`` raises `TextCheckError`, or `unittest.SkipTest`, which pytest knows.

    Examples
    --------
    >>> from subword import SubwordVectorizer
    >>> pairs = text_estimator_checks(SubwordVectorizer(), SubwordVectorizer(level="byte"))
    >>> estimator, check = pairs[0]
    >>> check(estimator)
    >>> check.__name__, check.__doc__
    ('check_init_only_stores', '`__init__` takes any value, keeps it as it is, sets nothing else.')

    """
    return [*product(estimators, CHECKS.values())]


def _try(estimator: Any) -> None:
    """Raise at once for what takes no texts at all: every check would say the same."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit(estimator)
    except Exception as error:
        raise TypeError(
            f"{estimator!r} cannot be fitted on a list of texts, so nothing can be checked: "
            f"{spelt(error)}"
        ) from error


def _run(check: Check, estimator: Any) -> CheckResult:
    name = getattr(check, "__name__", "")
    try:
        check(estimator)
    except TextCheckError as error:
        return CheckResult(name, "failed", str(error))
    except SkipTest as reason:
        return CheckResult(name, "skipped", str(reason))
    return CheckResult(name, "passed", "")
