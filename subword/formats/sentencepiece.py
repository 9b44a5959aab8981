"""SentencePiece's ``.model``, read only: BPE models, by a small reader of protocol buffers.

Pieces are stored with scores, not with merges: the two neighbours whose joint piece has the
highest score are joined. `subword.formats.ranked` finds the merges that these are. A space is
spelt U+2581 there, and is a space here.

Refused, as nothing here is quite like it: the unigram, word and char models, pieces that the user
has defined or that are unused, white space at the ends of words, rules for characters of one's
own. The named rules (``nmt_nfkc`` and so on) are taken over by their names; the version of Unicode
may be another.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..alphabet import HOLE, UNK, in_texts
from ..errors import ModelFileError, SubwordError
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import Splitter
from ..reference import Symbol
from .ranked import Ranked

_KINDS = {1: "normal", 2: "unknown", 3: "control", 4: "user-defined", 5: "unused", 6: "byte"}
_MODELS = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
_RULES = {
    "identity": [], "nfkc": ["nfkc_in_place"], "nfkc_cf": ["nfkc_in_place", "fold_characters"],
    "nmt_nfkc": ["nmt_nfkc"],
    "nmt_nfkc_cf": ["nmt_nfkc", "fold_characters"],
}  # fmt: skip
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class _Piece(NamedTuple):
    text: str
    score: float
    kind: str


def recognises(text: str) -> bool:
    """Say whether a file begins like such a model: with a piece that has a text and a score.

    >>> recognises("\\n\\x0e\\n\\x05<unk>\\x15\\0\\0\\0\\0\\x18\\x02"), recognises("\\nl o\\n")
    (True, False)
    """
    raw = text[:300].encode("utf-8", "surrogateescape")
    if raw[:1] != b"\n" or len(raw) < 4 or raw[2:3] != b"\n":
        return False
    return raw[4 + raw[3] :][:1] == b"\x15"


def read(text: str, path: str | None = None) -> BPE:
    """Read a model.

    Parameters
    ----------
    text : str
        Its bytes, those that are no UTF-8 as surrogates.
    path : str, optional
        Where it is from.

    Returns
    -------
    BPE
        Character level without marker, with the ids of the file; a text is one word, which
        begins with a space if the file says so. Control pieces are special tokens.

    Raises
    ------
    ModelFileError
        When the file is damaged, or has something that is refused; see the module.

    """
    return _Reader(text.encode("utf-8", "surrogateescape"), path).bpe()


class _Reader:
    def __init__(self, raw: bytes, path: str | None) -> None:
        self.path = path
        root = self._message(raw)
        self.pieces = [self._piece(part) for part in root.get(1, [])]
        self.trainer = self._message(self._one(root, 2, bytes, b""))
        self.rules = self._message(self._one(root, 3, bytes, b""))

    def fail(self, reason: str) -> Any:
        raise ModelFileError(f"this SentencePiece model cannot be read: {reason}", self.path)

    # -- protocol buffers ------------------------------------------------------------------

    def _message(self, raw: bytes) -> dict[int, list[Any]]:
        """Return the values of a message by the numbers of its fields."""
        found: dict[int, list[Any]] = {}
        try:
            for number, value in _fields(raw):
                found.setdefault(number, []).append(value)
        except (IndexError, ValueError):
            self.fail("it is damaged or cut off")
        return found

    def _one(self, message: dict[int, list[Any]], number: int, kind: type, default: Any) -> Any:
        """Return the last value of a field."""
        value = message.get(number, [default])[-1]
        return value if type(value) is kind else self.fail(f"field {number} has the wrong type")

    def _text(self, message: dict[int, list[Any]], number: int) -> str:
        try:
            return str(self._one(message, number, bytes, b""), "utf-8")
        except UnicodeDecodeError:
            return str(self.fail("a text in it is not UTF-8"))

    def _piece(self, raw: Any) -> _Piece:
        message = self._message(raw if type(raw) is bytes else self.fail("a piece is no message"))
        score = self._one(message, 2, float, 0.0)
        kind = self._one(message, 3, int, 1)
        if not math.isfinite(score) or kind not in _KINDS:
            self.fail(f"the piece {self._text(message, 1)!r:.40} has score {score} and type {kind}")
        return _Piece(self._text(message, 1), score, _KINDS[kind])

    # -- the model -------------------------------------------------------------------------

    def bpe(self) -> BPE:
        self._check()
        falls_back = bool(self._one(self.trainer, 35, int, 0))
        symbols = [self._symbol(piece, falls_back) for piece in self.pieces]
        self._check_bytes(symbols, falls_back)
        merges = self._merges().merges()
        specials = [
            piece.text for piece, symbol in zip(self.pieces, symbols, strict=True) if symbol == HOLE
        ]
        splitter = Splitter("none", False, tuple(self._steps()))
        options = Options("char", None, splitter, "bytes" if falls_back else "unk_run")
        try:
            return BPE(symbols, Merges.of(merges), options, specials)
        except SubwordError as error:
            raise ModelFileError(str(error), self.path) from None

    def _check(self) -> None:
        model = self._one(self.trainer, 3, int, 1)
        if model != 2:
            self.fail(f"it is a {_MODELS.get(model, model)} model; only bpe can be read")
        for kind in ("user-defined", "unused"):
            found = [piece.text for piece in self.pieces if piece.kind == kind]
            if found:
                self.fail(f"{len(found)} pieces are {kind}, {found[0]!r:.40} is one")
        if self._one(self.trainer, 24, int, 0) or not self._one(self.rules, 5, int, 1):
            self.fail("its words have their white space at the end, or not spelt U+2581")
        if sum(piece.kind == "unknown" for piece in self.pieces) != 1:
            self.fail("it has no unknown piece, or several")

    def _symbol(self, piece: _Piece, falls_back: bool) -> Symbol:
        if piece.kind == "unknown" and not falls_back:
            return UNK.encode(), False
        if piece.kind in ("unknown", "control"):
            return HOLE
        if piece.kind == "byte":
            return self._byte(piece.text), False
        return _spaced(piece.text).encode() or self.fail("an empty piece"), False

    def _byte(self, text: str) -> bytes:
        if len(text) != 6 or not text.startswith("<0x"):
            self.fail(f"expected a byte such as <0x0A>, got {text!r:.40}")
        try:
            return bytes.fromhex(text[3:5])
        except ValueError:
            return bytes(self.fail(f"expected a byte such as <0x0A>, got {text!r:.40}"))

    def _check_bytes(self, symbols: list[Symbol], falls_back: bool) -> None:
        found = [self.pieces[i].kind == "byte" for i in range(len(symbols))]
        singles = {symbol for symbol, is_byte in zip(symbols, found, strict=True) if is_byte}
        if falls_back and len(singles) != 256:
            self.fail(f"byte_fallback, but only {len(singles)} of the 256 bytes are pieces")
        unk = -1 if falls_back else symbols.index((UNK.encode(), False))
        if unk >= 0 and symbols.count(symbols[unk]) > 1:
            self.fail(f"the piece {UNK} is a text too")
        for i, symbol in enumerate(in_texts(symbols, unk)):
            if symbol == HOLE != symbols[i] and i != unk and not found[i]:
                self.fail(f"two pieces stand for the same text, {self.pieces[i].text!r:.40} is one")

    def _merges(self) -> Ranked[str]:
        """Return the merges: what each piece is made of, the highest score first."""
        normal = [(i, p) for i, p in enumerate(self.pieces) if p.kind == "normal"]
        texts = {i: _spaced(piece.text) for i, piece in normal}
        ranked = Ranked({text: i for i, text in texts.items() if len(text) == 1})
        longer = [(-piece.score, i) for i, piece in normal if len(texts[i]) > 1]
        if len({score for score, _ in longer}) < len(longer):
            self.fail("two pieces have the same score, so that their order is not known")
        for _, i in sorted(longer):
            strange = next((c for c in texts[i] if c not in ranked.ids), None)
            if strange:
                self.fail(f"the piece {texts[i]!r:.40} has {strange!r}, which is no piece itself")
            ranked.add(texts[i], i)  # one that nothing makes is never met there either
        return ranked

    def _steps(self) -> Iterator[str]:
        """Yield the normalisation steps that the rules for characters and white space are."""
        name = self._text(self.rules, 1)
        if not self._one(self.rules, 2, bytes, b""):
            name = "identity"
        yield from (
            _RULES.get(name) or []
            if name in _RULES
            else self.fail(
                f"rules for characters named {name!r:.40}; known are {', '.join(_RULES)}"
            )
        )
        if self._one(self.rules, 4, int, 1):
            yield "single_spaces"
        yield "lower_block_space"
        if self._one(self.rules, 3, int, 1):
            yield "prefix_space"


def _spaced(piece: str) -> str:
    return piece.replace("\u2581", " ")


def _fields(raw: bytes) -> Iterator[tuple[int, int | float | bytes]]:
    """Yield the fields of a message: numbers and values.

    Raises
    ------
    ValueError, IndexError
        When the bytes are none.

    """
    place = 0
    while place < len(raw):
        key, place = _varint(raw, place)
        kind = key & 7
        if kind == _VARINT:
            value, place = _varint(raw, place)
            yield key >> 3, value
            continue
        size, place = _varint(raw, place) if kind == _BYTES else (_SIZES[kind], place)
        part, place = raw[place : place + size], place + size
        if place > len(raw):
            raise IndexError(size)
        yield key >> 3, struct.unpack("<f", part)[0] if kind == _FIXED32 else part


class _Sizes(dict):  # type: ignore[type-arg]
    def __missing__(self, kind: int) -> int:
        raise ValueError(kind)


_SIZES = _Sizes({_FIXED64: 8, _FIXED32: 4})


def _varint(raw: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = raw[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
        if shift > 63:
            raise ValueError(place)
