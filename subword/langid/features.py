"""The words of a text, and what is looked at in a word: features, by their keys.

A word of n pieces has 2n + 2 features: its pieces, each piece with the one before it (the first
with the start of the word), the whole word, and where in Unicode its first character stands, which
tells the script. A feature is known by a key of 30 bits; those that share one are one feature.

A character that is no symbol of the model becomes the bytes of its UTF-8, which scripts that have
nothing to do with each other share. What bytes say counts in a script that was learnt alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import regex

from ..model import BPE
from ..pretokenize import Splitter
from ..reference import hash_text

KEY_BITS = 30
BLOCK_BITS = 7  # blocks of 128 characters: Unicode gives most scripts one or more of their own
Keys = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]

SPLITTER = Splitter("words", lowercase=True, normalization=("NFKC",))
_SPOKEN = regex.compile(r"\p{L}")  # words of digits and signs say nothing
_ADDRESS = re.compile(r"(?:\w{1,20}://|www\.)\S+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")


class Kind(IntEnum):
    """What a feature is; the more general first."""

    PIECE = 0
    PAIR = 1
    BLOCK = 2
    WORD = 3


class Features(NamedTuple):
    """The features of a list of words, in no particular order.

    Attributes
    ----------
    keys : ndarray of uint32
        Of each feature.
    words : ndarray of int64
        The word it belongs to.
    kinds : ndarray of int8
        What it is, a `Kind`.
    of_bytes : ndarray of bool
        Whether it is a lone byte of an unknown character, or a pair with one.

    """

    keys: Keys
    words: Places
    kinds: npt.NDArray[np.int8]
    of_bytes: npt.NDArray[np.bool_]


def clean(text: str) -> str:
    """Blank web and mail addresses, and write both apostrophes alike; no character moves.

    >>> clean("see www.low.org, it’s new")
    "see             it's new"
    """
    if "@" in text or "://" in text or "www." in text:
        text = _ADDRESS.sub(lambda match: " " * len(match[0]), text)
    return text.replace("’", "'")


def prepare(text: str) -> str:
    """Return a text as it is split: without addresses, normalised, in lower case."""
    text = clean(text)
    return text.lower() if text.isascii() else SPLITTER.prepare(text)


def words_of(prepared: str) -> list[str]:
    """Return the words of a prepared text; those without letters are left out.

    >>> words_of(prepare("It’s 5 o'clock!"))
    ["it's", "o'clock"]
    """
    return [word for word in SPLITTER.split(prepared) if _SPOKEN.match(word)]


def features(bpe: BPE, words: Sequence[str]) -> Features:
    """Return the features of words.

    Parameters
    ----------
    bpe : BPE
        Splits a word into pieces.
    words : sequence of str
        None of them empty.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2}, num_merges=2)
    >>> features(bpe, ["low", "lower"]).kinds.tolist()  # low</w>; lo, w, e, r</w>
    [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 3, 3]

    """
    ids, indptr = bpe.encode_batch(words)
    pieces = ids.astype(np.uint64)
    before = np.zeros_like(pieces)  # 0: the start of the word
    before[1:] = pieces[:-1] + np.uint64(1)
    before[indptr[:-1]] = 0
    one_each = np.arange(len(words))
    owner = np.repeat(one_each, np.diff(indptr))
    codes = [
        pieces,
        before << np.uint64(31) | pieces,
        np.array([ord(word[0]) >> BLOCK_BITS for word in words], np.uint64),
        _hash(words) >> np.uint64(2),
    ]
    kinds = np.repeat(np.array([*Kind], np.int8), [*map(len, codes)])
    named = kinds.astype(np.uint64) << np.uint64(62) | np.concatenate(codes)
    keys = _mix(named) >> np.uint64(64 - KEY_BITS)
    words_of_features = np.concatenate([owner, owner, one_each, one_each])
    return Features(keys.astype(np.uint32), words_of_features, kinds, _of_bytes(bpe, ids, indptr))


def _of_bytes(bpe: BPE, ids: Any, indptr: Any) -> npt.NDArray[np.bool_]:
    """Say which features are lone bytes, or pairs with one.

    So is the bare end of a word, which stands behind the bytes of an unknown last character.
    """
    lone = np.array([not text or (len(text) == 1 and text >= b"\x80") for text, _ in bpe.symbols])
    pieces = lone[ids]
    before = np.zeros_like(pieces)
    before[1:] = pieces[:-1]
    before[indptr[:-1]] = False
    return np.concatenate([pieces, before | pieces, np.zeros(2 * (len(indptr) - 1), bool)])


def _hash(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    return np.array([hash_text(word.encode()) for word in words], np.uint64)


def _mix(z: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Do what `reference.mix` does, for many numbers."""
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)
