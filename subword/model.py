"""`BPE`: a learnt model. It never changes; it splits, joins, names and counts."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .alphabet import HOLE, feature_names, spelling
from .coder import Coder, Ints, Longs, Seen, make_coder
from .decoder import Decoder, Pieces, as_pieces
from .encoder import AllowedSpecial, Encoder
from .errors import SpecialTokenError, SubwordError
from .options import Options, check_whole
from .pretokenize import Rules, check_text
from .reference import Merge, Symbol
from .segment import Segmenter, check_rules, make_segmenter
from .specials import special_pattern

if TYPE_CHECKING:
    from .counts import WordCounts
    from .trace import MergeStep, WordTrace

_KEPT_SEGMENTERS = 8  # sets of rules
_KEPT_SIZES = 4


class Merges(NamedTuple):
    """The merges of a model by rank.

    Attributes
    ----------
    ids : ndarray of int32, shape (n_merges, 3)
        Left, right and result.
    counts, applied : ndarray of int64, shape (n_merges,)
        The count of the pair when it was merged, and how often it was.

    """

    ids: Ints
    counts: Longs
    applied: Longs

    @classmethod
    def of(cls, merges: Sequence[Merge]) -> Merges:
        """Turn merges one by one into arrays."""
        table = np.array([merge[:3] for merge in merges], np.int32).reshape(-1, 3)
        counts = np.array([merge[3:] for merge in merges], np.int64).reshape(-1, 2)
        return cls(table, counts[:, 0].copy(), counts[:, 1].copy())

    def take(self, kept: slice | npt.NDArray[np.bool_]) -> Merges:
        """Return some of the merges."""
        return Merges(self.ids[kept], self.counts[kept], self.applied[kept])


def _without_last_holes(symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Leave out holes that no symbol follows: special tokens come there anyway."""
    size = len(symbols)
    while size and symbols[size - 1] == HOLE:
        size -= 1
    return tuple(symbols[:size])


class BPE:
    """A byte-pair encoding. Made by `subword.train` or `subword.load`; immutable and hashable.

    Parameters
    ----------
    symbols : sequence of (bytes, bool)
        The symbols by id. Where a special token has its id among them, a hole stands in its place.
    merges : Merges
        The merges by rank, as arrays.
    options : Options
        Level, marker, splitting rules and how it was learnt.
    special_tokens : sequence of str
        In the order of their ids: first those in holes, then those that follow the symbols.

    Attributes
    ----------
    merges : tuple of (str, str)
        The merged pairs by rank, ends of words spelt ``</w>``.
    merge_counts, merge_applied : ndarray of int64, shape (n_merges,)
        The count of the pair when it was merged, and how often it was (weighted by frequency).
    vocab : tuple of str
        The pieces by id.
    symbols : tuple of (bytes, bool)
        The same, exactly: the bytes, and whether a word ends there.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    >>> bpe.tokenize("lowest newest")
    ['lo', 'west</w>', 'newest</w>']
    >>> bpe.decode(bpe.encode("lowest newest"))
    'lowest newest'

    """

    def __init__(
        self,
        symbols: Sequence[Symbol],
        merges: Merges,
        options: Options,
        special_tokens: Sequence[str] = (),
    ) -> None:
        self._plain = _without_last_holes(symbols)
        self._merges = merges
        self._table, self.merge_counts, self.merge_applied = merges
        for array in merges:
            array.flags.writeable = False
        self.options = options
        self._segmenters: dict[object, Segmenter] = {}  # by their rules; they remember words
        self._seen: Seen | None = None  # what training leaves for the cache
        self._truncated: dict[int, BPE] = {}  # sizes in use share what they remember of words
        self._larger: Callable[[], BPE | None] = lambda: None  # what this is the first merges of
        self.special_tokens = tuple(special_tokens)
        special_pattern(self.special_tokens)  # raises if they cannot be told apart
        self._holes = self._plain.count(HOLE)
        if self._holes > len(self.special_tokens):
            raise SpecialTokenError(
                f"{self._holes} ids are left to special tokens, of which there are "
                f"{len(self.special_tokens)}"
            )

    # -- what it is ------------------------------------------------------------------------

    @property
    def level(self) -> str:
        """``"char"`` or ``"byte"``."""
        return self.options.level

    @property
    def end_of_word(self) -> str | None:
        """``"suffix"``, ``"separate"`` or None."""
        return self.options.end_of_word

    @property
    def pretokenizer(self) -> Rules:
        """The name or pattern of the pre-tokenizer; several in a row are a tuple."""
        return self.options.splitter.pretokenizer

    @property
    def num_merges(self) -> int:
        """The number of merges."""
        return len(self._table)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols by id: (bytes, whether a word ends there)."""
        listed = [*self._plain, *[HOLE] * (len(self) - len(self._plain))]
        for token, i in self._special_ids.items():
            listed[i] = (token.encode(), False)
        return tuple(listed)

    @cached_property
    def vocab(self) -> tuple[str, ...]:
        """The pieces by id, as they are spelt."""
        return tuple(map(spelling, self.symbols))

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The pieces by id as features are named, all different; see `alphabet.feature_name`.

        Special tokens and ``<unk>`` are named as they are.

        >>> import subword
        >>> subword.train({"low": 5, "lower": 2}).feature_names[-3:]
        ('we@@', 'wer', 'lower')
        """
        whole = [*self._special_ids.values()]
        whole += [self._coder.unk] if self.options.unknown != "bytes" else []
        return tuple(feature_names(self.symbols, self.end_of_word is not None, whole))

    @cached_property
    def merges(self) -> tuple[tuple[str, str], ...]:
        """The merged pairs by rank, as they are spelt."""
        vocab = self.vocab
        return tuple((vocab[left], vocab[right]) for left, right, _ in self._table.tolist())

    def merge_table(self) -> list[Merge]:
        """Return the merges as ids with their counts.

        >>> import subword
        >>> subword.train(["aa"] * 2, level="byte", pretokenizer="none").merge_table()
        [Merge(left=97, right=97, result=256, count=2, applied=2)]
        """
        rows = zip(*(column.tolist() for column in self._merges), strict=True)
        return [Merge(*ids, count, applied) for ids, count, applied in rows]  # type: ignore[call-arg]

    def __len__(self) -> int:
        return len(self._plain) + len(self.special_tokens) - self._holes

    def __repr__(self) -> str:
        marker = f"end_of_word={self.end_of_word!r}"
        return (
            f"<BPE: {self.num_merges:,} merges, {len(self):,} ids, {self.level} level, {marker}, "
            f"pretokenizer={self.pretokenizer!r}>"
        )

    @cached_property
    def _piece_ids(self) -> dict[str, int]:
        ids = {piece: i for i, piece in enumerate(self.vocab)}  # of equal ones texts have the last
        return ids | self._special_ids

    @cached_property
    def _special_ids(self) -> dict[str, int]:
        holes = (i for i, symbol in enumerate(self._plain) if symbol == HOLE)
        ids = chain(holes if self._holes else (), count(len(self._plain)))
        return dict(zip(self.special_tokens, ids, strict=False))

    def piece_to_id(self, piece: str) -> int:
        """Return the id of a piece.

        Raises
        ------
        SubwordError
            When the vocabulary has no such piece.

        """
        try:
            return self._piece_ids[piece]
        except KeyError:
            raise SubwordError(
                f"no piece {piece!r} among the {len(self):,} of the vocabulary; pieces that end a "
                "word are spelt with </w>"
            ) from None

    # -- identity and state ----------------------------------------------------------------

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits; equal for equal models."""
        import hashlib  # not needed by most

        return hashlib.sha256(self.dumps().encode()).hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BPE):
            return NotImplemented
        return self is other or self.dumps() == other.dumps()

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __copy__(self) -> BPE:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> BPE:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from .formats import unpack

        return (unpack, (self.dumps(),))

    def dumps(self) -> str:
        """Return the model as the text that `save` writes."""
        return self._dumped.decode("utf-8", "surrogateescape")

    @cached_property
    def _dumped(self) -> bytes:
        """The same as bytes, so that each text is an object of its own: pickle tells them apart."""
        from .formats import dumps

        return dumps(self).encode("utf-8", "surrogateescape")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `subword.load` reads; whole or not at all.

        ``.gz``, ``.xz``, ``.bz2`` and ``.zst`` behind its name pack it.
        """
        from .files import write_atomic

        write_atomic(path, self.dumps())

    def export(self, path: str | os.PathLike[str], format: str = "subword-nmt") -> None:
        """Write the model in the format of another tool.

        Parameters
        ----------
        path : path
            The file to write; ``.gz``, ``.xz``, ``.bz2`` and ``.zst`` behind its name pack it.
        format : str
            ``"subword-nmt"``: codes, for models that mark the ends of words.
            ``"fastbpe"``: codes in three columns, for characters with suffix.
            ``"gpt2"``: ``vocab.json`` and ``merges.txt``, both written; `path` is either of them
            or their folder, which must exist (``encoder.json`` and ``vocab.bpe`` if it is named
            so). For byte level without marker, pretokenizer ``gpt2``.
            ``"tiktoken"``: a rank file, for byte level without marker. The pattern that makes
            words and special tokens are not in it.
            ``"huggingface"``: ``tokenizer.json``. At character level with ``</w>``, characters
            that the model does not know vanish there; `subword.formats.huggingface` says what
            else differs.
            ``"gpt1"``, ``"clip"``: for models that make words as GPT-1 and CLIP do.
            ``"minbpe"``: ``.model``, for byte level without marker and without normalisation.

        Raises
        ------
        ModelFileError
            When the format cannot hold the model; the message says why and which one can.

        Warns
        -----
        SubwordWarning
            When what is written is less than the model.

        Examples
        --------
        >>> import subword, tempfile
        >>> bpe = subword.train(["low low"], level="byte", pretokenizer="gpt2")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bpe.export(folder, "gpt2")
        ...     subword.load(f"{folder}/vocab.json").merges == bpe.merges
        True

        """
        from .formats import export

        export(self, path, format)

    def truncate(self, num_merges: int) -> BPE:
        """Return the model of the first merges: what learning fewer would have given.

        >>> import subword
        >>> bpe = subword.train({"low": 5, "lower": 2})
        >>> bpe.truncate(1).merges == bpe.merges[:1]
        True
        """
        check_whole("num_merges", num_merges, 0)
        if num_merges >= self.num_merges:
            return self
        # Every step is safe among threads: a lock could be held where the process is forked.
        found = self._truncated.pop(num_merges, None)
        if found is None:
            found = self._first(num_merges)
            found._larger = weakref.ref(self._larger() or self)
        self._truncated[num_merges] = found
        for size in [*self._truncated][:-_KEPT_SIZES]:  # those asked for longest ago
            self._truncated.pop(size, None)
        return found

    def _first(self, num_merges: int) -> BPE:
        """Return what `truncate` does, but always a new model, which shares no word cache."""
        results = self._table[:, 2].tolist()
        dropped, size = set(results) - set(results[:num_merges]), len(self._plain)
        while size - 1 in dropped:
            size -= 1
        kept = self._merges.take(slice(num_merges))
        first = BPE(self._plain[:size], kept, self.options, self.special_tokens)
        first._seen = self._seen
        return first

    # -- surgery: what keeps every id, and what says where ids have gone -------------------

    def extend(
        self,
        source: WordCounts | Mapping[str, int] | Iterable[str | bytes],
        num_merges: int,
        *,
        max_token_length: int | None = None,
        n_jobs: int = 1,
        progress: bool = False,
    ) -> BPE:
        """Learn more merges behind those there are; no id moves.

        Parameters
        ----------
        source : WordCounts, mapping word -> count, or iterable of str
            As for `subword.train`. Options and splitting rules are those of the model; counts
            that were split otherwise are refused.
        num_merges : int
            How many merges to add; fewer if the corpus does not give them.
        max_token_length, n_jobs, progress
            As for `subword.train`.

        Returns
        -------
        BPE
            The old merges are applied to the new corpus first, in the order of their ranks, so
            that on the corpus a model was trained on, `extend` gives the merges that training
            it longer would have given. New ids follow all old ones, those of special tokens
            included: first the characters that were not known (at character level), then the
            pieces of the new merges.

        Raises
        ------
        SubwordError
            When counts were made by other splitting rules.

        Warns
        -----
        SubwordWarning
            When fewer merges than asked for could be learnt.

        Examples
        --------
        >>> import subword
        >>> counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
        >>> bpe = subword.train(counts, 4)
        >>> bpe.extend(counts, 3) == subword.train(counts, 7)
        True

        """
        from .surgery import extend

        return extend(self, source, num_merges, max_token_length, n_jobs, progress)

    def add_special_tokens(self, tokens: Iterable[str]) -> BPE:
        """Return the model with more special tokens; their ids follow all others.

        Parameters
        ----------
        tokens : iterable of str
            By default texts contain none of them, see ``allowed_special`` in `encode`.

        Raises
        ------
        SpecialTokenError
            When one is empty, comes twice, or is a special token or a piece already.

        Examples
        --------
        >>> import subword
        >>> bpe = subword.train({"low": 5, "lower": 2})
        >>> more = bpe.add_special_tokens(["<s>"])
        >>> more.encode("<s>low", allowed_special="all") == [len(bpe), *bpe.encode("low")]
        True

        """
        from .surgery import add_special_tokens

        return add_special_tokens(self, tokens)

    def prune(
        self, min_count: int, counts: WordCounts | Mapping[str, int] | None = None
    ) -> tuple[BPE, Ints]:
        """Leave out the pieces that are rare in a corpus, and the merges that make them.

        Parameters
        ----------
        min_count : int
            Pieces that a split corpus holds less often go, unless a merge that stays needs them.
            Characters, bytes and special tokens always stay.
        counts : WordCounts or mapping word -> count, optional
            The corpus. Without it, the one the model was trained on: the merges know how often
            they were applied there. After `extend` on another source, and for models of other
            tools, give counts.

        Returns
        -------
        bpe : BPE
            Words that held none of the pieces left out are split as before; the others are
            split by the merges that stay.
        new_ids : ndarray of int32, shape (len(self),)
            The new id by the old one; -1 for a piece that was left out. The order is kept.

        Examples
        --------
        >>> import subword
        >>> bpe = subword.train({"low": 5, "lower": 2, "newest": 6, "widest": 3})
        >>> pruned, new_ids = bpe.prune(3)
        >>> [piece for piece, i in zip(bpe.vocab, new_ids) if i < 0]
        ['we', 'wer</w>', 'lower</w>']
        >>> pruned.tokenize("lower widest")
        ['lo', 'w', 'e', 'r</w>', 'widest</w>']

        """
        from .surgery import prune

        return prune(self, min_count, counts)

    # -- text to ids -----------------------------------------------------------------------

    @cached_property
    def _coder(self) -> Coder:
        coder = make_coder(self._plain, self._table, self.options)
        seen, self._seen = self._seen, None
        if seen:
            coder.remember(seen)
        return coder

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self._coder, self._special_ids)

    def encode_by_word(
        self, text: str | bytes, *, dropout: float = 0.0, seed: int | None = None,
        allowed_special: AllowedSpecial = (),
    ) -> list[list[int]]:  # fmt: skip
        """Return the ids of a text word by word; a special token is a word.

        Parameters as in `encode`.

        Examples
        --------
        >>> import subword
        >>> bpe = subword.train({"low": 5, "lower": 2}, num_merges=2, unknown="unk")
        >>> bpe.encode_by_word("low lower") == [bpe.encode("low"), bpe.encode("lower")]
        True

        """
        return self._encoder.encode_by_word(text, dropout, seed, allowed_special)

    def encode(
        self, text: str | bytes, *, dropout: float = 0.0, seed: int | None = None,
        allowed_special: AllowedSpecial = (),
    ) -> list[int]:  # fmt: skip
        """Split a text into the ids of its pieces.

        Parameters
        ----------
        text : str
            At byte level also bytes.
        dropout : float
            The share of merges to skip at random (BPE-dropout, Provilkov et al. 2020); for
            training data only.
        seed : int, optional
            Makes the dropout repeatable: it depends on seed, text and word alone.
        allowed_special : "all" or set of str
            Special tokens to honour; by default a text never contains any.

        Raises
        ------
        SubwordError
            For a lone surrogate, or a dropout outside [0, 1].

        Examples
        --------
        >>> import subword
        >>> bpe = subword.train(["banana"], level="byte", end_of_word=None, pretokenizer="none",
        ...                     tie_break="largest_id", min_frequency=1, num_merges=3)
        >>> bpe.encode("banana")
        [258, 257]

        """
        return self._encoder.encode(text, dropout, seed, allowed_special)

    def encode_batch(
        self, texts: Iterable[str | bytes], *, n_jobs: int = 1, dropout: float = 0.0,
        seed: int | None = None, allowed_special: AllowedSpecial = (),
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:  # fmt: skip
        """Encode many texts into flat arrays.

        Parameters
        ----------
        texts : iterable of str
            The documents.
        n_jobs : int
            Threads of the native engine; the result does not depend on it.
        dropout, seed, allowed_special
            See `encode`.

        Returns
        -------
        ids : ndarray of int32
            The ids of all documents.
        indptr : ndarray of int64, shape (n_documents + 1,)
            Document i has ``ids[indptr[i]:indptr[i + 1]]``.

        Examples
        --------
        >>> import subword
        >>> bpe = subword.train({"low": 5, "lower": 2})
        >>> ids, indptr = bpe.encode_batch(["low lower", "", "low"])
        >>> indptr.tolist()
        [0, 2, 2, 3]

        """
        return self._encoder.encode_batch(texts, n_jobs, dropout, seed, allowed_special)

    def tokenize(
        self, text: str | bytes, *, dropout: float = 0.0, seed: int | None = None,
        allowed_special: AllowedSpecial = (),
    ) -> list[str]:  # fmt: skip
        """Split a text into its pieces, one per id; parameters as in `encode`."""
        ids = self.encode(text, dropout=dropout, seed=seed, allowed_special=allowed_special)
        return [self.vocab[i] for i in ids]

    def count(
        self, text: str | bytes, *, dropout: float = 0.0, seed: int | None = None,
        allowed_special: AllowedSpecial = (),
    ) -> int:  # fmt: skip
        """Return the number of pieces of a text; parameters as in `encode`."""
        return self._encoder.count(text, dropout, seed, allowed_special)

    def encode_with_offsets(
        self, text: str | bytes, *, dropout: float = 0.0, seed: int | None = None,
        allowed_special: AllowedSpecial = (),
    ) -> tuple[list[int], list[tuple[int, int]]]:  # fmt: skip
        """Encode a text and say where each piece stands in it.

        Returns
        -------
        ids : list of int
            As from `encode`, which also has the parameters.
        offsets : list of (int, int)
            Start and end in characters of the original text, before normalisation. Pieces of
            one character's bytes share its place; a bare ``</w>`` has an empty one.

        Examples
        --------
        >>> import subword
        >>> bpe = subword.train({"low": 5, "lower": 2}, end_of_word="separate")
        >>> bpe.encode_with_offsets("low  Low")[1]
        [(0, 3), (5, 6), (6, 8), (8, 8)]

        """
        return self._encoder.encode_with_offsets(text, dropout, seed, allowed_special)

    # -- ids to text -----------------------------------------------------------------------

    @cached_property
    def _pieces(self) -> Pieces:
        return as_pieces(self.symbols, self._special_ids.values(), self.end_of_word is not None)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Join pieces to the bytes they stand for.

        Raises
        ------
        IndexError
            For an id that the vocabulary does not have.

        """
        return self._coder.join(ids, self._pieces)

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Join pieces to the text they stand for.

        Parameters
        ----------
        ids : iterable of int
            Words are joined by a space where the model marks their ends.
        errors : {"replace", "strict", "ignore"}
            What to do with bytes that are no UTF-8, as in `bytes.decode`.

        Examples
        --------
        >>> import subword
        >>> bpe = subword.train({"low": 5, "lower": 2})
        >>> bpe.decode(bpe.encode("low  ☃ lower"))
        'low ☃ lower'

        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decoder(self) -> Decoder:
        """Return a decoder that takes one id at a time.

        >>> import subword
        >>> bpe = subword.train(["low low"], level="byte", pretokenizer="gpt2")
        >>> stream = bpe.decoder()
        >>> [stream.push(i) for i in bpe.encode("é")], stream.flush()
        (['', 'é'], '')
        """
        return Decoder(self._pieces)

    # -- the text form ---------------------------------------------------------------------

    def segment(
        self,
        line: str,
        separator: str = "@@",
        *,
        dropout: float = 0.0,
        seed: int | None = None,
        glossaries: Sequence[str] | None = None,
        vocabulary: Container[str] | None = None,
    ) -> str:
        """Split the words of a line, in the text form of subword-nmt.

        Parameters
        ----------
        line : str
            Spaces and line ends at both ends are kept; between words there will be one space.
        separator : str
            Put behind every piece that does not end a word.
        dropout, seed
            See `encode`.
        glossaries : sequence of str
            Regular expressions; what they match is not split.
        vocabulary : container of str
            Pieces in text form that may be used; merges that lead to others are undone.

        Returns
        -------
        str
            Characters the model does not know stand as they are. A word that holds the
            separator itself cannot be told from a split one: choose another separator then.

        Examples
        --------
        >>> import subword
        >>> subword.train({"low": 5, "lower": 2}).segment("low lowly")
        'low lo@@ w@@ l@@ y'

        """
        drop = self._encoder.dropout(check_text(line), dropout, seed)
        return self.segmenter(separator, glossaries, vocabulary).segment(line, drop)

    def segmenter(
        self,
        separator: str = "@@",
        glossaries: Sequence[str] | None = None,
        vocabulary: Container[str] | None = None,
    ) -> Segmenter:
        """Return what `segment` segments with: for many lines, make it once.

        Parameters
        ----------
        separator, glossaries, vocabulary
            See `segment`.

        Returns
        -------
        Segmenter
            Its ``segment(text)`` takes any number of lines at once and remembers words.

        Examples
        --------
        >>> import subword
        >>> bpe = subword.train({"low": 5, "lower": 2})
        >>> bpe.segmenter(vocabulary={"lo@@", "w"}).segment("low\\nlow lower")
        'lo@@ w\\nlo@@ w lo@@ w@@ e@@ r'

        """
        check_rules(separator, glossaries, vocabulary)
        rules = (separator, *(glossaries or ()))
        if vocabulary is not None:  # it may change
            return make_segmenter(self._coder, separator, rules[1:], vocabulary)
        found = self._segmenters.get(rules)
        if found is None:
            if len(self._segmenters) >= _KEPT_SEGMENTERS:
                self._segmenters.clear()  # another thread may do so at any time
            found = self._segmenters[rules] = make_segmenter(self._coder, separator, rules[1:])
        return found

    # -- how it came to that ---------------------------------------------------------------

    def trace(self, word: str) -> list[MergeStep]:
        """Return the merges that make the pieces of one word, in order; see `subword.trace`."""
        from .trace import trace

        return trace(self, word)

    def explain(self, text: str) -> list[WordTrace]:
        """Return for each word of a text its pieces and their merges; see `subword.trace`."""
        from .trace import explain

        return explain(self, text)
