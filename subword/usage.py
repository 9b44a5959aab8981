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
        splitting rules than those of the model; then it is a text, with a space in front where
        the model keeps spaces in words. A plain mapping is taken to follow the model's rules.

    Raises
    ------
    SubwordError
        When words are not UTF-8 and the model works on characters.

    """
    held = counts_for(bpe, counts)
    words, flat = [*held], held.words()
    if bpe.level == "char" and flat.characters() is None:
        raise SubwordError("some of the words are not UTF-8; only level='byte' can hold them")
    if held.splitter == bpe.options.splitter:
        ids, indptr = bpe._coder.encode_words_batch(words)
    else:
        space = " " * (bpe.options.splitter.keeps_space and not held.splitter.keeps_space)
        ids, indptr = bpe.encode_batch([as_utf8(space + word) for word in words])
    return Usage(words, flat.counts, ids, indptr)


def counts_for(bpe: BPE, counts: Mapping[str, int]) -> WordCounts:
    """Give words without splitting rules those of the model, in the form it knows them."""
    if isinstance(counts, WordCounts):
        return counts
    splitter = bpe.options.splitter
    words = WordCounts._of({}, splitter)
    for word, number in WordCounts(counts).items():
        words._add(splitter.prepare(word), number)
    return words
