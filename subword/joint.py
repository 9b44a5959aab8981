"""One model for several sides of a parallel corpus, and the vocabulary of each (subword-nmt)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

import numpy as np

from .alphabet import readable
from .counts import WordCounts
from .errors import SubwordError
from .model import BPE
from .pretokenize import Rules
from .trainer import Source, count, train


def train_joint(
    sources: Iterable[Source],
    num_merges: int | None = None,
    *,
    vocab_size: int | None = None,
    separator: str = "@@",
    level: str = "char",
    end_of_word: str | None = "auto",
    pretokenizer: Rules = "space",
    tie_break: str = "largest",
    min_frequency: int = 2,
    max_token_length: int | None = None,
    lowercase: bool = False,
    normalization: str | Sequence[str] | None = None,
    raw: bool = False,
    n_jobs: int = 1,
    progress: bool = False,
) -> tuple[BPE, list[WordCounts]]:
    """Learn merges from several texts together, and count the pieces of each.

    Parameters
    ----------
    sources : iterable of WordCounts, mappings or iterables of str
        The sides, such as two languages; each as for `train`.
    separator : str
        What pieces inside a word end in.
    raw : bool
        Whether bytes that are no UTF-8 stay bytes in the vocabularies, as lone surrogates
        (PEP 383), instead of being spelt ``<0xE2>``.
    num_merges, vocab_size, level, end_of_word, pretokenizer, tie_break, min_frequency, \
max_token_length, lowercase, normalization, n_jobs, progress
        As for `train`.

    Returns
    -------
    bpe : BPE
        Learnt from the sum of the counts.
    vocabularies : list of WordCounts
        For each side its pieces in text form with their counts, the most frequent first. When
        ``vocabulary.prune(t)`` is given to `BPE.segment`, every piece that comes out was seen at
        least `t` times on that side, single characters apart (Sennrich et al. 2017, "The
        University of Edinburgh's Neural MT Systems for WMT17").

    Raises
    ------
    SubwordError
        Without any source; otherwise as `train`.

    Examples
    --------
    >>> bpe, (left, right) = train_joint([{"low": 5, "lower": 2}, {"lower": 3}])
    >>> dict(left), dict(right)
    ({'low': 5, 'lower': 2}, {'lower': 3})
    >>> bpe.segment("low lower", vocabulary=right)
    'l@@ o@@ w lower'

    """
    counted = [
        count(
            source, pretokenizer, lowercase, normalization, level=level, n_jobs=n_jobs,
            progress=progress,
        )
        for source in sources
    ]  # fmt: skip
    if not counted:
        raise SubwordError("train_joint needs at least one source, one for each side")
    bpe = train(
        reduce(add, counted), num_merges, vocab_size=vocab_size, level=level,
        end_of_word=end_of_word, tie_break=tie_break, min_frequency=min_frequency,
        max_token_length=max_token_length, progress=progress,
    )  # fmt: skip
    return bpe, [count_pieces(bpe, counts, separator, raw=raw) for counts in counted]


def count_pieces(
    bpe: BPE, counts: WordCounts, separator: str = "@@", *, raw: bool = False
) -> WordCounts:
    """Count the pieces, in text form, of words that a model knows all characters of.

    Parameters
    ----------
    bpe : BPE
        Splits the words.
    counts : WordCounts
        The words.
    separator : str
        What pieces inside a word end in.
    raw : bool
        See `train_joint`.

    Examples
    --------
    >>> import subword
    >>> counts = subword.WordCounts({"low": 5, "lowly": 2})
    >>> dict(count_pieces(subword.train(counts, 1), counts))
    {'lo@@': 7, 'w': 5, 'w@@': 2, 'l@@': 2, 'y': 2}

    """
    ids, ends = bpe._coder.encode_words_batch(list(counts))
    sizes = np.array([len(symbol) for symbol, _ in bpe.symbols])
    is_last = np.zeros(len(ids), bool)
    last = ends[1:] - 1
    is_last[last - (sizes[ids[last]] == 0)] = True  # a bare marker has no text
    weights = np.repeat(np.fromiter(counts.values(), np.int64, len(counts)), np.diff(ends))
    has_text = sizes[ids] > 0
    keys = (2 * ids + is_last)[has_text]
    totals = np.zeros(2 * len(bpe), np.int64)
    np.add.at(totals, keys, weights[has_text])
    found, first = np.unique(keys, return_index=True)
    pieces: dict[str, int] = {}
    for key in found[np.lexsort((first, -totals[found]))].tolist():
        symbol = bpe.symbols[key // 2][0]
        text = symbol.decode("utf-8", "surrogateescape") if raw else readable(symbol)
        piece = text if key % 2 else text + separator
        pieces[piece] = pieces.get(piece, 0) + int(totals[key])
    return WordCounts._of(pieces, counts.splitter)
