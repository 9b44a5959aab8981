"""Learning a model: from texts, files or word counts to a `BPE`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import native, reference
from .alphabet import UNK, alphabet
from .coder import Ints, Longs, Seen
from .counts import Paths, WordCounts
from .errors import SubwordError, tell
from .model import BPE, Merges
from .options import Options, check_whole
from .pretokenize import Rules, Splitter
from .progress import progress_bar
from .reference import Merge, Symbol
from .specials import special_pattern
from .tally import Words

DEFAULT_MERGES = 8000
UNLIMITED = 2**31 - 1  # ids are 32 bits wide
_REMEMBERED = 1 << 19  # words, the earliest, whose ids the model need not find again
_NONE: Ints = np.empty((0, 3), np.int32)

Source = WordCounts | Mapping[str, int] | Iterable[str | bytes]


def train(
    source: Source,
    num_merges: int | None = None,
    *,
    vocab_size: int | None = None,
    level: str = "char",
    end_of_word: str | None = "auto",
    pretokenizer: Rules = "space",
    tie_break: str = "largest",
    min_frequency: int = 2,
    min_word_frequency: int = 1,
    max_token_length: int | None = None,
    special_tokens: Sequence[str] = (),
    unknown: str = "bytes",
    lowercase: bool = False,
    normalization: str | Sequence[str] | None = None,
    n_jobs: int = 1,
    progress: bool = False,
) -> BPE:
    """Learn merges from a corpus (Sennrich, Haddow & Birch 2016).

    Parameters
    ----------
    source : WordCounts, mapping word -> count, or iterable of str
        Word counts bring their own splitting rules; texts are split by those given here.
    num_merges : int, optional
        How many merges to learn; fewer if the corpus does not give them. 8000 if neither this
        nor `vocab_size` is given.
    vocab_size : int, optional
        Instead: how many ids there shall be, special tokens included.
    level : {"char", "byte"}
        What words are first split into: code points, or the bytes of UTF-8.
    end_of_word : {"auto", "suffix", "separate", None}
        The last symbol of a word carries ``</w>``, or is ``</w>``, or words are not marked.
        "auto" marks by suffix where white space is dropped, not at all where it is kept.
    pretokenizer : str or tuple of str
        How texts become words: a name or a pattern, or several in a row, see `Splitter`.
    tie_break : {"largest", "largest_id", "smallest_id", "first"}
        Which of the most frequent pairs is merged: the greatest as spelt (subword-nmt), the
        greatest or smallest by ids (Hugging Face, rustbpe), the one met first (minbpe).
    min_frequency : int
        Pairs that are rarer are not merged. It limits counts of pairs, not of final pieces.
    min_word_frequency : int
        Words that are rarer are left out.
    max_token_length : int, optional
        Longest piece to make, in characters (bytes at byte level).
    special_tokens : sequence of str
        Get ids behind all others and take no part in learning.
    unknown : {"bytes", "unk", "unk_run"}
        At character level, what encoding makes of characters that were not seen here: their
        bytes, one ``<unk>`` each, or one for all such neighbours in a word (SentencePiece).
    lowercase, normalization
        Applied to texts first; kept with the model. Names: NFC, NFD, NFKC, NFKD,
        strip_accents, squeeze, and those in `subword.normalize.STEPS` for foreign models.
    n_jobs : int
        Threads for counting in the native engine; the result does not depend on it.
    progress : bool
        Show bars on stderr.

    Returns
    -------
    BPE
        The model.

    Raises
    ------
    SubwordError
        For options that are unknown or exclude each other, or a vocabulary too small.
    OverflowError
        When the count of a pair passes 2**63 - 1.

    Warns
    -----
    SubwordWarning
        When nothing, or less than asked for, could be learnt, or when decoding will not bring
        back the spaces.

    Examples
    --------
    >>> bpe = train({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 3)
    >>> bpe.merges
    (('s', 't</w>'), ('e', 'st</w>'), ('l', 'o'))

    """
    special_pattern(special_tokens)
    counts = count(
        source, pretokenizer, lowercase, normalization, special_tokens, level, n_jobs, progress
    )
    options = make_options(level, end_of_word, counts.splitter, unknown, tie_break, min_frequency)
    check_whole("min_word_frequency", min_word_frequency, 0)
    if min_word_frequency > 1:
        counts = counts.prune(min_word_frequency)
    sizes = num_merges, vocab_size
    lesson = learn_model(counts, options, sizes, special_tokens, max_token_length, progress)
    lesson.warn(num_merges)
    return lesson.bpe


class Lesson(NamedTuple):
    """What was learnt.

    Attributes
    ----------
    bpe : BPE
        The model.
    words : int
        How many distinct words it was learnt from.

    """

    bpe: BPE
    words: int

    def warn(self, num_merges: int | None) -> None:
        """Warn of what is wrong with a model of that many merges."""
        options, learnt = self.bpe.options, self.bpe.num_merges
        if not learnt and num_merges != 0:
            tell(
                f"nothing to learn: {self.words} distinct words, no pair {options.min_frequency} "
                "times"
            )
        elif num_merges is not None and learnt < num_merges:
            tell(f"{learnt} merges learnt, {num_merges} asked for: no pair is frequent enough")
        if options.end_of_word is None and not options.splitter.keeps_space:
            tell(
                f"pretokenizer {options.splitter.pretokenizer!r} drops spaces and words are not "
                "marked, so decoded words will run together; end_of_word='suffix' keeps them apart"
            )


def learn_model(
    counts: WordCounts, options: Options, sizes: tuple[int | None, int | None],
    special_tokens: Sequence[str] = (), max_token_length: int | None = None,
    progress: bool = False,
) -> Lesson:  # fmt: skip
    """Learn from words; `sizes` are the numbers of merges and of ids, of which one is None."""
    words = without_special_tokens(counts, special_tokens).words()
    level, unknown = options.level, options.unknown
    base = alphabet(characters_of(words, level), level, options.end_of_word, unknown)
    reserved = len(special_tokens) + (unknown != "bytes")
    limits = _limits(*sizes, len(base), reserved)
    merges, seen = learn(words, base, options, limits, max_token_length, progress)
    symbols = with_results(base, merges.ids)
    if unknown != "bytes":  # <unk> has id 0, so all others move up by one
        symbols = [(UNK.encode(), False), *symbols]
        merges = merges._replace(ids=merges.ids + np.int32(1))
        seen = seen and seen._replace(ids=seen.ids + np.int32(1), merges=merges.ids)
    bpe = BPE(symbols, merges, options, special_tokens)
    bpe._seen = seen
    return Lesson(bpe, len(words.counts))


def train_files(
    paths: Paths,
    num_merges: int | None = None,
    *,
    errors: str = "strict",
    pretokenizer: Rules = "space",
    lowercase: bool = False,
    normalization: str | Sequence[str] | None = None,
    special_tokens: Sequence[str] = (),
    n_jobs: int = 1,
    progress: bool = False,
    vocab_size: int | None = None,
    level: str = "char",
    end_of_word: str | None = "auto",
    tie_break: str = "largest",
    min_frequency: int = 2,
    min_word_frequency: int = 1,
    max_token_length: int | None = None,
    unknown: str = "bytes",
) -> BPE:
    """Learn merges from UTF-8 files, each one text.

    Parameters
    ----------
    paths : path or iterable of paths
        ``.gz``, ``.xz`` and ``.bz2`` are unpacked on the way.
    errors : {"strict", "replace", "bytes"}
        What to do with invalid UTF-8; "bytes" is for ``level="byte"``.
    num_merges, vocab_size, level, end_of_word, pretokenizer, tie_break, min_frequency, \
min_word_frequency, max_token_length, special_tokens, unknown, lowercase, normalization, n_jobs, \
progress
        As for `train`.

    Raises
    ------
    CorpusError
        With path, line and byte of what is not UTF-8.

    Examples
    --------
    >>> bpe = train_files("data/reviews.tsv", 500)  # doctest: +SKIP

    """
    counts = WordCounts.from_files(
        paths, pretokenizer=pretokenizer, lowercase=lowercase, normalization=normalization,
        special_tokens=special_tokens, errors=errors, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    return train(
        counts, num_merges, vocab_size=vocab_size, level=level, end_of_word=end_of_word,
        tie_break=tie_break, min_frequency=min_frequency, min_word_frequency=min_word_frequency,
        max_token_length=max_token_length, special_tokens=special_tokens, unknown=unknown,
        progress=progress,
    )  # fmt: skip


def count(
    source: Source, pretokenizer: Rules = "space", lowercase: bool = False,
    normalization: str | Sequence[str] | None = None, special_tokens: Sequence[str] = (),
    level: str = "char", n_jobs: int = 1, progress: bool = False,
) -> WordCounts:  # fmt: skip
    """Return the words of a source, whatever it is; counts refuse rules other than their own."""
    given = Splitter(pretokenizer, lowercase, normalization or ())  # type: ignore[arg-type]
    if not isinstance(source, WordCounts):
        return count_source(source, given, special_tokens, level, n_jobs, progress)
    if given not in (Splitter(), source.splitter):
        raise SubwordError(
            f"these counts were made by {source.splitter} and cannot be split again by {given}; "
            "give the rules when counting"
        )
    return source


def count_source(
    source: Mapping[str, int] | Iterable[str | bytes], splitter: Splitter,
    special_tokens: Sequence[str], level: str, n_jobs: int, progress: bool,
) -> WordCounts:  # fmt: skip
    """Count the words of texts, or take counts that have no splitting rules yet."""
    if isinstance(source, Mapping):
        prepared = WordCounts(source)  # first checked as they come, for the message
        words = ((splitter.prepare(word), count) for word, count in prepared.items())
        return WordCounts(words, **splitter.rules)
    texts = source if level == "byte" or isinstance(source, (str, bytes)) else _no_bytes(source)
    return WordCounts.from_texts(
        texts, special_tokens=special_tokens, n_jobs=n_jobs, progress=progress, **splitter.rules
    )


def _no_bytes(texts: Iterable[str | bytes]) -> Iterable[str | bytes]:
    """Refuse bytes; a list in which there are none stays a list."""
    is_list = isinstance(texts, (list, tuple))
    if is_list and not any(issubclass(kind, bytes) for kind in {*map(type, texts)}):
        return texts
    return _checked(texts)


def _checked(texts: Iterable[str | bytes]) -> Iterator[str | bytes]:
    for document, text in enumerate(texts):
        if isinstance(text, bytes):
            raise TypeError(f"document {document} is bytes; decode it, or train with level='byte'")
        yield text


def make_options(
    level: str, end_of_word: str | None, splitter: Splitter, unknown: str, tie_break: str,
    min_frequency: int,
) -> Options:  # fmt: skip
    """Return checked options, with ``end_of_word="auto"`` decided."""
    if end_of_word == "auto":
        end_of_word = None if splitter.keeps_space else "suffix"
    options = Options(level, end_of_word, splitter, unknown, tie_break, min_frequency).check()
    return options._replace(min_frequency=int(min_frequency))  # it may be one of numpy


def without_special_tokens(counts: WordCounts, special_tokens: Sequence[str]) -> WordCounts:
    """Cut the words at special tokens, which no merge may cross."""
    pattern = special_pattern(special_tokens)
    if not pattern:
        return counts
    words: dict[str, int] = {}
    for word, count in counts.items():
        for part in pattern.split(word):
            words[part] = words.get(part, 0) + count
    return WordCounts._of(words, counts.splitter)


def characters_of(words: Words, level: str) -> Iterable[str]:
    """Return the characters the words are made of; at byte level none is needed."""
    if level == "byte":
        return ()
    characters = words.characters()
    if characters is None:
        raise SubwordError("some of the words are not UTF-8; only level='byte' can hold them")
    return characters


def _limits(
    num_merges: int | None, vocab_size: int | None, base: int, reserved: int
) -> tuple[int, int]:
    """Return the largest numbers of merges and of symbols."""
    if vocab_size is None:
        wanted = DEFAULT_MERGES if num_merges is None else num_merges
        check_whole("num_merges", wanted, 0)
        return int(wanted), UNLIMITED
    if num_merges is not None:
        raise SubwordError("give num_merges or vocab_size, not both")
    check_whole("vocab_size", vocab_size, 1)
    if vocab_size < base + reserved:
        raise SubwordError(
            f"vocab_size {vocab_size} is too small: {base + reserved} ids are needed before any "
            "merge (bytes, characters inside and at the end of words, special tokens)"
        )
    return UNLIMITED, int(vocab_size) - reserved


def learn(
    words: Words, base: list[Symbol], options: Options, limits: tuple[int, int],
    max_token_length: int | None, progress: bool, frozen: Ints = _NONE,
) -> tuple[Merges, Seen | None]:  # fmt: skip
    """Learn with the engine that runs, behind the frozen merges if there are any."""
    if max_token_length is not None:
        check_whole("max_token_length", max_token_length, 1)
    engine = _learn_natively if native.core() else _learn_in_python
    with progress_bar(title="learn", unit=" merges", shown=progress) as bar:
        return engine(words, base, options, limits, max_token_length or 0, bar, frozen)


def _learn_natively(
    words: Words, base: list[Symbol], options: Options, limits: tuple[int, int], longest: int,
    bar: Any, frozen: Ints = _NONE,
) -> tuple[Merges, Seen | None]:  # fmt: skip
    left, right, result, counts, applied, ids, ends = native.core().learn(
        (words.text, words.offsets), words.counts, base, options.level, options.end_of_word,
        options.tie_break, *limits, max(options.min_frequency, 1), longest,
        lambda done: bar.update(done - bar.n), _REMEMBERED, (frozen[:, 0], frozen[:, 1]),
    )  # fmt: skip
    bar.update(len(left) - bar.n)
    merges = Merges(np.column_stack([left, right, result]), counts, applied)
    # A merge that makes a known symbol makes pairs for which learning, unlike encoding, is past.
    as_encoded = np.array_equal(result, np.arange(len(base), len(base) + len(result)))
    return merges, _seen(words, ids, ends, merges.ids) if as_encoded else None


def _seen(words: Words, ids: Ints, ends: Longs, merges: Ints) -> Seen:
    offsets = words.offsets[: len(ends) + 1]
    return Seen(words.text[: offsets[-1]].copy(), offsets.copy(), ids, ends, merges)


def _learn_in_python(
    words: Words, base: list[Symbol], options: Options, limits: tuple[int, int], longest: int,
    bar: Any, frozen: Ints = _NONE,
) -> tuple[Merges, None]:  # fmt: skip
    text = words.text.tobytes()
    spelt = (
        (reference.spell(text[start:end].decode("utf-8", "surrogateescape"), *options[:2]), count)
        for (start, end), count in zip(
            pairwise(words.offsets.tolist()), words.counts.tolist(), strict=True
        )
    )
    learner = reference.Learner(spelt, base, options.tie_break, longest)
    for left, right, _ in frozen.tolist():
        learner.merge((left, right))
    merges: list[Merge] = []
    while len(merges) < limits[0] and len(learner.symbols) < limits[1]:
        pair = learner.best(options.min_frequency)
        if pair is None:
            break
        merges.append(learner.merge(pair))
        bar.update()
    return Merges.of(merges), None


def with_results(base: list[Symbol], merged: npt.NDArray[np.int32]) -> list[Symbol]:
    """Return the symbols by id: those there were, and those the merges made."""
    symbols = list(base)
    for left, right, result in merged.tolist():
        if result == len(symbols):
            symbols.append((symbols[left][0] + symbols[right][0], symbols[right][1]))
    return symbols
