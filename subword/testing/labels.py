"""Checks of what classifiers return: labels and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from .harness import LABELS, TEXTS, UNSEEN, check, claim, fit, only_if, refuses


@check
def check_labels(estimator: Any) -> None:
    """Labels of any kind come back as they were given, `classes_` sorted and unique."""
    only_if(is_classifier(estimator), "it is no classifier")
    for classes in (["river", "tower"], [7, -1], [True, False], ["c", "a", "b"]):
        labels = [classes[i % len(classes)] for i in range(len(TEXTS))]
        fitted = fit(estimator, TEXTS, labels)
        claim([*fitted.classes_] == sorted(classes), f"classes_ of {classes} {fitted.classes_}")
        found = {*fitted.predict([*TEXTS, *UNSEEN]).tolist()}
        claim(found <= {*classes}, f"it was told of {classes} and predicts {found}")


@check
def check_labels_pair_up(estimator: Any) -> None:
    """Texts and labels of different number raise `ValueError`, as do missing labels."""
    only_if(is_classifier(estimator), "it is no classifier")
    refuses("one label too few", fit, estimator, TEXTS, LABELS[1:], errors=ValueError)
    refuses("one label too many", fit, estimator, TEXTS[1:], LABELS, errors=ValueError)
    refuses("y=None", fit, estimator, TEXTS, None)


@check
def check_probabilities(estimator: Any) -> None:
    """Probabilities lie between 0 and 1, sum to 1, and agree with the labels."""
    only_if(hasattr(estimator, "predict_proba"), "there is no predict_proba")
    fitted, texts = fit(estimator), [*TEXTS, *UNSEEN]
    shares = fitted.predict_proba(texts)
    claim(shares.shape == (len(texts), len(fitted.classes_)), f"the shape is {shares.shape}")
    claim(((shares >= 0) & (shares <= 1)).all(), "some are not between 0 and 1")
    claim(np.allclose(shares.sum(axis=1), 1, rtol=0, atol=1e-6), "some rows do not sum to 1")
    strange = {*fitted.predict(texts).tolist()} - {*fitted.classes_.tolist()}
    claim(not strange, f"it has no probability for {strange}, which it predicts")
    best = np.take_along_axis(shares, _codes(fitted, texts)[:, None], axis=1)[:, 0]
    claim((best >= shares.max(axis=1) - 1e-9).all(), "labels are not the most probable ones")


def _codes(fitted: Any, texts: list[str]) -> Any:
    return np.searchsorted(fitted.classes_, fitted.predict(texts))
