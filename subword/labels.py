"""Labels of classes: read, numbered, and found again from scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from .documents import is_missing
from .errors import SubwordError

Array = npt.NDArray[Any]


def read_labels(y: Any, documents: int) -> Array:
    """Return the labels as an array; refuse missing ones and a wrong number of them."""
    if y is None or isinstance(y, (str, bytes)):
        raise SubwordError(f"a label for every text is needed, got y={y!r:.40}")
    held = y if hasattr(y, "shape") else [*y]
    if len(held) != documents:
        raise SubwordError(f"{documents} texts, but {len(held)} labels; every text needs one label")
    for row, label in enumerate(held):  # those of a Series have names, by which it is indexed
        if is_missing(label):
            raise SubwordError(f"label {row} is missing ({label!r}); drop or fill such rows")
    words = sum(isinstance(label, str) for label in held)
    if words not in (0, len(held)):  # numpy would make all of them words
        raise SubwordError(f"labels must be all str or none: {words} of {len(held)} are")
    return np.asarray(column_or_1d(held, warn=True))


def check_weights(codes: Array, weights: Array, classes: Array) -> None:
    """Refuse a class whose texts all have the weight 0: nothing could be learnt of it."""
    sums = np.bincount(codes, weights, len(classes))
    if not sums.all():
        raise SubwordError(f"all texts of class {classes[sums == 0][0]!r} have sample_weight 0")


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


def label_of(scores: Array, classes: Array) -> Array:
    """Return the label with the highest score; of two classes by the sign."""
    codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    labels: Array = classes[codes]
    return labels
