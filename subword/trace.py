"""How a word came to its pieces: the merges, step by step, as data."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from .alphabet import readable
from .model import BPE
from .pretokenize import check_text


class MergeStep(NamedTuple):
    """One merge in one word.

    Attributes
    ----------
    rank : int
        The place of the merge in the model, from 0.
    left, right, result : str
        The pieces, as they are spelt.
    count : int
        How often the pair occurred in the training corpus when it was learnt.
    position : int
        Which symbol of the word `left` was at that moment, from 0.

    """

    rank: int
    left: str
    right: str
    result: str
    count: int  # type: ignore[assignment]
    position: int


class WordTrace(NamedTuple):
    """A word of a text, its place (in characters), its pieces and the merges that made them."""

    word: str
    start: int
    end: int
    pieces: tuple[str, ...]
    steps: tuple[MergeStep, ...]

    def __str__(self) -> str:
        lines = [f"{self.word!r} [{self.start}:{self.end}] -> {' '.join(self.pieces)}"]
        lines += [
            f"  merge {s.rank}: {s.left} + {s.right} -> {s.result} ({s.count:,} times in training)"
            for s in self.steps
        ]
        return "\n".join(lines)


def trace(bpe: BPE, word: str) -> list[MergeStep]:
    """Return the merges that make the pieces of one word, in the order they are made.

    Parameters
    ----------
    bpe : BPE
        The model.
    word : str
        One word as the pre-tokenizer gives it; it is not split further.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> for step in bpe.trace("lowest"):
    ...     print(step.rank, step.left, step.right, step.count)
    0 s t</w> 9
    1 e st</w> 9
    2 l o 7
    3 w est</w> 6

    """
    checked = check_text(word, None, bpe.level == "byte")
    return list(_trace(bpe, checked)[0]) if word else []


def explain(bpe: BPE, text: str) -> list[WordTrace]:
    """Return for each word of a text its place, its pieces and the merges that made them.

    Examples
    --------
    >>> import subword
    >>> print(subword.train({"low": 5, "lower": 2}).explain("low")[0])
    'low' [0:3] -> low</w>
      merge 0: l + o -> lo (7 times in training)
      merge 1: lo + w</w> -> low</w> (5 times in training)

    """
    splitter = bpe.options.splitter
    prepared, starts, ends = splitter.align(check_text(text, None, bpe.level == "byte"))
    found = []
    for begin, end in splitter.spans(prepared):
        word = prepared[begin:end]
        steps, pieces = _trace(bpe, word)
        found.append(WordTrace(word, starts[begin], ends[end - 1], tuple(pieces), tuple(steps)))
    return found


def _trace(bpe: BPE, word: str) -> tuple[list[MergeStep], list[str]]:
    symbols, ids = bpe._coder.spell(word)
    names = {i: bpe.vocab[i] if i >= 0 else readable(symbols[~i][0]) for i in ids}
    ranks, counts, steps = bpe._coder.ranks, bpe.merge_counts, []
    while found := min((ranks[pair] for pair in pairwise(ids) if pair in ranks), default=None):
        rank, result = found
        left, right, _ = bpe._table[rank].tolist()
        names[result] = bpe.vocab[result]
        place = 0
        while place + 1 < len(ids):
            if (ids[place], ids[place + 1]) == (left, right):
                ids[place : place + 2] = [result]
                spelt = (names[left], names[right], names[result])
                steps.append(MergeStep(rank, *spelt, int(counts[rank]), place))
            place += 1
    return steps, [names[i] for i in ids]
