"""Counting words: a `Counter` here, a table of the compiled engine where that runs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import native
from .errors import CorpusError
from .files import byte_order_mark, open_binary, packing_of, place_of, unpacking
from .pretokenize import Splitter, check_text, check_texts

_BATCH = 1 << 22  # characters handed to the engine at a time


class Words(NamedTuple):
    """Distinct words with their counts, flat.

    Attributes
    ----------
    text : ndarray of uint8
        The words one after another, as UTF-8.
    offsets : ndarray of uint64, shape (n_words + 1,)
        Word i is ``text[offsets[i]:offsets[i + 1]]``.
    counts : ndarray of int64, shape (n_words,)
        How often each was seen.

    """

    text: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, words: Mapping[str, int]) -> Words:
        """Flatten a dictionary."""
        listed = [word.encode("utf-8", "surrogateescape") for word in words]
        ends = np.cumsum([0, *map(len, listed)], dtype=np.uint64)
        counts = np.fromiter(words.values(), np.int64, len(listed))
        return cls(np.frombuffer(b"".join(listed), np.uint8), ends, counts)

    def characters(self) -> set[str] | None:
        """Return the characters of all words; None when some bytes are no UTF-8."""
        try:
            seen = set(self.text.tobytes().decode())
        except UnicodeDecodeError:
            return None
        starts = self.text[self.offsets[:-1]] if len(self.counts) else self.text
        return None if ((starts & 0xC0) == 0x80).any() else seen  # a character cut in two


class Tally:
    """Counts the words of texts, in pure Python.

    Parameters
    ----------
    splitter : Splitter
        How texts become words.

    Examples
    --------
    >>> tally = Tally(Splitter("words", lowercase=True))
    >>> tally.add_texts(["Low low!"])
    >>> tally.counts()
    {'low': 2, '!': 1}

    """

    def __init__(self, splitter: Splitter) -> None:
        self.splitter = splitter
        self._counter: Counter[str] = Counter()

    def add_texts(self, texts: Iterable[str | bytes], n_jobs: int = 1) -> None:
        """Count the words of texts; bytes are taken as UTF-8, invalid ones kept."""
        for text in check_texts(texts, allow_bytes=True):
            self._counter.update(self.splitter.words(text))

    def add_file(self, path: str | os.PathLike[str], errors: str, n_jobs: int = 1) -> bool:
        """Count the words of a file as it lies there, if that is possible; say whether it was."""
        return False

    def __len__(self) -> int:
        return len(self._counter)

    def counts(self) -> dict[str, int]:
        """Return the counts in order of first appearance."""
        return dict(self._counter)

    def words(self) -> Words:
        """Return the counts flat."""
        return Words.of(self._counter)


class NativeTally(Tally):
    """The same by the compiled engine."""

    def __init__(self, splitter: Splitter) -> None:
        super().__init__(splitter)
        self._table: Any = native.core().WordTable(splitter.pretokenizer, splitter.only_lowers)

    def add_texts(self, texts: Iterable[str | bytes], n_jobs: int = 1) -> None:
        """Count the words of texts; bytes are taken as UTF-8, invalid ones kept."""
        if self.splitter.normalization:
            prepared = map(self.splitter.prepare, check_texts(texts, allow_bytes=True))
            texts = map(native.as_utf8, prepared)
        start = 0
        for batch in _batches(texts):
            try:
                self._table.add_texts(batch, n_jobs)
            except (TypeError, ValueError):
                for document, text in enumerate(batch, start):
                    check_text(text, document, allow_bytes=True)  # says what is wrong
                raise
            start += len(batch)

    def add_file(self, path: str | os.PathLike[str], errors: str, n_jobs: int = 1) -> bool:
        """Count the words of a file as it lies there, if that is possible; say whether it was."""
        if self.splitter.normalization or errors == "replace" or not os.path.isfile(path):
            return False
        strict = errors == "strict"
        with unpacking(os.fspath(path)):
            start = byte_order_mark(path)
            try:
                if packing_of(path):
                    with open_binary(path) as stream:
                        stream.read(start)
                        self._table.add_stream(stream, start, n_jobs, validate=strict)
                else:
                    self._table.add_file(os.fspath(path), start, n_jobs, validate=strict)
            except ValueError as error:
                raise CorpusError(*place_of(path, error.args[0])) from None
        return True

    def __len__(self) -> int:
        return len(self._table)

    def counts(self) -> dict[str, int]:
        """Return the counts in order of first appearance."""
        return dict(zip(self._table.words(), self._table.counts().tolist(), strict=True))

    def words(self) -> Words:
        """Return the counts flat."""
        return Words(*self._table.flat())


def make_tally(splitter: Splitter) -> Tally:
    """Return the tally of the engine that runs."""
    known = splitter.pretokenizer in native.SCANNERS
    return (NativeTally if known and native.core() else Tally)(splitter)


def _batches(texts: Iterable[str | bytes]) -> Iterator[Sequence[str | bytes]]:
    """Hand texts on as the list they are, or in lists of about as many characters."""
    if isinstance(texts, (list, tuple)):
        yield texts
        return
    batch: list[str | bytes] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text) + 64 if isinstance(text, (str, bytes)) else 0
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
