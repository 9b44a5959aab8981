"""Codes files of subword-nmt: versions 0.1 (``</w>`` apart), 0.2 (as suffix), 0.2 byte."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from ..alphabet import alphabet, spelling
from ..counts import WordCounts
from ..errors import ModelFileError, tell
from ..model import BPE, Merges
from ..native import core
from ..options import Options
from ..pretokenize import Rules, Splitter
from ..reference import MARKER, Symbol

_HEADER = "#version:"
_END = "</w>"


def recognises(text: str, path: str | None = None) -> bool:
    """Say whether this is a codes file: a header, or two symbols in the first line."""
    return text.startswith(_HEADER) or len(text.split("\n", 1)[0].split()) == 2


def read(text: str, path: str | None = None, pretokenizer: Rules | None = None) -> BPE:
    """Read codes; a header alone is a model without merges.

    Parameters
    ----------
    text : str
        The codes.
    path : str, optional
        Where they are from.
    pretokenizer : str, optional
        How texts become words; by default only spaces and line ends divide them.

    Raises
    ------
    ModelFileError
        For an unknown version and for a line that is not two symbols, with its number.

    Examples
    --------
    >>> read("#version: 0.2\\nl o\\nlo w</w>\\n").segment("low lower")
    'low lo@@ w@@ e@@ r'

    """
    level, end_of_word, first = _version(text, path)
    merges = dict.fromkeys(_rows(text.split("\n")[first:], first + 1, path), 0)
    return as_model(merges, Options(level, end_of_word, Splitter(pretokenizer or "space")))


def as_model(merges: Mapping[tuple[str, ...], int], options: Options) -> BPE:
    """Return the model of merges in their order: two symbols as codes spell them, and a count."""
    spelt = {part: as_symbol(part, options.end_of_word) for part in {*chain.from_iterable(merges)}}
    seen = "".join(raw.decode("utf-8", "surrogateescape") for raw, _ in spelt.values())
    known = alphabet(seen, options.level, options.end_of_word, "bytes")
    ids = {symbol: i for i, symbol in enumerate(known)}
    table: list[int] = []
    for first, second in merges:
        left, right = spelt[first], spelt[second]
        result = (left[0] + right[0], right[1])
        # subword-nmt takes any symbol; one that nothing makes is never met
        table += [ids.setdefault(symbol, len(ids)) for symbol in (left, right, result)]
    counts = np.array([*merges.values()], np.int64)
    columns = np.array(table, np.int32).reshape(-1, 3)
    return BPE([*ids], Merges(columns, counts, np.zeros_like(counts)), options)


def first_merges(text: str, number: int) -> str:
    """Return codes without the merges behind the first ones, duplicates counted."""
    header = int(text.startswith(_HEADER))
    return "\n".join(text.split("\n")[: number + header])


def _version(text: str, path: str | None) -> tuple[str, str, int]:
    """Return level, marker and the number of header lines."""
    header = text.split("\n", 1)[0].strip()
    if not header.startswith(_HEADER):
        if re.search(r"^\S+ \S+</w>\r?$", text, re.MULTILINE) and not re.search(
            r"^\S+ </w>\r?$", text, re.MULTILINE
        ):
            tell(
                f"{path or 'codes'}: no header, so read by the rules of version 0.1, where </w> "
                "is a symbol of its own; but these merges look like version 0.2: then put "
                "'#version: 0.2' on the first line"
            )
        return "char", "separate", 0
    version = re.sub(r"(\.0+)*$", "", header.removeprefix(_HEADER).strip())
    known = {"0.1": ("char", "separate"), "0.2": ("char", "suffix"), "0.2 byte": ("byte", "suffix")}
    if version not in known:
        raise ModelFileError(
            f"version {version!r} of codes is not known; known are {', '.join(known)}", path, 1
        )
    return *known[version], 1


def _rows(lines: list[str], number: int, path: str | None) -> list[tuple[str, ...]]:
    while lines and not lines[-1].strip("\r\n "):
        lines.pop()
    rows = [tuple(line.strip("\r ").split(" ")) for line in lines]
    for line_number, row in enumerate(rows, number):
        if len(row) != 2 or not (row[0] and row[1]):
            raise ModelFileError(_what_is_wrong(row), path, line_number)
    return rows


def _what_is_wrong(row: Sequence[str]) -> str:
    line = " ".join(row)
    if len(row) == 3 and row[2].isdigit():
        return (
            f"three columns, {line!r:.80}: these are codes of fastBPE (left, right, count); "
            "subword-nmt has two, and a header"
        )
    return f"expected two symbols with one space between, got {line!r:.80}"


def as_symbol(text: str, end_of_word: str | None) -> Symbol:
    """Read a symbol as codes spell it."""
    if text == _END and end_of_word == "separate":
        return MARKER
    if text.endswith(_END) and text != _END:
        return (text[: -len(_END)].encode("utf-8", "surrogateescape"), True)
    return (text.encode("utf-8", "surrogateescape"), False)


def write(bpe: BPE) -> str:
    """Return the codes of a model.

    Raises
    ------
    ModelFileError
        When the format cannot hold the model: no marker, or symbols with white space in them.

    Warns
    -----
    SubwordWarning
        When words are not made by spaces alone, which codes do not say.

    Examples
    --------
    >>> import subword
    >>> print(write(subword.train({"low": 5, "lower": 2}, 2)), end="")
    #version: 0.2
    l o
    lo w</w>

    """
    version = {
        ("char", "separate"): "0.1",
        ("char", "suffix"): "0.2",
        ("byte", "suffix"): "0.2 byte",
    }.get((bpe.level, bpe.end_of_word or ""))
    if version is None:
        raise ModelFileError(
            f"codes of subword-nmt need a marked end of word (at byte level the suffix); this "
            f"model is {bpe.level} level with end_of_word={bpe.end_of_word!r}. Use "
            "format='huggingface', or save(), our own format"
        )
    rows = [f"{_HEADER} {version}"]
    pairs = bpe._table[:, :2].tolist()
    names = {i: spell(bpe.symbols[i]) for i in {*chain.from_iterable(pairs)}}
    rows += [f"{names[left]} {names[right]}" for left, right in pairs]
    warn_of_words(bpe)
    return "\n".join(rows) + "\n"


def warn_of_words(bpe: BPE) -> None:
    """Say what is lost with a model that makes words otherwise than codes expect them."""
    if (splitter := bpe.options.splitter) != Splitter():
        tell(
            "codes do not say how texts become words, and take spaces for it; this model has "
            f"{splitter}"
        )


def write_vocabulary(counts: WordCounts) -> bytes:
    """Return pieces or words with their counts as get-vocab writes them: the most frequent first.

    Raises
    ------
    ModelFileError
        When one of them has a space or a line end in it.

    Examples
    --------
    >>> from subword import WordCounts
    >>> print(write_vocabulary(WordCounts({"lo@@": 2, "w": 5})).decode(), end="")
    w 5
    lo@@ 2

    """
    words = counts.words()
    if np.isin(words.text, [*b" \r\n"]).any():
        raise ModelFileError(
            "a vocabulary of subword-nmt cannot hold a piece with a space or a line end in it; use "
            "WordCounts.save(), our own format"
        )
    if engine := core():
        lines: bytes = engine.rows_by_count(*words)
        return lines
    rows = sorted(counts.items(), key=lambda row: row[1], reverse=True)
    text = "".join(f"{piece} {count}\n" for piece, count in rows)
    return text.encode("utf-8", "surrogateescape")


def spell(symbol: Symbol) -> str:
    """Spell a symbol as codes do.

    Raises
    ------
    ModelFileError
        When it would be read as something else.

    """
    raw, is_final = symbol
    text = raw.decode("utf-8", "surrogateescape")
    if any(c in text for c in " \r\n") or (text.endswith(_END) and not is_final):
        raise ModelFileError(
            f"codes cannot hold the symbol {spelling(symbol)!r}: spaces, line ends "
            "and a literal </w> would be read as something else. Use save(), our own format"
        )
    return text + _END * is_final
