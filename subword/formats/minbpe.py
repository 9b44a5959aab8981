"""minbpe's ``.model``: a pattern, special tokens, and merges as pairs of ids.

Merge number i makes the id 256 + i; the bytes have the ids from 0 to 255. The pattern is one of
the `regex` package; an empty one (``BasicTokenizer``) takes a text as one word.
"""

from __future__ import annotations

import re

from ..alphabet import readable
from ..errors import ModelFileError, SubwordError
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import PATTERNS, Splitter
from ..reference import Merge, Symbol
from .gpt2 import check_order
from .texts import MOST_BYTES, ModelText

_MAGIC = "minbpe v1"
_INSTEAD = "Use format='huggingface', or save(), our own format"
# white space as `re` has it; `regex` lacks four separators
_WRITTEN = PATTERNS | {"none": "", "whitespace": r"[^\s\x1c-\x1f]+"}
_NAMES = {pattern: name for name, pattern in _WRITTEN.items()}


def recognises(text: str) -> bool:
    """Say whether this is a file of minbpe, whatever its version."""
    return text.startswith("minbpe v")


def read(text: str, path: str | None = None) -> BPE:
    """Read a model.

    Raises
    ------
    ModelFileError
        With path and line: an unknown version, a merge of ids that do not exist yet or that
        stands twice, special tokens whose ids do not follow those of the merges.

    Examples
    --------
    >>> read("minbpe v1\\n\\n0\\n97 97\\n256 97\\n").encode("aaa")
    [257]

    """
    return _Reader(ModelText(text, path)).bpe()


class _Reader:
    def __init__(self, file: ModelText) -> None:
        self.file = file
        self.lines = [line.rstrip("\r") for line in file.text.rstrip("\r\n ").split("\n")]
        self.lines += [""] * (2 - len(self.lines))

    def bpe(self) -> BPE:
        if self.lines[0].strip() != _MAGIC:
            self.file.fail(f"expected {_MAGIC!r}, got {self.lines[0]!r:.40}", 1)
        splitter = self._splitter(self.lines[1].strip())
        size = self._size()
        symbols: list[Symbol] = [(bytes([byte]), False) for byte in range(256)]
        merges: dict[tuple[int, ...], Merge] = {}
        spent, seen = 0, set(symbols)
        for number, line in enumerate(self.lines[3 + size :], 4 + size):
            pair = self._pair(number, line, len(symbols))
            if pair in merges:
                self.file.fail(f"the merge {line!r:.40} stands twice", number)
            merges[pair] = Merge(*pair, len(symbols), 0, 0)  # type: ignore[call-arg]
            symbols.append((symbols[pair[0]][0] + symbols[pair[1]][0], False))
            spent += len(symbols[-1][0])
            if spent > MOST_BYTES:
                self.file.fail(f"tokens of more than {MOST_BYTES >> 20} MB", number)
            if symbols[-1] in seen:
                self.file.fail(
                    f"two merges make the token {readable(symbols[-1][0])!r:.60}; here a token has "
                    "one id",
                    number,
                )
            seen.add(symbols[-1])
        specials = self._specials(size, len(symbols))
        try:
            options = Options("byte", None, splitter)
            return BPE(symbols, Merges.of([*merges.values()]), options, specials)
        except SubwordError as error:
            return self.file.fail(str(error), 4)

    def _splitter(self, pattern: str) -> Splitter:
        try:
            return Splitter(_NAMES.get(pattern, pattern))
        except SubwordError as error:
            self.file.fail(str(error), 2)

    def _size(self) -> int:
        line = self.lines[2] if len(self.lines) > 2 else ""
        if not re.fullmatch("[0-9]{1,6}", line) or int(line) > len(self.lines) - 3:
            self.file.fail(f"expected the number of special tokens, got {line!r:.40}", 3)
        return int(line)

    def _pair(self, number: int, line: str, size: int) -> tuple[int, ...]:
        if not re.fullmatch("[0-9]{1,9} [0-9]{1,9}", line):
            self.file.fail(f"expected two ids, got {line!r:.40}", number)
        pair = tuple(map(int, line.split(" ")))
        if max(pair) >= size:
            self.file.fail(
                f"impossible merge: no byte and no earlier merge has {max(pair)}", number
            )
        return pair

    def _specials(self, count: int, first: int) -> list[str]:
        """Return the special tokens by id."""
        found: dict[int, str] = {}
        for number, line in enumerate(self.lines[3 : 3 + count], 4):
            token, _, i = line.rpartition(" ")
            if not re.fullmatch("[0-9]{1,9}", i) or not token.strip() or int(i) in found:
                self.file.fail(f"expected a special token and its id, got {line!r:.60}", number)
            found[int(i)] = token
        wrong = next((i for i in found if not first <= i < first + count), None)
        if wrong is not None:
            self.file.fail(
                f"the special token {found[wrong]!r} has the id {wrong}; those of the {count} "
                f"special tokens must follow the last merge, from {first} on",
                4,
            )
        return [found[i] for i in sorted(found)]


def write(bpe: BPE) -> str:
    """Return a model in minbpe's format.

    Raises
    ------
    ModelFileError
        When the format cannot hold the model: not byte level, marked ends of words, normalisation,
        ids that are not those of the bytes and the merges, a pattern or special token with white
        space at its ends or in it.

    Examples
    --------
    >>> import subword
    >>> print(write(subword.train(["low low"], level="byte", pretokenizer="none")), end="")
    minbpe v1
    <BLANKLINE>
    0
    111 119
    108 256

    """
    splitter = bpe.options.splitter
    if bpe.level != "byte" or bpe.end_of_word is not None or splitter.rewrites:
        raise ModelFileError(
            "minbpe's file holds byte-level models without end_of_word and without normalisation; "
            f"this one is {bpe.level} level with end_of_word={bpe.end_of_word!r} and {splitter}. "
            f"{_INSTEAD}"
        )
    if not isinstance(splitter.pretokenizer, str):
        raise ModelFileError(f"minbpe's file holds one pattern, not several in a row. {_INSTEAD}")
    pattern = _WRITTEN.get(splitter.pretokenizer, splitter.pretokenizer)
    if pattern != pattern.strip() or "\n" in pattern or "\r" in pattern:
        raise ModelFileError(
            f"minbpe strips its pattern, so that {pattern!r} would be another one. {_INSTEAD}"
        )
    spaced = next((token for token in bpe.special_tokens if re.search(r"\s", token)), None)
    if spaced is not None:
        raise ModelFileError(f"minbpe cannot read special tokens like {spaced!r}. {_INSTEAD}")
    check_order(bpe)
    _check_ids(bpe)
    specials = [f"{token} {bpe.piece_to_id(token)}" for token in bpe.special_tokens]
    merges = [f"{left} {right}" for left, right, _ in bpe._table.tolist()]
    return "\n".join([_MAGIC, pattern, str(len(specials)), *specials, *merges]) + "\n"


def _check_ids(bpe: BPE) -> None:
    results = bpe._table[:, 2].tolist()
    natural = bpe._plain[:256] == tuple((bytes([byte]), False) for byte in range(256))
    if not natural or results != [*range(256, len(bpe._plain))]:
        raise ModelFileError(
            "in minbpe's file the bytes have the ids from 0 to 255, and merge i makes the id 256 + "
            f"i; in this model they are others. {_INSTEAD}"
        )
