"""Special tokens: found leftmost and longest, never made of pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import regex

from .errors import SpecialTokenError
from .pretokenize import check_text


def special_pattern(special_tokens: Iterable[str]) -> Any:
    """Return a pattern that finds special tokens, leftmost and longest; None without any.

    Raises
    ------
    SpecialTokenError
        When one is empty or comes twice.

    """
    if isinstance(special_tokens, str):
        raise TypeError(f"special_tokens must be a list of str; write [{special_tokens!r}]")
    return _pattern(tuple(map(check_text, special_tokens)))


@lru_cache(maxsize=4)  # there may be a million tokens
def _pattern(tokens: tuple[str, ...]) -> Any:
    if not all(tokens):
        raise SpecialTokenError("a special token must not be empty")
    twice = [token for token, count in Counter(tokens).items() if count > 1]
    if twice:
        raise SpecialTokenError(f"special token {twice[0]!r} is given twice")
    return regex.compile(r"\L<tokens>", tokens=tokens) if tokens else None


def without_specials(texts: Iterable[str], special_tokens: Sequence[str]) -> Iterator[str]:
    """Yield what stands between the special tokens."""
    pattern = special_pattern(special_tokens)
    for text in texts:
        yield from filter(None, pattern.split(text)) if pattern else (text,)
