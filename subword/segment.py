"""The text form of a segmentation: separators, glossaries, vocabulary filter (subword-nmt)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from typing import Any

import regex

from .errors import SubwordError

EDGES = "\r\n "  # kept at both ends of a line


@lru_cache(maxsize=16)
def glossary_patterns(glossaries: tuple[str, ...]) -> tuple[Any, ...]:
    """Compile glossary entries; each is a pattern of the `regex` package.

    Raises
    ------
    SubwordError
        For an entry that is not a pattern.

    """
    try:
        return tuple(regex.compile(entry) for entry in glossaries)
    except regex.error as error:
        raise SubwordError(
            f"a glossary entry is a regular expression, and one of these is not: {error}; "
            "escape literal text with re.escape"
        ) from None


def isolate(word: str, patterns: Sequence[Any]) -> list[str]:
    """Cut out of a word what the glossary protects, entry by entry.

    >>> isolate("1934USABUSA", glossary_patterns(("USA",)))
    ['1934', 'USA', 'B', 'USA']
    """
    parts = [word]
    for pattern in patterns:
        parts = [piece for part in parts for piece in _cut_out(part, pattern)]
    return parts


def _cut_out(part: str, pattern: Any) -> Iterable[str]:
    place = 0
    for match in pattern.finditer(part):
        if match.end() > match.start():
            yield from filter(None, (part[place : match.start()], match[0]))
            place = match.end()
    if part[place:]:
        yield part[place:]


def is_protected(part: str, patterns: Sequence[Any]) -> bool:
    """Say whether a glossary entry matches the whole part."""
    return any(pattern.fullmatch(part) for pattern in patterns)


def filter_pieces(
    pieces: Iterable[tuple[int, str]],
    parts_of: Callable[[int], tuple[tuple[int, str], ...] | None],
    vocabulary: Container[str],
    separator: str,
) -> list[str]:
    """Undo merges until every piece is in the vocabulary or cannot be split further.

    Parameters
    ----------
    pieces : iterable of (id, text)
        The pieces of one word; the last one is the end of the word.
    parts_of : callable
        Gives the two halves of a piece, of which the second may have no text (a bare marker);
        None when no merge made it.
    vocabulary : container of str
        The allowed pieces in text form.
    separator : str
        What pieces inside a word end in.

    """
    todo = list(pieces)[::-1]
    done: list[str] = []
    while todo:
        symbol, text = todo.pop()
        shown = text + separator if todo else text
        parts = None if shown in vocabulary else parts_of(symbol)
        if parts is None:
            done.append(text)
        else:
            todo += [part for part in reversed(parts) if part[1]]
    return done
