"""Named normalisation steps, and where each character of the result comes from."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import regex

from .errors import SubwordError


class Step(NamedTuple):
    """A rewriting of text, and a pattern for stretches that are rewritten independently."""

    rewrite: Callable[[str], str]
    stretch: str


def _unicode(form: str) -> Step:
    return Step(lambda text: unicodedata.normalize(form, text), r"\X")  # type: ignore[arg-type]


def _strip_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


LOWER = Step(str.lower, r"(?s:.)")
STEPS = {
    "NFC": _unicode("NFC"),
    "NFD": _unicode("NFD"),
    "NFKC": _unicode("NFKC"),
    "NFKD": _unicode("NFKD"),
    "strip_accents": Step(_strip_accents, r"\X"),
    "squeeze": Step(lambda text: regex.sub(r"\s+", " ", text), r"\s+|\S"),
}


def check_normalization(normalization: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the step names as a tuple.

    Raises
    ------
    SubwordError
        When a name is not known; the message lists the names.

    Examples
    --------
    >>> check_normalization("NFC"), check_normalization(None)
    (('NFC',), ())

    """
    names = (normalization,) if isinstance(normalization, str) else tuple(normalization or ())
    for name in names:
        if name not in STEPS:
            raise SubwordError(f"unknown normalization {name!r}; choose from {', '.join(STEPS)}")
    return names


def normalize(text: str, names: Sequence[str], lowercase: bool = False) -> str:
    """Apply the named steps in order, then lower-case.

    >>> normalize("Cafe\\u0301", ["NFC"], lowercase=True)
    'café'
    """
    for name in names:
        text = STEPS[name].rewrite(text)
    return text.lower() if lowercase else text


def align(text: str, names: Sequence[str], lowercase: bool) -> tuple[str, list[int], list[int]]:
    """Normalise and say for each character which slice of the original it stands for.

    Returns
    -------
    text : str
        What `normalize` returns.
    starts, ends : list of int
        Character i of it comes from ``original[starts[i]:ends[i]]``.

    Examples
    --------
    >>> align("ﬁx", ["NFKC"], False)
    ('fix', [0, 0, 1], [1, 1, 2])

    """
    starts, ends = list(range(len(text))), list(range(1, len(text) + 1))
    for step in [STEPS[name] for name in names] + [LOWER] * lowercase:
        result = step.rewrite(text)
        if result != text:
            origin = _origins(text, result, step)
            starts, ends = [starts[a] for a, _ in origin], [ends[b - 1] for _, b in origin]
            text = result
    return text, starts, ends


def _origins(text: str, result: str, step: Step) -> list[tuple[int, int]]:
    """Return for each character of `result` the slice of `text` it was made from."""
    stretches = regex.findall(step.stretch, text)
    sizes = [len(step.rewrite(stretch)) for stretch in stretches]
    if sum(sizes) != len(result):  # stretches that act on each other: only the whole is sure
        return [(0, len(text))] * len(result)
    borders = [0, *accumulate(map(len, stretches))]
    origins: list[tuple[int, int]] = []
    for size, start, end in zip(sizes, borders, borders[1:], strict=False):
        same = size == end - start  # rewritten character by character, as far as one can tell
        origins += [(start + i, start + i + 1) if same else (start, end) for i in range(size)]
    return origins
