"""What texts have taught lately: who asks for another size of it need not count and learn again.

A search fits the same texts, its folds, again and again. The first merges of many are what learning
fewer would have given, so the second fit learns some in advance, and later ones truncate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from . import native
from .counts import WordCounts
from .model import BPE
from .options import Options
from .trainer import DEFAULT_MERGES, UNLIMITED, Lesson, learn_model

_ROOM = 1 << 20  # pieces and words in all; one takes 30 to 150 bytes
_WORDS = 1 << 16  # of each lesson, the earliest, whose ids its models need not find again


class _Kept(NamedTuple):
    lesson: Lesson
    asked: int  # so many merges, if there are as many

    def has(self, num_merges: int) -> bool:
        return num_merges <= self.asked or self.lesson.bpe.num_merges < self.asked

    @property
    def size(self) -> int:
        seen = self.lesson.bpe._seen
        return len(self.lesson.bpe) + (len(seen.ends) if seen else 0)


_kept: dict[object, _Kept] = {}  # the longest unused first; neither texts nor models in use


def learn_texts(
    texts: list[str],
    count: Callable[[], WordCounts],
    options: Options,
    num_merges: int | None = None,
    special_tokens: Sequence[str] = (),
) -> BPE:
    """Return the model of some texts, learnt now or when they were here before.

    Parameters
    ----------
    texts : list of str
        The documents.
    count : callable
        Returns their words; the texts and `options` alone say which.
    options, num_merges, special_tokens
        As `subword.train` has them.

    Returns
    -------
    BPE
        A new one each time, with a word cache of its own.

    Examples
    --------
    >>> import subword
    >>> texts = ["low lower", "low"]
    >>> count = lambda: subword.WordCounts.from_texts(texts)
    >>> learn_texts(texts, count, Options(), 2) == subword.train(texts, 2)
    True

    """
    wanted = DEFAULT_MERGES if num_merges is None else int(num_merges)
    seen = fingerprint(texts)
    key = (seen, options, tuple(special_tokens), bool(native.core()))
    # Every step is safe among threads: a lock could be held where the process is forked.
    kept = _kept.pop(key, None)
    if kept and kept.has(wanted):
        lesson = kept.lesson
    else:
        asked = min(max(2 * wanted, DEFAULT_MERGES), UNLIMITED) if kept else wanted
        lesson = learn_model(count(), options, (asked, None), special_tokens)
        kept = _Kept(_light(lesson), asked)
    if seen:
        _keep(key, kept)
    lesson.warn(num_merges)
    return lesson.bpe._first(wanted)


def fingerprint(texts: list[str]) -> tuple[int, int] | None:
    """Return numbers that differ where a text does, but once in 2**64; None for other than str.

    The hashes of strings are keyed anew in each process. They are those of their bytes in memory,
    which with the lengths belong to one string alone.
    """
    if core := native.core():
        found: tuple[int, int] | None = core.fingerprint(texts)
        return found
    if any(type(text) is not str for text in texts):
        return None
    return hash(tuple(texts)), hash(tuple(map(len, texts)))


def _light(lesson: Lesson) -> Lesson:
    """Return a lesson with fewer words, whose model nobody else uses."""
    bpe = lesson.bpe._first(lesson.bpe.num_merges)
    bpe._seen = bpe._seen and bpe._seen.earliest(_WORDS)
    return lesson._replace(bpe=bpe)


def _keep(key: object, kept: _Kept) -> None:
    """Keep what was just in use, and of the others what there is room for."""
    _kept[key] = kept
    excess = sum(other.size for other in [*_kept.values()]) - _ROOM
    for old, other in [*_kept.items()][:-1]:
        if excess <= 0:
            break
        _kept.pop(old, None)
        excess -= other.size
