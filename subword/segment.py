"""The text form of a segmentation: separators, glossaries, vocabulary filter (subword-nmt)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

import regex

from .alphabet import readable
from .coder import Coder, Dropout
from .errors import SubwordError

EDGES = "\r\n "  # kept at both ends of a line


_REMEMBERED = 1 << 18  # words whose pieces are kept as text


class Segmenter:
    """Splits words into pieces and shows them as text, by one model and one set of rules.

    Parameters
    ----------
    coder : Coder
        Encodes words.
    separator : str
        Put behind every piece that does not end a word.
    glossaries : sequence of str
        Regular expressions; what they match is not split.
    vocabulary : container of str, optional
        Pieces in text form that may be used; merges that lead to others are undone.

    """

    def __init__(
        self, coder: Coder, separator: str = "@@", glossaries: Sequence[str] = (),
        vocabulary: Container[str] | None = None,
    ) -> None:  # fmt: skip
        self._coder, self._separator, self._vocabulary = coder, separator, vocabulary
        self._patterns = glossary_patterns(tuple(glossaries))
        self._remembered: dict[str, str] = {}

    def segment(self, text: str, dropout: Dropout | None = None) -> str:
        """Split the words of lines; what stands at both ends of a line is kept."""
        lines, position = [], 0
        for line in text.split("\n"):
            body = line.strip(EDGES)
            words = self._coder.options.splitter.words(body)
            shown = self._drop(words, dropout, position) if dropout else self._look_up(words)
            position += len(words)
            head, tail = line.split(body, 1) if body else (line, "")
            lines.append(head + " ".join(shown) + tail)
        return "\n".join(lines)

    def _look_up(self, words: Sequence[str]) -> list[str]:
        shown = self._remembered
        new = [word for word in dict.fromkeys(words) if word not in shown]
        if len(shown) + len(new) > _REMEMBERED:  # another thread may still read the old one
            shown = self._remembered = {}
            new = list(dict.fromkeys(words))
        parts = [self._parts(word) for word in new]
        split = [part for word in parts for part, is_whole in word if not is_whole]
        encoded = self._coder.encode_words(split)
        shown.update(
            (word, self._join(pieces, encoded)) for word, pieces in zip(new, parts, strict=True)
        )
        return [shown[word] for word in words]

    def _drop(self, words: Sequence[str], dropout: Dropout, position: int) -> Iterator[str]:
        for place, word in enumerate(words, position):
            parts = self._parts(word)
            split = [part for part, is_whole in parts if not is_whole]
            dropped = (next(iter(self._coder.drop_words([part], dropout, place))) for part in split)
            yield self._join(parts, dropped)

    def _parts(self, word: str) -> list[tuple[str, bool]]:
        """Return the parts of a word and whether the glossary keeps them whole."""
        patterns = self._patterns
        return [(part, is_protected(part, patterns)) for part in isolate(word, patterns)]

    def _join(self, parts: Sequence[tuple[str, bool]], encoded: Iterator[list[int]]) -> str:
        pieces: list[str] = []
        for part, is_whole in parts:
            pieces += [part] if is_whole else self._pieces(part, next(encoded))
        return f"{self._separator} ".join(pieces)

    def _pieces(self, word: str, ids: list[int]) -> list[str]:
        """Return the pieces of a word as text, unknown characters as they are."""
        pieces = [(i, self._texts[i]) for i in ids]
        if self._coder.options.level == "char" and "".join(text for _, text in pieces) != word:
            spans = zip(self._coder.spans(word, ids), ids, strict=True)
            # the bytes of an unknown character share its place
            pieces = [(i, word[a:b]) for (a, b), i in dict(reversed([*spans])).items()][::-1]
        pieces = [piece for piece in pieces if piece[1]]  # a bare marker has no text
        if self._vocabulary is None:
            return [text for _, text in pieces]
        return filter_pieces(pieces, self._halves, self._vocabulary, self._separator)

    @cached_property
    def _texts(self) -> list[str]:
        return [readable(raw) for raw, _ in self._coder.symbols]

    @cached_property
    def _origins(self) -> dict[int, tuple[int, int]]:
        """Which merge first made a symbol."""
        merges = self._coder.merges.tolist()
        return {result: (left, right) for left, right, result in reversed(merges)}

    def _halves(self, symbol: int) -> tuple[tuple[int, str], ...] | None:
        halves = self._origins.get(symbol)
        return halves and tuple((half, self._texts[half]) for half in halves)


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
