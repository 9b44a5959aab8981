"""Texts as blocks of features: n-grams of whole words, and n-grams of BPE pieces.

Words are told from the pieces of a model that marks their ends, so that one pass of the engine
serves words and these pieces. Pieces that begin with the space before a word are of another model.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import regex

from . import matrix, ngrams
from .coder import Ints, Longs
from .errors import SubwordError, SubwordWarning
from .formats import loads
from .model import BPE
from .streams import Streams
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
    views : tuple of tuples of str
        The blocks, and which are weighed together: n-grams of ``"words"``, of ``"pieces"``, and of
        ``"spaced"`` pieces, which begin with the space before a word.
    num_merges : int
        Merges to learn.
    words, pieces : tuple (min_n, max_n)
        Lengths of the n-grams of words, and of pieces of any kind.
    min_df : int
        In how many documents a feature must occur; 0: in 1, or 2 of a million words or more.
    lowercase : bool
        Whether texts are lower-cased.

    """

    views: tuple[tuple[str, ...], ...] = (("words", "pieces"), ("spaced",))
    num_merges: int = 500
    words: Range = (1, 3)
    pieces: Range = (1, 3)
    min_df: int = 0
    lowercase: bool = True

    @property
    def kinds(self) -> list[str]:
        """The blocks in order."""
        return [kind for view in self.views for kind in view]

    def lengths(self, kind: str) -> Range:
        """Return the lengths of the n-grams of a block."""
        return self.words if kind == "words" else self.pieces

    def pack(self) -> tuple[str, Longs]:
        """Return all of it as text and numbers."""
        numbers = [self.num_merges, *self.words, *self.pieces, self.min_df, self.lowercase]
        return ", ".join(map(" ".join, self.views)), np.array(numbers, np.int64)

    @classmethod
    def unpack(cls, views: str, numbers: Longs) -> Recipe:
        """Return what was packed."""
        merges, a, b, c, d, min_df, lowercase = numbers.tolist()
        kinds = (*(tuple(view.split()) for view in views.split(",")),)
        return cls(kinds, merges, (a, b), (c, d), min_df, bool(lowercase))


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


class TextBlocks:
    """What was learnt about texts: the merges, the words and the n-grams of all blocks.

    Parameters
    ----------
    recipe : Recipe
        How texts become features.
    bpe : BPE
        The model that tells words, for it marks their ends.
    pieces : BPE
        The model of the pieces; the same unless one is given.
    spaced : BPE
        The model whose pieces begin with spaces.
    words : WordIndex
        The words that there are.
    tables : list of NgramTable
        The features of each block.

    Examples
    --------
    >>> recipe = Recipe((("words", "pieces"),), 2, (1, 2), (1, 1))
    >>> learnt, found = TextBlocks.learn(["low lower", "low"], recipe)
    >>> [block.toarray().astype(int).tolist() for block in found]
    [[[1, 1, 1], [0, 1, 0]], [[1, 1, 1, 1, 1], [0, 0, 0, 0, 1]]]

    """

    def __init__(
        self, recipe: Recipe, bpe: BPE, pieces: BPE, spaced: BPE, words: WordIndex,
        tables: list[ngrams.NgramTable],
    ) -> None:  # fmt: skip
        self.recipe, self.words, self.tables = recipe, words, tables
        self.bpe, self.pieces, self.spaced = bpe, pieces, spaced
        self._final = np.array([is_final for _, is_final in bpe.symbols])
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
        folded = [*map(fold, texts)]
        bpe, spaced = (_train(folded, name, recipe, n_jobs) for name in ("words", "gpt2"))
        pieces = bpe
        if given is not None and marks_words(given):
            pieces = given
        elif given is not None:
            spaced = given
        none = np.zeros(0, np.int32)
        empty = make_index(ngrams.NgramTable(none, none, len(bpe)))
        learnt = cls(recipe, bpe, pieces, spaced, empty, [])
        blocks = learnt._blocks(folded, n_jobs, learning=True)
        if not recipe.min_df:
            many = len(blocks[0].ids) >= _MANY_WORDS
            learnt.recipe = recipe._replace(min_df=2 if many else 1)
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
        blocks = self._blocks([*map(fold, texts)], n_jobs)
        return [block.find(table, n_jobs) for block, table in zip(blocks, self.tables, strict=True)]

    def _blocks(self, folded: Sequence[str], n_jobs: int, learning: bool = False) -> list[Block]:
        """Return texts as sequences to count in; of words, these are the first."""
        ids, words, pieces = self._encode(folded, n_jobs)
        if learning:
            self.words, numbers = learn_words(ids, words.sizes, len(self.bpe))
        else:
            numbers = self.words.number(ids, words.sizes)
        make: dict[str, Callable[[], Block]] = {
            "words": lambda: Block(numbers, words.indptr, len(self.words) + 1),
            "pieces": lambda: Block(pieces[0], pieces[1], len(self.pieces)),
            "spaced": lambda: self._with_spaces(folded, n_jobs),
        }
        return [make[kind]() for kind in self.recipe.kinds]

    def _encode(self, folded: Sequence[str], n_jobs: int) -> tuple[Ints, Words, Any]:
        """Return the pieces by which words are told, those words, and the pieces to count.

        The two differ where characters are words of their own.
        """
        ids, indptr = pieces = ids_of(self.bpe, folded, n_jobs)
        if self.pieces is not self.bpe:
            pieces = ids_of(self.pieces, folded, n_jobs)
        if any(not text.isascii() and _ALONE.search(text) for text in folded):
            ids, indptr = ids_of(self.bpe, [*map(set_apart, folded)], n_jobs)
        return ids, Words.find(ids, indptr, self._final), pieces

    def _with_spaces(self, folded: Sequence[str], n_jobs: int) -> Block:
        # A text without words says nothing, with however much white space.
        texts = ["" if text.isspace() else text for text in folded]
        return Block(*ids_of(self.spaced, texts, n_jobs), len(self.spaced))

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
        # White space counts with the word behind it, at the end of the text with the last one.
        unit_of = np.searchsorted([end for _, end in units], np.arange(len(folded)), side="right")
        unit_of = np.minimum(unit_of, len(units) - 1)
        shift = 0
        for kind, table in zip(self.recipe.kinds if units else (), self.tables, strict=False):
            if kind == "words":
                ids, owners = numbers, [[unit] for unit in range(len(units))]
            else:
                bpe = self.spaced if kind == "spaced" else self.pieces
                pieces, spans = bpe.encode_with_offsets(folded)
                ids = np.array(pieces, np.int64)
                # A bare marker of the end lies behind the last character of its word.
                owners = [sorted({*unit_of[min(a, b - 1) : b].tolist()}) for a, b in spans]
            yield from _find(table, ids, self.recipe.lengths(kind), owners, shift)
            shift += len(table)

    # -- state -----------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return all there is as text, numbers and arrays."""
        state: dict[str, Any] = {"bpe": self.bpe.dumps(), "spaced": self.spaced.dumps()}
        state["pieces"] = "" if self.pieces is self.bpe else self.pieces.dumps()
        state["views"], state["recipe"] = self.recipe.pack()
        for i, table in enumerate([self.words.table, *self.tables]):
            state[f"grams{i}"] = ngrams.packed(table.flat)
            state[f"sizes{i}"] = ngrams.packed(table.sizes)
        return state

    @classmethod
    def unpack(cls, state: dict[str, Any]) -> Self:
        """Return what was packed."""
        recipe = Recipe.unpack(state["views"], state["recipe"])
        bpe, spaced = loads(state["bpe"]), loads(state["spaced"])
        pieces = loads(state["pieces"]) if state["pieces"] else bpe
        base = {"words": len(state["sizes0"]) + 1, "pieces": len(pieces), "spaced": len(spaced)}
        bases = [len(bpe), *map(base.__getitem__, recipe.kinds)]
        words, *tables = (
            ngrams.NgramTable(
                state[f"grams{i}"].astype(np.int32), state[f"sizes{i}"].astype(np.int32), base
            )
            for i, base in enumerate(bases)
        )
        tables = [*map(matrix.make_table, tables)]
        return cls(recipe, bpe, pieces, spaced, make_index(words), tables)


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
