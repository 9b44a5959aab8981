"""Reading ``tokenizer.json``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...alphabet import HOLE, UNK, in_texts
from ...errors import SubwordError, tell
from ...model import BPE, Merges
from ...options import Options
from ...pretokenize import Splitter
from ...reference import MARKER, Merge, Pair, Ranks, Symbol
from ..gpt2 import unspell
from ..texts import ModelText, parse_object
from .normalizers import read_normalizer
from .steps import Json
from .words import read_pre_tokenizer

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def read(text: str, path: str | None = None) -> BPE:
    """Read a ``tokenizer.json``.

    Returns
    -------
    BPE
        With the ids of the file. All added tokens are special tokens here.

    Raises
    ------
    ModelFileError
        When something is wrong, or has no equal here; the message says what.

    Warns
    -----
    SubwordWarning
        When characters vanish there that become bytes here, and for what is not taken over:
        truncation, added tokens that take spaces with them.

    """
    return _Reader(ModelText(text, path)).bpe()


class _Reader:
    """One file: what stands in it, as far as it is understood."""

    def __init__(self, file: ModelText) -> None:
        self.file = file
        self.root = parse_object(file.text, file.path)
        self.model: Json = self._value(self.root, "model", dict)
        self._check_model()
        self.suffix = self._value(self.model, "end_of_word_suffix", str, "")
        self.added = self._added_tokens()
        self.tokens, self.ids = self._tokens()

    def fail(self, reason: str) -> Any:
        self.file.fail(f"this tokenizer.json cannot be read: {reason}")

    def _value(self, node: Json, name: str, kind: type, default: Any = None) -> Any:
        """Return a value of the type; the default for null."""
        value = node.get(name)
        if value is None and default is not None:
            return default
        if type(value) is not kind:
            self.fail(f"expected {name!r} to be a {kind.__name__}, got {value!r:.60}")
        return value

    def _check_model(self) -> None:
        model = self.model
        if model.get("type", "BPE") != "BPE":
            self.fail(f"it is a {model['type']!r:.40} model; only BPE models can be read")
        if model.get("continuing_subword_prefix"):
            self.fail("pieces inside words have a prefix (continuing_subword_prefix)")
        if model.get("dropout"):
            self.fail("dropout is on; set it to null here, and give it to encode(dropout=...)")
        if self.root.get("truncation"):
            self._warn("truncates texts, which is not done here")

    def _warn(self, what: str) -> None:
        tell(f"{self.file.path or 'tokenizer.json'}: {what}")

    # -- tokens and ids --------------------------------------------------------------------

    def _added_tokens(self) -> dict[str, int]:
        found: dict[str, int] = {}
        spaced = []
        for entry in self._value(self.root, "added_tokens", list, []):
            if not isinstance(entry, dict):
                self.fail(f"expected added tokens to be objects, got {entry!r:.60}")
            token = self._value(entry, "content", str)
            if found.setdefault(token, self._value(entry, "id", int)) != entry["id"]:
                self.fail(f"the added token {token!r} has two ids")
            if any(entry.get(flag) for flag in ("single_word", "lstrip", "rstrip")):
                spaced.append(token)
        if spaced:
            self._warn(
                f"added tokens that look at the spaces around them, {', '.join(spaced):.80}: here "
                "they are found wherever they stand"
            )
        return found

    def _tokens(self) -> tuple[list[str], dict[str, int]]:
        """Return all tokens by id; ids must have no gaps."""
        ids: dict[str, int] = dict(self._value(self.model, "vocab", dict))
        for token, i in self.added.items():
            if ids.setdefault(token, i) != i:
                self.fail(
                    f"the added token {token!r} has the id {i}, in the vocabulary {ids[token]}"
                )
        tokens: list[str | None] = [None] * len(ids)
        for token, i in ids.items():
            if type(i) is not int or not 0 <= i < len(tokens):
                what = f"expected an id below {len(ids)}, the number of tokens"
                self.file.fail_at(token, f"{what}; {token!r} has {i!r:.60}")
            if tokens[i] is not None:
                self.file.fail_at(token, f"{token!r} and {tokens[i]!r} both have the id {i}")
            tokens[i] = token
        return tokens, ids  # type: ignore[return-value]

    # -- the model -------------------------------------------------------------------------

    def bpe(self) -> BPE:
        normal = read_normalizer(self.root.get("normalizer"), self.fail)
        node = self.root.get("pre_tokenizer")
        words = read_pre_tokenizer(node, normal.visible_space, self.fail)
        if words.first_only and self.added:
            self._warn(
                "a text gets a space in front; here so does what follows an added token, if such "
                "tokens are allowed"
            )
        self.visible_space = normal.visible_space or words.visible_space
        self.level = "byte" if words.is_byte else "char"
        if self.visible_space and words.is_byte:
            self.fail("a space is spelt U+2581 and yet pieces are bytes")
        names = [*normal.names, *["lower_block_space"] * words.visible_space]
        names += ["leading_space"] * words.leading_space
        splitter = Splitter(words.pretokenizer, normal.lowercase, tuple(names))
        merges = self._merges()
        symbols, specials, unknown = self._symbols(merges)
        end_of_word = "suffix" if self.suffix else None
        options = Options(self.level, end_of_word, splitter, unknown)
        merges = self._in_order(merges, symbols)
        try:
            bpe = BPE(symbols, Merges.of(merges), options, specials)
        except SubwordError as error:  # a special token that cannot be one
            self.fail(str(error))
        if self.model.get("ignore_merges"):
            self._check_whole_words(bpe)
        return bpe

    def _merges(self) -> list[Merge]:
        merges: dict[Pair, Merge] = {}
        for rank, row in enumerate(self._value(self.model, "merges", list)):
            parts = row.split(" ") if isinstance(row, str) else row
            if type(parts) is not list or len(parts) != 2 or not all(type(p) is str for p in parts):
                self.fail(f"merge {rank}: expected two tokens, got {row!r:.80}")
            joined = "".join(parts)
            for token in (*parts, joined):
                if token not in self.ids:
                    self.fail(f"merge {rank}, {parts!r:.80}: {token!r} is not in the vocabulary")
                if token in self.added:
                    self.fail(f"merge {rank}, {parts!r:.80}: {token!r} is an added token too")
            if not all(parts) or (self.suffix and parts[0].endswith(self.suffix)):
                self.fail(f"merge {rank}, {parts!r:.80}: nothing can follow {parts[0]!r}")
            pair = self.ids[parts[0]], self.ids[parts[1]]
            if pair in merges:
                self.fail(f"merge {rank}, {parts!r:.80}, stands twice")
            merges[pair] = Merge(*pair, self.ids[joined], 0, 0)
        return [*merges.values()]

    def _symbols(self, merges: list[Merge]) -> tuple[list[Symbol], list[str], str]:
        """Return symbols, special tokens and what becomes of unknown characters."""
        unk_token = self.model.get("unk_token")
        unk = self.ids.get(unk_token, -1) if isinstance(unk_token, str) else -1
        symbols = [
            HOLE if token in self.added and i != unk else self._symbol(token)
            for i, token in enumerate(self.tokens)
        ]
        for left, right, result, *_ in merges:
            joined = symbols[left][0] + symbols[right][0], symbols[right][1]
            if symbols[result] != joined or HOLE in (symbols[left], symbols[right]):
                self.fail(f"{self.tokens[result]!r} is not made of {self.tokens[left]!r} and "
                          f"{self.tokens[right]!r}")  # fmt: skip
        unknown = self._unknown(symbols, unk)
        if unknown != "bytes":
            symbols[unk] = (UNK.encode(), False)
            if symbols.count(symbols[unk]) > 1 or any(unk in merge[:3] for merge in merges):
                self.fail(f"{unk_token!r} stands for unknown characters and yet is a text too")
        elif unk >= 0 and self.tokens[unk] in self.added:
            symbols[unk] = HOLE
        self._check_distinct(symbols, unk if unknown != "bytes" else -1)
        specials = sorted(self.added, key=self.ids.__getitem__)
        return symbols, [t for t in specials if symbols[self.ids[t]] == HOLE], unknown

    def _symbol(self, token: str) -> Symbol:
        is_final = bool(self.suffix) and token.endswith(self.suffix)
        body = token.removesuffix(self.suffix) if is_final else token
        byte = _BYTE.fullmatch(body)
        try:
            if self.level == "byte":
                return unspell(body), is_final
            if byte and not is_final:
                return bytes([int(byte[1], 16)]), False
            return (body.replace("\u2581", " ") if self.visible_space else body).encode(), is_final
        except ValueError:
            if self.level == "byte":  # a token that no text gives
                return body.encode("utf-8", "replace"), is_final
            return self.file.fail_at(token, f"a lone surrogate in the token {token!r}")

    def _check_distinct(self, symbols: list[Symbol], unk: int) -> None:
        """Refuse tokens that would be one symbol here, but for bytes that no text needs."""
        for i, symbol in enumerate(in_texts(symbols, unk)):
            if symbol == HOLE != symbols[i] and i != unk and not _BYTE.fullmatch(self.tokens[i]):
                self.file.fail_at(
                    self.tokens[i], f"two tokens stand for the same text, {self.tokens[i]!r} is one"
                )

    # -- unknown characters ----------------------------------------------------------------

    def _unknown(self, symbols: list[Symbol], unk: int) -> str:
        """Return what becomes of unknown characters; put in the bytes where they are missing."""
        missing = self._missing(symbols)
        falls_back = bool(self.model.get("byte_fallback"))
        if self.level == "byte" and not missing:
            return "bytes"
        if falls_back and (missing or self.suffix):
            self.fail("byte_fallback with a suffix, or without all 256 bytes")
        if falls_back:
            return "bytes"
        if unk >= 0:
            return "unk_run" if self.model.get("fuse_unk") else "unk"
        more = f"; the {len(missing)} bytes it lacks have the ids from {len(symbols)} on"
        self._warn(
            "it has no unk_token: characters that it does not know vanish in Hugging Face's "
            f"tokenizers, here they become their bytes{more * bool(missing)}"
        )
        symbols += missing
        return "bytes"

    def _missing(self, symbols: list[Symbol]) -> list[Symbol]:
        """Return the symbols that make sure that no character is unknown."""
        wanted = [(bytes([byte]), False) for byte in range(256)]
        if self.suffix:
            finals = [(raw, True) for raw, _ in wanted]
            wanted += finals if self.level == "byte" else [MARKER]
        have = set(symbols)
        return [symbol for symbol in wanted if symbol not in have]

    # -- merges in an order that means the same here ---------------------------------------

    def _in_order(self, merges: list[Merge], symbols: Sequence[Symbol]) -> list[Merge]:
        """Return the merges; where some stand before those that make their parts, the useful ones.

        Files made from SentencePiece have a merge for every way to cut a token in two. Of these
        only one is ever met: the one that ends the merging of the token by itself.
        """
        if not _inverted(merges):
            return merges
        times = Counter(merge.result for merge in merges)
        ranks = {(m.left, m.right): (rank, m.result) for rank, m in enumerate(merges)}
        useful = {i: self._last_pair(i, symbols, ranks) for i, n in times.items() if n > 1}
        kept = [m for m in merges if useful.get(m.result, (m.left, m.right)) == (m.left, m.right)]
        if wrong := _inverted(kept):
            pair = self.tokens[wrong.left], self.tokens[wrong.right]
            self.fail(f"the merge {pair!r:.80} stands before one that makes a part of it")
        return kept

    def _last_pair(self, i: int, symbols: Sequence[Symbol], ranks: Ranks) -> Pair | None:
        """Return the pair that makes a token when it is encoded alone; None if it is not made."""
        units = self._units(self.tokens[i])
        if not all(unit in self.ids for unit in units):
            return None
        return last_pair([self.ids[unit] for unit in units], ranks)

    def _units(self, token: str) -> list[str]:
        is_final = bool(self.suffix) and token.endswith(self.suffix)
        units = [*(token.removesuffix(self.suffix) if is_final else token)]
        if is_final and units:
            units[-1] += self.suffix
        return units

    def _check_whole_words(self, bpe: BPE) -> None:
        """Refuse tokens that ignore_merges gives to words whose merges lead elsewhere."""
        splitter = bpe.options.splitter
        for i, word in self._whole_words(bpe):
            if bpe._coder.encode_word(word) != [i] and splitter.split(word) == [word]:
                self.fail(f"ignore_merges makes the word {word!r} one token, but its merges do not")

    def _whole_words(self, bpe: BPE) -> Iterator[tuple[int, str]]:
        for i, (raw, is_final) in enumerate(bpe._coder._listed):
            if raw and is_final == bool(self.suffix) and i != bpe._coder.unk:
                try:
                    yield i, raw.decode()
                except UnicodeDecodeError:  # no word
                    continue


def _inverted(merges: Sequence[Merge]) -> Merge | None:
    """Return a merge that does not stand behind all that make its parts; None if all do."""
    latest = {merge.result: rank for rank, merge in enumerate(merges)}
    for rank, merge in enumerate(merges):
        if max(latest.get(merge.left, -1), latest.get(merge.right, -1)) >= rank:
            return merge
    return None


def last_pair(ids: list[int], ranks: Ranks) -> Pair | None:
    """Return the merge that ends the merging of a word, one at a time; None if it stays in pieces.

    >>> last_pair([0, 1, 0, 1], {(0, 1): (0, 2), (2, 2): (1, 3)})
    (2, 2)
    """
    pair = None
    while len(ids) > 1:
        found = [(ranks[p], place) for place, p in enumerate(pairwise(ids)) if p in ranks]
        if not found:
            return None
        (_, result), place = min(found)
        pair = ids[place], ids[place + 1]
        ids = [*ids[:place], result, *ids[place + 2 :]]
    return pair
