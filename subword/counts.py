"""A corpus as a dictionary word -> count: counting, adding, pruning, saving."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .errors import CorpusError, SubwordError
from .files import check_errors, read_blocks, read_lines, write_atomic
from .native import as_utf8
from .options import check_whole
from .pretokenize import Rules, Splitter, check_text, check_texts
from .progress import progress_bar
from .specials import without_specials
from .tally import Tally, Words, make_tally

LARGEST_COUNT = 2**63 - 1
_HEADER = "#subword-counts 1 "
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escaped: plain for plain, escaped in _ESCAPES.items()}

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Pairs = Mapping[str, int] | Iterable[tuple[str, int]]


class WordCounts(Mapping[str, int]):
    """The distinct words of a corpus with their counts, in order of first appearance.

    Parameters
    ----------
    words : mapping or iterable of (word, count)
        Counts of a word that comes twice are added, zeros are left out.
    pretokenizer, lowercase, normalization
        How the words were made; a model trained on them splits texts in the same way.

    Raises
    ------
    SubwordError
        For an empty word or a negative count.
    TypeError
        For a word that is not a str or a count that is not an integer.
    OverflowError
        For a count past 2**63 - 1.

    Examples
    --------
    >>> counts = WordCounts({"low": 5, "lower": 2})
    >>> (counts + WordCounts.from_texts(["low newest"]))["low"]
    6

    """

    _counts: dict[str, int]  # of a tally: fetched when first asked for
    _tally: Tally | None = None

    def __init__(
        self,
        words: Pairs = (),
        *,
        pretokenizer: Rules = "space",
        lowercase: bool = False,
        normalization: str | Sequence[str] | None = None,
    ) -> None:
        self.splitter = Splitter(pretokenizer, lowercase, normalization or ())  # type: ignore[arg-type]
        self._counts = {}
        for word, count in words.items() if isinstance(words, Mapping) else _checked(words):
            self._add(check_text(word), count)

    @classmethod
    def _of(cls, counts: dict[str, int] | Tally, splitter: Splitter) -> WordCounts:
        """Wrap counts that are known to be sound; those of a tally are fetched when needed."""
        made = cls.__new__(cls)
        made.splitter = splitter
        if isinstance(counts, Tally):
            made._tally = counts
        else:
            made._counts = counts
        return made

    def __getattr__(self, name: str) -> dict[str, int]:
        if name != "_counts" or self._tally is None:
            raise AttributeError(name)
        self._counts = self._tally.counts()
        return self._counts

    def words(self) -> Words:
        """Return the words and their counts as flat arrays.

        >>> WordCounts({"low": 5}).words().text.tobytes()
        b'low'
        """
        return self._tally.words() if self._tally else Words.of(self._counts)

    def __getstate__(self) -> dict[str, Any]:
        return {"splitter": self.splitter, "_counts": self._counts}

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str | bytes],
        *,
        pretokenizer: Rules = "space",
        lowercase: bool = False,
        normalization: str | Sequence[str] | None = None,
        special_tokens: Sequence[str] = (),
        n_jobs: int = 1,
        progress: bool = False,
    ) -> WordCounts:
        """Count the words of texts; any iterable will do, it is read once.

        Parameters
        ----------
        texts : iterable of str
            One document each. Bytes are taken as UTF-8, invalid ones kept (for byte level).
        pretokenizer, lowercase, normalization
            See `subword.train`.
        special_tokens : sequence of str
            Cut out of the texts before splitting, and not counted.
        n_jobs : int
            Threads of the native engine; the result does not depend on it.
        progress : bool
            Show a bar on stderr.

        Examples
        --------
        >>> dict(WordCounts.from_texts(["low lower low"]))
        {'low': 2, 'lower': 1}

        """
        splitter = Splitter(pretokenizer, lowercase, normalization or ())  # type: ignore[arg-type]
        check_whole("n_jobs", n_jobs, 1)
        check_texts(texts)  # not a single one
        tally = make_tally(splitter)
        with progress_bar(texts, title="count", unit=" texts", shown=progress) as bar:
            tally.add_texts(without_specials(bar if progress else texts, special_tokens), n_jobs)
        return cls._of(tally, splitter)

    @classmethod
    def from_files(
        cls,
        paths: Paths,
        *,
        pretokenizer: Rules = "space",
        lowercase: bool = False,
        normalization: str | Sequence[str] | None = None,
        special_tokens: Sequence[str] = (),
        errors: str = "strict",
        n_jobs: int = 1,
        progress: bool = False,
    ) -> WordCounts:
        """Count the words of UTF-8 files; each file is one text, read in blocks.

        Parameters
        ----------
        paths : path or iterable of paths
            ``.gz``, ``.xz`` and ``.bz2`` are unpacked on the way; a BOM is dropped.
        errors : {"strict", "replace", "bytes"}
            Invalid UTF-8: an error, U+FFFD, or kept as bytes (for byte-level models).
        pretokenizer, lowercase, normalization, special_tokens, n_jobs, progress
            See `from_texts`.

        Raises
        ------
        CorpusError
            With path, line and byte of the first byte that is not UTF-8.

        """
        splitter = Splitter(pretokenizer, lowercase, normalization or ())  # type: ignore[arg-type]
        files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        check_errors(errors)
        check_whole("n_jobs", n_jobs, 1)
        tally = make_tally(splitter)
        for path in progress_bar(files, title="count", unit=" files", shown=progress):
            if special_tokens or not tally.add_file(path, errors, n_jobs):
                pieces = map(as_utf8, _pieces(read_blocks(path, errors), splitter, special_tokens))
                tally.add_texts(without_specials(pieces, special_tokens), n_jobs)
        return cls._of(tally, splitter)

    def _add(self, word: str, count: int) -> None:
        if isinstance(count, bool) or not hasattr(count, "__index__"):
            raise TypeError(f"the count of {word!r} must be an integer, got {count!r}")
        count = count.__index__()  # numpy integers too
        if not word:
            raise SubwordError("an empty word cannot be counted")
        if count < 0:
            raise SubwordError(f"the count of {word!r} is negative: {count}")
        if count:
            self._counts[word] = self._counts.get(word, 0) + count
            if self._counts[word] > LARGEST_COUNT:
                raise OverflowError(f"the count of {word!r} passes 2**63 - 1")

    def __getitem__(self, word: str) -> int:
        return self._counts[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._tally or self._counts)

    def __repr__(self) -> str:
        return (
            f"<WordCounts: {len(self):,} distinct words, {self.total():,} in all, "
            f"pretokenizer {self.splitter.pretokenizer!r}>"
        )

    def total(self) -> int:
        """Return the number of words counted, repeats included."""
        return sum(self._counts.values())

    def __add__(self, other: object) -> WordCounts:
        if not isinstance(other, WordCounts):
            return NotImplemented
        if self.splitter != other.splitter:
            raise SubwordError(
                f"counts of different words cannot be added: {self.splitter} and {other.splitter}"
            )
        total = WordCounts._of(dict(self._counts), self.splitter)
        for word, count in other.items():
            total._add(word, count)
        return total

    def prune(self, min_count: int = 2) -> WordCounts:
        """Return the words that occur at least `min_count` times.

        >>> dict(WordCounts({"low": 5, "lower": 1}).prune(min_count=2))
        {'low': 5}
        """
        check_whole("min_count", min_count, 0)
        kept = {word: count for word, count in self._counts.items() if count >= min_count}
        return WordCounts._of(kept, self.splitter)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a TSV file, one word a line, in order of first appearance.

        ``.gz``, ``.xz``, ``.bz2`` and ``.zst`` behind its name pack it.
        """
        write_atomic(path, self.dumps())

    def dumps(self) -> str:
        """Return what `save` writes."""
        rows = (f"{_escape(word)}\t{count}\n" for word, count in self._counts.items())
        return _HEADER + json.dumps(self.splitter.rules, ensure_ascii=False) + "\n" + "".join(rows)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> WordCounts:
        """Read what `save` wrote, or any file of lines ``word count`` (space or tab between).

        Raises
        ------
        CorpusError
            With path and line of a row that is not a word and a count.

        """
        counts, escaped = cls(), False
        for number, line in enumerate(read_lines(path, "bytes"), 1):
            try:
                if number == 1 and line.startswith(_HEADER):
                    counts, escaped = cls(**json.loads(line[len(_HEADER) :])), True
                elif line := line.removesuffix("\r"):
                    counts._add(*_parse_row(line, escaped))
            except (ValueError, TypeError) as error:
                raise CorpusError(str(error), os.fspath(path), number) from None
        return counts


def _checked(pairs: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    for pair in pairs:
        if isinstance(pair, (str, bytes)) or len(pair) != 2:
            raise TypeError(
                f"expected a mapping, or pairs of a word and its count, got {pair!r:.40}; "
                "texts are counted by WordCounts.from_texts"
            )
        yield pair


def _escape(word: str) -> str:
    return re.sub(r"[\\\t\n\r]", lambda match: _ESCAPES[match[0]], word)


def _parse_row(line: str, escaped: bool) -> tuple[str, int]:
    """Split a row at its last tab, or at its only space."""
    word, tab, count = line.rpartition("\t")
    if not tab or (" " in count.strip(" ") and not escaped):  # a word of subword-nmt may hold a tab
        tab = ""
        word, _, count = line.strip(" ").rpartition(" ")
    count = count.strip(" ")
    if not word or not re.fullmatch(r"-?[0-9]{1,40}", count) or (" " in word and not tab):
        raise ValueError(f"expected a word, a tab or a space, and an integer; got {line!r:.80}")
    if escaped:
        word = re.sub(r"\\[\\tnr]", lambda match: _UNESCAPES[match[0]], word)
    return word, int(count)


def _pieces(
    blocks: Iterable[str], splitter: Splitter, special_tokens: Sequence[str]
) -> Iterator[str]:
    """Cut one long text where its words stay the same, so that it need not be held whole.

    Normalisation and special tokens could reach over a cut, so those cut at line ends only.
    """
    rest = ""
    careful = bool(special_tokens or splitter.normalization)
    for block in blocks:
        rest += block
        cut = splitter.last_cut(rest)
        if careful and cut:
            cut = 0 if splitter.keeps_space else rest.rfind("\n") + 1
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
    if rest:
        yield rest
