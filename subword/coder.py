"""Prepared texts to ids and back: in pure Python, a cached word at a time, or by the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import native, reference
from .alphabet import HOLE, in_texts, unk_id
from .decoder import Pieces
from .options import Options
from .reference import MARKER, Symbol

_CACHED_WORDS = 1 << 17
_CACHED_LENGTH = 64  # longer words are rarely seen again

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Span = tuple[int, int]


class Dropout(NamedTuple):
    """How many merges to skip, and what the draws are keyed by besides the word's position."""

    rate: float
    seed: int
    text_hash: int


class Seen(NamedTuple):
    """Words whose ids are known.

    Attributes
    ----------
    text, offsets : ndarray of uint8 and uint64
        Word i is ``text[offsets[i]:offsets[i + 1]]``.
    ids, ends : ndarray of int32 and int64
        Its ids are ``ids[ends[i - 1]:ends[i]]``; none if they are not known.
    merges : ndarray of int32, shape (n_merges, 3)
        Those that made the ids, each the next one; a model may have but the first of them.

    """

    text: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.uint64]
    ids: Ints
    ends: Longs
    merges: Ints

    def earliest(self, size: int) -> Seen:
        """Return the first words, as copies if that leaves some out."""
        if len(self.ends) <= size:
            return self
        text, offsets, ends = self.text, self.offsets[: size + 1].copy(), self.ends[:size].copy()
        return Seen(
            text[: offsets[-1]].copy(), offsets, self.ids[: ends[-1]].copy(), ends, self.merges
        )


class Coder:
    """Splits prepared texts and encodes their words.

    Parameters
    ----------
    symbols : sequence of (bytes, bool)
        The symbols by id.
    merges : ndarray of int32, shape (n_merges, 3)
        Left, right and result by rank.
    options : Options
        Level, marker, splitter and what to do with unknown characters.

    """

    def __init__(self, symbols: Sequence[Symbol], merges: Ints, options: Options) -> None:
        self.symbols, self.merges, self.options = symbols, merges, options
        self.unk = unk_id(symbols, options.unknown)
        self._joins_unknown = options.unknown == "unk_run"
        self._cache: dict[str, list[int]] = {}

    @cached_property
    def _listed(self) -> Sequence[Symbol]:
        """The symbols that texts are made of, by id."""
        return in_texts(self.symbols, self.unk)

    def remember(self, seen: Seen) -> None:
        """Use the ids that are known already, where that is faster than to find them again."""

    @property
    def engine(self) -> Any:
        """The engine if it can prepare and split texts itself; what it cannot take, it raises."""
        return None

    @cached_property
    def ids(self) -> dict[Symbol, int]:
        """The id of each symbol."""
        return {symbol: i for i, symbol in enumerate(self._listed) if symbol != HOLE}

    @cached_property
    def ranks(self) -> reference.Ranks:
        """The rank and the result of each merge."""
        ranks: reference.Ranks = {}
        for rank, (left, right, result) in enumerate(self.merges.tolist()):
            ranks.setdefault((left, right), (rank, result))  # learnt twice: the first counts
        return ranks

    def encode(self, prepared: str) -> list[int]:
        """Return the ids of a text."""
        words = map(self.encode_word, self.options.splitter.split(prepared))
        return list(chain.from_iterable(words))

    def count(self, prepared: str) -> int:
        """Return the number of ids of a text."""
        return sum(len(self.encode_word(word)) for word in self.options.splitter.split(prepared))

    def encode_batch(self, prepared: Sequence[str], n_jobs: int) -> tuple[Ints, Longs]:
        """Return the ids of all texts, and where those of each begin and end."""
        return flatten(map(self.encode, prepared))

    def join(self, ids: Iterable[int], pieces: Pieces) -> bytes:
        """Return what ids stand for."""
        return pieces.join(ids)

    def encode_word(self, word: str) -> list[int]:
        """Return the ids of one word."""
        found = self._cache.get(word)
        if found is None:
            symbols, ids = self.spell(word)
            found = self._known(reference.encode(ids, self.ranks), symbols)
            if len(self._cache) >= _CACHED_WORDS:
                self._cache.clear()
            if len(word) <= _CACHED_LENGTH:
                self._cache[word] = found
        return found

    def encode_words(self, words: Sequence[str]) -> Iterator[list[int]]:
        """Yield the ids of words."""
        return map(self.encode_word, words)

    def encode_words_batch(self, words: Sequence[str]) -> tuple[Ints, Longs]:
        """Return the ids of words, and where those of each begin and end."""
        return flatten(self.encode_words(words))

    def drop_words(
        self, words: Sequence[str], dropout: Dropout, position: int
    ) -> Iterator[list[int]]:
        """Yield the ids of words with some merges skipped; the first word has that position."""
        for place, word in enumerate(words, position):
            symbols, ids = self.spell(word)
            draw = reference.draws(dropout.seed, dropout.text_hash, place)
            dropped = reference.encode_dropout(ids, self.ranks, dropout.rate, draw)
            yield self._known(dropped, symbols)

    def drop_batch(
        self, prepared: Sequence[str], originals: Sequence[str], rate: float, seed: int,
        n_jobs: int, opener: int = -1,
    ) -> tuple[Ints, Longs]:  # fmt: skip
        """Do the same for the words of all texts, an id before each word if it is not negative."""
        drops = (Dropout(rate, seed, self.hash_text(text)) for text in originals)
        opened = [opener] if opener >= 0 else []
        return flatten(
            [i for word in self.drop_words(words, drop, 0) for i in (*opened, *word)]
            for words, drop in zip(map(self.options.splitter.split, prepared), drops, strict=True)
        )

    def hash_text(self, text: str) -> int:
        """Return the hash of a document."""
        return reference.hash_text(text.encode("utf-8", "surrogateescape"))

    def encode_spans(
        self, prepared: str, dropout: Dropout | None, position: int
    ) -> tuple[list[int], list[Span]]:
        """Return the ids of a text and the place, in characters, of each."""
        places = self.options.splitter.spans(prepared)
        words = [prepared[begin:end] for begin, end in places]
        if dropout:
            encoded = list(self.drop_words(words, dropout, position))
        else:
            encoded = list(map(self.encode_word, words))
        spans = [
            (begin + first, begin + last)
            for (begin, _), word, ids in zip(places, words, encoded, strict=True)
            for first, last in self.spans(word, ids)
        ]
        return [*chain.from_iterable(encoded)], spans

    def spans(self, word: str, ids: Sequence[int]) -> Iterator[Span]:
        """Yield the place in the word, in characters, of each id; empty at its end for a marker."""
        owner = [i for i, c in enumerate(word) for _ in c.encode("utf-8", "surrogateescape")]
        place, unknown = 0, self._unknown_sizes(word)
        for i in ids:
            size = len(self.symbols[i][0])
            if i == self.unk:
                size = next(unknown)
            first = owner[place] if size else len(word)
            place += size
            yield (first, owner[place - 1] + 1) if size else (first, first)

    def _unknown_sizes(self, word: str) -> Iterator[int]:
        """Yield for each ``<unk>`` of a word how many bytes it stands for."""
        runs = groupby(zip(*self.spell(word), strict=True), lambda row: row[1] < 0)
        for is_unknown, run in runs:
            if is_unknown:
                sizes = [len(raw) for (raw, _), _ in run]
                yield from [sum(sizes)] if self._joins_unknown else sizes

    def spell(self, word: str) -> tuple[list[Symbol], list[int]]:
        """Return the initial symbols of a word and their ids; an unknown i-th one gets ~i."""
        symbols = reference.spell(word, self.options.level, self.options.end_of_word)
        return symbols, [self.ids.get(symbol, ~i) for i, symbol in enumerate(symbols)]

    def _known(self, ids: list[int], symbols: list[Symbol]) -> list[int]:
        """Put <unk>, or the bytes, in the place of unknown characters."""
        if min(ids) >= 0:
            return ids
        known: list[int] = []
        for i, before in zip(ids, [0, *ids], strict=False):
            if i >= 0:
                known.append(i)
            elif before >= 0 or not self._joins_unknown:
                known += self._unknown(symbols[~i])
        return known

    def _unknown(self, symbol: Symbol) -> list[int]:
        if self.unk >= 0:
            return [self.unk]
        raw, is_final = symbol
        ids = [self.ids[bytes([byte]), False] for byte in raw]
        return [*ids, self.ids[MARKER]] if is_final else ids


class NativeCoder(Coder):
    """The same by the compiled engine, which has its own cache."""

    def __init__(self, symbols: Sequence[Symbol], merges: Ints, options: Options) -> None:
        super().__init__(symbols, merges, options)
        name = options.splitter.pretokenizer
        self._scanner = name if name in native.SCANNERS else None
        # Mostly all symbols are in texts, and the engine sees that sooner than `_listed` is made.
        self._encoder = self._make_encoder(symbols if self.unk < 0 else self._listed)
        if self.unk < 0 and self._encoder.has_equal_symbols:
            self._encoder = self._make_encoder(self._listed)

    def _make_encoder(self, symbols: Sequence[Symbol]) -> Any:
        return native.core().Encoder(
            symbols, *(np.ascontiguousarray(column) for column in self.merges.T),
            self.options.level, self.options.end_of_word, self.unk, self._scanner,
            join_unknown=self._joins_unknown,
        )  # fmt: skip

    def text_form(self, *rules: Any) -> Any:
        """Return what writes texts in the text form; `rules` as of the engine's `TextForm`."""
        columns = (np.ascontiguousarray(column) for column in self.merges.T)
        return native.core().TextForm(self._encoder, self._scanner, *columns, *rules)

    def remember(self, seen: Seen) -> None:
        """Use the ids that are known already."""
        further = seen.merges[len(self.merges) :]
        self._encoder.remember(
            (seen.text, seen.offsets), seen.ids, seen.ends, further[:, 0], further[:, 1]
        )

    @property
    def engine(self) -> Any:
        """The engine if it can prepare and split texts itself; what it cannot take, it raises."""
        return self._encoder if self._scanner and not self.options.splitter.normalization else None

    def encode(self, prepared: str) -> list[int]:
        """Return the ids of a text."""
        ids: list[int]
        if self._scanner:
            ids = self._encoder.encode(native.as_utf8(prepared))
            return ids
        ids = self.encode_words_batch(self.options.splitter.split(prepared))[0].tolist()
        return ids

    def count(self, prepared: str) -> int:
        """Return the number of ids of a text."""
        if self._scanner:
            return int(self._encoder.count(native.as_utf8(prepared)))
        return len(self.encode_words_batch(self.options.splitter.split(prepared))[0])

    def encode_batch(self, prepared: Sequence[str], n_jobs: int) -> tuple[Ints, Longs]:
        """Return the ids of all texts, and where those of each begin and end."""
        if self._scanner:
            checked = self.options.level == "char"
            texts = prepared if checked else [*map(native.as_utf8, prepared)]
            arrays: tuple[Ints, Longs] = self._encoder.encode_batch(texts, n_jobs)
            return arrays
        split = list(map(self.options.splitter.split, prepared))
        ids, ends = self.encode_words_batch(list(chain.from_iterable(split)))
        return ids, ends[np.cumsum([0, *map(len, split)])]

    def join(self, ids: Iterable[int], pieces: Pieces) -> bytes:
        """Return what ids stand for."""
        if isinstance(ids, np.ndarray) and ids.dtype == np.int32 and self._knows(ids):
            joined: bytes = self._encoder.decode_bytes(ids)
            return joined
        return pieces.join(ids)

    def _knows(self, ids: Ints) -> bool:
        """Say whether the engine has these pieces: special tokens and <unk> it has not."""
        return len(ids) > 0 and ids.min() >= self._first and ids.max() < len(self.symbols)

    @cached_property
    def _first(self) -> int:
        """The first id behind the last hole."""
        return len(self._listed) - [*self._listed[::-1], HOLE].index(HOLE)

    def encode_word(self, word: str) -> list[int]:
        """Return the ids of one word."""
        ids: list[int] = self.encode_words_batch([word])[0].tolist()
        return ids

    def encode_words(self, words: Sequence[str]) -> Iterator[list[int]]:
        """Yield the ids of words."""
        return _lists(*self.encode_words_batch(words))

    def encode_words_batch(self, words: Sequence[str]) -> tuple[Ints, Longs]:
        """Return the ids of words, and where those of each begin and end."""
        arrays: tuple[Ints, Longs] = self._encoder.encode_words([*map(native.as_utf8, words)])
        return arrays

    def drop_words(
        self, words: Sequence[str], dropout: Dropout, position: int
    ) -> Iterator[list[int]]:
        """Yield the ids of words with some merges skipped; the first word has that position."""
        texts = [*map(native.as_utf8, words)]
        return _lists(*self._encoder.encode_words_dropout(texts, *dropout, position))

    def drop_batch(
        self, prepared: Sequence[str], originals: Sequence[str], rate: float, seed: int,
        n_jobs: int, opener: int = -1,
    ) -> tuple[Ints, Longs]:  # fmt: skip
        """Do the same for the words of all texts, an id before each word if it is not negative."""
        if not self._scanner:
            return super().drop_batch(prepared, originals, rate, seed, n_jobs, opener)
        texts = [*map(native.as_utf8, prepared)]
        keys = texts if prepared is originals else [*map(native.as_utf8, originals)]
        arrays: tuple[Ints, Longs] = self._encoder.encode_batch_dropout(
            texts, keys, rate, seed, n_jobs, opener
        )
        return arrays

    def hash_text(self, text: str) -> int:
        """Return the hash of a document."""
        return int(native.core().hash_text(native.as_utf8(text)))

    def encode_spans(
        self, prepared: str, dropout: Dropout | None, position: int
    ) -> tuple[list[int], list[Span]]:
        """Return the ids of a text and the place, in characters, of each."""
        text = native.as_utf8(prepared)
        if dropout or not self._scanner or isinstance(text, bytes):
            return super().encode_spans(prepared, dropout, position)
        ids, starts, ends = self._encoder.spans(text)
        if not prepared.isascii():
            starts, ends = _in_characters(text.encode(), starts, ends)
        return ids.tolist(), list(zip(starts.tolist(), ends.tolist(), strict=True))


def make_coder(symbols: Sequence[Symbol], merges: Ints, options: Options) -> Coder:
    """Return the coder of the engine that runs."""
    return (NativeCoder if native.core() else Coder)(symbols, merges, options)


def flatten(lists: Iterator[list[int]]) -> tuple[Ints, Longs]:
    """Return lists of ids as one array, and where each begins and ends."""
    flat: list[int] = []
    ends = [0]
    for ids in lists:
        flat += ids
        ends.append(len(flat))
    return np.array(flat, np.int32), np.array(ends, np.int64)


def _lists(ids: Ints, ends: Longs) -> Iterator[list[int]]:
    """Do the opposite of `flatten`."""
    flat = ids.tolist()
    return (flat[start:end] for start, end in pairwise(ends.tolist()))


def _in_characters(utf8: bytes, starts: Longs, ends: Longs) -> tuple[Longs, Longs]:
    """Turn places in bytes into places in characters; a part of a character is all of it."""
    leads = (np.frombuffer(utf8, np.uint8) & 0xC0) != 0x80
    owner = np.append(np.cumsum(leads) - 1, np.count_nonzero(leads))
    last = owner[np.maximum(ends - 1, 0)] + 1
    empty = starts == ends
    return np.where(empty, owner[ends], owner[starts]), np.where(empty, owner[ends], last)
