"""Our own format: text that diffs well, checked line by line when read.

::

    #subword-model 1
    level "char"
    ...                              one option a line, as JSON
    characters 3                     what the alphabet has beyond bytes and markers
    l
    o
    w
    merges 2                         left, right, count when made, times applied
    l o 7 7
    lo w</w> 5 5
    special 0                        special tokens, as JSON strings
    selftest 1                       a text and its ids, as JSON
    "low" [270]
    checksum sha256 ...              of every byte above

Symbols are spelt as `subword.alphabet.visible` does: ``\\\\``, ``\\s`` for a space, ``\\n``,
``\\t``, ``\\r``, ``\\u{...}`` for what else does not print, ``\\x..`` for a byte that is no
UTF-8; and with ``\\<`` where a literal ``</w>`` begins. Models whose ids come from another tool
have ``symbols`` (all of them, by id) in the place of ``characters``; an empty line among these is
the id of a special token.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from ..alphabet import HOLE, UNK, alphabet, in_texts, unk_id, visible
from ..errors import ModelFileError, SubwordError
from ..model import BPE, Merges
from ..options import Options
from ..pretokenize import Splitter
from ..reference import Merge, Symbol
from ..specials import special_pattern

_MAGIC = "#subword-model"
_VERSION = 1
_END = "</w>"
_SAMPLES = ("Hello, world! It's 25 °C.", "naïve café 北京 Привет\tשלום 😀")


def recognises(text: str) -> bool:
    """Say whether this is a file of ours."""
    return text.startswith(_MAGIC)


# -- writing -------------------------------------------------------------------------------


def write(bpe: BPE) -> str:
    """Return a model as text; equal models give equal texts."""
    characters = _characters(bpe)
    lines = [f"{_MAGIC} {_VERSION}"]
    lines += [f"{name} {_json(value)}" for name, value in _options(bpe.options).items()]
    names = [escape(symbol) for symbol in bpe._plain]
    if characters is None:
        lines += _section("symbols", names)
    else:
        lines += _section("characters", (escape((c.encode(), False)) for c in characters))
    lines += _section(
        "merges",
        (f"{names[m.left]} {names[m.right]} {m.count} {m.applied}" for m in bpe.merge_table()),
    )
    lines += _section("special", map(_json, bpe.special_tokens))
    lines += _section(
        "selftest", (f"{_json(text)} {_json(bpe.encode(text))}" for text in _tests(bpe))
    )
    body = "\n".join(lines) + "\n"
    return f"{body}{_checksum(body)}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _section(name: str, lines: Any) -> list[str]:
    rows = list(lines)
    return [f"{name} {len(rows)}", *rows]


def _options(options: Options) -> dict[str, Any]:
    values = options._asdict()
    del values["splitter"]
    return values | options.splitter.rules


def _tests(bpe: BPE) -> list[str]:
    """Return texts to try a model on: two lines for all, one of its own longest pieces."""
    longest = sorted(bpe._plain, key=lambda symbol: (-len(symbol[0]), symbol))[:8]
    return [*_SAMPLES, " ".join(text.decode("utf-8", "ignore") for text, _ in longest)]


def _checksum(body: str) -> str:
    import hashlib  # takes time to load

    raw = body.encode("utf-8", "surrogateescape")
    return f"checksum sha256 {hashlib.sha256(raw).hexdigest()}"


def _characters(bpe: BPE) -> str | None:
    """Return the characters that give the model its ids by our rule; None for foreign ids."""
    made = set(bpe._table[:, 2].tolist())
    base = [symbol for i, symbol in enumerate(bpe._plain) if i not in made]
    unk = int(bpe.options.unknown != "bytes")
    seen = ""
    if bpe.level == "char":
        finals = {raw for raw, is_final in base if is_final and raw}
        singles = {raw for raw, is_final in base[unk:] if not is_final and (len(raw) > 1 or unk)}
        try:
            seen = "".join(sorted(raw.decode() for raw in finals | singles))
        except UnicodeDecodeError:
            return None
    return seen if _natural(seen, bpe.merge_table(), bpe.options, bpe._plain) else None


def _natural(seen: str, merges: list[Merge], options: Options, plain: tuple[Symbol, ...]) -> bool:
    symbols = _base(seen, options)
    for merge in merges:
        if merge.result == len(symbols):
            symbols.append(plain[merge.result])
    return tuple(symbols) == plain


def _base(characters: str, options: Options) -> list[Symbol]:
    unk = [(UNK.encode(), False)] if options.unknown != "bytes" else []
    return unk + alphabet(characters, options.level, options.end_of_word, options.unknown)


def escape(symbol: Symbol) -> str:
    """Spell a symbol so that it can be read back.

    >>> escape((b"a b</w>", True)), escape((b"\\xe2", False))
    ('a\\\\sb\\\\</w></w>', '\\\\xE2')
    """
    raw, is_final = symbol
    text = visible(raw.decode("utf-8", "surrogateescape"))
    return text.replace(_END, "\\" + _END) + _END * is_final


_SPELT = re.compile(r"((?:\\.|.)*?)(</w>)?", re.DOTALL)  # an escape is never cut in two
_ESCAPED = re.compile(r"\\(?:([\\<sntr])|x([0-9A-F]{2})|u\{([0-9a-f]{1,6})\})|(\\)", re.DOTALL)
_PLAIN = {visible(c)[1]: c for c in "\\ \n\t\r"} | {"<": "<"}


def unescape(text: str) -> Symbol:
    """Read what `escape` wrote.

    Raises
    ------
    ValueError
        For a backslash that begins no escape.

    """
    if "\\" not in text:
        return text.removesuffix(_END).encode("utf-8", "surrogateescape"), text.endswith(_END)
    body, end = _SPELT.fullmatch(text).groups()  # type: ignore[union-attr]
    return _ESCAPED.sub(_unescape, body).encode("utf-8", "surrogateescape"), end is not None


def _unescape(match: re.Match[str]) -> str:
    plain, byte, point, stray = match.groups()
    if stray:
        raise ValueError("a backslash that begins no escape")
    if plain:
        return _PLAIN[plain]
    return chr(0xDC00 + int(byte, 16)) if byte else chr(int(point, 16))


# -- reading -------------------------------------------------------------------------------


def read(text: str, path: str | None = None) -> BPE:
    """Read a model and check it: every line, the checksum, the self-test.

    Raises
    ------
    ModelFileError
        With the reason and the line.

    """
    return _Reader(text, path).model()


class _Reader:
    """The lines of a file and the one being read."""

    def __init__(self, text: str, path: str | None) -> None:
        self.text, self.path, self.number = text, path, 0
        self.lines = text.replace("\r\n", "\n").split("\n")  # those of symbols are escaped

    def fail(self, reason: str) -> NoReturn:
        raise ModelFileError(reason, self.path, self.number)

    def line(self) -> str:
        self.number += 1
        if self.number >= len(self.lines):  # the last one must have ended in \n too
            self.fail("the file ends here: it was cut off")
        return self.lines[self.number - 1]

    def model(self) -> BPE:
        self._version()
        if not self.lines[-2:-1] or not self.lines[-2].startswith("checksum "):
            self.number = len(self.lines)
            self.fail("the file ends without its checksum: it was cut off")
        options = self._options()
        kind, names = self._section("characters", "symbols")
        symbols = self._symbols(names) if kind == "symbols" else self._alphabet(names, options)
        merges = self._merges(symbols, options, grow=kind == "characters")
        special = self._special()
        start = self.number
        tests = self._section("selftest")[1]
        self._check_sum()
        try:
            bpe = BPE(symbols, Merges.of(merges), options, special)
        except SubwordError as error:
            self.fail(str(error))
        self._self_test(bpe, tests, start)
        return bpe

    def _version(self) -> None:
        found = re.fullmatch(_MAGIC + r" ([0-9]+)", self.line())
        if not found:
            self.fail(f"expected '{_MAGIC} {_VERSION}', got {self.lines[0]!r:.60}")
        if int(found[1]) != _VERSION:
            self.fail(
                f"version {found[1]} of the format; this release reads version {_VERSION}: "
                "upgrade subword, or save the model again with the older one"
            )

    def _options(self) -> Options:
        values = {name: self._option(name) for name in _options(Options())}
        try:
            splitter = Splitter(*(values.pop(name) for name in Splitter().rules))
            return Options(splitter=splitter, **values).check()
        except (SubwordError, TypeError) as error:
            self.fail(str(error))

    def _option(self, name: str) -> Any:
        found, _, value = self.line().partition(" ")
        if found != name:
            self.fail(f"expected the option {name!r}, got {found!r:.60}")
        return self._parse(value, json.loads)

    def _parse(self, text: str, parse: Any) -> Any:
        try:
            return parse(text)
        except (ValueError, RecursionError) as error:
            self.fail(f"cannot be read ({error}): {text!r:.60}")

    def _section(self, *names: str) -> tuple[str, list[str]]:
        line = self.line()
        found = re.fullmatch(rf"({'|'.join(names)}) ([0-9]{{1,9}})", line)
        if not found:
            self.fail(f"expected {' or '.join(names)} and a number, got {line!r:.60}")
        size = int(found[2])
        if self.number + size >= len(self.lines):
            self.fail(f"{size} {found[1]} announced, but the file ends before: it was cut off")
        start, self.number = self.number, self.number + size
        return found[1], self.lines[start : self.number]

    def _alphabet(self, names: list[str], options: Options) -> list[Symbol]:
        characters: list[str] = []
        first = self.number - len(names)
        for self.number, name in enumerate(names, first + 1):
            text = self._symbol(name)[0].decode("utf-8", "replace")
            if len(text) != 1 or (characters and text <= characters[-1]):
                self.fail(f"expected one character, greater than the last; got {name!r:.60}")
            characters.append(text)
        return _base("".join(characters), options)

    def _symbols(self, names: list[str]) -> list[Symbol]:
        symbols = []
        first = self.number - len(names)
        for self.number, name in enumerate(names, first + 1):
            symbols.append(self._symbol(name))
        return symbols

    def _symbol(self, name: str) -> Symbol:
        symbol: Symbol = self._parse(name, unescape)
        return symbol

    def _merges(self, symbols: list[Symbol], options: Options, grow: bool) -> list[Merge]:
        _, rows = self._section("merges")
        first = self.number - len(rows)
        listed = in_texts(symbols, self._unk(symbols, options))
        ids = {symbol: i for i, symbol in enumerate(listed) if symbol != HOLE}
        merges: list[Merge] = []
        latest: dict[int, int] = {}  # symbol -> rank of the last merge that made it
        done: dict[tuple[int, int], int] = {}
        known: dict[str, int] = {}
        for self.number, row in enumerate(rows, first + 1):
            found = re.fullmatch(r"(\S+) (\S+) ([0-9]{1,19}) ([0-9]{1,19})", row)
            if not found:
                self.fail(f"expected two symbols and two counts, got {row!r:.80}")
            left, right = (self._part(name, ids, known) for name in found.groups()[:2])
            if symbols[left][1]:
                self.fail(f"impossible merge: nothing can follow {found[1]!r}, which ends a word")
            self._check_new((left, right), done, latest)
            joined = (symbols[left][0] + symbols[right][0], symbols[right][1])
            result = ids.setdefault(joined, len(symbols))
            if result == len(symbols):
                if not grow:
                    self.fail(f"impossible merge: its result {escape(joined)!r} has no id")
                symbols.append(joined)
            done[left, right] = latest[result] = len(merges)
            counts = [int(number) for number in found.groups()[2:]]
            if max(counts) >= 2**63:
                self.fail(f"a count past 2**63 - 1: {max(counts)}")
            merges.append(Merge(left, right, result, *counts))
        return merges

    def _unk(self, symbols: list[Symbol], options: Options) -> int:
        try:
            return unk_id(symbols, options.unknown)
        except ValueError:
            self.fail(f"unknown={options.unknown!r}, but {UNK} is not among the symbols")

    def _part(self, name: str, ids: dict[Symbol, int], known: dict[str, int]) -> int:
        """Return the id of a part; `known` remembers those met before."""
        if name not in known:
            symbol = self._symbol(name)
            if symbol not in ids:
                self.fail(
                    f"impossible merge: {name!r} is no character and no earlier merge makes it"
                )
            known[name] = ids[symbol]
        return known[name]

    def _check_new(
        self, pair: tuple[int, int], done: dict[tuple[int, int], int], latest: dict[int, int]
    ) -> None:
        """Refuse a merge that stands twice, unless one of its parts was made anew in between."""
        rank = done.get(pair)
        if rank is not None and max(latest.get(i, -1) for i in pair) <= rank:
            self.fail(f"duplicate merge: it already has rank {rank}")

    def _special(self) -> list[str]:
        tokens = [self._parse(line, json.loads) for line in self._section("special")[1]]
        try:
            special_pattern(tokens)
        except (SubwordError, TypeError) as error:
            self.fail(str(error))
        return tokens

    def _check_sum(self) -> None:
        body = "\n".join(self.lines[: self.number]) + "\n"
        if self.line() != _checksum(body):
            self.fail("the checksum differs: the file was changed or damaged")
        if self.lines[self.number :] != [""]:
            self.fail("there is text behind the checksum")

    def _self_test(self, bpe: BPE, tests: list[str], start: int) -> None:
        for self.number, line in enumerate(tests, start + 2):
            text, end = self._parse(line, json.JSONDecoder().raw_decode)
            ids = self._parse(line[end:], json.loads)
            if not isinstance(text, str) or bpe.encode(text) != ids:
                self.fail(f"the self-test fails: {text!r:.60} does not give the stored ids")
