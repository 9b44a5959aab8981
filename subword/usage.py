"""The words of a corpus as a model splits them, each distinct word once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .coder import Ints, Longs
from .counts import WordCounts
from .errors import SubwordError
from .model import BPE
from .native import as_utf8


class Usage(NamedTuple):
    """Words, their counts, and the ids of each: word i has ``ids[indptr[i]:indptr[i + 1]]``."""

    words: list[str]
    counts: Longs
    ids: Ints
    indptr: Longs

    def frequencies(self, size: int) -> Longs:
        """Return how often each of the first `size` ids occurs in the corpus.

        >>> import subword
        >>> usage_of(subword.train({"low": 5}), {"low": 5}).frequencies(1000).sum()
        np.int64(5)
        """
        found = np.zeros(size, np.int64)
        np.add.at(found, self.ids, np.repeat(self.counts, np.diff(self.indptr)))
        return found


def usage_of(bpe: BPE, counts: Mapping[str, int]) -> Usage:
    """Split the words of a corpus.

    Parameters
    ----------
    bpe : BPE
        The model.
    counts : WordCounts or mapping word -> count
        A word is a word: it is not split once more, except where the counts were made by other
        splitting rules than those of the model. A plain mapping is taken to follow them.

    Raises
    ------
    SubwordError
        When words are not UTF-8 and the model works on characters.

    """
    held = counts if isinstance(counts, WordCounts) else _prepared(bpe, counts)
    words, numbers = [*held], np.fromiter(held.values(), np.int64, len(held))
    try:
        if held.splitter == bpe.options.splitter:
            ids, indptr = bpe._coder.encode_vocabulary(words)
        else:
            ids, indptr = bpe.encode_batch([*map(as_utf8, words)])
    except TypeError:  # some are bytes
        raise SubwordError(
            "some of the words are not UTF-8; only level='byte' can hold them"
        ) from None
    return Usage(words, numbers, ids, indptr)


def _prepared(bpe: BPE, counts: Mapping[str, int]) -> WordCounts:
    """Give words the splitting rules of the model, in the form it knows them."""
    splitter, checked = bpe.options.splitter, WordCounts(counts)
    words = WordCounts._of({}, splitter)
    for word, number in checked.items():
        words._add(splitter.prepare(word), number)
    return words
