"""Naive Bayes over the features of words: from one dictionary per language to a table of weights.

The counts of each language are scaled to the same sum, so that only what its words look like
matters and not how much of it there was. A feature seen c times then speaks for a language with
ln(1 + c / alpha), and not at all for one that lacks it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..model import BPE
from .calibration import Calibration
from .features import Keys, Kind, Places, features
from .scoring import make_scorer
from .table import Entries, WeightTable

Floats = npt.NDArray[np.float64]
Dictionary = Mapping[str, float]

_SCALED_SUM = 1e5
_LEVELS = 31  # of weights: five bits do as well as more
_FURTHEST = 5.5  # behind the best language a feature's weight is left out
# How much each kind counts. Pieces, pairs and the word tell much of the same twice; chosen on texts
# that were held out, of 75 languages.
_SHARES = {Kind.PIECE: 0.5, Kind.PAIR: 0.9, Kind.WORD: 1.6, Kind.BLOCK: 1.0}


class Counts(NamedTuple):
    """How often features occur in languages: entry i is that of ``keys[rows[i]]``.

    Attributes
    ----------
    keys : ndarray of uint32
        The features, rising.
    kinds : ndarray of int8
        Of each; the more general one where two kinds have a key in common.
    rows, languages : ndarray of int64
        Sorted, by feature first.
    counts : ndarray of float64
        Above 0.

    """

    keys: Keys
    kinds: npt.NDArray[np.int8]
    rows: Places
    languages: Places
    counts: Floats

    def take(self, kept: npt.NDArray[np.bool_]) -> Counts:
        """Return these entries, and the features that they leave."""
        rows = self.rows[kept]
        left = np.zeros(len(self.keys), bool)
        left[rows] = True
        numbers = np.cumsum(left) - 1
        return Counts(
            self.keys[left], self.kinds[left],
            numbers[rows], self.languages[kept], self.counts[kept],
        )  # fmt: skip


def learn_weights(
    bpe: BPE, dictionaries: Sequence[Dictionary], alpha: float, max_size: int | None = None
) -> tuple[WeightTable, float]:
    """Learn what the features of words say about the language.

    Parameters
    ----------
    bpe : BPE
        Splits the words into pieces.
    dictionaries : sequence of mapping word -> frequency
        One per language; words as `features.words_of` returns them, none of them without
        letters, frequencies above 0 that add up to 1.
    alpha : float
        Smoothing.
    max_size : int, optional
        How many units of two bytes the table may have; the most informative features stay.

    Returns
    -------
    table : WeightTable
        Weights as small whole numbers.
    unit : float
        What a weight of 1 is, in nats.

    """
    counts = count_features(bpe, dictionaries)
    nats = np.log1p(counts.counts * (_SCALED_SUM / alpha))
    nats *= np.array([_SHARES[kind] for kind in Kind])[counts.kinds[counts.rows]]
    unit = float(nats.max(initial=0.0)) / _LEVELS or 1.0
    best = np.zeros(len(counts.keys))
    np.maximum.at(best, counts.rows, nats)
    kept = nats >= best[counts.rows] - _FURTHEST
    if max_size is not None:
        always = (counts.kinds == Kind.PIECE) | (counts.kinds == Kind.BLOCK)
        base = _table(counts, nats, kept & always[counts.rows], unit)
        needs = _needs(bpe, dictionaries, base, unit)
        kept &= _most_needed(counts, kept, always, needs, max_size)[counts.rows]
    return _table(counts, nats, kept, unit), unit


def _table(counts: Counts, nats: Floats, kept: npt.NDArray[np.bool_], unit: float) -> WeightTable:
    """Return the table of some of the weights, in whole units."""
    weights = np.maximum(1, np.rint(nats[kept] / unit)).astype(np.uint8)
    left = counts.take(kept)
    indptr = np.searchsorted(left.rows, np.arange(len(left.keys) + 1))
    return WeightTable.pack(Entries(left.keys, indptr, left.languages.astype(np.uint8), weights))


def count_features(bpe: BPE, dictionaries: Sequence[Dictionary]) -> Counts:
    """Count the features of the words of each language, weighed by their frequencies."""
    parts = [_count(bpe, dictionary) for dictionary in dictionaries]
    keys, kinds, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    languages = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    order = np.lexsort((languages, keys))
    distinct, firsts, rows = np.unique(keys[order], return_index=True, return_inverse=True)
    kinds = np.minimum.reduceat(kinds[order], firsts)
    return Counts(distinct, kinds, rows, languages[order], counts[order])


def _count(bpe: BPE, dictionary: Dictionary) -> tuple[Keys, npt.NDArray[np.int8], Floats]:
    """Return the features of one language, their kinds, and how frequent they are."""
    found = features(bpe, list(dictionary))
    frequencies = np.fromiter(dictionary.values(), np.float64, len(dictionary))
    keys, firsts, rows = np.unique(found.keys, return_index=True, return_inverse=True)
    counts = np.bincount(rows, frequencies[found.words]).astype(np.float64)
    return keys, found.kinds[firsts], counts


def _needs(bpe: BPE, dictionaries: Sequence[Dictionary], base: WeightTable, unit: float) -> Counts:
    """Count the features of words by how much is left to be told about their language.

    A word of a language with a script of its own is known by its pieces; whatever else is known
    about it takes room and changes nothing.
    """
    scorer, calibration = make_scorer(bpe, base, len(dictionaries)), Calibration(unit)
    in_doubt = []
    for language, dictionary in enumerate(dictionaries):
        probabilities = calibration.probabilities(*scorer.score(list(dictionary)))
        doubts = 1.0 - probabilities[:, language]
        words = zip(dictionary.items(), doubts.tolist(), strict=True)
        in_doubt.append({word: frequency * doubt for (word, frequency), doubt in words})
    return count_features(bpe, in_doubt)


def _most_needed(
    counts: Counts, kept: npt.NDArray[np.bool_], always: npt.NDArray[np.bool_], needs: Counts,
    max_size: int,
) -> npt.NDArray[np.bool_]:  # fmt: skip
    """Return which features tell most where it is needed, as many as there is room for.

    A feature's part in the mutual information of features and languages is how often it occurs
    times how far its languages are from all of them being alike.
    """
    sums = np.bincount(counts.rows, needs.counts, len(counts.keys))
    shares = counts.counts / np.bincount(counts.rows, counts.counts)[counts.rows]
    entropies = -np.bincount(counts.rows, shares * np.log(shares), len(counts.keys))
    told = sums * (np.log(max(2, counts.languages.max(initial=0) + 1)) - entropies)
    told[always] = np.inf
    order = np.argsort(-told, kind="stable")
    sizes = 1 + np.bincount(counts.rows[kept], minlength=len(counts.keys))
    chosen = np.zeros(len(counts.keys), bool)
    chosen[order[np.cumsum(sizes[order]) <= max_size]] = True
    return chosen
