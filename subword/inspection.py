"""What is wrong, or wasted, in a vocabulary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .alphabet import visible
from .model import BPE
from .reference import Symbol
from .trace import trace
from .usage import usage_of

_SHOWN = 8
_MEANING = {
    "unreachable": "their own merges lead elsewhere: no text gives them",
    "cut": "their texts are several words: only longer words can give them",
    "broken": "not UTF-8 by themselves",
    "duplicates": "the same bytes under another id",
    "shadowed": "merges that never apply",
    "unused": "made by merges, not met in the corpus",
    "single_use": "made by merges, met once in the corpus",
}


@dataclass(frozen=True)
class Audit:
    """What `audit` found; as text by `str`, as plain data by `as_dict`.

    Attributes
    ----------
    unreachable : tuple of int
        Ids of pieces that merging their own characters does not give: then no text gives them.
    cut : tuple of int
        Ids of pieces whose texts are not one word for the pre-tokenizer (or not after
        normalisation): only a longer word may give them, if any does.
    broken : tuple of int
        Ids of pieces of several bytes that are not UTF-8.
    duplicates : tuple of tuple of int
        Ids that stand for the same bytes at the same place in a word.
    shadowed : tuple of int
        Ranks of merges that never apply, because others make their result or use up their parts.
    unused, single_use : tuple of int, or None
        Ids of pieces, made by merges, that the split corpus holds never or once; None without.

    """

    bpe: BPE = field(repr=False)
    unreachable: tuple[int, ...]
    cut: tuple[int, ...]
    broken: tuple[int, ...]
    duplicates: tuple[tuple[int, ...], ...]
    shadowed: tuple[int, ...]
    unused: tuple[int, ...] | None
    single_use: tuple[int, ...] | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON: each piece with its id, each merge with its rank."""
        found: dict[str, Any] = {"ids": len(self.bpe), "merges": self.bpe.num_merges}
        for name in _MEANING:
            values = getattr(self, name)
            found[name] = None if values is None else [self._entry(name, value) for value in values]
        return found

    def _entry(self, name: str, value: Any) -> dict[str, Any]:
        if name == "shadowed":
            return {"rank": value, "merge": list(self.bpe.merges[value])}
        if name == "duplicates":
            return {"ids": list(value), "piece": self.bpe.vocab[value[0]]}
        return {"id": value, "piece": self.bpe.vocab[value]}

    def __str__(self) -> str:
        lines = [f"{len(self.bpe):,} ids, {self.bpe.num_merges:,} merges"]
        for name, meaning in _MEANING.items():
            values = getattr(self, name)
            if values is not None:
                lines.append(f"{name.replace('_', ' '):11} {len(values):>8,}  {meaning}")
                lines += [f"{'':22}{self._shown(name, values)}"] if values else []
        return "\n".join(lines)

    def _shown(self, name: str, values: Sequence[Any]) -> str:
        entries = [self._entry(name, value) for value in values[:_SHOWN]]
        pieces = (
            "+".join(entry["merge"]) if "merge" in entry else entry["piece"] for entry in entries
        )
        return " ".join(map(visible, pieces)) + " ..." * (len(values) > _SHOWN)


def audit(bpe: BPE, counts: Mapping[str, int] | None = None) -> Audit:
    """Look for pieces and merges that are of no use.

    Parameters
    ----------
    bpe : BPE
        The model.
    counts : WordCounts or mapping word -> count, optional
        A corpus, to find the pieces that it does not need.

    Returns
    -------
    Audit
        ``print`` shows it for people. Unreachable and broken pieces are what Land & Bartolo
        2024 ("Fishing for Magikarp") look for first.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2})
    >>> print(audit(bpe, {"low": 3, "slow": 1}))
    267 ids, 5 merges
    unreachable        0  their own merges lead elsewhere: no text gives them
    cut                0  their texts are several words: only longer words can give them
    broken             0  not UTF-8 by themselves
    duplicates         0  the same bytes under another id
    shadowed           0  merges that never apply
    unused             4  made by merges, not met in the corpus
                          lo we wer</w> lower</w>
    single use         0  made by merges, met once in the corpus

    """
    reached = _reached(bpe)
    made = dict.fromkeys(bpe._table[:, 2].tolist())
    frequencies = None if counts is None else usage_of(bpe, counts).frequencies(len(bpe)).tolist()

    def used(times: int) -> tuple[int, ...] | None:
        return frequencies and tuple(i for i in sorted(made) if frequencies[i] == times)

    return Audit(
        bpe,
        tuple(i for i, good in reached.items() if not good),
        tuple(i for i, good in reached.items() if good and not _is_word(bpe, bpe.symbols[i][0])),
        tuple(i for i in reached if _is_broken(bpe.symbols[i][0])),
        _duplicates(bpe.symbols),
        _shadowed(bpe, reached),
        used(0),
        used(1),
    )


def _reached(bpe: BPE) -> dict[int, bool]:
    """Say of each piece of several characters (or bytes) whether its own merges give it.

    Merges inside a piece do not depend on what stands around it, so this holds for all texts.
    """
    unk = bpe._coder.unk  # is not made of its characters
    long = [i for i, symbol in enumerate(bpe._plain) if i != unk and _is_long(bpe, symbol)]
    found: dict[int, bool] = {}
    for is_final in (False, True):
        ids = [i for i in long if bpe._plain[i][1] == is_final]
        texts = [_text(bpe._plain[i], bpe.level) for i in ids]
        split, ends = _alone(bpe, is_final)._coder.encode_words_batch(texts)
        whole = (np.diff(ends) == 1) & (split[np.minimum(ends[:-1], len(split) - 1)] == ids)
        found |= dict(zip(ids, whole.tolist(), strict=True))
    return dict(sorted(found.items()))


def _is_long(bpe: BPE, symbol: Symbol) -> bool:
    units = len(symbol[0]) if bpe.level == "byte" else len(_text(symbol, bpe.level))
    return units + (symbol[1] and bpe.end_of_word == "separate") > 1


def _text(symbol: Symbol, level: str) -> str:
    """Return the text of a symbol; at character level what is not UTF-8 is no text of any word."""
    return symbol[0].decode("utf-8", "surrogateescape" if level == "byte" else "replace")


def _alone(bpe: BPE, is_final: bool) -> BPE:
    """Return the model as it treats pieces that end a word, or do not."""
    ends = bpe.end_of_word if is_final else None
    return BPE(bpe._plain, bpe._merges, bpe.options._replace(end_of_word=ends), bpe.special_tokens)


def _is_word(bpe: BPE, raw: bytes) -> bool:
    if _is_broken(raw):  # a part of a character is a part of a word
        return True
    text, splitter = raw.decode(), bpe.options.splitter
    return text in splitter.prepare(text) and splitter.split(text) == [text]


def _is_broken(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return True
    return False


def _duplicates(symbols: Sequence[Symbol]) -> tuple[tuple[int, ...], ...]:
    owners: defaultdict[Symbol, list[int]] = defaultdict(list)
    for i, symbol in enumerate(symbols):
        owners[symbol].append(i)
    return tuple(tuple(ids) for ids in owners.values() if len(ids) > 1)


def _shadowed(bpe: BPE, reached: Mapping[int, bool]) -> tuple[int, ...]:
    """Return the ranks of merges that no text needs.

    A piece is always made by the same merge, since nothing around it matters.
    """
    makers: defaultdict[int, list[int]] = defaultdict(list)
    for rank, result in enumerate(bpe._table[:, 2].tolist()):
        makers[result].append(rank)
    shadowed: list[int] = []
    for result, ranks in makers.items():
        if not reached.get(result):
            shadowed += ranks
        elif len(ranks) > 1:
            symbol = bpe._plain[result]
            live = trace(_alone(bpe, symbol[1]), _text(symbol, bpe.level))[-1].rank
            shadowed += [rank for rank in ranks if rank != live]
    return tuple(sorted(shadowed))
