"""Finding where the words of the published patterns begin and end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from corpora import Setup, documents
from harness import Row, Side

LIMIT = 10_000_000  # bytes of text; `regex` takes a second for that
PIECE = 1 << 16
SCANNERS = ("gpt2", "cl100k", "words")
Texts = Callable[[], list[str]]


def rows(setup: Setup) -> list[Row]:
    """Return the jobs."""
    found: list[Row] = []
    for name, corpus, sample in (
        ("ASCII English", setup.english, ascii_text),
        ("multilingual", setup.multilingual, mixed_text),
    ):
        if corpus is not None:
            texts = partial(sample, corpus.path)
            size = min(LIMIT, corpus.size)
            found += [spans_row(scanner, name, texts, size) for scanner in SCANNERS]
            found.append(words_row(name, texts, size))
    return found


def spans_row(scanner: str, name: str, texts: Texts, size: int) -> Row:
    """Where words begin and end: arrays of ours against a list of spans."""
    ours = Side("subword", partial(spans, scanner), places, partial(loaded, texts, True), warm=True)
    peer = Side("regex finditer", finditer, places_of_characters, partial(compiled, scanner, texts),
                needs="regex", warm=True)  # fmt: skip
    goal = {"ASCII English": (20.0, 100.0), "multilingual": (20.0, 20.0)}[name]
    return Row(f"{scanner}, {name}, 64 KB pieces", ours, peer, "every boundary",
               goal=goal if scanner == "gpt2" else None, size=size)  # fmt: skip


def words_row(name: str, texts: Texts, size: int) -> Row:
    """The same job with the words themselves as the result."""
    ours = Side("subword", partial(scan, "gpt2"), words, partial(loaded, texts), warm=True)
    peer = Side(
        "regex findall", findall, words, partial(compiled, "gpt2", texts), needs="regex", warm=True
    )
    return Row(f"gpt2, {name}, a list of str", ours, peer, "every word", size=size)


# -- what is scanned


def ascii_text(path: Path) -> list[str]:
    """Return the ASCII lines of a text, up to the limit."""
    return pieces([line for line in documents(path) if line.isascii()])


def mixed_text(path: Path) -> list[str]:
    """Return lines evenly from the whole of a text, up to the limit."""
    lines = documents(path)
    return pieces(lines[:: max(1, round(path.stat().st_size / LIMIT))])


def pieces(lines: list[str]) -> list[str]:
    """Join lines to texts that a cache of the processor holds: the scanner is what is measured."""
    joined: list[str] = []
    piece: list[str] = []
    size = 0
    for line in lines:
        piece.append(line)
        size += len(line.encode()) + 1
        if size > PIECE:
            joined.append("\n".join(piece))
            piece, size = [], 0
            if len(joined) * PIECE >= LIMIT:
                break
    return [*joined, "\n".join(piece)]


def loaded(texts: Texts, as_utf8: bool = False) -> tuple[Any, list[Any]]:
    """Load the engine and the texts."""
    from subword.native import core

    return core(), [text.encode() for text in texts()] if as_utf8 else texts()


def compiled(scanner: str, texts: Texts) -> tuple[Any, list[str]]:
    """Compile the pattern and load the texts."""
    import regex

    from subword.pretokenize import PATTERNS

    return regex.compile(PATTERNS[scanner]), texts()


# -- the sides


def spans(scanner: str, state: tuple[Any, list[bytes]]) -> list[tuple[Any, Any]]:
    """Scan with ours: two arrays of places for each text."""
    core, texts = state
    return [core.spans(scanner, text) for text in texts]


def scan(scanner: str, state: tuple[Any, list[str]]) -> list[list[str]]:
    """Scan with ours, words as str."""
    core, texts = state
    return [core.scan(scanner, text) for text in texts]


def finditer(state: tuple[Any, list[str]]) -> list[tuple[str, list[tuple[int, int]]]]:
    """Scan with `regex`, spans."""
    pattern, texts = state
    return [(text, [match.span() for match in pattern.finditer(text)]) for text in texts]


def findall(state: tuple[Any, list[str]]) -> list[list[str]]:
    """Scan with `regex`, words."""
    pattern, texts = state
    return [pattern.findall(text) for text in texts]


# -- their answers


def places(found: list[tuple[Any, Any]]) -> Iterator[str]:
    """Return where words begin and end, in bytes."""
    for starts, ends in found:
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            yield f"{start} {end}"


def places_of_characters(found: list[tuple[str, list[tuple[int, int]]]]) -> Iterator[str]:
    """Return the same of places in characters."""
    for text, matches in found:
        at = [0, *accumulate(len(c.encode()) for c in text)]
        for start, end in matches:
            yield f"{at[start]} {at[end]}"


def words(found: list[list[str]]) -> Iterator[str]:
    """Return the words, so that line ends in them do not matter."""
    return (repr(word) for text in found for word in text)
