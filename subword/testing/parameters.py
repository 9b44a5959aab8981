"""Checks of what is asked of every estimator: parameters, `clone`, tags, how it shows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .harness import (
    LABELS,
    METHODS,
    TEXTS,
    UNSEEN,
    check,
    claim,
    fit,
    only_if,
    refuses,
    same,
    takes_labels,
    use,
)


@check
def check_init_only_stores(estimator: Any) -> None:
    """`__init__` takes any value, keeps it as it is, sets nothing else."""
    for name in estimator.get_params(deep=False):
        given = object()
        fresh = type(estimator)(**estimator.get_params(deep=False) | {name: given})
        claim(getattr(fresh, name) is given, f"the parameter {name} is not stored as given")
    kept, known = vars(estimator).keys(), estimator.get_params(deep=False).keys()
    claim(kept == known, f"__init__ sets {sorted(kept ^ known)}, which are no parameters")


@check
def check_defaults_are_immutable(estimator: Any) -> None:
    """No list, dict or set is a default, which all instances would share."""
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        mutable = isinstance(parameter.default, (list, dict, set))
        claim(not mutable, f"the default of {name} can be changed in place")


@check
def check_clone(estimator: Any) -> None:
    """A clone of a fitted estimator has its parameters and is not fitted."""
    fitted = fit(estimator)
    fresh = clone(fitted)
    learnt = {name for name in vars(fresh) if name.endswith("_") and not name.endswith("__")}
    claim(not learnt, f"a clone keeps {sorted(learnt)}")
    claim(repr(fresh) == repr(estimator), f"a clone is {fresh!r}, the original {estimator!r}")
    same(use(fit(fresh), UNSEEN), use(fitted, UNSEEN), "a clone learns something else")


@check
def check_set_params(estimator: Any) -> None:
    """`set_params` takes what `get_params` gives, returns self, and refuses unknown names."""
    before = estimator.get_params(deep=False)
    claim(estimator.set_params(**before) is estimator, "set_params does not return self")
    changed = _changed(estimator, before)
    claim(not changed, f"set_params(**get_params()) changes {changed}")
    unknown = {"no_such_parameter": 1}
    refuses("an unknown parameter", lambda: estimator.set_params(**unknown), errors=ValueError)


def _changed(estimator: Any, before: Mapping[str, Any]) -> list[str]:
    """Return the parameters that are not what they were."""
    after = estimator.get_params(deep=False)
    return [name for name, old in before.items() if not (after[name] is old or after[name] == old)]


@check
def check_fit_changes_no_parameter(estimator: Any) -> None:
    """`fit` returns self, leaves the parameters alone, and what it learns ends in ``_``."""
    before = estimator.get_params(deep=False)
    returned = estimator.fit(TEXTS, LABELS if takes_labels(estimator) else None)
    claim(returned is estimator, "fit does not return self")
    changed = _changed(estimator, before)
    claim(not changed, f"fit changes the parameters {changed}")
    public = {name for name in vars(estimator) if not name.startswith("_")} - before.keys()
    wrong = sorted(name for name in public if not name.endswith("_"))
    claim(not wrong, f"fit sets public attributes without a final underscore: {wrong}")


@check
def check_not_fitted(estimator: Any) -> None:
    """Every method that needs `fit` says so by `NotFittedError`."""
    only_if(get_tags(estimator).requires_fit, "it needs no fit")
    calls: dict[str, tuple[Any, ...]] = dict.fromkeys(METHODS, (TEXTS,))
    calls |= {"get_feature_names_out": (), "inverse_transform": (np.eye(1),)}
    for name, arguments in calls.items():
        if method := getattr(estimator, name, None):
            refuses(f"{name} before fit", method, *arguments, errors=NotFittedError)


@check
def check_tags(estimator: Any) -> None:
    """Tags say: texts and no tables; classifiers need labels."""
    only_if(not isinstance(estimator, Pipeline), "pipelines do not pass these tags on")
    tags = get_tags(estimator)
    claim(tags.input_tags.string, "input_tags.string is not True")
    claim(not tags.input_tags.two_d_array, "input_tags.two_d_array is not False")
    if is_classifier(estimator):
        claim(tags.target_tags.required, "target_tags.required of a classifier is not True")


@check
def check_shown(estimator: Any) -> None:
    """`repr` and the HTML of a notebook name the class, before and after `fit`."""
    for shown in (estimator, fit(estimator)):
        for text in (repr(shown), shown._repr_html_()):
            claim(type(estimator).__name__ in text, f"it shows as {text:.60}")
