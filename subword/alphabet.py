"""The symbols before any merge, and how symbols are spelt for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from . import native
from .reference import MARKER, Symbol

UNK = "<unk>"
HOLE: Symbol = (b"", False)  # no text has it: the id of a special token among the symbols
_CONTINUED = "@@"  # subword-nmt: the word goes on
_ESCAPES = {"\\": "\\\\", " ": "\\s", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


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


def unk_id(symbols: Sequence[Symbol], unknown: str) -> int:
    """Return the id of ``<unk>``; -1 where unknown characters become their bytes."""
    return symbols.index((UNK.encode(), False)) if unknown != "bytes" else -1


def in_texts(symbols: Sequence[Symbol], unk: int) -> list[Symbol]:
    """Return the symbols that texts are made of, a hole for each of the others.

    These are ``<unk>`` and, of equal symbols, all but the last: models that fall back on bytes
    may have one id for the letter ``a`` and another for the byte 0x61. No others may be equal.

    >>> in_texts([(b"<unk>", False), (b"a", False), (b"b", False), (b"a", False)], 0)
    [(b'', False), (b'', False), (b'b', False), (b'a', False)]
    """
    last = {symbol: i for i, symbol in enumerate(symbols)}
    if len(last) == len(symbols) and unk < 0:
        return [*symbols]
    return [s if last[s] == i and i != unk else HOLE for i, s in enumerate(symbols)]


def is_unit(raw: bytes, level: str) -> bool:
    """Say whether a symbol of these bytes can stand in a text before any merge.

    >>> is_unit("é".encode(), "char"), is_unit("é".encode(), "byte"), is_unit(b"lo", "char")
    (True, False, False)
    """
    if len(raw) <= 1:
        return True
    return level == "char" and len(raw) <= 4 and len(raw.decode("utf-8", "surrogateescape")) == 1


def spelling(symbol: Symbol) -> str:
    """Spell a symbol for people: ``</w>`` for the end of a word, ``<0xE2>`` for a lone byte.

    >>> spelling((b"est", True)), spelling((b"\\xe2", False))
    ('est</w>', '<0xE2>')
    """
    return readable(symbol[0]) + "</w>" * symbol[1]


def readable(raw: bytes) -> str:
    """Decode UTF-8; a byte that is none is spelt ``<0xE2>``."""
    return _spell_bytes(raw.decode("utf-8", "surrogateescape"))


def visible(text: str) -> str:
    """Spell a text without white space and what does not print; it can be read back.

    A backslash is doubled, a space ``\\s``, a byte that is no UTF-8 (kept as a lone surrogate)
    ``\\xE2``; what else does not print is ``\\n``, ``\\t``, ``\\r`` or ``\\u{200d}``.

    >>> print(visible(" low\\n"), visible("low</w>"), visible("\\u200d"), visible("\\udce2"))
    \\slow\\n low</w> \\u{200d} \\xE2
    """
    if text.isprintable() and " " not in text and "\\" not in text:
        return text
    return "".join(map(_escape, text))


def _escape(c: str) -> str:
    if c in _ESCAPES or c.isprintable():
        return _ESCAPES.get(c, c)
    return f"\\x{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else f"\\u{{{ord(c):x}}}"


@lru_cache(maxsize=1 << 15)  # models of one language have many pieces in common
def feature_name(symbol: Symbol, marked: bool) -> str:
    """Name a symbol as a feature: no white space in it, and no two symbols named alike.

    Parameters
    ----------
    symbol : (bytes, bool)
        The symbol.
    marked : bool
        Whether the model marks the ends of words; then a piece inside a word ends in ``@@``.

    Returns
    -------
    str
        White space and control characters as `visible` spells them, a lone byte ``<0xE2>``, a
        bare marker ``</w>``; what stands in a text literally gets a backslash before it.

    Examples
    --------
    >>> feature_name((b"lo", False), True), feature_name((b"lo", True), True)
    ('lo@@', 'lo')
    >>> print(feature_name((b" low", False), False), feature_name((b"lo@@", True), True))
    \\slow lo\\@@

    """
    raw, is_final = symbol
    text = raw.decode("utf-8", "surrogateescape")
    end = "" if is_final or not marked else _CONTINUED
    if text.isalpha():  # nearly all pieces, with the next
        return text + end
    if text[:1] == " " and text[1:].isalpha():
        return f"\\s{text[1:]}{end}"
    return "</w>" if symbol == MARKER else _literal(text, marked, end)


def _literal(text: str, marked: bool, end: str) -> str:
    """Spell what is no word; what would read like another name gets a backslash."""
    text = re.sub(r"[\\\s\x00-\x1f\x7f-\x9f]", lambda match: visible(match[0]), text)
    text = _spell_bytes(re.sub(r"<0x[0-9A-F]{2}>", r"\\\g<0>", text))
    if marked and not end and text.endswith(_CONTINUED):
        return f"{text[:-2]}\\{_CONTINUED}"
    return "\\</w>" if marked and not end and text == "</w>" else text + end


def feature_names(symbols: Sequence[Symbol], marked: bool, whole: Sequence[int] = ()) -> list[str]:
    """Name all symbols of a model, no two alike.

    Those at `whole` (special tokens, ``<unk>``) are no parts of words and have the first choice;
    of names that are equal all the same the later one gets a backslash before it.

    >>> feature_names([(b"lo", False), (b"lo", True), (b"lo", False)], True, whole=[2])
    ['lo@@', '\\\\lo', 'lo']
    """
    names: list[str]
    if engine := native.core():
        names, differ = engine.name_symbols(symbols, marked, {*whole}, feature_name)
    else:
        unmarked = {*whole}
        names = [feature_name(one, marked and i not in unmarked) for i, one in enumerate(symbols)]
        differ = len({*names}) == len(names)
    if differ:
        return names
    taken: set[str] = set()
    for i in dict.fromkeys([*whole, *range(len(names))]):
        while names[i] in taken:
            names[i] = "\\" + names[i]
        taken.add(names[i])
    return names


def _spell_bytes(text: str) -> str:
    return re.sub("[\udc80-\udcff]", lambda byte: f"<0x{ord(byte[0]) - 0xDC00:02X}>", text)
