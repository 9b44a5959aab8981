"""The symbols before any merge, and how symbols are spelt for people."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .reference import MARKER, Symbol

UNK = "<unk>"


def alphabet(
    characters: Iterable[str], level: str, end_of_word: str | None, unknown: str
) -> list[Symbol]:
    """Return the symbols before any merge, in the order of their ids (``<unk>`` not included).

    >>> len(alphabet("é", "char", "suffix", "bytes"))  # 256 bytes, a bare </w>, é, é</w>
    259
    """
    spelt = [c.encode("utf-8", "surrogateescape") for c in sorted(set(characters))]
    if level == "byte" or unknown == "bytes":
        raw = [bytes([byte]) for byte in range(256)]
        symbols = [(byte, False) for byte in raw]
        if level == "byte":
            spelt = raw
        elif end_of_word == "suffix":
            symbols.append(MARKER)
    else:
        symbols = []
    seen = set(symbols)  # an ASCII character is its byte
    symbols += [(text, False) for text in spelt if (text, False) not in seen]
    if end_of_word == "suffix":
        symbols += [(text, True) for text in spelt]
    return [*symbols, MARKER] if end_of_word == "separate" else symbols


def spelling(symbol: Symbol) -> str:
    """Spell a symbol for people: ``</w>`` for the end of a word, ``<0xE2>`` for a lone byte.

    >>> spelling((b"est", True)), spelling((b"\\xe2", False))
    ('est</w>', '<0xE2>')
    """
    return readable(symbol[0]) + "</w>" * symbol[1]


def readable(raw: bytes) -> str:
    """Decode UTF-8; a byte that is none is spelt ``<0xE2>``."""
    text = raw.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda byte: f"<0x{ord(byte[0]) - 0xDC00:02X}>", text)
