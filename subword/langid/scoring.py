"""Scores of texts: the sum of the weights of their features, a column per language."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from .. import native
from ..model import BPE
from .features import Kind, features, words_of
from .table import WeightTable

Sums = npt.NDArray[np.int64]


class Scorer:
    """Scores texts with numpy.

    Parameters
    ----------
    bpe : BPE
        Splits words into pieces.
    table : WeightTable
        What features say.
    languages : int
        How many columns there are.

    """

    def __init__(self, bpe: BPE, table: WeightTable, languages: int) -> None:
        self.bpe, self.table, self.languages = bpe, table, languages

    def score(self, prepared: Sequence[str], n_jobs: int = 1) -> tuple[Sums, Sums]:
        """Return the scores of texts, and how many of the features of each are known.

        Parameters
        ----------
        prepared : sequence of str
            Texts as `features.prepare` returns them.
        n_jobs : int
            Threads of the native engine.

        Returns
        -------
        scores : ndarray of int64, shape (n_texts, n_languages)
            Sums of weights.
        known : ndarray of int64, shape (n_texts,)
            Every feature counts as often as it occurs.

        """
        split = [words_of(text) for text in prepared]
        distinct = {word: i for i, word in enumerate(dict.fromkeys(chain.from_iterable(split)))}
        flat = [distinct[word] for word in chain.from_iterable(split)]
        texts = np.repeat(np.arange(len(split)), [*map(len, split)])
        shape = len(split), len(distinct)
        words = sp.csr_array((np.ones(len(flat), np.int64), (texts, flat)), shape)
        known = self._features(list(distinct))
        scores = (words @ known @ self._weights()).toarray()
        return scores, np.asarray((words @ known).sum(axis=1), np.int64)

    def _features(self, words: Sequence[str]) -> Any:
        """Return which known features the words have, bytes in unknown scripts left out."""
        found, keys = features(self.bpe, words), self.table.entries.keys
        rows = np.minimum(np.searchsorted(keys, found.keys), max(0, len(keys) - 1))
        is_known = keys[rows] == found.keys if len(keys) else np.zeros(len(rows), bool)
        in_known_script = is_known[found.kinds == Kind.BLOCK]  # one each, in the order of words
        is_known &= ~found.of_bytes | in_known_script[found.words]
        ones = np.ones(np.count_nonzero(is_known), np.int64)
        places = found.words[is_known], rows[is_known]
        return sp.csr_array((ones, places), (len(words), len(keys)))

    def _weights(self) -> Any:
        keys, indptr, languages, weights = self.table.entries
        return sp.csr_array(
            (weights.astype(np.int64), languages, indptr), (len(keys), self.languages)
        )


class NativeScorer(Scorer):
    """The same by the compiled engine, which keeps the sums of short words it has met."""

    def __init__(self, bpe: BPE, table: WeightTable, languages: int) -> None:
        super().__init__(bpe, table, languages)
        self._engine = native.core().LanguageScorer(
            bpe._coder._encoder,  # type: ignore[attr-defined]
            table.starts, table.units, languages,
        )  # fmt: skip

    def score(self, prepared: Sequence[str], n_jobs: int = 1) -> tuple[Sums, Sums]:
        """Return the scores of texts, and how many of the features of each are known."""
        scores: tuple[Sums, Sums] = self._engine.score(prepared, n_jobs)
        return scores


def make_scorer(bpe: BPE, table: WeightTable, languages: int) -> Scorer:
    """Return the scorer of the engine that runs."""
    return (NativeScorer if native.core() else Scorer)(bpe, table, languages)
