"""Ids to text: whole, or one id at a time."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from operator import index

import numpy as np

from .reference import Symbol


class Pieces:
    """What each id stands for.

    Parameters
    ----------
    symbols : sequence of (bytes, bool)
        The text of each id, and whether a word ends there.

    Examples
    --------
    >>> Pieces([(b"lo", False), (b"w", True)]).join([0, 1, 0, 1])
    b'low low'

    """

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        listed = list(symbols)
        self.texts = [text + b" " * is_final for text, is_final in listed]
        self.ends = [is_final for _, is_final in listed]

    def __len__(self) -> int:
        return len(self.texts)

    def join(self, ids: Iterable[int]) -> bytes:
        """Join pieces; a space stands behind each word but the last.

        Raises
        ------
        IndexError
            For an id that there is not.

        """
        if isinstance(ids, np.ndarray) and ids.ndim == 1 and ids.dtype.kind in "iu":
            known = ids.tolist()
        else:
            known = [*map(index, ids)]  # which tells what is no integer
        if known and not 0 <= min(known) <= max(known) < len(self):
            wrong = next(i for i in known if not 0 <= i < len(self))
            raise IndexError(f"id {wrong} is not one of the {len(self):,} of the vocabulary")
        joined = b"".join(map(self.texts.__getitem__, known))
        return joined[:-1] if known and self.ends[known[-1]] else joined


class Decoder:
    """Decodes id by id, holding back what is not yet sure: cut characters, spaces after words.

    Parameters
    ----------
    pieces : Pieces
        What each id stands for.

    Examples
    --------
    >>> pieces = Pieces([(b"lo", False), (b"w", True), (b"\\xc3", False), (b"\\xa9", False)])
    >>> stream = Decoder(pieces)
    >>> [stream.push(i) for i in (0, 1, 2, 3)], stream.flush()
    (['lo', 'w', ' ', 'é'], '')

    """

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._space = b""

    def push(self, id: int) -> str:
        """Take one id and return the text that is now certain."""
        raw = self._space + self._pieces.join([id])
        self._space = b" " if self._pieces.ends[id] else b""
        return self._utf8.decode(raw)

    def flush(self) -> str:
        """End the text; return what was held back, U+FFFD for a cut character."""
        self._space = b""
        return self._utf8.decode(b"", final=True)


def as_pieces(symbols: Sequence[Symbol], special_ids: Iterable[int], marked: bool) -> Pieces:
    """Return the pieces of a model; where words are marked, special tokens are words too.

    >>> as_pieces([(b"lo", False), (b"<s>", False)], [1], marked=True).texts
    [b'lo', b'<s> ']
    """
    listed = [*symbols]
    for i in special_ids:
        listed[i] = (listed[i][0], marked)
    return Pieces(listed)
