"""Labels as people give them."""

from __future__ import annotations

import numpy as np
import pytest

from subword import SubwordError
from subword.labels import check_weights, encode_labels, label_of, read_labels


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


def test_a_missing_label_of_a_series_is_known_by_its_place():
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series(["low", None], index=["first", "second"])
    with pytest.raises(SubwordError, match="label 1 is missing"):
        read_labels(labels, 2)


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


@pytest.mark.parametrize("y", ["abab", b"abab"])
def test_a_single_text_is_no_list_of_labels(y):
    with pytest.raises(SubwordError, match="a label for every text is needed, got y="):
        read_labels(y, 4)


def test_words_and_numbers_are_not_mixed():
    with pytest.raises(SubwordError, match="all str or none: 2 of 3 are"):
        read_labels([1, "a", "b"], 3)
    assert read_labels([1, True, 2], 3).tolist() == [1, 1, 2]


def test_a_class_without_weight_is_named():
    check_weights(np.array([0, 1, 1]), np.array([1.0, 0.0, 2.0]), np.array(["a", "b"]))
    with pytest.raises(SubwordError, match="all texts of class .*b.* have sample_weight 0"):
        check_weights(np.array([0, 1, 1]), np.array([1.0, 0.0, 0.0]), np.array(["a", "b"]))
