"""`BPE`: a learnt model. It never changes; it splits, joins, names and counts."""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import reference
from .alphabet import readable, spelling
from .coder import Coder, Key
from .errors import SpecialTokenError, SubwordError
from .options import Options
from .pretokenize import check_text, check_texts
from .reference import Merge, Symbol
from .segment import EDGES, filter_pieces, glossary_patterns, is_protected, isolate
from .specials import special_pattern

if TYPE_CHECKING:
    from .trace import MergeStep, WordTrace

AllowedSpecial = str | Iterable[str]


class BPE:
    """A byte-pair encoding. Made by `subword.train` or `subword.load`; immutable and hashable.

    Parameters
    ----------
    symbols : sequence of (bytes, bool)
        The symbols by id, special tokens not included.
    merges : sequence of Merge
        The merges by rank.
    options : Options
        Level, marker, splitting rules and how it was learnt.
    special_tokens : sequence of str
        Their ids follow those of the symbols.

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
        merges: Sequence[Merge],
        options: Options,
        special_tokens: Sequence[str] = (),
    ) -> None:
        self._plain = tuple(symbols)
        self._table = np.array([merge[:3] for merge in merges], np.int32).reshape(-1, 3)
        self.merge_counts = np.array([merge.count for merge in merges], np.int64)
        self.merge_applied = np.array([merge.applied for merge in merges], np.int64)
        for array in (self._table, self.merge_counts, self.merge_applied):
            array.flags.writeable = False
        self.options = options
        self.special_tokens = tuple(special_tokens)
        special_pattern(self.special_tokens)  # raises if they cannot be told apart

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
    def pretokenizer(self) -> str:
        """The name or pattern of the pre-tokenizer."""
        return self.options.splitter.pretokenizer

    @property
    def num_merges(self) -> int:
        """The number of merges."""
        return len(self._table)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols by id: (bytes, whether a word ends there)."""
        return self._plain + tuple((token.encode(), False) for token in self.special_tokens)

    @cached_property
    def vocab(self) -> tuple[str, ...]:
        """The pieces by id, as they are spelt."""
        return tuple(map(spelling, self._plain)) + self.special_tokens

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
        rows = zip(self._table.tolist(), self.merge_counts.tolist(), self.merge_applied.tolist(),
                   strict=True)  # fmt: skip
        return [Merge(*ids, count, applied) for ids, count, applied in rows]  # type: ignore[call-arg]

    def __len__(self) -> int:
        return len(self._plain) + len(self.special_tokens)

    def __repr__(self) -> str:
        marker = f"end_of_word={self.end_of_word!r}"
        return (
            f"<BPE: {self.num_merges:,} merges, {len(self):,} ids, {self.level} level, {marker}, "
            f"pretokenizer={self.pretokenizer!r}>"
        )

    @cached_property
    def _piece_ids(self) -> dict[str, int]:
        ids = {piece: i for i, piece in reversed([*enumerate(self.vocab)])}
        return ids | self._special_ids

    @cached_property
    def _special_ids(self) -> dict[str, int]:
        return {token: len(self._plain) + i for i, token in enumerate(self.special_tokens)}

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
        from .formats import loads

        return (loads, (self.dumps(),))

    def dumps(self) -> str:
        """Return the model as the text that `save` writes."""
        from .formats import dumps

        return dumps(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `subword.load` reads; whole or not at all."""
        from .files import write_atomic

        write_atomic(path, self.dumps())

    def export(self, path: str | os.PathLike[str], format: str = "subword-nmt") -> None:
        """Write the model in the format of another tool.

        Parameters
        ----------
        path : path
            The file to write.
        format : {"subword-nmt"}
            The tool.

        Raises
        ------
        ModelFileError
            When the format cannot hold the model; the message says why.

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
        if num_merges < 0:
            raise SubwordError(f"num_merges must not be negative, got {num_merges}")
        if num_merges >= self.num_merges:
            return self
        kept = self.merge_table()[:num_merges]
        made = set(self._table[:, 2].tolist())
        base = next((i for i in range(len(self._plain)) if i in made), len(self._plain))
        size = max((merge.result + 1 for merge in kept), default=base)
        return BPE(self._plain[: max(size, base)], kept, self.options, self.special_tokens)

    # -- text to ids -----------------------------------------------------------------------

    @cached_property
    def _coder(self) -> Coder:
        return Coder(self._plain, self._table.tolist(), self.options)

    def _dropout_key(self, text: str, dropout: float, seed: int | None) -> Key:
        """Check the rate; return seed and hash of the document (Provilkov et al. 2020)."""
        if not 0 <= dropout <= 1:
            raise SubwordError(f"dropout must be between 0 and 1, got {dropout!r}")
        if not dropout:
            return (0, 0)
        number = int.from_bytes(os.urandom(8)) if seed is None else int(seed)
        return number, reference.hash_text(text.encode("utf-8", "surrogateescape"))

    def _parts(self, text: str, allowed: AllowedSpecial) -> Iterator[tuple[int, str, int | None]]:
        """Cut a text at the allowed special tokens: (start, text, id of the token or None)."""
        tokens = self._allowed(allowed)
        if not tokens:
            yield 0, text, None
            return
        place = 0
        for match in special_pattern(tokens).finditer(text):
            yield place, text[place : match.start()], None
            yield match.start(), match[0], self._special_ids[match[0]]
            place = match.end()
        yield place, text[place:], None

    def _allowed(self, allowed: AllowedSpecial) -> tuple[str, ...]:
        if allowed == "all":
            return self.special_tokens
        if isinstance(allowed, str):
            raise TypeError(f'allowed_special must be "all" or a set of tokens, got {allowed!r}')
        tokens = tuple(dict.fromkeys(allowed))
        if not set(tokens) <= set(self.special_tokens):
            unknown = next(token for token in tokens if token not in self.special_tokens)
            raise SpecialTokenError(
                f"{unknown!r} is no special token of this model; it has {self.special_tokens}"
            )
        return tokens

    def _encoded(
        self, text: object, dropout: float, seed: int | None, allowed: AllowedSpecial,
        document: int | None = None,
    ) -> Iterator[list[int]]:  # fmt: skip
        """Encode a text in runs of ids that follow each other."""
        checked = check_text(text, document, self.level == "byte")
        key, position = self._dropout_key(checked, dropout, seed), 0
        for _, part, special in self._parts(checked, allowed):
            if special is not None:
                yield [special]
                position += 1
            elif not dropout:
                yield self._coder.encode(self.options.splitter.prepare(part))
            else:
                for word in self.options.splitter.words(part):
                    yield self._coder.drop_word(word, dropout, key, position)
                    position += 1

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
        return [*chain.from_iterable(self._encoded(text, dropout, seed, allowed_special))]

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
        check_texts(texts)
        flat: list[int] = []
        ends = [0]
        for document, text in enumerate(texts):
            for ids in self._encoded(text, dropout, seed, allowed_special, document):
                flat += ids
            ends.append(len(flat))
        return np.array(flat, np.int32), np.array(ends, np.int64)

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
        return sum(map(len, self._encoded(text, dropout, seed, allowed_special)))

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
        checked = check_text(text, None, self.level == "byte")
        key, position = self._dropout_key(checked, dropout, seed), 0
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        for shift, part, special in self._parts(checked, allowed_special):
            if special is not None:
                ids.append(special)
                offsets.append((shift, shift + len(part)))
                position += 1
                continue
            prepared, starts, ends = self.options.splitter.align(part)
            for begin, end in self.options.splitter.spans(prepared):
                word = prepared[begin:end]
                found = self._word_ids(word, dropout, key, position)
                for first, last in self._coder.spans(word, found):
                    stop = shift + ends[begin + last - 1]
                    offsets.append((shift + starts[begin + first] if first < last else stop, stop))
                ids += found
                position += 1
        return ids, offsets

    def _word_ids(self, word: str, dropout: float, key: Key, position: int) -> list[int]:
        if dropout:
            return self._coder.drop_word(word, dropout, key, position)
        return self._coder.encode_word(word)

    # -- ids to text -----------------------------------------------------------------------

    @cached_property
    def _texts(self) -> list[Symbol]:
        """What `reference.decode` joins; where words are marked, special tokens are words too."""
        marked = self.end_of_word is not None
        return [*self._plain, *((token.encode(), marked) for token in self.special_tokens)]

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Join pieces to the bytes they stand for.

        Raises
        ------
        IndexError
            For an id that the vocabulary does not have.

        """
        known = [int(i) for i in ids]
        wrong = next((i for i in known if not 0 <= i < len(self)), None)
        if wrong is not None:
            raise IndexError(f"id {wrong} is not one of the {len(self):,} of the vocabulary")
        return reference.decode(known, self._texts)

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
        return Decoder(self)

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
        patterns = glossary_patterns(tuple(glossaries or ()))
        key, position = self._dropout_key(check_text(line), dropout, seed), 0
        done = []
        for one in line.split("\n"):
            body = one.strip(EDGES)
            head, tail = one.split(body, 1) if body else (one, "")
            shown: list[str] = []
            for word in self.options.splitter.words(body):
                pieces: list[str] = []
                for part in isolate(word, patterns):
                    if is_protected(part, patterns):
                        pieces.append(part)
                    else:
                        ids = self._word_ids(part, dropout, key, position)
                        pieces += self._shown(part, ids, separator, vocabulary)
                shown += [piece + separator for piece in pieces[:-1]] + pieces[-1:]
                position += 1
            done.append(head + " ".join(shown) + tail)
        return "\n".join(done)

    def _shown(
        self, word: str, ids: list[int], separator: str, vocabulary: Container[str] | None
    ) -> list[str]:
        """Return the pieces of a word as text, unknown characters as they are."""
        if self.level == "byte":
            pieces = [(i, readable(self._plain[i][0])) for i in ids]
        else:  # the bytes of an unknown character share its place
            spans = zip(self._coder.spans(word, ids), ids, strict=True)
            pieces = [(i, word[a:b]) for (a, b), i in dict(reversed([*spans])).items()][::-1]
        pieces = [piece for piece in pieces if piece[1]]  # a bare marker has no text
        if vocabulary is None:
            return [text for _, text in pieces]
        return filter_pieces(pieces, self._halves, vocabulary, separator)

    @cached_property
    def _origins(self) -> dict[int, tuple[int, int]]:
        """Which merge first made a symbol."""
        return {result: (left, right) for left, right, result in reversed(self._table.tolist())}

    def _halves(self, symbol: int) -> tuple[tuple[int, str], ...] | None:
        halves = self._origins.get(symbol)
        return halves and tuple((half, readable(self._plain[half][0])) for half in halves)

    # -- how it came to that ---------------------------------------------------------------

    def trace(self, word: str) -> list[MergeStep]:
        """Return the merges that make the pieces of one word, in order; see `subword.trace`."""
        from .trace import trace

        return trace(self, word)

    def explain(self, text: str) -> list[WordTrace]:
        """Return for each word of a text its pieces and their merges; see `subword.trace`."""
        from .trace import explain

        return explain(self, text)


class Decoder:
    """Decodes id by id, holding back what is not yet sure: cut characters, spaces after words."""

    def __init__(self, bpe: BPE) -> None:
        self._bpe = bpe
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._space = b""

    def push(self, id: int) -> str:
        """Take one id and return the text that is now certain."""
        raw = self._space + self._bpe.decode_bytes([id])
        self._space = b" " if self._bpe._texts[id][1] else b""
        return self._utf8.decode(raw)

    def flush(self) -> str:
        """End the text; return what was held back, U+FFFD for a cut character."""
        self._space = b""
        return self._utf8.decode(b"", final=True)
