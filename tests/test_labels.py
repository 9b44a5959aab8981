"""Labels as people give them."""

from __future__ import annotations

import numpy as np
import pytest

from subword import SubwordError
from subword.labels import encode_labels, label_of, read_labels


@pytest.mark.parametrize(
    "labels", [["b", "a"], ("b", "a"), np.array(["b", "a"]), iter("ba"), {"b": 1, "a": 2}.keys()]
)
def test_any_iterable_of_labels(labels):
    assert read_labels(labels, 2).tolist() == ["b", "a"]


def test_labels_of_the_wrong_number_or_missing():
    with pytest.raises(SubwordError, match="2 texts, but 3 labels; every text needs one label"):
        read_labels([0, 1, 0], 2)
    with pytest.raises(SubwordError, match="label 1 is missing .nan.; drop or fill such rows"):
        read_labels([0, float("nan")], 2)
    with pytest.raises(SubwordError, match="a label for every text is needed, got y=None"):
        read_labels(None, 2)


def test_classes_are_numbered_in_order():
    classes, codes = encode_labels(["up", "down", "up"])
    assert classes.tolist() == ["down", "up"]
    assert codes.tolist() == [1, 0, 1]
    with pytest.raises(SubwordError, match=r"got only one class: \['up'\]"):
        encode_labels(["up", "up"])
    with pytest.raises(ValueError, match="continuous"):
        encode_labels([0.5, 0.1])


def test_labels_of_scores():
    classes = np.array(["a", "b", "c"])
    assert label_of(np.array([-1.0, 0.0, 2.0]), classes[:2]).tolist() == ["a", "a", "b"]
    assert label_of(np.array([[0.0, 3, 1], [1, 0, 0]]), classes).tolist() == ["b", "a"]
