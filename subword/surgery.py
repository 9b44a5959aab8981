"""Changing a model: more merges, more special tokens, fewer pieces. Each returns a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from .alphabet import HOLE, alphabet, in_texts
from .coder import Ints, Longs
from .counts import WordCounts
from .errors import SpecialTokenError, SubwordError, tell
from .model import BPE, Merges
from .options import check_whole
from .reference import Symbol
from .specials import special_pattern
from .tally import Words
from .trainer import (
    UNLIMITED,
    Source,
    characters_of,
    count_source,
    learn,
    with_results,
    without_special_tokens,
)
from .usage import usage_of

# -- more merges -----------------------------------------------------------------------------


def extend(
    bpe: BPE,
    source: Source,
    num_merges: int,
    max_token_length: int | None = None,
    n_jobs: int = 1,
    progress: bool = False,
) -> BPE:
    """Learn more merges behind those there are; see `BPE.extend`."""
    check_whole("num_merges", num_merges, 0)
    words, symbols = _words(bpe, source, n_jobs, progress), _listed(bpe)
    new = _new_characters(bpe, words, symbols)
    limits = (int(num_merges), UNLIMITED)
    learnt, _ = learn(
        words, symbols + new, bpe.options, limits, max_token_length, progress, bpe._table
    )
    if len(learnt.counts) < num_merges:
        tell(
            f"{len(learnt.counts)} merges learnt, {num_merges} asked for: no pair is frequent "
            "enough"
        )
    if not new and not len(learnt.counts):
        return bpe
    made = with_results(symbols + new, learnt.ids)[len(bpe) :]
    behind = [HOLE] * (len(bpe) - len(bpe._plain))  # special tokens keep their ids
    return BPE([*bpe._plain, *behind, *made], _joined(bpe, learnt), bpe.options, bpe.special_tokens)


def _words(bpe: BPE, source: Source, n_jobs: int, progress: bool) -> Words:
    splitter, specials = bpe.options.splitter, bpe.special_tokens
    if isinstance(source, WordCounts):
        if source.splitter != splitter:
            raise SubwordError(
                f"these counts were made by {source.splitter}, but the model splits by "
                f"{splitter}: count with its rules"
            )
        counts = source
    else:
        counts = count_source(source, splitter, specials, bpe.level, n_jobs, progress)
    return without_special_tokens(counts, specials).words()


def _listed(bpe: BPE) -> list[Symbol]:
    """Return the symbols that texts are made of by id, holes for special tokens and ``<unk>``."""
    behind = [HOLE] * (len(bpe) - len(bpe._plain))
    return in_texts([*bpe._plain, *behind], bpe._coder.unk)


def _new_characters(bpe: BPE, words: Words, symbols: list[Symbol]) -> list[Symbol]:
    """Return what the alphabet of the words has and the model has not, in the usual order."""
    seen, known = characters_of(words, bpe.level), set(symbols)
    wanted = alphabet(seen, bpe.level, bpe.end_of_word, bpe.options.unknown)
    return [symbol for symbol in wanted if symbol not in known]


def _joined(bpe: BPE, learnt: Merges) -> Merges:
    return Merges(
        np.concatenate([bpe._table, learnt.ids]),
        np.concatenate([bpe.merge_counts, learnt.counts]),
        np.concatenate([bpe.merge_applied, learnt.applied]),
    )


# -- more special tokens ---------------------------------------------------------------------


def add_special_tokens(bpe: BPE, tokens: Iterable[str]) -> BPE:
    """Return the model with more special tokens; see `BPE.add_special_tokens`."""
    added = tokens if isinstance(tokens, str) else tuple(tokens)
    special_pattern(added)  # raises if they cannot be told apart
    for token in added:
        if token in bpe._piece_ids:
            kind = "special token" if token in bpe.special_tokens else "piece"
            raise SpecialTokenError(
                f"{token!r} is a {kind} of this model already, id {bpe.piece_to_id(token)}; "
                "choose another text"
            )
    return BPE(bpe._plain, bpe._merges, bpe.options, (*bpe.special_tokens, *added))


# -- fewer pieces ----------------------------------------------------------------------------


def prune(bpe: BPE, min_count: int, counts: Mapping[str, int] | None = None) -> tuple[BPE, Ints]:
    """Leave out rare pieces; see `BPE.prune`."""
    check_whole("min_count", min_count, 0)
    if counts is None:
        found = _trained_frequencies(bpe)
    else:
        found = usage_of(bpe, counts).frequencies(len(bpe))
    stays = np.ones(len(bpe), bool)
    made = bpe._table[:, 2]
    stays[made] = found[made] >= min_count
    _keep_parts(stays, bpe._table)
    new_ids = np.where(stays, np.cumsum(stays) - 1, -1).astype(np.int32)
    kept = bpe._merges.take(stays[made])
    merges = kept._replace(ids=new_ids[kept.ids])
    symbols = [symbol for symbol, keep in zip(bpe._plain, stays, strict=False) if keep]
    return BPE(symbols, merges, bpe.options, bpe.special_tokens), new_ids


def _trained_frequencies(bpe: BPE) -> Longs:
    """Return how often the training corpus, split, holds each piece that merges make.

    So often it was made, less how often other merges took it up.
    """
    applied, found = bpe.merge_applied, np.zeros(len(bpe), np.int64)
    left, right, result = bpe._table.T
    np.add.at(found, result, applied)
    np.subtract.at(found, left, applied)
    np.subtract.at(found, right, applied)
    if len(result) and (not applied.any() or found[result].min() < 0):
        raise SubwordError(
            "the merges of this model do not say how often its pieces occur (it is of another "
            "tool, or was extended on another corpus); give word counts: prune(min_count, counts), "
            "or texts: convert --by FILE"
        )
    return found


def _keep_parts(stays: np.ndarray[tuple[int], np.dtype[np.bool_]], table: Ints) -> None:
    """Mark the parts of all merges whose results stay; once is enough where parts come first."""
    merges, changed = table.tolist()[::-1], True
    while changed:
        changed = False
        for left, right, result in merges:
            if stays[result] and not (stays[left] and stays[right]):
                stays[left] = stays[right] = changed = True
