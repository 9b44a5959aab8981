"""The text form of a segmentation: separators, glossaries, vocabulary filter (subword-nmt)."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from .alphabet import readable
from .coder import Coder, Dropout, NativeCoder
from .glossary import Glossary, Part
from .pretokenize import check_text

EDGES = "\r\n "  # kept at both ends of a line
_LINE_ENDS = re.compile(r"([\r\n]+)")
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
    raw : bool
        Whether bytes that are no UTF-8 stay bytes, as lone surrogates (PEP 383), instead of being
        spelt ``<0xE2>``.

    """

    def __init__(
        self, coder: Coder, separator: str = "@@", glossaries: Sequence[str] = (),
        vocabulary: Container[str] | None = None, *, raw: bool = False,
    ) -> None:  # fmt: skip
        self._coder, self._separator, self._vocabulary = coder, separator, vocabulary
        self._glossary = Glossary(glossaries) if glossaries else None
        self._spell = _as_is if raw else readable
        self._remembered: dict[str, str] = {}

    def segment(self, text: str, dropout: Dropout | None = None, position: int = 0) -> str:
        """Split the words of lines; what stands at both ends of a line is kept.

        Parameters
        ----------
        text : str
            Any number of lines; both ``\\n`` and ``\\r`` end one.
        dropout : Dropout, optional
            How many merges to skip.
        position : int
            The number of words before the text, which the draws are keyed by.

        """
        shown = []
        for line in _LINE_ENDS.split(text):
            body = line.strip(EDGES)
            head, _, tail = line.partition(body) if body else (line, "", "")
            words = self._coder.options.splitter.words(body)
            pieces = self._drop(words, dropout, position) if dropout else self._look_up(words)
            position += len(words)
            shown.append(head + " ".join(pieces) + tail)
        return "".join(shown)

    def segment_utf8(
        self, lines: bytes, dropout: Dropout | None = None, position: int = 0
    ) -> bytes:
        """Do what `segment` does with UTF-8."""
        text = lines.decode("utf-8", "surrogateescape")
        return self.segment(text, dropout, position).encode("utf-8", "surrogateescape")

    def count_words(self, lines: bytes) -> int:
        """Return the number of words in lines: how far they move `position` on."""
        text = lines.decode("utf-8", "surrogateescape")
        bodies = (line.strip(EDGES) for line in _LINE_ENDS.split(text))
        return sum(len(self._coder.options.splitter.words(body)) for body in bodies)

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

    def _parts(self, word: str) -> list[Part]:
        parts = self._glossary.parts(word) if self._glossary else None
        return parts or [Part(word, False)]

    def _join(self, parts: Sequence[Part], encoded: Iterator[list[int]]) -> str:
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
            unk = self._coder.unk  # one may stand for several characters
            pieces = [(i, part) for i, text in pieces for part in (text if i == unk else [text])]
        pieces = [piece for piece in pieces if piece[1]]  # a bare marker has no text
        if self._vocabulary is None:
            return [text for _, text in pieces]
        return filter_pieces(pieces, self._halves, self._vocabulary, self._separator)

    @cached_property
    def _texts(self) -> list[str]:
        return [self._spell(raw) for raw, _ in self._coder.symbols]

    @cached_property
    def _origins(self) -> dict[int, tuple[int, int]]:
        """Which merge first made a symbol."""
        merges = self._coder.merges.tolist()
        return {result: (left, right) for left, right, result in reversed(merges)}

    def _halves(self, symbol: int) -> tuple[tuple[int, str], ...] | None:
        halves = self._origins.get(symbol)
        return halves and tuple((half, self._texts[half]) for half in halves)


class NativeSegmenter(Segmenter):
    """The same by the compiled engine, which remembers words itself."""

    _coder: NativeCoder

    def segment(self, text: str, dropout: Dropout | None = None, position: int = 0) -> str:
        """Split the words of lines; what stands at both ends of a line is kept."""
        lines = self._coder.options.splitter.prepare(text).encode("utf-8", "surrogateescape")
        return self._write(lines, dropout, position).decode("utf-8", "surrogateescape")

    def segment_utf8(
        self, lines: bytes, dropout: Dropout | None = None, position: int = 0
    ) -> bytes:
        """Do what `segment` does with UTF-8."""
        if self._coder.options.splitter.rewrites:
            return super().segment_utf8(lines, dropout, position)
        return self._write(lines, dropout, position)

    def _write(self, prepared: bytes, dropout: Dropout | None, position: int) -> bytes:
        written: bytes = self._form.segment(prepared, (*dropout, position) if dropout else None)
        return written

    @cached_property
    def _form(self) -> Any:
        is_byte = self._coder.options.level == "byte"
        spelt = [text.encode("utf-8", "surrogateescape") for text in self._texts] if is_byte else ()
        return self._coder.text_form(
            self._separator, spelt, self._uses(), self._glossary and self._glossary.isolate
        )

    def _uses(self) -> list[int]:
        """Return for each piece where the vocabulary allows it: 1 inside words, 2 at their end."""
        allowed, separator = self._vocabulary, self._separator
        if allowed is None:
            return []
        return [(text + separator in allowed) | (text in allowed) << 1 for text in self._texts]


def make_segmenter(coder: Coder, *rules: Any, **more: Any) -> Segmenter:
    """Return the segmenter of the engine that runs; parameters as of `Segmenter`."""
    if isinstance(coder, NativeCoder) and coder.engine:
        return NativeSegmenter(coder, *rules, **more)
    return Segmenter(coder, *rules, **more)


def check_rules(
    separator: str, glossaries: Sequence[str] | None, vocabulary: Container[str] | None
) -> None:
    """Refuse rules that cannot be meant.

    Raises
    ------
    TypeError
        When a single str stands where several are expected.
    SubwordError
        When the separator holds a lone surrogate.

    """
    check_text(separator)
    for name, given in (("glossaries", glossaries), ("vocabulary", vocabulary)):
        if isinstance(given, (str, bytes)):
            raise TypeError(
                f"{name} must be several texts, got one {type(given).__name__}; put it in a list: "
                f"{name}=[{given!r:.40}]"
            )


def _as_is(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


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
