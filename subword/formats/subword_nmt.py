"""Codes files of subword-nmt: versions 0.1 (``</w>`` apart), 0.2 (as suffix), 0.2 byte."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence

from ..alphabet import alphabet, spelling
from ..errors import ModelFileError, SubwordWarning
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import Rules, Splitter
from ..reference import MARKER, Merge, Symbol

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
    rows = _rows(text.split("\n")[first:], first + 1, path)
    pairs = [tuple(as_symbol(part, end_of_word) for part in parts) for parts in rows]
    options = Options(level, end_of_word, Splitter(pretokenizer or "space"))
    return as_model(pairs, [0] * len(pairs), options)


def as_model(pairs: Sequence[tuple[Symbol, ...]], counts: Sequence[int], options: Options) -> BPE:
    """Return the model of pairs of symbols, to be merged in that order, and of their counts."""
    seen = "".join(part.decode("utf-8", "surrogateescape") for pair in pairs for part, _ in pair)
    symbols = alphabet(seen, options.level, options.end_of_word, "bytes")
    ids = {symbol: i for i, symbol in enumerate(symbols)}
    merges: dict[tuple[Symbol, ...], Merge] = {}
    for pair, count in zip(pairs, counts, strict=True):
        if pair in merges:
            continue  # the first one counts
        for part in pair:  # subword-nmt takes any symbol; one that nothing makes is never met
            if part not in ids:
                ids[part] = len(symbols)
                symbols.append(part)
        left, right = pair
        result = ids.setdefault((left[0] + right[0], right[1]), len(symbols))
        if result == len(symbols):
            symbols.append((left[0] + right[0], right[1]))
        merges[pair] = Merge(ids[left], ids[right], result, count, 0)
    return BPE(symbols, Merges.of(list(merges.values())), options)


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
            warnings.warn(
                f"{path or 'codes'}: no header, so read by the rules of version 0.1, where </w> "
                "is a symbol of its own; but these merges look like version 0.2: then put "
                "'#version: 0.2' on the first line",
                SubwordWarning, stacklevel=5,
            )  # fmt: skip
        return "char", "separate", 0
    version = re.sub(r"(\.0+)*$", "", header.removeprefix(_HEADER).strip())
    known = {"0.1": ("char", "separate"), "0.2": ("char", "suffix"), "0.2 byte": ("byte", "suffix")}
    if version not in known:
        raise ModelFileError(
            f"version {version!r} of codes is not known; known are {', '.join(known)}", path, 1
        )
    return *known[version], 1


def _rows(lines: list[str], number: int, path: str | None) -> Iterator[list[str]]:
    while lines and not lines[-1].strip("\r\n "):
        lines.pop()
    for line_number, line in enumerate(lines, number):
        parts = line.strip("\r\n ").split(" ")
        if len(parts) == 3 and parts[2].isdigit():
            raise ModelFileError(
                f"three columns, {line!r:.80}: these are codes of fastBPE (left, right, count); "
                "subword-nmt has two, and a header",
                path, line_number,
            )  # fmt: skip
        if len(parts) != 2 or not all(parts):
            raise ModelFileError(
                f"expected two symbols with one space between, got {line!r:.80}", path, line_number
            )
        yield parts


def as_symbol(text: str, end_of_word: str) -> Symbol:
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
    for left, right, _ in bpe._table.tolist():
        parts = [spell(bpe.symbols[i]) for i in (left, right)]
        rows.append(" ".join(parts))
    warn_of_words(bpe)
    return "\n".join(rows) + "\n"


def warn_of_words(bpe: BPE) -> None:
    """Say what is lost with a model that makes words otherwise than codes expect them."""
    if (splitter := bpe.options.splitter) != Splitter():
        warnings.warn(
            f"codes do not say how texts become words, and take spaces for it; this model has "
            f"{splitter}",
            SubwordWarning, stacklevel=5,
        )  # fmt: skip


def write_vocabulary(counts: Mapping[str, int]) -> str:
    """Return pieces or words with their counts as get-vocab writes them: the most frequent first.

    Raises
    ------
    ModelFileError
        When one of them has a space or a line end in it.

    Examples
    --------
    >>> print(write_vocabulary({"lo@@": 2, "w": 5}), end="")
    w 5
    lo@@ 2

    """
    if re.search(r"[ \r\n]", "".join(counts)):
        raise ModelFileError(
            "a vocabulary of subword-nmt cannot hold a piece with a space or a line end in it; use "
            "WordCounts.save(), our own format"
        )
    rows = sorted(counts.items(), key=lambda row: row[1], reverse=True)
    return "".join(f"{piece} {count}\n" for piece, count in rows)


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
