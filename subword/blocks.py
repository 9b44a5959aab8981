"""Texts as blocks of features: n-grams of whole words, and n-grams of BPE pieces.

Words are told from the pieces of a model that marks their ends. Pieces that begin with the space
before a word are of another model. Of English texts, these and the words are marked where they
stand behind a negation (`mark_negated`), the pieces that end words are not: "not good" is unlike
"good" in two blocks, and akin to it in one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import regex

from . import matrix, ngrams
from .coder import Ints, Longs
from .errors import SubwordError, SubwordWarning
from .formats import loads
from .model import BPE
from .negation import mark_negated
from .streams import Streams
from .trainer import train
from .words import WordIndex, Words, learn_words, make_index

Range = tuple[int, int]
Span = tuple[int, int]

# Scripts written without spaces; a character of theirs is the best guess at a word.
_ALONE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_MANY_CHARACTERS = 5_000_000


class Recipe(NamedTuple):
    """How texts become features.

    Attributes
    ----------
    kinds : tuple of str
        The blocks: n-grams of ``"words"``, of ``"pieces"``, and of ``"spaced"`` pieces, which
        begin with the space before a word.
    num_merges : int
        Merges to learn.
    words, pieces : tuple (min_n, max_n)
        Lengths of the n-grams of words, and of pieces of any kind.
    min_df : int
        In how many documents a feature must occur; 0: in 1, or in 2 of texts of five million
        characters.
    lowercase : bool
        Whether texts are lower-cased.

    """

    kinds: tuple[str, ...] = ("words", "pieces", "spaced")
    num_merges: int = 500
    words: Range = (1, 3)
    pieces: Range = (1, 3)
    min_df: int = 0
    lowercase: bool = True

    def lengths(self, kind: str) -> Range:
        """Return the lengths of the n-grams of a block."""
        return self.words if kind == "words" else self.pieces

    def pack(self) -> tuple[str, Longs]:
        """Return all of it as text and numbers."""
        numbers = [self.num_merges, *self.words, *self.pieces, self.min_df, self.lowercase]
        return " ".join(self.kinds), np.array(numbers, np.int64)

    @classmethod
    def unpack(cls, kinds: str, numbers: Longs) -> Recipe:
        """Return what was packed."""
        merges, a, b, c, d, min_df, lowercase = numbers.tolist()
        return cls((*kinds.split(),), merges, (a, b), (c, d), min_df, bool(lowercase))


class Block(NamedTuple):
    """Documents as sequences of ids, all of them less than `base`, to count n-grams in."""

    ids: Any
    indptr: Longs
    base: int

    def learn(self, lengths: Range, min_df: int, n_jobs: int) -> tuple[ngrams.NgramTable, Any]:
        """Return the n-grams that occur in enough documents, and which document has which."""
        found = matrix.find(self.ids, self.indptr, lengths, self.base, min_df)
        columns = np.flatnonzero(found.totals(np.arange(len(found)), binary=True) >= min_df)
        table, counts = found.take(found.by_name(columns, range(self.base)), np.float32, n_jobs)
        return table, _present(counts)

    def find(self, table: ngrams.NgramTable, n_jobs: int) -> Any:
        """Return which document has which n-gram."""
        return _present(table.count(self.ids, self.indptr, np.float32, n_jobs))


def _present(counts: Any) -> Any:
    """Return what occurs at all: a byte each."""
    counts.data = np.ones(len(counts.data), bool)
    return counts


class Folded(NamedTuple):
    """Texts with plain apostrophes, and the same with the words behind negations marked."""

    plain: list[str]
    marked: list[str]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """Return both; characters keep their places."""
        plain = [*map(fold, texts)]
        return cls(plain, [*map(mark_negated, plain)])


class TextBlocks:
    """What was learnt about texts: the merges, the words and the n-grams of all blocks.

    Parameters
    ----------
    recipe : Recipe
        How texts become features.
    models : dict of str to BPE
        The model of each kind of block. That of words tells them, for it marks their ends; it is
        that of the pieces, too, unless one is given.
    given : str
        The kind whose model was given, or nothing.
    words : WordIndex
        The words that there are.
    tables : list of NgramTable
        The features of each block.

    Examples
    --------
    >>> recipe = Recipe(("words", "pieces"), 2, (1, 2), (1, 1))
    >>> learnt, found = TextBlocks.learn(["low lower", "low"], recipe)
    >>> [block.toarray().astype(int).tolist() for block in found]
    [[[1, 1, 1], [0, 1, 0]], [[1, 1, 1, 1, 1], [0, 0, 0, 0, 1]]]

    """

    def __init__(
        self, recipe: Recipe, models: dict[str, BPE], given: str, words: WordIndex,
        tables: list[ngrams.NgramTable],
    ) -> None:  # fmt: skip
        self.recipe, self.models, self.given = recipe, models, given
        self.words, self.tables = words, tables
        self._final = np.array([is_final for _, is_final in models["words"].symbols])
        self._any_features = False

    @classmethod
    def learn(
        cls, texts: Sequence[str], recipe: Recipe, n_jobs: int = 1, given: BPE | None = None
    ) -> tuple[Self, Iterator[Any]]:
        """Learn from texts.

        Parameters
        ----------
        texts : sequence of str
            The documents.
        recipe : Recipe
            What to learn.
        n_jobs : int
            Threads of the native engine.
        given : BPE
            A model that takes the place of the one of its kind.

        Returns
        -------
        learnt : TextBlocks
            What `transform` needs, as soon as the blocks have been taken.
        blocks : iterator of CSR arrays of bool, shape (n_documents, n_features of the block)
            Which document has which feature. One is made at a time, for they are large.

        """
        folded = Folded.of(texts)
        bpe, spaced = (_train(folded.marked, name, recipe, n_jobs) for name in ("words", "gpt2"))
        models = {"words": bpe, "pieces": bpe, "spaced": spaced}
        kind = "" if given is None else "pieces" if marks_words(given) else "spaced"
        if given is not None:
            models[kind] = given
        none = np.zeros(0, np.int32)
        empty = make_index(ngrams.NgramTable(none, none, len(bpe)))
        learnt = cls(recipe, models, kind, empty, [])
        if not recipe.min_df:
            many = sum(map(len, texts)) >= _MANY_CHARACTERS
            learnt.recipe = recipe._replace(min_df=2 if many else 1)
        blocks = [learnt._block(kind, folded, n_jobs, learning=True) for kind in recipe.kinds]
        return learnt, learnt._find(blocks, n_jobs)

    def _find(self, blocks: list[Block], n_jobs: int) -> Iterator[Any]:
        """Find the features, block by block, and hold on to none but the table."""
        for kind in self.recipe.kinds:
            yield self._find_next(blocks, self.recipe.lengths(kind), n_jobs)

    def _find_next(self, blocks: list[Block], lengths: Range, n_jobs: int) -> Any:
        min_df = self.recipe.min_df
        table, block = blocks.pop(0).learn(lengths, min_df, n_jobs)
        self.tables.append(table)
        self._any_features |= len(table) > 0
        if not blocks and not self._any_features:
            raise SubwordError(
                f"no features remain of {block.shape[0]} texts: try a lower min_df (now {min_df}) "
                "or shorter n-grams"
            )
        return block

    def keep(self, columns: npt.NDArray[np.int64]) -> None:
        """Forget the features of the last block but some."""
        self.tables[-1] = self.tables[-1].select(columns)

    def transform(self, texts: Sequence[str], n_jobs: int = 1) -> list[Any]:
        """Return which text has which feature, as `learn` does."""
        folded = Folded.of(texts)
        return [
            self._block(kind, folded, n_jobs).find(table, n_jobs)
            for kind, table in zip(self.recipe.kinds, self.tables, strict=True)
        ]

    def _block(self, kind: str, folded: Folded, n_jobs: int, learning: bool = False) -> Block:
        """Return texts as sequences to count in."""
        texts, bpe = self._texts(kind, folded), self.models[kind]
        if kind == "words":
            return self._words(texts, n_jobs, learning)
        if kind == "spaced":  # a text without words says nothing, with however much white space
            texts = ["" if text.isspace() else text for text in texts]
        return Block(*ids_of(bpe, texts, n_jobs), len(bpe))

    def _texts(self, kind: str, folded: Folded) -> list[str]:
        """Return the texts as a block sees them; a model that was given knows of no marks."""
        return folded.plain if kind in ("pieces", self.given) else folded.marked

    def _words(self, marked: Sequence[str], n_jobs: int, learning: bool) -> Block:
        bpe = self.models["words"]
        ids, indptr = ids_of(bpe, [*map(set_apart, marked)], n_jobs)
        words = Words.find(ids, indptr, self._final)
        if learning:
            self.words, numbers = learn_words(ids, words.sizes, len(bpe))
        else:
            numbers = self.words.number(ids, words.sizes)
        return Block(numbers, words.indptr, len(self.words) + 1)

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
        folded = Folded.of([text])
        apart = set_apart(folded.marked[0])
        ids, spans = self.models["words"].encode_with_offsets(apart)
        array, indptr = np.array(ids, np.int32), np.array([0, len(ids)])
        words = Words.find(array, indptr, self._final)
        ends = words.starts + words.sizes
        places = _places_without(apart, text)
        units = [
            (places[spans[a][0]], places[spans[b - 1][1] - 1] + 1)
            for a, b in zip(words.starts.tolist(), ends.tolist(), strict=True)
        ]
        return units, self._occurrences(folded, units, array, words)

    def _occurrences(
        self, folded: Folded, units: list[Span], ids: Ints, words: Words
    ) -> Iterator[tuple[int, list[int]]]:
        # White space counts with the word behind it, at the end of the text with the last one.
        places = np.arange(len(folded.plain[0]))
        unit_of = np.searchsorted([end for _, end in units], places, side="right")
        unit_of = np.minimum(unit_of, len(units) - 1)
        shift = 0
        for kind, table in zip(self.recipe.kinds if units else (), self.tables, strict=False):
            if kind == "words":
                found = self.words.number(ids, words.sizes)
                owners = [[unit] for unit in range(len(units))]
            else:
                bpe = self.models[kind]
                pieces, spans = bpe.encode_with_offsets(self._texts(kind, folded)[0])
                found = np.array(pieces, np.int64)
                # A bare marker of the end lies behind the last character of its word.
                owners = [sorted({*unit_of[min(a, b - 1) : b].tolist()}) for a, b in spans]
            yield from _find(table, found, self.recipe.lengths(kind), owners, shift)
            shift += len(table)

    # -- state -----------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return all there is as text, numbers and arrays."""
        own = self.models["words"]
        state: dict[str, Any] = {
            kind: "" if kind != "words" and bpe is own else bpe.dumps()
            for kind, bpe in self.models.items()
        }
        state["kinds"], state["recipe"] = self.recipe.pack()
        state["given"] = self.given
        for i, table in enumerate([self.words.table, *self.tables]):
            state[f"grams{i}"] = ngrams.packed(table.flat)
            state[f"sizes{i}"] = ngrams.packed(table.sizes)
        return state

    @classmethod
    def unpack(cls, state: dict[str, Any]) -> Self:
        """Return what was packed."""
        recipe = Recipe.unpack(state["kinds"], state["recipe"])
        own = loads(state["words"])
        models = {"words": own}
        for kind in ("pieces", "spaced"):
            models[kind] = loads(state[kind]) if state[kind] else own
        base = {kind: len(bpe) for kind, bpe in models.items()}
        base["words"] = len(state["sizes0"]) + 1
        bases = [len(own), *map(base.__getitem__, recipe.kinds)]
        words, *tables = (
            ngrams.NgramTable(
                state[f"grams{i}"].astype(np.int32), state[f"sizes{i}"].astype(np.int32), base
            )
            for i, base in enumerate(bases)
        )
        tables = [*map(matrix.make_table, tables)]
        return cls(recipe, models, sys.intern(state["given"]), make_index(words), tables)


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


def marks_words(bpe: BPE) -> bool:
    """Say whether a model marks the ends of words, which most that keep white space do not."""
    return bpe.options.end_of_word is not None


def ids_of(bpe: BPE, texts: Sequence[str], n_jobs: int) -> tuple[Ints, Longs]:
    """Return the ids of all texts, and where those of each begin."""
    return Streams(bpe, (1, 1)).encode(texts, n_jobs)


def _train(folded: Sequence[str], pretokenizer: str, recipe: Recipe, n_jobs: int) -> BPE:
    with warnings.catch_warnings():  # a few texts may give fewer merges; nobody asked for more
        warnings.simplefilter("ignore", SubwordWarning)
        return train(
            folded, recipe.num_merges, pretokenizer=pretokenizer, lowercase=recipe.lowercase,
            n_jobs=n_jobs,
        )  # fmt: skip


def _find(
    table: ngrams.NgramTable, ids: Any, lengths: Range, owners: list[list[int]], shift: int
) -> Iterator[tuple[int, list[int]]]:
    """Yield the columns of all n-grams, and the words their parts lie in."""
    windows = [
        (start, start + n)
        for n in range(lengths[0], lengths[1] + 1)
        for start in range(len(ids) - n + 1)
    ]
    if not windows:
        return
    indptr = np.cumsum([0] + [b - a for a, b in windows])
    counts = table.count(np.concatenate([ids[a:b] for a, b in windows]), indptr)
    for row, (a, b) in enumerate(windows):
        columns = counts.indices[counts.indptr[row] : counts.indptr[row + 1]]
        for column in columns[table.sizes[columns] == b - a].tolist():
            yield column + shift, [unit for owner in owners[a:b] for unit in owner]
