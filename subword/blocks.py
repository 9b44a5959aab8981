"""Texts as blocks of features: n-grams of whole words, and n-grams of BPE pieces.

Words are told from the pieces themselves, which say where a word ends, so that one pass of the
engine serves both blocks. A third one may hold n-grams of pieces of another model, which keeps the
space in front of a word.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import regex
import scipy.sparse as sp

from . import matrix, ngrams
from .coder import Ints, Longs
from .errors import SubwordWarning
from .formats import loads
from .model import BPE
from .trainer import train
from .words import WordIndex, Words, learn_words, make_index

Range = tuple[int, int]
Span = tuple[int, int]

# Scripts written without spaces; a character of theirs is the best guess at a word.
_ALONE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_MANY_WORDS = 1_000_000


class Recipe(NamedTuple):
    """How texts become features.

    Attributes
    ----------
    num_merges : int
        Merges to learn.
    words, pieces : tuple (min_n, max_n)
        Lengths of the n-grams of either block.
    inside : bool
        Whether n-grams of pieces stay inside words.
    min_df : int
        In how many documents a feature must occur; 0: in 1, or 2 of a million words or more.
    lowercase : bool
        Whether texts are lower-cased.
    spaced : bool
        Whether there is a third block, of pieces that begin with the space before a word.

    """

    num_merges: int = 500
    words: Range = (1, 3)
    pieces: Range = (1, 3)
    inside: bool = False
    min_df: int = 0
    lowercase: bool = True
    spaced: bool = False

    def pack(self) -> Longs:
        """Return all of it as numbers."""
        return np.array([self.num_merges, *self.words, *self.pieces, *self[3:]], np.int64)

    @classmethod
    def unpack(cls, packed: Longs) -> Recipe:
        """Return what was packed."""
        merges, a, b, c, d, inside, min_df, lowercase, spaced = packed.tolist()
        return cls(merges, (a, b), (c, d), bool(inside), min_df, bool(lowercase), bool(spaced))


class Block(NamedTuple):
    """Sequences of ids to count n-grams in, and how these belong to documents.

    Attributes
    ----------
    ids, indptr : ndarray
        The sequences.
    base : int
        Greater than all ids.
    weights : CSR array of shape (n_documents, n_sequences), or None
        How often documents have each sequence; None if these are the documents.

    """

    ids: Any
    indptr: Longs
    base: int
    weights: Any = None

    def learn(self, lengths: Range, min_df: int, n_jobs: int) -> tuple[ngrams.NgramTable, Any]:
        """Return the n-grams that occur in enough documents, and which document has which."""
        names: Any = range(self.base)  # columns are in the order of the ids
        least = min_df if self.weights is None else 1
        found = matrix.find(self.ids, self.indptr, lengths, self.base, least)
        columns = np.flatnonzero(found.totals(np.arange(len(found)), binary=True) >= least)
        table, counts = found.take(found.by_name(columns, names), np.float32, n_jobs)
        present = self._by_document(counts)
        if self.weights is None:
            return table, present
        kept = np.flatnonzero(np.bincount(present.indices, minlength=len(table)) >= min_df)
        return table.select(kept), ngrams.take_columns(present, kept)

    def find(self, table: ngrams.NgramTable, n_jobs: int) -> Any:
        """Return which document has which n-gram."""
        return self._by_document(table.count(self.ids, self.indptr, np.float32, n_jobs))

    def _by_document(self, counts: Any) -> Any:
        """Return ones by document."""
        if self.weights is not None:
            counts = ngrams.as_csr(self.weights @ counts)
        counts.data = counts.data.astype(np.float32, copy=False)
        counts.data.fill(1)
        return counts


class TextBlocks:
    """What was learnt about texts: the merges, the words and the n-grams of all blocks.

    Parameters
    ----------
    recipe : Recipe
        How texts become features.
    bpe : BPE
        The model; marks the ends of words.
    words : WordIndex
        The words of the first block.
    tables : list of NgramTable
        The features: n-grams of words, of pieces, of pieces with spaces.
    spaced : BPE or None
        The model of the third block.

    Examples
    --------
    >>> learnt, found = TextBlocks.learn(["low lower", "low"], Recipe(2, (1, 2), (1, 1)))
    >>> [block.toarray().tolist() for block in found]
    [[[1.0, 1.0, 1.0], [0.0, 1.0, 0.0]], [[1.0, 1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 1.0]]]

    """

    def __init__(
        self, recipe: Recipe, bpe: BPE, words: WordIndex, tables: list[ngrams.NgramTable],
        spaced: BPE | None = None,
    ) -> None:  # fmt: skip
        self.recipe, self.bpe, self.words, self.tables = recipe, bpe, words, tables
        self.spaced = spaced
        self._final = np.array([is_final for _, is_final in bpe.symbols])

    @classmethod
    def learn(cls, texts: Sequence[str], recipe: Recipe, n_jobs: int = 1) -> tuple[Self, list[Any]]:
        """Learn from texts.

        Parameters
        ----------
        texts : sequence of str
            The documents.
        recipe : Recipe
            What to learn.
        n_jobs : int
            Threads of the native engine.

        Returns
        -------
        learnt : TextBlocks
            What `transform` needs.
        blocks : list of CSR arrays of shape (n_documents, n_features of the block)
            Ones where a document has a feature.

        """
        folded = [*map(fold, texts)]
        bpe = _train(folded, "words", recipe, n_jobs)
        spaced = _train(folded, "gpt2", recipe, n_jobs) if recipe.spaced else None
        none = np.zeros(0, np.int32)
        learnt = cls(recipe, bpe, make_index(ngrams.NgramTable(none, none, len(bpe))), [], spaced)
        ids, words, pieces = learnt._encode(folded, n_jobs)
        learnt.words, numbers = learn_words(ids, words.sizes, len(learnt.bpe))
        blocks = [learnt._word_block(words, numbers), learnt._piece_block(*pieces)]
        blocks += learnt._spaced_blocks(folded, n_jobs)
        del ids, words, pieces, numbers
        min_df = recipe.min_df or (1 if len(blocks[0].ids) < _MANY_WORDS else 2)
        found = []
        for lengths in (recipe.words, recipe.pieces, recipe.pieces)[: len(blocks)]:
            table, block = blocks.pop(0).learn(lengths, min_df, n_jobs)
            learnt.tables.append(table)
            found.append(block)
        return learnt, found

    def transform(self, texts: Sequence[str], n_jobs: int = 1) -> list[Any]:
        """Return which text has which feature, as `learn` does."""
        folded = [*map(fold, texts)]
        ids, words, pieces = self._encode(folded, n_jobs)
        blocks = [
            self._word_block(words, self.words.number(ids, words.sizes)),
            self._piece_block(*pieces),
            *self._spaced_blocks(folded, n_jobs),
        ]
        return [block.find(table, n_jobs) for block, table in zip(blocks, self.tables, strict=True)]

    def _encode(self, folded: Sequence[str], n_jobs: int) -> tuple[Ints, Words, Any]:
        """Return the pieces by which words are told, those words, and the pieces to count.

        The two differ where characters are words of their own.
        """
        ids, indptr = pieces = matrix.encode(self.bpe, folded, (), n_jobs)
        if any(not text.isascii() and _ALONE.search(text) for text in folded):
            ids, indptr = matrix.encode(self.bpe, [*map(set_apart, folded)], (), n_jobs)
        return ids, Words.find(ids, indptr, self._final), pieces

    def _word_block(self, words: Words, numbers: Longs) -> Block:
        return Block(numbers, words.indptr, len(self.words) + 1)

    def _spaced_blocks(self, folded: Sequence[str], n_jobs: int) -> list[Block]:
        if self.spaced is None:
            return []
        # A text without words says nothing, with however much white space.
        texts = ["" if text.isspace() else text for text in folded]
        return [Block(*matrix.encode(self.spaced, texts, (), n_jobs), len(self.spaced))]

    def _piece_block(self, ids: Ints, indptr: Longs) -> Block:
        """Return documents as sequences of pieces, or their distinct words as such."""
        base = len(self.bpe)
        if not self.recipe.inside:
            return Block(ids, indptr, base)
        words = Words.find(ids, indptr, self._final)
        kinds, numbers = learn_words(ids, words.sizes, base)
        ones = np.ones(len(numbers), np.float32)
        weights = sp.csr_array((ones, numbers, words.indptr), (len(indptr) - 1, len(kinds)))
        weights.sum_duplicates()
        return Block(kinds.table.flat, kinds.table.starts, base, weights)

    # -- where features stand --------------------------------------------------------------

    def locate(self, text: str) -> tuple[list[Span], Iterator[tuple[int, list[int]]]]:
        """Say where the features of a text stand.

        Parameters
        ----------
        text : str
            One document.

        Returns
        -------
        words : list of (int, int)
            Start and end of each word in the text.
        features : iterator of (int, list of int)
            For each time that a feature occurs its column (those of the second block follow those
            of the first) and the words it lies in, one for each of its parts.

        """
        folded = fold(text)
        apart = set_apart(folded)
        ids, spans = self.bpe.encode_with_offsets(apart)
        array, indptr = np.array(ids, np.int32), np.array([0, len(ids)])
        words = Words.find(array, indptr, self._final)
        ends = words.starts + words.sizes
        places = _places_without(apart, folded)
        units = [
            (places[spans[a][0]], places[spans[b - 1][1] - 1] + 1)
            for a, b in zip(words.starts.tolist(), ends.tolist(), strict=True)
        ]
        return units, self._occurrences(folded, units, self.words.number(array, words.sizes))

    def _occurrences(
        self, folded: str, units: list[Span], numbers: Longs
    ) -> Iterator[tuple[int, list[int]]]:
        if not units:
            return
        borders = np.arange(len(numbers) + 1)
        yield from _find(self.tables[0], numbers, self.recipe.words, borders[[0, -1]],
                         [[unit] for unit in range(len(units))], 0)  # fmt: skip
        # White space counts with the word behind it, at the end of the text with the last one.
        unit_of = np.searchsorted([end for _, end in units], np.arange(len(folded)), side="right")
        unit_of = np.minimum(unit_of, len(units) - 1)
        shift = len(self.tables[0])
        for bpe, table in zip((self.bpe, self.spaced), self.tables[1:], strict=False):
            ids, spans = bpe.encode_with_offsets(folded)  # type: ignore[union-attr]
            # A bare marker of the end lies behind the last character of its word.
            owners = [sorted({*unit_of[min(a, b - 1) : b].tolist()}) for a, b in spans]
            array = np.array(ids, np.int32)
            inside = self.recipe.inside and bpe is self.bpe
            ends = np.flatnonzero(self._final[array]) + 1 if inside else [len(ids)]
            yield from _find(table, array, self.recipe.pieces, np.concatenate(([0], ends)),
                             owners, shift)  # fmt: skip
            shift += len(table)

    # -- state -----------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return all there is as text, numbers and arrays."""
        state: dict[str, Any] = {"recipe": self.recipe.pack(), "bpe": self.bpe.dumps()}
        state["spaced"] = self.spaced.dumps() if self.spaced else ""
        for i, table in enumerate([self.words.table, *self.tables]):
            state[f"grams{i}"] = ngrams.packed(table.flat)
            state[f"sizes{i}"] = ngrams.packed(table.sizes)
        return state

    @classmethod
    def unpack(cls, state: dict[str, Any]) -> Self:
        """Return what was packed."""
        recipe, bpe = Recipe.unpack(state["recipe"]), loads(state["bpe"])
        spaced = loads(state["spaced"]) if state["spaced"] else None
        bases = [len(bpe), len(state["sizes0"]) + 1, len(bpe)] + ([len(spaced)] if spaced else [])
        words, *tables = (
            ngrams.NgramTable(
                state[f"grams{i}"].astype(np.int32), state[f"sizes{i}"].astype(np.int32), base
            )
            for i, base in enumerate(bases)
        )
        return cls(recipe, bpe, make_index(words), [*map(matrix.make_table, tables)], spaced)


# -- texts -------------------------------------------------------------------------------------


def fold(text: str) -> str:
    """Write the typographic apostrophe as the plain one, character for character.

    >>> fold("don’t")
    "don't"
    """
    return text.replace("’", "'")


def set_apart(text: str) -> str:
    """Put spaces around characters that are words of their own.

    >>> set_apart("低い low")
    ' 低  い  low'
    """
    return text if text.isascii() else _ALONE.sub(r" \g<0> ", text)


def _places_without(apart: str, text: str) -> list[int]:
    """Return for each character of `set_apart(text)` its place in the text."""
    places: list[int] = []
    for place, character in enumerate(text):
        places += [place] * (3 if len(apart) > len(text) and _ALONE.match(character) else 1)
    return places


def _train(folded: Sequence[str], pretokenizer: str, recipe: Recipe, n_jobs: int) -> BPE:
    with warnings.catch_warnings():  # a few texts may give fewer merges; nobody asked for more
        warnings.simplefilter("ignore", SubwordWarning)
        return train(
            folded, recipe.num_merges, pretokenizer=pretokenizer, lowercase=recipe.lowercase,
            n_jobs=n_jobs,
        )  # fmt: skip


def _find(
    table: ngrams.NgramTable, ids: Any, lengths: Range, borders: Any, owners: list[list[int]],
    shift: int,
) -> Iterator[tuple[int, list[int]]]:  # fmt: skip
    """Yield the columns of the n-grams between borders, and the words their parts lie in."""
    windows = [
        (start, start + n)
        for a, b in pairwise(borders)
        for n in range(lengths[0], lengths[1] + 1)
        for start in range(a, b - n + 1)
    ]
    if not windows:
        return
    indptr = np.cumsum([0] + [b - a for a, b in windows])
    counts = table.count(np.concatenate([ids[a:b] for a, b in windows]), indptr)
    for row, (a, b) in enumerate(windows):
        columns = counts.indices[counts.indptr[row] : counts.indptr[row + 1]]
        for column in columns[table.sizes[columns] == b - a].tolist():
            yield column + shift, [unit for owner in owners[a:b] for unit in owner]
