"""Checks of what an estimator is given: texts in all kinds of containers, and what is no text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from .harness import (
    LABELS,
    TEXTS,
    UNSEEN,
    check,
    claim,
    dense,
    fit,
    import_pandas,
    objects,
    only_if,
    refuses,
    same,
    use,
)


@check
def check_single_text_is_refused(estimator: Any) -> None:
    """A single str or bytes is an error, not a row of letters."""
    fitted, labels = fit(estimator), ["river", "tower", "river"]
    for text in ("low", b"low"):
        kind = f"a single {type(text).__name__}"
        refuses(f"{kind} in fit", fit, estimator, text, labels)
        refuses(f"{kind} in use", use, fitted, text)


@check
def check_generators(estimator: Any) -> None:
    """A generator is as good as a list, in learning and in use, and is read once."""
    expected, fitted = use(fit(estimator), UNSEEN), fit(estimator, (text for text in TEXTS))
    same(use(fitted, UNSEEN), expected, "what is learnt from a generator differs")
    same(use(fitted, iter(UNSEEN)), expected, "what is made of a generator differs")


@check
def check_used_up_generator(estimator: Any) -> None:
    """A generator without any text left raises in `fit`; in use it gives no rows, or raises."""
    used_up = iter(TEXTS)
    list(used_up)
    fitted = fit(estimator)
    try:
        rows = use(fitted, used_up).shape[0]
    except ValueError:
        rows = 0
    claim(rows == 0, f"a generator that is used up gives {rows} rows")
    only_if(get_tags(estimator).requires_fit, "it needs no fit")
    refuses("a generator that is used up", fit, estimator, used_up, [], errors=ValueError)


@check
def check_containers(estimator: Any) -> None:
    """Lists, tuples, arrays of objects or str, and Series are alike."""
    kinds: dict[str, Callable[[Any], Any]] = {
        "a tuple": tuple,
        "an array of objects": objects,
        "an array of str": np.array,
    }
    if pandas := import_pandas():
        kinds["a Series"] = lambda X: pandas.Series(X, index=range(len(X), 0, -1))
    unseen = [text for text in UNSEEN if "\x00" not in text]  # numpy cuts it off
    expected = use(fit(estimator), unseen)
    for name, kind in kinds.items():
        fitted = fit(estimator, kind(TEXTS), kind(LABELS))
        same(use(fitted, kind(unseen)), expected, f"{name} is not taken as a list is")


@check
def check_missing_values(estimator: Any) -> None:
    """None, NaN and NA raise with row and type, or are empty texts if the tags allow NaN."""
    fitted, pandas = fit(estimator), import_pandas()
    for value in [None, float("nan"), *([pandas.NA] if pandas else [])]:
        texts, kind = [*TEXTS[:2], value, *TEXTS[3:]], type(value).__name__
        if get_tags(estimator).input_tags.allow_nan:
            empty = use(fitted, [*TEXTS[:2], "", *TEXTS[3:]])
            same(use(fitted, texts), empty, f"{kind} is not taken as an empty text")
            continue
        for call, one in ((fit, estimator), (use, fitted)):
            told = refuses(f"{kind} in a text's place", call, one, texts)
            named = re.search(r"\b2\b", told) and kind in told
            claim(named, f"the error for {kind} in row 2 does not name row and type: {told}")


@check
def check_two_dimensional_input(estimator: Any) -> None:
    """Tables raise and say that one column is wanted; names of columns are no texts."""
    tables: dict[str, Any] = {
        "a list of lists": [[text] for text in TEXTS],
        "a table": np.array([[text] for text in TEXTS], object),
    }
    if pandas := import_pandas():
        tables["a DataFrame"] = pandas.DataFrame({"text": TEXTS})
    fitted = fit(estimator)
    for name, table in tables.items():
        told = refuses(f"{name} in fit", fit, estimator, table)
        claim(re.search("column|dimension", told), f"the error for {name} gives no hint: {told}")
        refuses(f"{name} in use", use, fitted, table)


@check
def check_empty_texts(estimator: Any) -> None:
    """Empty texts get rows without NaN, and no texts get no rows."""
    fitted = fit(estimator, ["", *TEXTS, " \n"], ["river", *LABELS, "tower"])
    result = dense(use(fitted, ["", " ", "low"]))
    claim(result.shape[0] == 3, f"three texts, two of them empty, give {result.shape[0]} rows")
    if result.dtype.kind == "f":
        claim(np.isfinite(result).all(), "empty texts give NaN")
    none = dense(use(fitted, []))
    claim(none.shape == (0, *result.shape[1:]), f"no texts give a result of shape {none.shape}")


@check
def check_nothing_to_learn_from(estimator: Any) -> None:
    """No texts, and empty ones only, raise `ValueError` with the number of texts."""
    only_if(get_tags(estimator).requires_fit, "it needs no fit")
    for texts in ([], ["", "  "]):
        labels = LABELS[: len(texts)]
        told = refuses(f"learning from {texts}", fit, estimator, texts, labels, errors=ValueError)
        counted = re.search(rf"\b{len(texts)}\b", told)
        claim(counted, f"the error for {texts} does not say how many texts there were: {told}")


@check
def check_unusual_texts(estimator: Any) -> None:
    """Scripts without spaces, emoji, marks, NUL, control characters and long words are texts."""
    odd = ["東京は広い", "🙂🙂 x🙂", "e\u0301\u200d", "a\x00b", "\u2028\u0085", "low" * 5000, "१२३"]
    fitted = fit(estimator, [*TEXTS, *odd], [*LABELS, *LABELS[: len(odd)]])
    rows = use(fitted, odd).shape[0]
    claim(rows == len(odd), f"{len(odd)} unusual texts give {rows} rows")


@check
def check_input_is_left_alone(estimator: Any) -> None:
    """Neither `fit` nor use change the texts and labels they are given."""
    texts, labels, column = list(TEXTS), list(LABELS), objects(TEXTS)
    use(fit(estimator, texts, labels), texts)
    use(fit(estimator, column, labels), column)
    claim(texts == TEXTS and column.tolist() == TEXTS, "the texts were changed")
    claim(labels == LABELS, "the labels were changed")
