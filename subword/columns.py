"""Laying out plain text: columns that line up in every script, lines that end in time."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

WIDTH = 88
_GAP = "  "


def display_width(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    East Asian characters take two, marks and format characters none.

    >>> display_width("low"), display_width("낮은"), display_width("e\\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
        if unicodedata.category(c) not in ("Mn", "Me", "Cf")
    )


def shown(text: str, width: int) -> str:
    """Return a text on one line of at most `width` cells, without characters that do not print.

    >>> shown("low\\tlower newest\\nwidest", 15)
    'low lower newe…'
    """
    line = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text[:1000].split()))
    if display_width(line) <= width:
        return line
    while display_width(line) > width - 1:
        line = line[:-1]
    return line.rstrip() + "…"


def one_line(text: str) -> str:
    """Put spaces where tabs and line ends would tear a row of TSV apart.

    >>> one_line("low\\tlower")
    'low lower'
    """
    return text.translate({9: " ", 10: " ", 13: " "})


def pad(text: str, width: int, right: bool = False) -> str:
    """Fill a text with spaces up to a width."""
    space = " " * (width - display_width(text))
    return space + text if right else text + space


def aligned(rows: Iterable[Sequence[str]], sides: str = "<>") -> list[str]:
    """Lay rows out in columns, to the left ``<`` or right ``>``; the last side is for all others.

    >>> aligned([["low", "5"], ["newest", "16"]])
    ['low      5', 'newest  16']
    """
    rows = list(rows)
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    right = [side == ">" for side in sides.ljust(len(widths), sides[-1])]
    return [_GAP.join(map(pad, row, widths, right)).rstrip() for row in rows]


def wrapped(words: Iterable[str], first: str, *, lines: int = 2) -> list[str]:
    """Fill lines with words that stay whole, behind a first word; what is too much is left out."""
    indent = " " * display_width(first)
    result = [first]
    for word in words:
        if display_width(result[-1]) + len(_GAP) + display_width(word) > WIDTH:
            if len(result) == lines:
                break
            result.append(indent)
        result[-1] += _GAP + word
    return result


def listed(counts: Mapping[str, int], most: int = 4) -> str:
    """Name the most frequent keys with their counts.

    >>> listed({"low": 5, "newest": 6, "widest": 3}, most=2)
    'newest 6, low 5 and 1 more'
    """
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    names = ", ".join(f"{shown(name, 20)} {n:,}" for name, n in ordered[:most])
    return names + (f" and {len(ordered) - most:,} more" if len(ordered) > most else "")


def counted(n: int, noun: str) -> str:
    """Put a number before a noun.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
