"""A document as streams of pieces: those of one model, or of several sizes of it side by side.

The ids of all streams are of one range, so that whatever is made of ids need not know of streams.
Where n-grams stay inside words, an id that stands for no piece opens every word.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import known_texts, native
from .alphabet import is_unit
from .coder import Ints, Longs, Span, flatten
from .model import BPE
from .ngrams import Layout, Range
from .pretokenize import Splitter

OPENER = "<w>"  # where a word begins, as </w> is where it ends


class Drop(NamedTuple):
    """The dropout of one fit; see `BPE.encode`."""

    rate: float
    seed: int | None


class Streams:
    """Texts to ids in one range for all sizes of a model.

    A document is as many rows of ids as there are sizes, in the order of their names.

    Parameters
    ----------
    bpe : BPE
        The model.
    ranges : (min_n, max_n) or mapping of int to (min_n, max_n)
        The lengths of n-grams; of the whole model, or by number of merges.
    within_words : bool
        Whether n-grams stay inside words. Then ``<w>`` opens every word.
    special : sequence of str
        The special tokens that texts may contain; each is a word.

    Attributes
    ----------
    models : tuple of BPE
        The model of each stream.
    names : sequence of str
        The name of each id: that of its piece, after the size where there are several.
    layout : Layout
        What there is to count.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2})
    >>> streams = Streams(bpe, {1: (1, 2), 3: (1, 1)}, within_words=True)
    >>> ids, indptr = streams.encode(["lower low"])
    >>> [streams.names[i] for i in ids[indptr[0] : indptr[1]]]
    ['1:<w>', '1:lo@@', '1:w@@', '1:e@@', '1:r', '1:<w>', '1:lo@@', '1:w']
    >>> [streams.names[i] for i in ids[indptr[1] : indptr[2]]]
    ['3:<w>', '3:lo@@', '3:we@@', '3:r', '3:<w>', '3:low']

    """

    def __init__(
        self,
        bpe: BPE,
        ranges: Range | Mapping[int, Range],
        within_words: bool = False,
        special: Sequence[str] = (),
    ) -> None:
        self.bpe, self.ranges, self.special = bpe, ranges, tuple(special)
        if isinstance(ranges, Mapping):
            self.prefixes = sorted(f"{size}:" for size in ranges)
            sizes = [int(prefix[:-1]) for prefix in self.prefixes]
        else:
            self.prefixes, sizes, ranges = [""], [bpe.num_merges], {bpe.num_merges: ranges}
        self.models = tuple(map(bpe.truncate, sizes))
        lengths = (ranges[size] for size in sizes)
        self.layout = Layout(
            tuple((int(low), int(high)) for low, high in lengths),
            openers=len(sizes) if within_words else 0,
        )
        self.shifts = np.cumsum([0, *map(len, self.models)]).tolist()

    def __len__(self) -> int:
        """Return the number of ids, openers included."""
        return int(self.shifts[-1]) + self.layout.openers

    @cached_property
    def names(self) -> Sequence[str]:
        """The name of each id; all different."""
        if self.prefixes == [""]:
            return piece_names(self.bpe, bool(self.layout.openers))
        spelt, openers = [], []
        for prefix, bpe in zip(self.prefixes, self.models, strict=True):
            pieces = piece_names(bpe, bool(self.layout.openers))
            spelt += [prefix + piece for piece in pieces[: len(bpe)]]
            openers += [prefix + piece for piece in pieces[len(bpe) :]]
        return spelt + openers

    @property
    def owners(self) -> list[int] | None:
        """The stream of each id; None if there is but one."""
        if len(self.models) == 1:
            return None
        owners = [j for j, bpe in enumerate(self.models) for _ in range(len(bpe))]
        return [*owners, *range(self.layout.openers)]

    # -- texts to ids ----------------------------------------------------------------------

    def encode(
        self, texts: Sequence[str], n_jobs: int = 1, drop: Drop | None = None
    ) -> tuple[Ints, Longs]:
        """Return the ids of all texts, stream by stream in each, and where each row begins.

        Parameters
        ----------
        texts : sequence of str
            Documents that are known to be sound.
        n_jobs : int
            Threads of the native engine.
        drop : Drop
            Skips merges at random.

        """
        if drop and not self.special:
            return self._dropped(texts, n_jobs, drop)
        with contextlib.suppress(TypeError, ValueError):  # bytes, or some that are no UTF-8
            if not drop and (given := self.for_engine(texts)):
                found: tuple[Ints, Longs] = native.core().encode_texts(*given, n_jobs)
                return found
        if not self.layout.openers and len(self.models) == 1:
            rate, seed = drop or (0.0, None)
            return self.models[0].encode_batch(
                texts, n_jobs=n_jobs, dropout=rate, seed=seed, allowed_special=self.special
            )
        return flatten(row for text in texts for row in self._rows(text, drop))

    def _dropped(self, texts: Sequence[str], n_jobs: int, drop: Drop) -> tuple[Ints, Longs]:
        """Do the same with merges skipped, stream by stream."""
        rows = []
        for bpe, shift, opener in zip(self.models, self.shifts, self._openers, strict=False):
            ids, indptr = bpe._encoder.drop_batch(texts, *drop, n_jobs, max(-1, opener - shift))
            rows.append((ids + np.int32(shift), indptr))
        return interleave(rows) if len(rows) > 1 else rows[0]

    @property
    def splitter(self) -> Splitter:
        """How all the models split texts."""
        return self.bpe.options.splitter

    def remember(self, texts: Sequence[str]) -> None:
        """Note that texts are fitted, so that doing it again may cost less."""
        if self._are_native:
            known_texts.remember(texts, self.splitter)

    def for_engine(self, texts: Sequence[str]) -> tuple[Any, ...] | None:
        """Return what the engine takes to encode texts: models, texts, lower-casing; None if not.

        A model is an encoder, its first id, the id that opens words or -1, and what else may encode
        the words of texts that the engine knows.
        """
        if not self._are_native:
            return None
        given = known_texts.known(texts, self.splitter)
        larger = [None] * len(self.models) if given is texts else self._larger
        engines = (bpe._coder.engine for bpe in self.models)
        models = zip(engines, self.shifts[:-1], self._openers, larger, strict=True)
        return [*models], given, self.splitter.lowercase

    @cached_property
    def _larger(self) -> list[tuple[Any, Ints, Ints] | None]:
        return [*map(_larger_engine, self.models)]

    @property
    def _are_native(self) -> bool:
        """Whether the engine can do all."""
        return not self.special and all(bpe._coder.engine for bpe in self.models)

    @property
    def _openers(self) -> list[int]:
        """The id that opens words, by stream; -1 for none."""
        if not self.layout.openers:
            return [-1] * len(self.models)
        return [*range(self.shifts[-1], len(self))]

    def _rows(self, text: str, drop: Drop | None) -> Iterator[list[int]]:
        """Yield the ids of a text by stream."""
        for words, opener in zip(self._words(text, drop), self._openers, strict=True):
            opened = [opener] if opener >= 0 else []
            yield [i for word in words for i in (*opened, *word)]

    def _words(self, text: str, drop: Drop | None) -> Iterator[list[list[int]]]:
        rate, seed = drop or (0.0, None)
        for bpe, shift in zip(self.models, self.shifts, strict=False):
            words = bpe.encode_by_word(text, dropout=rate, seed=seed, allowed_special=self.special)
            yield [[shift + i for i in word] for word in words]

    def spans(self, text: str, stream: int) -> tuple[list[int], list[Span]]:
        """Return the ids of a text in one stream and where each stands, openers included.

        An opener has an empty place where its word begins.
        """
        bpe, shift, opener = self.models[stream], self.shifts[stream], self._openers[stream]
        ids, places = bpe.encode_with_offsets(text, allowed_special=self.special)
        ids = [shift + i for i in ids]
        if opener < 0:
            return ids, places
        words = bpe.encode_by_word(text, allowed_special=self.special)
        begins = np.cumsum([0, *map(len, words)]).tolist()
        opened, spans = [], []
        for begin, word in zip(begins, words, strict=False):
            start = places[begin][0]
            opened += [opener, *ids[begin : begin + len(word)]]
            spans += [(start, start), *places[begin : begin + len(word)]]
        return opened, spans

    def stream_of(self, number: int) -> int:
        """Return the stream that an id belongs to."""
        return int(self.owners[number]) if self.owners else 0


def _larger_engine(bpe: BPE) -> tuple[Any, Ints, Ints] | None:
    """Return the engine of the model this is the first merges of, and the further merges there.

    None if a piece that this lacks can be made in two ways, or stand in a text before any merge.
    """
    larger, size = bpe._larger(), len(bpe._plain)
    if not larger:
        return None
    left, right, made = larger._table[bpe.num_merges :].T
    is_next = len(larger._plain) == size + len(made) and np.all(made == size + np.arange(len(made)))
    if not is_next or np.any(np.maximum(left, right) >= made):
        return None
    if any(is_unit(raw, bpe.level) for raw, _ in larger._plain[size:]):
        return None
    try:
        return larger._coder.engine, left, right
    except OverflowError:  # more than the engine takes
        return None


def interleave(streams: Sequence[tuple[Ints, Longs]]) -> tuple[Ints, Longs]:
    """Put the rows of several streams one behind another, text by text.

    >>> one, other = (np.arange(1, 4), np.array([0, 2, 3])), (np.array([7]), np.array([0, 0, 1]))
    >>> interleave([one, other])
    (array([1, 2, 3, 7], dtype=int32), array([0, 2, 2, 3, 4]))
    """
    sizes = np.stack([np.diff(indptr) for _, indptr in streams], axis=1)
    indptr = np.append(0, np.cumsum(sizes))
    ids = np.empty(indptr[-1], np.int32)
    for stream, (own, starts) in enumerate(streams):
        shifts = indptr[stream : -1 : len(streams)] - starts[:-1]
        ids[np.arange(len(own)) + np.repeat(shifts, sizes[:, stream])] = own
    return ids, indptr


def piece_names(bpe: BPE, opener: bool = False) -> Sequence[str]:
    """Name every id, and ``<w>`` last if so asked; it has the first choice of names.

    >>> import subword
    >>> piece_names(subword.train({"low": 5}), opener=True)[-3:]
    ('ow', 'low', '<w>')
    """
    names = bpe.feature_names
    if opener and OPENER in names:
        names = tuple("\\" * (name.lstrip("\\") == OPENER) + name for name in names)
    return (*names, OPENER) if opener else names
