"""What each word of a text did to its label, and how a terminal shows that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..pretokenize import Splitter

_WEAK, _STRONG = 0.15, 0.5  # of the greatest contribution; what is below is not marked
_MOST_WORDS = 400  # of one text that are tried one by one, where a model cannot explain itself
_FOR, _AGAINST = "32", "31;4"  # green; red and underlined, for those who cannot tell the two


@dataclass(frozen=True)
class Mark:
    """A word, where it stands, and what it adds to the score of a label."""

    start: int
    end: int
    value: float


def marks_of(model: Any, text: str, label: str) -> list[Mark]:
    """Return what the words of a text say about a label.

    Of a classifier that has `explain` (behind steps that keep the places of characters, as
    `NegationMarker` does) what that says; of any other the fall of the score when the word is
    taken out of the text.

    Examples
    --------
    >>> from subword import SubwordTextClassifier
    >>> model = SubwordTextClassifier().fit(["so low", "the newest"] * 2, ["down", "up"] * 2)
    >>> [mark.value > 0 for mark in marks_of(model, "the low", "down")]
    [False, True]

    """
    steps = [*model] if isinstance(model, Pipeline) else [model]
    if hasattr(steps[-1], "explain"):
        seen = text
        for step in steps[:-1]:
            (seen,) = step.transform([seen])
        if len(seen) == len(text):
            return [Mark(part.start, part.end, part.value)
                    for part in steps[-1].explain(seen, label)]  # fmt: skip
    return _by_leaving_out(model, text, label)


def _by_leaving_out(model: Any, text: str, label: str) -> list[Mark]:
    spans = Splitter("words").spans(text)[:_MOST_WORDS]
    if not spans:
        return []
    scores = scores_of(model, [text, *(text[:a] + text[b:] for a, b in spans)])
    (column,) = np.flatnonzero(np.asarray(model.classes_) == label)[:1]
    falls = scores[0, column] - scores[1:, column]
    return [Mark(a, b, fall) for (a, b), fall in zip(spans, falls.tolist(), strict=True)]


def scores_of(model: Any, texts: Sequence[str]) -> Any:
    """Return a score for every text and class, of two classes as of more."""
    scores = model.decision_function(texts)
    return np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores


def strengths(marks: Sequence[Mark]) -> list[int]:
    """Return -2 to 2 for each word: strongly against, against, neither, for, strongly for.

    >>> strengths([Mark(0, 1, 1.0), Mark(2, 3, 0.01), Mark(4, 5, -0.3)])
    [2, 0, -1]
    """
    greatest = max((abs(mark.value) for mark in marks), default=0.0)
    return [
        int(np.sign(mark.value))
        * ((abs(mark.value) >= _WEAK * greatest) + (abs(mark.value) >= _STRONG * greatest))
        if greatest
        else 0
        for mark in marks
    ]


def segments(text: str, marks: Sequence[Mark]) -> list[tuple[str, int]]:
    """Cut a text into stretches with their strengths, nothing left out.

    >>> segments("so low!", [Mark(3, 6, 1.0)])
    [('so ', 0), ('low', 2), ('!', 0)]
    """
    found, end = [], 0
    for mark, strength in zip(marks, strengths(marks), strict=True):
        found += [(text[end : mark.start], 0), (text[mark.start : mark.end], strength)]
        end = mark.end
    return [part for part in [*found, (text[end:], 0)] if part[0]]


def marked(text: str, marks: Sequence[Mark], colour: bool) -> str:
    """Return a text on one line with its words marked, in colours or with signs.

    >>> marked("so low!", [Mark(0, 2, -0.2), Mark(3, 6, 1.0)], colour=False)
    '[-so] [++low]!'
    """
    return "".join(_shown(part, strength, colour) for part, strength in segments(text, marks))


def _shown(part: str, strength: int, colour: bool) -> str:
    plain = "".join(c if c.isprintable() else " " for c in part)
    if not strength:
        return plain
    if colour:
        code = (_FOR if strength > 0 else _AGAINST) + (";1" if abs(strength) > 1 else "")
        return f"\x1b[{code}m{plain}\x1b[0m"
    return f"[{('+' if strength > 0 else '-') * abs(strength)}{plain}]"
