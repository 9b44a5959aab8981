"""What an estimator is handed: one column of texts, read once and checked; a number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing import current_process
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from . import native
from .errors import SubwordError
from .options import check_whole
from .pretokenize import check_text, check_texts


def read_documents(
    X: Iterable[Any],
    preprocessor: Callable[[Any], str] | None = None,
    missing: str | None = "error",
    allow_bytes: bool = False,
) -> list[str]:
    """Return documents as a list, each of them a text.

    Parameters
    ----------
    X : iterable of str
        One text per document.
    preprocessor : callable, default=None
        Applied to each document that is not missing; must return a str.
    missing : {"error", "empty", None}, default="error"
        Whether None, NaN and NA are errors or empty documents; None where it is no question.
    allow_bytes : bool, default=False
        Whether a document may be bytes; such ones stay bytes.

    Returns
    -------
    list of str
        In the order of the documents.

    Raises
    ------
    SubwordError
        For a table, and for a lone surrogate in a text.
    TypeError
        For a single str, and for documents that are none; with their number.

    Examples
    --------
    >>> read_documents(["low", None, "lower"], missing="empty")
    ['low', '', 'lower']

    """
    rows = _rows(X)
    if preprocessor is None and are_texts(rows):
        return rows
    texts = []
    for row, document in enumerate(rows):
        absent = is_missing(document)
        if absent and missing == "empty":
            document = ""
        elif preprocessor is not None and not absent:
            document = preprocessor(document)
        try:
            check_text(document, row, allow_bytes)
        except TypeError as error:
            raise TypeError(f"{error}{_hint(document, missing)}") from None
        texts.append(document)
    return texts


def _rows(X: Any) -> list[Any]:
    """Return the documents as a list; refuse what is not one-dimensional."""
    shape = getattr(X, "shape", None)
    if isinstance(X, Mapping) or (isinstance(shape, tuple) and len(shape) > 1):
        size = f" of shape {shape}" if shape else ""
        raise SubwordError(
            f"expected one column of texts, got {type(X).__name__}{size}; pass the column itself, "
            'such as X["text"], and name it "text", not ["text"], in a ColumnTransformer'
        )
    if not isinstance(X, Iterable) or shape == ():
        raise TypeError(f"expected an iterable of texts, got {type(X).__name__} ({X!r:.40})")
    check_texts(X)  # not a single str
    return list(X.tolist() if hasattr(X, "tolist") else X)  # an array or a Series


def are_texts(documents: list[Any]) -> bool:
    """Say whether they are nothing but sound texts; the engine sees that at once."""
    return bool(native.core() and native.core().are_texts(documents))


def threads(n_jobs: int | None) -> int:
    """Return a number of threads; one inside a parallel grid search or a pool of processes.

    >>> threads(None), threads(2)
    (1, 2)
    """
    if n_jobs is not None:
        check_whole("n_jobs", n_jobs, -(2**31))
    if n_jobs == 0:
        raise SubwordError("n_jobs must be None, a number of threads, or -1 for all; got 0")
    # joblib says one in a pool, too, but warns each time.
    return 1 if current_process().daemon else int(effective_n_jobs(n_jobs))


def is_missing(value: object) -> bool:
    """Recognise None, NaN, and pandas' NA and NaT without pandas."""
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _hint(document: object, missing: str | None) -> str:
    """Return the way out for a document that is no text."""
    if is_missing(document):
        choice = ", or pass missing='empty'" if missing else ""
        return f"; fill or drop missing values{choice}"
    if isinstance(document, (list, tuple, np.ndarray)):
        return "; a document is one str, and X is one-dimensional"
    return ""


def tag_texts(tags: Any, missing: str | None = None) -> Any:
    """Say in the tags of an estimator that it takes texts, and whether some may be missing."""
    tags.input_tags.string = True
    tags.input_tags.two_d_array = False
    tags.input_tags.allow_nan = missing == "empty"
    return tags


def nothing_found(texts: Sequence[str], symbols: int) -> SubwordError:
    """Return the error for documents in which there is nothing to learn from."""
    reason = "all of them stop words" if symbols else "texts are empty, or a generator is used up"
    return SubwordError(
        f"empty vocabulary: {len(texts)} documents and {symbols} symbols seen ({reason})"
    )
