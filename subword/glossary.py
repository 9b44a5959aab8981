"""Glossaries: what must not be split, given as patterns or as long lists of literal text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .errors import SubwordError

_LITERAL = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^0-9A-Za-z])+")  # no other sign has a meaning
# Flags, verbs, names and numbers of groups: these mean something else in a longer pattern.
_ALONE = re.compile(r"\((?:\*|\?(?!:))|\\[1-9gL]")
_KEY = 2  # characters by which literal entries are looked up


class Part(NamedTuple):
    """A part of a word, and whether a glossary keeps it whole."""

    text: str
    is_whole: bool


class Glossary:
    """Finds in words what is not to be split.

    Thousands of literal entries cost hardly more than one: a table tells which of them a word
    holds. Other patterns are tried one by one.

    Parameters
    ----------
    entries : sequence of str
        Patterns of the `regex` package. They are applied in turn, each to what the ones before
        it have left and have found, as in subword-nmt.

    Raises
    ------
    SubwordError
        For an entry that is not a pattern.

    Examples
    --------
    >>> Glossary(["USA"]).parts("1934USAB")
    [Part(text='1934', is_whole=False), Part(text='USA', is_whole=True), \
Part(text='B', is_whole=False)]
    >>> Glossary(["USA"]).parts("low") is None
    True

    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._entries = tuple(map(compile_entry, entries))
        self._patterns = [i for i, entry in enumerate(self._entries) if not isinstance(entry, str)]
        self._any_of = compile_any([entries[i] for i in self._patterns])
        self._places: dict[str, list[int]] = defaultdict(list)  # where a literal entry stands
        self._lengths: dict[str, set[int]] = defaultdict(set)  # of those that begin with a key
        for place, entry in enumerate(self._entries):
            if isinstance(entry, str):
                self._places[entry].append(place)
                self._lengths[entry[:_KEY]].add(len(entry))

    def isolate(self, words: Sequence[str]) -> list[list[Part] | None]:
        """Return `parts` of each word."""
        matched = {word for pattern in self._any_of for word in words if pattern.search(word)}
        return [self._cut(word, word in matched) for word in words]

    def parts(self, word: str) -> list[Part] | None:
        """Cut a word at what the glossary protects; None if that is nothing of it."""
        return self.isolate([word])[0]

    def _cut(self, word: str, is_matched: bool) -> list[Part] | None:
        literals = self._literals(word) if self._places else []
        if not literals and not is_matched:
            return None
        entries = [self._entries[place] for place in sorted({*literals, *self._patterns})]
        parts = isolate(word, entries)
        return [Part(part, any(_is_all(part, entry) for entry in entries)) for part in parts]

    def _literals(self, word: str) -> list[int]:
        """Return the places of the literal entries that a word holds."""
        found: list[int] = []
        lengths, places = self._lengths, self._places
        for i in range(len(word)):
            for key in (word[i], word[i : i + _KEY]):
                for length in lengths.get(key, ()):
                    found += places.get(word[i : i + length], ())
        return found


@lru_cache(maxsize=1 << 10)
def compile_entry(entry: str) -> Any:
    """Compile an entry of a glossary; one that is literal text becomes that text."""
    if _LITERAL.fullmatch(entry):
        return re.sub(r"\\(.)", r"\1", entry, flags=re.DOTALL)
    import regex  # takes time to load

    try:
        return regex.compile(entry)
    except regex.error as error:
        raise SubwordError(
            f"a glossary entry is a regular expression, and {entry!r} is not: {error}; "
            "escape literal text with re.escape"
        ) from None


def compile_any(patterns: Sequence[str]) -> list[Any]:
    """Return patterns, as few as can be: where one of the given ones is found, one of them is.

    >>> [pattern.pattern for pattern in compile_any([r"\\d+", "<.*>", "(?i)usa"])]
    ['\\\\d+|<.*>', '(?i)usa']
    """
    alone = list(filter(_ALONE.search, patterns))
    joined = "|".join(pattern for pattern in patterns if pattern not in alone)
    return [compile_entry(pattern) for pattern in [joined, *alone] if pattern]


def isolate(word: str, entries: Sequence[Any]) -> list[str]:
    """Cut out of a word what compiled entries match, entry by entry.

    >>> isolate("1934USABUSA", [compile_entry("USA")])
    ['1934', 'USA', 'B', 'USA']
    """
    parts = [word]
    for entry in entries:
        cut = _cut_literal if isinstance(entry, str) else _cut_pattern
        parts = [piece for part in parts for piece in cut(part, entry) if piece]
    return parts


def _cut_literal(part: str, text: str) -> Iterator[str]:
    first, *others = part.split(text)
    yield first
    for other in others:
        yield from (text, other)


def _cut_pattern(part: str, pattern: Any) -> Iterator[str]:
    place = 0
    for match in pattern.finditer(part):
        if match.end() > match.start():
            yield from (part[place : match.start()], match[0])
            place = match.end()
    yield part[place:]


def _is_all(part: str, entry: Any) -> bool:
    return part == entry if isinstance(entry, str) else bool(entry.fullmatch(part))
