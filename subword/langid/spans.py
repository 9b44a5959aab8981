"""Which language where: the likeliest run of languages over the words of a text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .features import SPLITTER, clean, words_of

_FLOOR = 1e-3  # the least a word's probability of a language is taken for


class LanguageSpan(NamedTuple):
    """A stretch of a text in one language.

    Attributes
    ----------
    start, end : int
        Where, in characters: from its first word to its last.
    language : str
        Which, or ``"und"``.

    """

    start: int
    end: int
    language: str


class SpokenWord(NamedTuple):
    """A word as it is looked up, and its place in the text as it was given."""

    word: str
    start: int
    end: int


def find_words(text: str) -> list[SpokenWord]:
    """Return the words of a text that have letters, with their places.

    >>> find_words("¿ NEW?")
    [SpokenWord(word='new', start=2, end=5)]
    """
    prepared, starts, ends = SPLITTER.align(clean(text))
    return [
        SpokenWord(prepared[start:end], starts[start], ends[end - 1])
        for start, end in SPLITTER.spans(prepared)
        if words_of(prepared[start:end])
    ]


def join(spans: Iterable[LanguageSpan]) -> list[LanguageSpan]:
    """Make one span of neighbours in one language.

    >>> join([LanguageSpan(0, 3, "en"), LanguageSpan(4, 7, "en"), LanguageSpan(9, 12, "fr")])[0]
    LanguageSpan(start=0, end=7, language='en')
    """
    runs = [[*run] for _, run in groupby(spans, key=attrgetter("language"))]
    return [LanguageSpan(run[0].start, run[-1].end, run[0].language) for run in runs]


def likeliest_path(probabilities: npt.NDArray[np.float64], penalty: float) -> list[int]:
    """Return the likeliest language of each word, where a change costs something (Viterbi 1967).

    Parameters
    ----------
    probabilities : ndarray of shape (n_words, n_languages)
        Of the languages by each word alone.
    penalty : float
        What a change of language costs, in nats.

    Examples
    --------
    >>> words = np.array([[0.9, 0.1], [0.4, 0.6], [0.9, 0.1]])
    >>> likeliest_path(words, 0.0), likeliest_path(words, 2.0)
    ([0, 1, 0], [0, 0, 0])

    """
    logs = np.log(np.maximum(probabilities, _FLOOR))
    every = np.arange(logs.shape[1])
    total, before = np.zeros(len(every)), []
    for log in logs:
        best = int(total.argmax())
        stays = total >= total[best] - penalty
        before.append(np.where(stays, every, best))
        total = np.where(stays, total, total[best] - penalty) + log
    path = [int(total.argmax())]
    for came_from in before[:0:-1]:
        path.append(int(came_from[path[-1]]))
    return path[::-1]
