"""Two models side by side: where their merges part, and what that does to a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .alphabet import visible
from .coder import Ints, Longs
from .model import BPE
from .reference import Symbol
from .usage import Usage, counts_for, usage_of

Pair = tuple[Symbol, Symbol]
_EXAMPLES = 10
_UNKNOWN = "how often they were met is not known"


class Divergence(NamedTuple):
    """The first rank at which two models do not merge the same pair.

    Attributes
    ----------
    rank : int
        The rank, from 0; all merges before it are the same.
    pairs : ((str, str) or None, (str, str) or None)
        What each model merges there, as it is spelt; None for a model that ends before.
    counts : (int or None, int or None)
        The count of each pair as its model counted it in training; for models that do not know
        it, in the corpus given, split by the merges before. None where it is not known.
    reason : str
        Why, as far as these numbers tell.

    """

    rank: int
    pairs: tuple[tuple[str, str] | None, tuple[str, str] | None]
    counts: tuple[int | None, int | None]
    reason: str

    def __str__(self) -> str:
        sides = zip(self.pairs, self.counts, strict=True)
        shown = " | ".join(_side(pair, count) for pair, count in sides)
        return f"{shown}: {self.reason}"


class Example(NamedTuple):
    """A word that two models split differently, its count, and its pieces in each."""

    word: str
    count: int  # type: ignore[assignment]
    pieces: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class CorpusDifference:
    """How differently two models split the words of a corpus.

    Attributes
    ----------
    words, distinct_words : int
        The words of the corpus, repeats included and not.
    different, distinct_different : int
        Those of them that are cut at other places.
    pieces : (int, int)
        How many pieces each model makes of all words.
    examples : tuple of Example
        The most frequent of the words that differ.

    """

    words: int
    distinct_words: int
    different: int
    distinct_different: int
    pieces: tuple[int, int]
    examples: tuple[Example, ...]

    @property
    def share(self) -> float:
        """The share of the words, repeats included, that are split differently."""
        return self.different / self.words if self.words else 0.0

    def __str__(self) -> str:
        rows = [
            f"  {visible(word)} ({count:,}): "
            + " | ".join(" ".join(map(visible, pieces)) for pieces in sides)
            for word, count, sides in self.examples
        ]
        fertility = [f"{total / max(self.words, 1):.3f}" for total in self.pieces]
        return "\n".join(
            [
                f"{self.share:.2%} of {self.words:,} words split differently "
                f"({self.distinct_different:,} of {self.distinct_words:,} distinct ones); "
                f"pieces per word {' | '.join(fertility)}",
                *rows,
            ]
        )


@dataclass(frozen=True)
class Difference:
    """What `diff` found; as text by `str`, as plain data by `as_dict`.

    Attributes
    ----------
    options : dict of str -> (value, value)
        The options that are not the same.
    merges : (int, int)
        How many merges each model has.
    shared : int
        How many merges both have, at whatever rank.
    divergence : Divergence or None
        The first merge that differs; None if there is none.
    corpus : CorpusDifference or None
        What differs in a corpus, if one was given.

    """

    options: dict[str, tuple[Any, Any]]
    merges: tuple[int, int]
    shared: int
    divergence: Divergence | None
    corpus: CorpusDifference | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        data = asdict(self)
        if self.divergence:
            data["divergence"] = self.divergence._asdict()
        if self.corpus:
            data["corpus"]["share"] = self.corpus.share
            data["corpus"]["examples"] = [example._asdict() for example in self.corpus.examples]
        return data

    def __str__(self) -> str:
        same = self.divergence.rank if self.divergence else self.merges[0]
        first, second = self.merges
        lines = [
            f"options: {name} {one!r} | {other!r}" for name, (one, other) in self.options.items()
        ]
        lines.append(
            f"merges: {first:,} | {second:,}; {self.shared:,} in both; the first {same:,} the same"
        )
        if self.divergence:
            lines.append(f"rank {self.divergence.rank}: {self.divergence}")
        if self.corpus:
            lines.append(f"corpus: {self.corpus}")
        return "\n".join(lines)


def diff(a: BPE, b: BPE, counts: Mapping[str, int] | None = None) -> Difference:
    """Compare two models: options, merges, and how they split the words of a corpus.

    Parameters
    ----------
    a, b : BPE
        The models.
    counts : WordCounts or mapping word -> count, optional
        A corpus. A plain mapping is taken to follow the splitting rules of `a`; a model with
        other rules than the counts takes each word as a text, with a space in front if it
        keeps spaces in words.

    Returns
    -------
    Difference
        ``print`` shows it for people. Merges are compared by what they join, not by ids; words
        by where they are cut, however their ends are marked.

    Examples
    --------
    >>> import subword
    >>> counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    >>> a = subword.train(counts, 5)
    >>> print(diff(a, subword.train(counts, 5, tie_break="smallest_id"), counts))
    options: tie_break 'largest' | 'smallest_id'
    merges: 5 | 5; 1 in both; the first 0 the same
    rank 0: s + t</w> (9) | e + s (9): a tie, broken by 'largest' | 'smallest_id'
    corpus: 37.50% of 16 words split differently (1 of 4 distinct ones); pieces per word ...
      newest (6): ne west</w> | new est</w>

    """
    pairs = _pairs(a), _pairs(b)
    options = _options(a, b)
    held = None if counts is None else counts_for(a, counts)
    return Difference(
        options,
        (a.num_merges, b.num_merges),
        len(set(pairs[0]) & set(pairs[1])),
        _divergence(a, b, pairs, options, held),
        None if held is None else _corpus(a, b, held),
    )


def _side(pair: tuple[str, str] | None, count: int | None) -> str:
    if pair is None:
        return "no more merges"
    known = "" if count is None else f" ({count:,})"
    return f"{visible(pair[0])} + {visible(pair[1])}{known}"


def _pairs(bpe: BPE) -> list[Pair]:
    symbols = bpe.symbols
    return [(symbols[left], symbols[right]) for left, right, _ in bpe._table.tolist()]


def _options(a: BPE, b: BPE) -> dict[str, tuple[Any, Any]]:
    """Return what the models were told differently."""
    sides = []
    for bpe in (a, b):
        told = bpe.options._asdict()
        splitter = told.pop("splitter")
        sides.append(told | splitter.rules | {"special_tokens": bpe.special_tokens})
    first, second = sides
    return {name: (first[name], second[name]) for name in first if first[name] != second[name]}


# -- merges ----------------------------------------------------------------------------------


def _divergence(
    a: BPE, b: BPE, pairs: tuple[list[Pair], list[Pair]], options: dict[str, tuple[Any, Any]],
    counts: Mapping[str, int] | None,
) -> Divergence | None:  # fmt: skip
    sides = enumerate(zip_longest(*pairs))
    rank, found = next(((rank, two) for rank, two in sides if two[0] != two[1]), (0, None))
    if found is None:
        return None
    spelt = tuple(bpe.merges[rank] if rank < bpe.num_merges else None for bpe in (a, b))
    known = tuple(
        int(bpe.merge_counts[rank]) or None if rank < bpe.num_merges else None for bpe in (a, b)
    )
    reason = _reason(found, known, options)
    if reason == _UNKNOWN and counts is not None:
        known = _count_pairs(a.truncate(rank), found, counts)
        reason = _reason(found, known, options, ", in this corpus")
    return Divergence(rank, spelt, known, reason)  # type: ignore[arg-type]


def _count_pairs(bpe: BPE, pairs: tuple[Pair, ...], counts: Mapping[str, int]) -> tuple[int, ...]:
    """Count pairs in a corpus as learning does, overlapping ones too."""
    usage, ids = usage_of(bpe, counts), {symbol: i for i, symbol in enumerate(bpe.symbols)}
    owners = np.repeat(np.arange(len(usage.counts)), np.diff(usage.indptr))
    inside = owners[:-1] == owners[1:]
    found = []
    for pair in pairs:
        left, right = (ids.get(symbol, -1) for symbol in pair)
        here = inside & (usage.ids[:-1] == left) & (usage.ids[1:] == right)
        found.append(int(usage.counts[owners[:-1][here]].sum()))
    return tuple(found)


def _reason(
    pairs: tuple[Any, ...], counts: tuple[int | None, ...], options: dict[str, tuple[Any, Any]],
    where: str = "",
) -> str:  # fmt: skip
    if None in pairs:
        return f"the {'first' if pairs[0] is None else 'second'} is the beginning of the other"
    apart = [name for name in ("level", "end_of_word", "pretokenizer") if name in options]
    if apart:
        return f"other words or symbols ({', '.join(apart)})"
    if None in counts:
        return _UNKNOWN
    if counts[0] != counts[1]:
        return f"not equally frequent{where}: learnt from other words, or with other limits"
    if "tie_break" not in options:
        return f"a tie{where}, though both say they break ties alike: learnt from other words"
    rules = options["tie_break"]
    return f"a tie{where}, broken by {rules[0]!r} | {rules[1]!r}"


# -- words -----------------------------------------------------------------------------------


def _corpus(a: BPE, b: BPE, counts: Mapping[str, int]) -> CorpusDifference:
    first, second = usage_of(a, counts), usage_of(b, counts)
    apart = a.options.splitter != b.options.splitter
    differs = _differing(_cut(a, b, first, apart), _cut(b, a, second, apart))
    places = np.flatnonzero(differs)
    frequent = places[np.argsort(-first.counts[places], kind="stable")[:_EXAMPLES]]
    examples = (
        Example(
            first.words[i], int(first.counts[i]),
            (_spelt(a, first, i), _spelt(b, second, i)),
        )
        for i in frequent.tolist()
    )  # fmt: skip
    return CorpusDifference(
        int(first.counts.sum()),
        len(first.counts),
        int(first.counts[differs].sum()),
        len(places),
        (_total(first), _total(second)),
        tuple(examples),
    )


def _cut(bpe: BPE, other: BPE, usage: Usage, apart: bool) -> tuple[Ints, Longs]:
    """Return numbers that name the texts of the pieces, and where those of each word begin.

    A bare end of word has no text and is left out. So is a space in front, where one of the two
    models keeps spaces in words and the other does not.
    """
    texts = [[raw.removeprefix(b" " * apart) for raw, _ in one.symbols] for one in (bpe, other)]
    named = {raw: i for i, raw in enumerate(sorted({b"", *texts[0], *texts[1]}))}  # b"" is 0
    pieces = np.array([named[raw] for raw in texts[0]], np.int32)[usage.ids]
    kept = pieces > 0
    return pieces[kept], np.concatenate([[0], np.cumsum(kept)])[usage.indptr]


def _differing(one: tuple[Ints, Longs], other: tuple[Ints, Longs]) -> npt.NDArray[np.bool_]:
    """Say for each word whether its pieces differ."""
    sizes = [np.diff(ends) for _, ends in (one, other)]
    alike = sizes[0] == sizes[1]
    mine, theirs = (
        pieces[np.repeat(alike, size)]
        for (pieces, _), size in zip((one, other), sizes, strict=True)
    )
    differs: npt.NDArray[np.bool_] = ~alike
    differs[np.repeat(np.flatnonzero(alike), sizes[0][alike])[mine != theirs]] = True
    return differs


def _spelt(bpe: BPE, usage: Usage, word: int) -> tuple[str, ...]:
    return tuple(bpe.vocab[i] for i in usage.ids[usage.indptr[word] : usage.indptr[word + 1]])


def _total(usage: Usage) -> int:
    return int((usage.counts * np.diff(usage.indptr)).sum())
