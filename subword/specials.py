"""Special tokens: found leftmost and longest, never made of pieces."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from .errors import SpecialTokenError
from .native import as_utf8
from .pretokenize import check_text, check_texts


class SpecialPattern:
    """Finds special tokens in texts; a million of them as fast as one.

    A regular expression of as many branches would try each of them at every place.

    Parameters
    ----------
    tokens : sequence of str
        Not empty, and none of them empty.

    Examples
    --------
    >>> pattern = SpecialPattern(["<s>", "<s>>"])
    >>> list(pattern.spans("low<s>>lower")), list(pattern.split("low<s>>lower"))
    ([(3, 7)], ['low', 'lower'])

    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = frozenset(tokens)
        lengths = defaultdict(set)
        for token in tokens:
            lengths[token[0]].add(len(token))
        self._lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        self._first = re.compile(f"[{''.join(map(re.escape, self._lengths))}]")

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where tokens begin and end: the leftmost first, the longest of those there."""
        place = 0
        while match := self._first.search(text, place):
            start = match.start()
            pieces = (text[start : start + length] for length in self._lengths[match[0]])
            token = next((piece for piece in pieces if piece in self._tokens), "")
            place = start + (len(token) or 1)
            if token:
                yield start, place

    def split(self, text: str) -> Iterator[str]:
        """Yield what stands between tokens, where that is not empty."""
        place = 0
        for start, end in [*self.spans(text), (len(text), 0)]:
            if place < start:
                yield text[place:start]
            place = end


def special_pattern(special_tokens: Iterable[str]) -> SpecialPattern | None:
    """Return what finds special tokens; None without any.

    Raises
    ------
    SpecialTokenError
        When one is empty or comes twice.

    """
    if isinstance(special_tokens, str):
        raise TypeError(f"special_tokens must be a list of str; write [{special_tokens!r}]")
    return _pattern(tuple(map(check_text, special_tokens)))


@lru_cache(maxsize=4)
def _pattern(tokens: tuple[str, ...]) -> SpecialPattern | None:
    if not all(tokens):
        raise SpecialTokenError("a special token must not be empty")
    twice = [token for token, count in Counter(tokens).items() if count > 1]
    if twice:
        raise SpecialTokenError(f"special token {twice[0]!r} is given twice")
    return SpecialPattern(tokens) if tokens else None


def without_specials(
    texts: Iterable[str | bytes], special_tokens: Sequence[str]
) -> Iterable[str | bytes]:
    """Return what stands between the special tokens; the texts as they are if there are none."""
    pattern = special_pattern(special_tokens)
    if not pattern:
        return texts
    checked = check_texts(texts, allow_bytes=True)
    return (as_utf8(part) for text in checked for part in pattern.split(text))
