"""What features say: a weight for each language they speak for, packed into two bytes each.

In memory the features stand in buckets by the upper 18 bits of their keys. A bucket is a run of
16-bit units: one for a feature, with the highest bit set and the lower 12 bits of its key, then one
for each language that it speaks for, with 8 bits for the language and 7 for the weight. So a
look-up reads one place in memory, and nothing is stored twice.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .features import KEY_BITS, Keys, Places

BUCKET_BITS = 18
TAG_BITS = KEY_BITS - BUCKET_BITS
WEIGHT_BITS = 7
MOST_LANGUAGES = 1 << (15 - WEIGHT_BITS)
LARGEST_WEIGHT = (1 << WEIGHT_BITS) - 1
_HEAD = 1 << 15

Bytes = npt.NDArray[np.uint8]


class Entries(NamedTuple):
    """The same, flat: feature i speaks for ``languages[indptr[i]:indptr[i + 1]]``.

    Attributes
    ----------
    keys : ndarray of uint32
        Of the features, rising.
    indptr : ndarray of int64
        Where the languages of each begin, and the end.
    languages, weights : ndarray of uint8
        Languages by number, rising within a feature, and the weights from 1 to `LARGEST_WEIGHT`.

    """

    keys: Keys
    indptr: Places
    languages: Bytes
    weights: Bytes


class WeightTable:
    """Weights of languages by feature.

    Parameters
    ----------
    starts : ndarray of uint32, shape (n_buckets + 1,)
        Where each bucket begins in `units`, and the end.
    units : ndarray of uint16
        Features and, behind each, its languages with their weights.

    Examples
    --------
    >>> entries = Entries(*map(np.array, ([7, 9], [0, 2, 3], [0, 1, 1], [5, 3, 8])))
    >>> table = WeightTable.pack(entries)
    >>> table.units.tolist() == [0x8007, 5, 1 << 7 | 3, 0x8009, 1 << 7 | 8]
    True

    """

    def __init__(self, starts: npt.NDArray[np.uint32], units: npt.NDArray[np.uint16]) -> None:
        self.starts, self.units = starts, units

    @classmethod
    def pack(cls, entries: Entries, buckets: int = 1 << BUCKET_BITS) -> WeightTable:
        """Make the table, or some buckets of one, of flat entries."""
        keys, indptr, languages, weights = entries
        heads = indptr[:-1] + np.arange(len(keys))  # a unit for each feature before it
        units = np.empty(len(keys) + len(languages), np.uint16)
        is_head = np.zeros(len(units), bool)
        is_head[heads] = True
        units[is_head] = _HEAD | keys & ((1 << TAG_BITS) - 1)
        units[~is_head] = languages.astype(np.uint16) << WEIGHT_BITS | weights
        firsts = np.searchsorted(keys >> TAG_BITS, np.arange(buckets + 1))
        return cls(np.append(heads, len(units)).astype(np.uint32)[firsts], units)

    @cached_property
    def entries(self) -> Entries:
        """The table laid out flat, for those who look things up with numpy."""
        is_head = self.units >= _HEAD
        heads = np.flatnonzero(is_head)
        buckets = np.searchsorted(self.starts, heads, side="right") - 1
        keys = buckets << TAG_BITS | self.units[heads] & ((1 << TAG_BITS) - 1)
        rest = self.units[~is_head]
        indptr = np.append(heads, len(self.units)) - np.arange(len(heads) + 1)
        return Entries(
            keys.astype(np.uint32),
            indptr.astype(np.int64),
            (rest >> WEIGHT_BITS).astype(np.uint8),
            (rest & LARGEST_WEIGHT).astype(np.uint8),
        )

    def __len__(self) -> int:
        return int(np.count_nonzero(self.units >= _HEAD))
