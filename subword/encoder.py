"""Texts to ids: what stands around a `Coder`, special tokens and dropout by text."""

from __future__ import annotations

import contextlib
import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from numbers import Integral

from .coder import Coder, Dropout, Ints, Longs, flatten
from .errors import SpecialTokenError
from .options import check_share, check_whole
from .pretokenize import check_text, check_texts
from .specials import SpecialPattern, special_pattern

AllowedSpecial = str | Iterable[str]


class Encoder:
    """Encodes texts as they come from a user; its methods are explained in `BPE`.

    Parameters
    ----------
    coder : Coder
        Encodes prepared texts.
    special_ids : mapping of str to int
        The special tokens and their ids.

    """

    def __init__(self, coder: Coder, special_ids: Mapping[str, int]) -> None:
        self._coder, self._special_ids = coder, special_ids
        self._splitter = coder.options.splitter
        self._takes_bytes = coder.options.level == "byte"
        # The shortest way, for texts as they are without any option. What the engine cannot take
        # it raises as TypeError or ValueError; the long way then finds the words for what is wrong.
        self._engine = coder.engine

    def encode(
        self, text: str | bytes, dropout: float, seed: int | None, allowed: AllowedSpecial
    ) -> list[int]:
        """Return the ids of a text."""
        if self._engine and not (dropout or allowed):
            with contextlib.suppress(TypeError, ValueError):
                ids: list[int] = self._engine.encode(text, self._splitter.lowercase)
                return ids
        return [*chain.from_iterable(self._runs(text, dropout, seed, allowed))]

    def count(
        self, text: str | bytes, dropout: float, seed: int | None, allowed: AllowedSpecial
    ) -> int:
        """Return the number of ids of a text."""
        if self._engine and not (dropout or allowed):
            with contextlib.suppress(TypeError, ValueError):
                return int(self._engine.count(text, self._splitter.lowercase))
        return sum(map(len, self._runs(text, dropout, seed, allowed)))

    def encode_batch(
        self, texts: Iterable[str | bytes], n_jobs: int, dropout: float, seed: int | None,
        allowed: AllowedSpecial,
    ) -> tuple[Ints, Longs]:  # fmt: skip
        """Return the ids of all texts, and where those of each begin and end."""
        check_whole("n_jobs", n_jobs, 1)
        check_texts(texts)  # a single text is no batch
        held = texts if isinstance(texts, (list, tuple)) else list(texts)
        if not isinstance(allowed, str):
            allowed = tuple(allowed)  # each document asks for them anew
        if allowed:
            return flatten(
                [*chain.from_iterable(self._runs(text, dropout, seed, allowed, i))]
                for i, text in enumerate(held)
            )
        if dropout:
            return self.drop_batch(held, dropout, seed, n_jobs)
        if self._engine:
            with contextlib.suppress(TypeError, ValueError):
                arrays: tuple[Ints, Longs] = self._engine.encode_batch(
                    held, n_jobs, self._splitter.lowercase
                )
                return arrays
        checked = check_texts(held, self._takes_bytes)
        return self._coder.encode_batch([*map(self._splitter.prepare, checked)], n_jobs)

    def drop_batch(
        self, texts: Sequence[str | bytes], dropout: float, seed: int | None, n_jobs: int = 1,
        opener: int = -1,
    ) -> tuple[Ints, Longs]:  # fmt: skip
        """Do the same with merges skipped; `opener`, if not negative, opens every word."""
        check_share("dropout", dropout)
        checked = prepared = list(check_texts(texts, self._takes_bytes))
        if self._splitter.rewrites:
            prepared = [*map(self._splitter.prepare, checked)]
        return self._coder.drop_batch(prepared, checked, dropout, _number(seed), n_jobs, opener)

    def encode_by_word(
        self, text: str | bytes, dropout: float, seed: int | None, allowed: AllowedSpecial
    ) -> list[list[int]]:
        """Return the ids of each word of a text."""
        return list(self._runs(text, dropout, seed, allowed, by_word=True))

    def encode_with_offsets(
        self, text: str | bytes, dropout: float, seed: int | None, allowed: AllowedSpecial
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids of a text and the place of each in it."""
        checked = check_text(text, None, self._takes_bytes)
        drop, position = self.dropout(checked, dropout, seed), 0
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        for shift, part, special in self._parts(checked, allowed):
            if special is not None:
                ids.append(special)
                offsets.append((shift, shift + len(part)))
                position += 1
                continue
            prepared, starts, ends = self._splitter.align(part)
            found, places = self._coder.encode_spans(prepared, drop, position)
            ids += found
            for first, last in places:
                stop = shift + ends[last - 1]
                offsets.append((shift + starts[first] if first < last else stop, stop))
            position += len(self._splitter.spans(prepared)) if drop else 0
        return ids, offsets

    def dropout(self, text: str, dropout: float, seed: int | None) -> Dropout | None:
        """Return what the draws depend on; None for no dropout."""
        check_share("dropout", dropout)
        if not dropout:
            return None
        return Dropout(dropout, _number(seed), self._coder.hash_text(text))

    def _runs(
        self, text: object, dropout: float, seed: int | None, allowed: AllowedSpecial,
        document: int | None = None, by_word: bool = False,
    ) -> Iterator[list[int]]:  # fmt: skip
        """Encode a text in runs of ids that follow each other, as long as they may be or words."""
        checked = check_text(text, document, self._takes_bytes)
        drop, position = self.dropout(checked, dropout, seed), 0
        for _, part, special in self._parts(checked, allowed):
            if special is not None:
                yield [special]
                position += 1
            elif drop or by_word:
                words = self._splitter.words(part)
                yield from (
                    self._coder.drop_words(words, drop, position)
                    if drop
                    else self._coder.encode_words(words)
                )
                position += len(words)
            else:
                yield self._coder.encode(self._splitter.prepare(part))

    def _parts(self, text: str, allowed: AllowedSpecial) -> Iterator[tuple[int, str, int | None]]:
        """Cut a text at the allowed special tokens: (start, text, id of the token or None)."""
        pattern = self._special_pattern(allowed)
        place = 0
        for start, end in pattern.spans(text) if pattern else ():
            token = text[start:end]
            yield place, text[place:start], None
            yield start, token, self._special_ids[token]
            place = end
        yield place, text[place:], None

    def _special_pattern(self, allowed: AllowedSpecial) -> SpecialPattern | None:
        """Return what finds the allowed tokens; None without any."""
        if allowed == "all":
            return self._all_specials
        if isinstance(allowed, str):
            raise TypeError(f'allowed_special must be "all" or a set of tokens, got {allowed!r}')
        tokens = tuple(dict.fromkeys(allowed))
        unknown = [token for token in tokens if token not in self._special_ids]
        if unknown:
            raise SpecialTokenError(
                f"{unknown[0]!r} is no special token of this model; it has "
                f"{reprlib.repr(tuple(self._special_ids))}"
            )
        return special_pattern(tokens)

    @cached_property
    def _all_specials(self) -> SpecialPattern | None:
        return special_pattern(self._special_ids)


def _number(seed: int | None) -> int:
    """Return a seed as the engine takes it; one from the system for None."""
    if seed is None:
        return int.from_bytes(os.urandom(8))
    if not isinstance(seed, Integral):
        raise TypeError(f"seed must be an integer or None, got {seed!r:.40}")
    return int(seed) % 2**64
