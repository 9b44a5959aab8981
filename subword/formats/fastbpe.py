"""fastBPE: codes in three columns (left, right, count) without header, and its vocabulary."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import ModelFileError
from ..model import BPE
from ..options import Options
from ..pretokenize import Rules, Splitter
from .subword_nmt import as_model, spell, warn_of_words
from .texts import ModelText

_MOST = 2**63 - 1


def recognises(text: str, path: str | None = None) -> bool:
    """Say whether the first line has three columns, the third a number.

    >>> recognises("l o 7"), recognises("l o")
    (True, False)
    """
    parts = text.split("\n", 1)[0].rstrip("\r ").split(" ")
    return len(parts) == 3 and parts[2].isdecimal() and parts[2].isascii()


def read(text: str, path: str | None = None, pretokenizer: Rules | None = None) -> BPE:
    """Read codes; of a merge that stands twice the first counts.

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
        With path and line of what is no merge.

    Examples
    --------
    >>> bpe = read("l o 7\\nlo w</w> 5\\n")
    >>> bpe.segment("low lower"), bpe.merge_counts.tolist()
    ('low lo@@ w@@ e@@ r', [7, 5])

    """
    rows = [_row(file, number, line) for file, number, line in _lines(text, path)]
    merges: dict[tuple[str, ...], int] = {}
    for *pair, count in rows:
        merges.setdefault(tuple(pair), int(count))
    return as_model(merges, Options("char", "suffix", Splitter(pretokenizer or "space")))


def _lines(text: str, path: str | None) -> list[tuple[ModelText, int, str]]:
    file = ModelText(text, path)
    lines = text.rstrip("\r\n ").split("\n")
    return [(file, number, line.strip("\r ")) for number, line in enumerate(lines, 1)]


def _row(file: ModelText, number: int, line: str, columns: int = 3) -> list[str]:
    parts = line.split(" ")
    count = parts[-1]
    digits = count.isdecimal() and count.isascii() and len(count) < 20
    if len(parts) != columns or not all(parts) or not digits or int(count) > _MOST:
        names = "left, right and count" if columns == 3 else "a piece and its count"
        file.fail(f"expected {names}, one space between; got {line!r:.80}", number)
    return parts


def write(bpe: BPE) -> str:
    """Return the codes of a model.

    Raises
    ------
    ModelFileError
        When the format cannot hold the model: not character level with suffix, or symbols with
        white space in them.

    Warns
    -----
    SubwordWarning
        When words are not made by spaces alone, which codes do not say.

    Examples
    --------
    >>> import subword
    >>> print(write(subword.train({"low": 5, "lower": 2}, 2)), end="")
    l o 7
    lo w</w> 5

    """
    if (bpe.level, bpe.end_of_word) != ("char", "suffix"):
        other = "subword-nmt" if bpe.end_of_word else "huggingface"
        raise ModelFileError(
            "codes of fastBPE hold models of characters with end_of_word='suffix'; this one is "
            f"{bpe.level} level with end_of_word={bpe.end_of_word!r}. Use format={other!r}, or "
            "save(), our own format"
        )
    if not bpe.num_merges:
        raise ModelFileError(
            "codes of fastBPE without any merge are an empty file, which cannot be told from other "
            "empty files. Use format='subword-nmt', or save(), our own format"
        )
    names = {i: spell(bpe.symbols[i]) for i in {*bpe._table[:, :2].ravel().tolist()}}
    warn_of_words(bpe)
    return "".join(
        f"{names[merge.left]} {names[merge.right]} {merge.count}\n" for merge in bpe.merge_table()
    )


def read_vocab(text: str, path: str | None = None) -> dict[str, int]:
    """Read a vocabulary: a piece of the text form (``lo@@``) and its count a line.

    >>> read_vocab("low 5\\nlo@@ 2\\n")
    {'low': 5, 'lo@@': 2}
    """
    rows = [_row(*row, columns=2) for row in _lines(text, path)] if text.strip() else []
    return {piece: int(count) for piece, count in rows}


def write_vocab(counts: Mapping[str, int]) -> str:
    """Return a vocabulary, the most frequent piece first.

    >>> print(write_vocab({"lo@@": 2, "low": 5}), end="")
    low 5
    lo@@ 2
    """
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return "".join(f"{piece} {count}\n" for piece, count in rows)
