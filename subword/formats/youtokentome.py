"""YouTokenToMe's model, read only: numbers of characters and of merges, then these, by their ids.

Words begin with a space, spelt U+2581 there.
"""

from __future__ import annotations

import re

from ..alphabet import HOLE, UNK
from ..errors import SubwordError
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import Splitter
from ..reference import Merge, Symbol
from .texts import MOST_BYTES, ModelText

_SPECIALS = ("<UNK>", "<PAD>", "<BOS>", "<EOS>")
_SPLITTER = Splitter(" [^ ]*", False, ("ascii_squeeze", "single_spaces", "prefix_space"))
_ROW = re.compile(r"-?[0-9]{1,9}(?: -?[0-9]{1,9})*")


def recognises(text: str) -> bool:
    """Say whether the first lines are two numbers each, and the last one four.

    >>> recognises("1 0\\n97 4\\n1 0 2 3\\n"), recognises("1 0\\n")
    (True, False)
    """
    lines = text.rstrip().split("\n", 2)
    last = text.rstrip().rpartition("\n")[2].rstrip("\r")
    rows = [line.rstrip("\r") for line in lines[:2]]
    pairs = all(re.fullmatch("[0-9]{1,9} [0-9]{1,9}", row) for row in rows)
    return len(lines) > 2 and pairs and last.count(" ") == 3 and bool(_ROW.fullmatch(last))


def read(text: str, path: str | None = None) -> BPE:
    """Read a model.

    Returns
    -------
    BPE
        Character level without marker, with the ids of the file.

    Raises
    ------
    ModelFileError
        With path and line: what is no row of numbers, ids that are given twice or not at all,
        merges of what does not exist yet.

    """
    return _Reader(ModelText(text, path)).bpe()


class _Reader:
    def __init__(self, file: ModelText) -> None:
        self.file = file
        self.lines = file.text.rstrip("\r\n ").split("\n")
        self.symbols: dict[int, Symbol] = {}
        self.spent = 0

    def bpe(self) -> BPE:
        characters, merges = self._row(1, 2)
        if len(self.lines) != 2 + characters + merges:
            self.file.fail(
                f"{characters} characters and {merges} merges announced, but {len(self.lines)} "
                "lines found: the file was cut off or changed",
                1,
            )
        specials = self._specials(len(self.lines))
        for number in range(2, 2 + characters):
            self._character(number)
        table = [self._merge(n) for n in range(2 + characters, len(self.lines))]
        self._check_ids(len(self.lines))
        symbols = [self.symbols[i] for i in range(len(self.symbols))]
        try:
            options = Options("char", None, _SPLITTER, "unk_run")
            return BPE(symbols, Merges.of(table), options, specials)
        except SubwordError as error:
            self.file.fail(str(error), 1)

    def _row(self, number: int, columns: int) -> list[int]:
        line = self.lines[number - 1].rstrip("\r")
        if not _ROW.fullmatch(line) or line.count(" ") != columns - 1:
            self.file.fail(f"expected {columns} numbers, got {line!r:.60}", number)
        return [*map(int, line.split(" "))]

    def _add(self, number: int, i: int, symbol: Symbol) -> None:
        if i < 0 or i in self.symbols:
            self.file.fail(f"the id {i} is negative or stands twice", number)
        self.symbols[i] = symbol

    def _specials(self, number: int) -> list[str]:
        """Give the special tokens their places; return their names by id."""
        ids = dict(zip(_SPECIALS, self._row(number, 4), strict=True))
        for name, i in ids.items():
            if i >= 0 or name == "<UNK>":
                self._add(number, i, (UNK.encode(), False) if name == "<UNK>" else HOLE)
        self.unk = ids.pop("<UNK>")
        return sorted((name for name, i in ids.items() if i >= 0), key=ids.__getitem__)

    def _character(self, number: int) -> None:
        point, i = self._row(number, 2)
        if not 0 < point < 0x110000 or 0xD800 <= point < 0xE000:
            self.file.fail(f"{point} is the number of no character", number)
        self._add(number, i, (chr(point).replace("\u2581", " ").encode(), False))

    def _merge(self, number: int) -> Merge:
        left, right, result = self._row(number, 3)
        parts = [self.symbols.get(i, HOLE)[0] for i in (left, right) if i != self.unk]
        if len(parts) < 2 or not all(parts):
            self.file.fail(
                "impossible merge: no character and no earlier merge has this id", number
            )
        self._add(number, result, (parts[0] + parts[1], False))
        self.spent += len(parts[0]) + len(parts[1])
        if self.spent > MOST_BYTES:
            self.file.fail(f"tokens of more than {MOST_BYTES >> 20} MB", number)
        return Merge(left, right, result, 0, 0)

    def _check_ids(self, number: int) -> None:
        missing = next((i for i in range(len(self.symbols)) if i not in self.symbols), None)
        if missing is not None:
            self.file.fail(f"no line gives the id {missing}", number)
        texts = [symbol for symbol in self.symbols.values() if symbol != HOLE]
        if len(set(texts)) < len(texts):
            self.file.fail("two ids stand for the same text", number)
