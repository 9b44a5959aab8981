"""What every estimator of texts does before it counts: check, read, learn or take a model."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import TransformerTags

from . import ngrams
from .coder import Ints, Longs
from .counts import WordCounts
from .documents import nothing_found, read_documents, tag_texts, threads
from .errors import SubwordError, tell
from .formats import load, unpack
from .lessons import learn_texts
from .model import BPE
from .normalize import check_normalization
from .options import LEVELS, check_choice, check_whole
from .pretokenize import Splitter
from .specials import special_pattern
from .streams import Streams
from .trainer import make_options

_RULES = ("lowercase", "level", "end_of_word", "pretokenizer", "tie_break", "min_frequency",
          "unknown", "normalization")  # what a given model brings along  # fmt: skip


class TextEstimator(BaseEstimator):  # type: ignore[misc]  # no stubs
    """An estimator that turns texts into the pieces of a model; its parameters are theirs.

    The classes made of it store: `lowercase`, `preprocessor`, `stop_words`, `ngram_range`,
    `ngram_within`, `granularities`, `bpe`, `num_merges`, `level`, `end_of_word`, `pretokenizer`,
    `tie_break`, `min_frequency`, `unknown`, `normalization`, `special_tokens`, `missing`,
    `dtype`, `binary`, `n_jobs`. `SubwordVectorizer` says what they mean. And they bring `_learn`,
    which returns counts, and `_weigh`, which makes the matrix of them.
    """

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Learn from texts: the merges if no `bpe` is given, the features, idf where it is used.

        Parameters
        ----------
        X : iterable of str
            One text per document; it is read once.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted vectorizer.

        Raises
        ------
        SubwordError
            For parameters that are out of range, for texts without any symbol to learn from, and
            when no feature is left.
        TypeError
            For a single str, and for documents that are none.

        """
        self._learn(X)
        return self

    def fit_transform(self, X: Iterable[str], y: object = None) -> Any:
        """Do what `fit` and then `transform` do, in one go; parameters and result are theirs."""
        return self._weigh(self._learn(X))

    def _check_parameters(self) -> None:
        for name in ("lowercase", "binary"):
            check_choice(name, getattr(self, name), (True, False))
        if self.preprocessor is not None and not callable(self.preprocessor):
            raise SubwordError(f"preprocessor must be callable or None, got {self.preprocessor!r}")
        check_choice("missing", self.missing, ("error", "empty"))
        check_choice("level", self.level, LEVELS)
        check_choice("ngram_within", self.ngram_within, ("document", "word"))
        special_pattern(self.special_tokens)
        ngrams.check_ngram_range(self.ngram_range)
        check_granularities(self.granularities)
        if self.num_merges is not None:
            check_whole("num_merges", self.num_merges, 0)
        ngrams.check_dtype(self.dtype)
        threads(self.n_jobs)

    # -- the model -------------------------------------------------------------------------

    @property
    def _size(self) -> int | None:
        """The number of merges asked for."""
        size: int | None = max(self.granularities) if self.granularities else self.num_merges
        return size

    def _read(self, X: Iterable[Any]) -> tuple[BPE | None, list[str]]:
        """Return the model that is given, if one is, and the texts."""
        given = None if self.bpe is None else self._given_model(self.bpe)
        return given, self._texts(X, self.level if given is None else given.level)

    def _streams_of(self, bpe: BPE) -> Streams:
        """Return what turns texts into ids."""
        if self.granularities:
            self._tell_ignored(
                "granularities says how many merges and which n-grams", "num_merges", "ngram_range"
            )
        ranges = dict(self.granularities) if self.granularities else tuple(self.ngram_range)
        return Streams(bpe, ranges, self.ngram_within == "word", self.special_tokens)

    def _tell_ignored(self, because: str, *names: str) -> None:
        """Tell which of some parameters were set in vain."""
        kind: type = type(self)
        defaults = _defaults(kind)
        ignored = {
            name: getattr(self, name) for name in names if getattr(self, name) != defaults[name]
        }
        if ignored:
            tell(f"{because}, so {_settings(ignored)} will be ignored")

    def _given_model(self, source: object) -> BPE:
        """Return the model of `bpe=`, truncated; warn about parameters that it overrules."""
        bpe = model_of(source)
        own = bpe.options._asdict() | bpe.options.splitter.rules
        overruled = [name for name in _RULES if self._differs(name, own)]
        if overruled:
            ours = {name: getattr(self, name) for name in overruled}
            its = _settings({name: own[name] for name in overruled})
            tell(f"the model given as bpe= brings {its}, so {_settings(ours)} will be ignored")
        size = self._size
        if size is None:
            return bpe
        if size > bpe.num_merges:
            asked = "granularities has " if self.granularities else "num_merges="
            tell(f"{asked}{size}, but the model given has {bpe.num_merges}: all of them are used")
        return bpe.truncate(size)

    def _differs(self, name: str, own: Mapping[str, Any]) -> bool:
        """Say whether a parameter was set, and to something that the model does not have."""
        kind: type = type(self)
        value, default = getattr(self, name), _defaults(kind)[name]
        if name == "normalization":
            value, default = check_normalization(value), ()
        return bool(value not in (default, own[name]))

    def _train(self, texts: list[str]) -> BPE:
        lowercase = self.lowercase and self.preprocessor is None
        splitter = Splitter(self.pretokenizer, lowercase, self.normalization or ())

        def count() -> WordCounts:
            counts = WordCounts.from_texts(
                texts, special_tokens=self.special_tokens, n_jobs=threads(self.n_jobs),
                **splitter.rules,
            )  # fmt: skip
            if not counts and not self.special_tokens:
                raise nothing_found(texts, 0)
            return counts

        options = make_options(
            self.level, self.end_of_word, splitter, self.unknown, self.tie_break,
            self.min_frequency,
        )  # fmt: skip
        return learn_texts(texts, count, options, self._size, self.special_tokens)

    # -- the texts -------------------------------------------------------------------------

    def _texts(self, X: Iterable[Any], level: str) -> list[str]:
        """Read the documents once and check each."""
        return read_documents(X, self.preprocessor, self.missing, allow_bytes=level == "byte")

    def _stops(self, names: Sequence[str]) -> Ints:
        """Return the ids of the stop words."""
        wrong = isinstance(self.stop_words, str) or not isinstance(self.stop_words or (), Iterable)
        stops = [] if wrong else list(self.stop_words or ())
        if wrong or not all(isinstance(stop, str) for stop in stops):
            raise SubwordError(
                "stop_words must be a list of pieces as they are named, such as ['the', 'un@@'], "
                f"or None; got {self.stop_words!r:.60}"
            )
        if not stops:
            return np.zeros(0, np.int32)
        known = {name: i for i, name in enumerate(names)}
        unknown = [stop for stop in stops if stop not in known]
        if unknown:
            tell(
                f"{len(unknown)} of {len(stops)} stop_words are no pieces of this model and remove "
                f"nothing: {few(unknown)}"
            )
        return np.array(sorted(known[stop] for stop in {*stops}.difference(unknown)), np.int32)

    # -- being an estimator ----------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = tag_texts(super().__sklearn_tags__(), self.missing)
        tags.transformer_tags = TransformerTags(preserves_dtype=[])  # the parameter `dtype` says
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Pack: models as text, not more than once; no names, handles and caches."""
        state = dict(super().__getstate__())
        if isinstance(self.bpe, BPE):
            state["bpe"], state["_given"] = None, self.bpe.dumps()
        if "_streams" in state:
            bpe, streams = state.pop("bpe_"), state.pop("_streams")
            state["_model"] = "" if bpe is self.bpe else bpe.dumps()
            state["_ranges"], state["_within"] = streams.ranges, bool(streams.layout.openers)
            state["_special"], state["_stop_ids"] = streams.special, ngrams.packed(self._stop_ids)
        return dict(sorted(state.items()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_given" in state:
            state["bpe"] = unpack(state.pop("_given"))
        if "_model" in state:
            text = state.pop("_model")
            bpe = unpack(text) if text else state["bpe"]
            options = (state.pop(name) for name in ("_ranges", "_within", "_special"))
            state |= {"bpe_": bpe, "_streams": Streams(bpe, *options)}
            state["_stop_ids"] = state["_stop_ids"].astype(np.int32)
        # Interned as names of attributes are, or the next pickle would not have the same bytes.
        super().__setstate__({sys.intern(name): value for name, value in state.items()})


def check_granularities(value: Any) -> None:
    """Raise `SubwordError` for what does not map numbers of merges to lengths of n-grams."""
    if value is None:
        return
    if not isinstance(value, Mapping) or not value:
        raise SubwordError(
            "granularities must be None or map numbers of merges to lengths of n-grams, such as "
            f"{{500: (1, 4), 8000: (1, 2)}}; got {value!r}"
        )
    for size, ngram_range in value.items():
        check_whole("granularities", size, 0)
        ngrams.check_ngram_range(ngram_range)


def without(stops: Ints, ids: Ints, indptr: Longs) -> tuple[Ints, Longs]:
    """Return ids without stop words, and where each row begins."""
    if not len(stops):
        return ids, indptr
    kept = ~np.isin(ids, stops)
    return ids[kept], ngrams.count_before(kept)[indptr]


def model_of(source: object) -> BPE:
    """Return a model, or that of a path: what was read when the file was as it is now."""
    if isinstance(source, BPE):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise SubwordError(f"bpe must be a BPE or the path of one, got {type(source).__name__}")
    if not os.path.isfile(source):
        return load(source)
    state = os.stat(source)
    return _read_once(os.path.abspath(source), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _read_once(path: str, changed: int, size: int) -> BPE:
    return load(path)


def _settings(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


@lru_cache(maxsize=64)
def _defaults(kind: type) -> dict[str, Any]:
    """Return the default of each parameter of a class."""
    return {name: one.default for name, one in inspect.signature(kind).parameters.items()}


def few(names: Sequence[str]) -> str:
    """Spell the first of some names."""
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
