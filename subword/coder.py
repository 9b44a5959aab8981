"""Words to ids in pure Python, one cached word at a time; the native coder is its twin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import reference
from .options import Options
from .reference import MARKER, Symbol

_CACHED_WORDS = 1 << 17
_CACHED_LENGTH = 64  # longer words are rarely seen again

Key = tuple[int, int]  # seed and hash of the document: what dropout depends on
Span = tuple[int, int]


class Coder:
    """Splits prepared texts and encodes their words.

    Parameters
    ----------
    symbols : sequence of (bytes, bool)
        The symbols by id.
    merges : sequence of (int, int, int)
        Left, right and result by rank.
    options : Options
        Level, marker, splitter and what to do with unknown characters.

    """

    def __init__(
        self, symbols: Sequence[Symbol], merges: Sequence[Sequence[int]], options: Options
    ) -> None:
        self.symbols, self.options = symbols, options
        first = int(options.unknown == "unk")  # <unk>, id 0, is no symbol of a text
        self.ids = {symbol: i for i, symbol in reversed([*enumerate(symbols)][first:])}
        self.ranks: reference.Ranks = {}
        for rank, (left, right, result) in enumerate(merges):
            self.ranks.setdefault((left, right), (rank, result))  # learnt twice: the first counts
        self._cache: dict[str, list[int]] = {}

    def encode(self, prepared: str) -> list[int]:
        """Return the ids of a text."""
        return [i for word in self.options.splitter.split(prepared) for i in self.encode_word(word)]

    def encode_word(self, word: str) -> list[int]:
        """Return the ids of one word."""
        found = self._cache.get(word)
        if found is None:
            symbols, ids = self._spell(word)
            found = self._known(reference.encode(ids, self.ranks), symbols)
            if len(self._cache) >= _CACHED_WORDS:
                self._cache.clear()
            if len(word) <= _CACHED_LENGTH:
                self._cache[word] = found
        return found

    def drop_word(self, word: str, dropout: float, key: Key, position: int) -> list[int]:
        """Return the ids of one word with some merges skipped at random."""
        symbols, ids = self._spell(word)
        draw = reference.draws(*key, position)
        return self._known(reference.encode_dropout(ids, self.ranks, dropout, draw), symbols)

    def spans(self, word: str, ids: Sequence[int]) -> Iterator[Span]:
        """Yield the place in the word, in characters, of each id; empty at its end for a marker."""
        owner = [i for i, c in enumerate(word) for _ in c.encode("utf-8", "surrogateescape")]
        place = 0
        for i in ids:
            size = len(self.symbols[i][0])
            if i == 0 and self.options.unknown == "unk":
                size = owner.count(owner[place])
            first = owner[place] if size else len(word)
            place += size
            yield (first, owner[place - 1] + 1) if size else (first, first)

    def _spell(self, word: str) -> tuple[list[Symbol], list[int]]:
        """Return the initial symbols of a word and their ids; an unknown i-th one gets ~i."""
        symbols = reference.spell(word, self.options.level, self.options.end_of_word)
        return symbols, [self.ids.get(symbol, ~i) for i, symbol in enumerate(symbols)]

    def _known(self, ids: list[int], symbols: list[Symbol]) -> list[int]:
        """Put <unk>, or the bytes, in the place of unknown characters."""
        if min(ids) >= 0:
            return ids
        return [known for i in ids for known in ([i] if i >= 0 else self._unknown(symbols[~i]))]

    def _unknown(self, symbol: Symbol) -> list[int]:
        if self.options.unknown == "unk":
            return [0]
        raw, is_final = symbol
        ids = [self.ids[bytes([byte]), False] for byte in raw]
        return [*ids, self.ids[MARKER]] if is_final else ids
