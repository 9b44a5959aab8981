"""Raw texts to sparse counts of subword pieces, as scikit-learn estimators."""

from __future__ import annotations

import inspect
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils import TransformerTags, check_array
from sklearn.utils.validation import check_is_fitted

from . import matrix, ngrams
from .alphabet import feature_names
from .coder import Ints, Longs
from .counts import WordCounts
from .documents import nothing_found, read_documents, threads
from .errors import SubwordError, SubwordWarning
from .formats import load, loads
from .model import BPE
from .normalize import check_normalization
from .options import LEVELS, check_choice, check_whole
from .specials import special_pattern
from .trainer import train

_RULES = ("lowercase", "level", "end_of_word", "pretokenizer", "tie_break", "min_frequency",
          "unknown", "normalization")  # what a given model brings along  # fmt: skip


class SubwordVectorizer(BaseEstimator):  # type: ignore[misc]  # no stubs
    r"""Turn raw texts into a sparse matrix of counts of subword pieces.

    `fit` learns a byte-pair encoding from the texts, splits them by it and makes a column of
    every piece, or n-gram of pieces. Parameters that `CountVectorizer` has too mean the same
    here; `input`, `encoding`, `decode_error`, `strip_accents`, `token_pattern`, `tokenizer` and
    `analyzer` do not exist: decode texts first, and use `normalization` and `pretokenizer`.

    A piece that ends a word is named as it is, ``lo``; one inside a word ``lo@@``. Where words
    are not marked every piece is named as it is. White space in a piece is spelt ``\s``, ``\n``,
    ``\t``, and a backslash stands before literal text that would read like another name. The
    pieces of an n-gram are joined by one space.

    Parameters
    ----------
    lowercase : bool, default=True
        Lower-case the texts (`str.lower`).
    preprocessor : callable, default=None
        Applied to each document in place of lower-casing; must return a str.
    stop_words : list of str, default=None
        Names of pieces to leave out before n-grams are made.
    ngram_range : tuple (min_n, max_n), default=(1, 1)
        Lengths of the n-grams of pieces, both included.
    max_df, min_df : float in [0, 1] or int, default=1.0 and 1
        Leave out what occurs in more or in fewer documents: a share (float) or a number (int).
    max_features : int, default=None
        Keep the features with the largest total counts; of equal ones the first by name.
    vocabulary : mapping or iterable of str, default=None
        Names of the features, with their columns if it is a mapping. Merges are learnt from the
        texts all the same, unless `bpe` is given.
    binary : bool, default=False
        Set all counts to 1.
    dtype : dtype, default=np.int64
        Type of the matrix.
    bpe : BPE or path, default=None
        A trained model, or the file of one, to use instead of learning. Its own rules apply:
        `lowercase`, `level`, `end_of_word`, `pretokenizer`, `tie_break`, `min_frequency`,
        `unknown` and `normalization` are ignored, with a warning when they say otherwise.
    num_merges : int, default=None
        Merges to learn, 8000 if None. Of a given `bpe` the first ones to use, all if None.
    level : {"char", "byte"}, default="char"
        What words are first split into; see `subword.train`, also for the following ones.
    end_of_word : {"auto", "suffix", "separate", None}, default="auto"
        How the ends of words are marked.
    pretokenizer : str, default="words"
        How texts become words: a name or a pattern.
    tie_break : {"largest", "largest_id", "smallest_id", "first"}, default="largest"
        Which of the most frequent pairs is merged.
    min_frequency : int, default=2
        Rarer pairs are not merged.
    unknown : {"bytes", "unk"}, default="bytes"
        What becomes of characters that were not seen in `fit`.
    normalization : str or sequence of str, default=None
        Named steps applied before anything else: NFC, NFD, NFKC, NFKD, strip_accents, squeeze.
    special_tokens : sequence of str, default=()
        Texts that are never split or normalised and become features of their own. With `bpe`,
        those special tokens of the model that texts may contain.
    missing : {"error", "empty"}, default="error"
        Whether None, NaN and NA are errors or empty documents.
    n_jobs : int, default=None
        Threads of the native engine, -1 for all; the result does not depend on it.

    Attributes
    ----------
    bpe_ : BPE
        The model in use.
    vocabulary_ : dict of str to int
        Columns by name, in the order of the names.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.

    See Also
    --------
    SubwordTfidfVectorizer : The same with tf-idf weights.

    Examples
    --------
    >>> vectorizer = SubwordVectorizer(num_merges=4)
    >>> X = vectorizer.fit_transform(["low low lower", "newest widest"])
    >>> vectorizer.get_feature_names_out()
    array(['d@@', 'e@@', 'i@@', 'lo@@', 'low', 'n@@', 'r', 'st', 'w@@', 'we@@'], dtype=object)
    >>> X.toarray()
    array([[0, 0, 0, 1, 2, 0, 1, 0, 0, 1],
           [1, 2, 1, 0, 0, 1, 0, 2, 1, 1]])

    """

    def __init__(
        self,
        *,
        lowercase: bool = True,
        preprocessor: Callable[[Any], str] | None = None,
        stop_words: Iterable[str] | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        dtype: npt.DTypeLike = np.int64,
        bpe: BPE | str | os.PathLike[str] | None = None,
        num_merges: int | None = None,
        level: str = "char",
        end_of_word: str | None = "auto",
        pretokenizer: str = "words",
        tie_break: str = "largest",
        min_frequency: int = 2,
        unknown: str = "bytes",
        normalization: str | Sequence[str] | None = None,
        special_tokens: Sequence[str] = (),
        missing: str = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.stop_words = stop_words
        self.ngram_range = ngram_range
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.bpe = bpe
        self.num_merges = num_merges
        self.level = level
        self.end_of_word = end_of_word
        self.pretokenizer = pretokenizer
        self.tie_break = tie_break
        self.min_frequency = min_frequency
        self.unknown = unknown
        self.normalization = normalization
        self.special_tokens = special_tokens
        self.missing = missing
        self.n_jobs = n_jobs

    # -- learning --------------------------------------------------------------------------

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Learn the merges and the features from texts, and their idf where it is used.

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
            For parameters that are out of range, for texts without any symbol, and when no
            feature is left.
        TypeError
            For a single str, and for documents that are none.

        """
        self._learn(X)
        return self

    def fit_transform(self, X: Iterable[str], y: object = None) -> Any:
        """Do what `fit` and then `transform` do, in one go.

        Parameters
        ----------
        X : iterable of str
            One text per document.
        y : None
            Ignored.

        Returns
        -------
        CSR matrix of shape (n_documents, n_features)
            The counts or weights, as of `transform`.

        """
        return self._weigh(self._learn(X))

    def _learn(self, X: Iterable[str]) -> Any:
        """Learn all there is to learn, then set it; return the counts."""
        self._check_parameters()
        given = None if self.bpe is None else self._given_model(self.bpe)
        texts = self._texts(X, self.level if given is None else given.level)
        bpe = self._train(texts) if given is None else given
        names = _piece_names(bpe)
        fixed = None if self.vocabulary is None else ngrams.check_vocabulary(self.vocabulary)
        stops = self._stops(names)
        special = tuple(self.special_tokens)
        ids, indptr = _encode(bpe, texts, special, stops, threads(self.n_jobs))
        if not len(ids):
            symbols = sum(bpe.count(text, allowed_special=special) for text in texts)
            raise nothing_found(texts, symbols)
        if fixed is None:
            table, counts = self._choose(ids, indptr, names)
        else:
            table = self._fixed(fixed, names)
            counts = table.count(ids, indptr, self.dtype, threads(self.n_jobs))
        self.bpe_, self._columns, self.fixed_vocabulary_ = bpe, fixed, fixed is not None
        self._table, self._names, self._stop_ids, self._special = table, names, stops, special
        self._lengths = tuple(map(int, self.ngram_range))
        counts = ngrams.finished(counts, self.dtype, self.binary)
        self._learn_weights(counts)
        return counts

    def _check_parameters(self) -> None:
        for name in ("lowercase", "binary"):
            check_choice(name, getattr(self, name), (True, False))
        if self.preprocessor is not None and not callable(self.preprocessor):
            raise SubwordError(f"preprocessor must be callable or None, got {self.preprocessor!r}")
        check_choice("missing", self.missing, ("error", "empty"))
        check_choice("level", self.level, LEVELS)
        special_pattern(self.special_tokens)
        ngrams.check_ngram_range(self.ngram_range)
        ngrams.check_df("max_df", self.max_df)
        ngrams.check_df("min_df", self.min_df)
        for name, smallest in (("max_features", 1), ("num_merges", 0)):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), smallest)
        ngrams.check_dtype(self.dtype)
        threads(self.n_jobs)

    def _given_model(self, source: object) -> BPE:
        """Return the model of `bpe=`, truncated; warn about parameters that it overrules."""
        if not isinstance(source, (BPE, str, os.PathLike)):
            raise SubwordError(f"bpe must be a BPE or the path of one, got {type(source).__name__}")
        bpe = source if isinstance(source, BPE) else load(source)
        own = bpe.options._asdict()
        own |= {"pretokenizer": bpe.pretokenizer, "lowercase": own["splitter"].lowercase,
                "normalization": own["splitter"].normalization}  # fmt: skip
        overruled = [name for name in _RULES if self._differs(name, own)]
        if overruled:
            ours, its = (
                ", ".join(f"{name}={values[name]!r}" for name in overruled)
                for values in (self.get_params(deep=False), own)
            )
            _tell(f"the model given as bpe= brings {its}, so {ours} will be ignored")
        if self.num_merges is None:
            return bpe
        if self.num_merges > bpe.num_merges:
            _tell(f"num_merges={self.num_merges}, but the model given has {bpe.num_merges}")
        return bpe.truncate(self.num_merges)

    def _differs(self, name: str, own: Mapping[str, Any]) -> bool:
        """Say whether a parameter was set, and to something that the model does not have."""
        value = getattr(self, name)
        default = inspect.signature(SubwordVectorizer).parameters[name].default
        if name == "normalization":
            value, default = check_normalization(value), ()
        return bool(value not in (default, own[name]))

    def _train(self, texts: list[str]) -> BPE:
        counts = WordCounts.from_texts(
            texts, pretokenizer=self.pretokenizer, normalization=self.normalization,
            lowercase=self.lowercase and self.preprocessor is None,
            special_tokens=self.special_tokens, n_jobs=threads(self.n_jobs),
        )  # fmt: skip
        if not counts and not self.special_tokens:
            raise nothing_found(texts, 0)
        return train(
            counts, self.num_merges, level=self.level, end_of_word=self.end_of_word,
            tie_break=self.tie_break, min_frequency=self.min_frequency, unknown=self.unknown,
            special_tokens=self.special_tokens, n_jobs=threads(self.n_jobs),
        )  # fmt: skip

    def _stops(self, names: list[str]) -> Ints:
        """Return the ids of the stop words."""
        wrong = isinstance(self.stop_words, str) or not isinstance(self.stop_words or (), Iterable)
        stops = [] if wrong else list(self.stop_words or ())
        if wrong or not all(isinstance(stop, str) for stop in stops):
            raise SubwordError(
                "stop_words must be a list of pieces as they are named, such as ['the', 'un@@'], "
                f"or None; got {self.stop_words!r:.60}"
            )
        known = {name: i for i, name in enumerate(names)}
        unknown = [stop for stop in stops if stop not in known]
        if unknown:
            _tell(
                f"{len(unknown)} of {len(stops)} stop_words are no pieces of this model and remove "
                f"nothing: {_few(unknown)}"
            )
        return np.array(sorted(known[stop] for stop in {*stops}.difference(unknown)), np.int32)

    def _choose(self, ids: Ints, indptr: Longs, names: list[str]) -> tuple[ngrams.NgramTable, Any]:
        """Return the features to keep, in the order of their names, and their counts."""
        fewest = math.ceil(ngrams.limit(self.min_df, len(indptr) - 1))
        found = matrix.find(ids, indptr, self.ngram_range, len(names), fewest)
        if not len(found):
            raise SubwordError(
                f"empty vocabulary: no document has the {self.ngram_range[0]} pieces in a row that "
                f"ngram_range={self.ngram_range} asks for"
            )
        kept = found.frequent(self.max_df, self.min_df)
        if self.max_features is not None and len(kept) > self.max_features:
            totals = found.totals(kept, self.binary)
            kept = ngrams.largest(kept, totals, self.max_features, found, names)
        return found.take(found.by_name(kept, names), self.dtype, threads(self.n_jobs))

    def _fixed(self, columns: Mapping[str, int], names: list[str]) -> ngrams.NgramTable:
        """Return the n-grams of given names; tell what cannot occur."""
        table = matrix.make_table(ngrams.table_of(columns, names, self.ngram_range))
        if never := table.unmatched(columns):
            _tell(
                f"{len(never)} of {len(columns)} names in vocabulary are no pieces of the model or "
                f"n-grams in ngram_range={self.ngram_range} and will not be matched with any "
                f"document: {_few(never)}; texts may be lower-cased, names not"
            )
        return table

    # -- using -----------------------------------------------------------------------------

    def transform(self, X: Iterable[str]) -> Any:
        """Count the features in texts; a `SubwordTfidfVectorizer` weighs them, too.

        Parameters
        ----------
        X : iterable of str
            One text per document; none at all gives a matrix without rows.

        Returns
        -------
        CSR matrix of shape (n_documents, n_features)
            The counts or weights, with sorted indices; rows in the order of the texts, zero for
            a text without any feature.

        """
        check_is_fitted(self)
        counts = self._count(self._texts(X, self.bpe_.level))
        return self._weigh(ngrams.finished(counts, self.dtype, self.binary))

    def _count(self, texts: list[str]) -> Any:
        """Count the features, in one go if there is nothing to do between the steps."""
        n_jobs = threads(self.n_jobs)
        if not self._special and not len(self._stop_ids):
            counts = self._table.count_texts(self.bpe_, texts, self.dtype, n_jobs)
            if counts is not None:
                return counts
        ids, indptr = _encode(self.bpe_, texts, self._special, self._stop_ids, n_jobs)
        return self._table.count(ids, indptr, self.dtype, n_jobs)

    def _learn_weights(self, counts: Any) -> None:
        """Learn what `_weigh` needs: nothing for counts."""

    def _weigh(self, counts: Any) -> Any:
        """Turn counts into what the matrix holds."""
        return counts

    def _texts(self, X: Iterable[Any], level: str) -> list[str]:
        """Read the documents once and check each."""
        if self.preprocessor is None and matrix.are_texts(X):
            return cast("list[str]", X)
        return read_documents(X, self.preprocessor, self.missing, allow_bytes=level == "byte")

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Columns by name, in the order of the names or as given. Made when first asked for."""
        if not hasattr(self, "_table"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
        if self._columns is None:
            self._columns = {name: i for i, name in enumerate(self._table.names(self._names))}
        return self._columns

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects, shape (n_features,)
            All different.

        """
        check_is_fitted(self)
        names = np.empty(len(self._table), object)
        names[[*self.vocabulary_.values()]] = [*self.vocabulary_]
        return names

    def inverse_transform(self, X: Any) -> list[npt.NDArray[np.object_]]:
        """Return for each row the names of the features that are not zero.

        Parameters
        ----------
        X : matrix of shape (n_documents, n_features)
            Sparse or dense.

        Returns
        -------
        list of n_documents arrays of str
            In the order of the columns.

        """
        names = self.get_feature_names_out()
        matrix = sp.csr_array(check_array(X, accept_sparse="csr", ensure_min_samples=0), copy=True)
        if matrix.shape[1] != len(names):
            raise SubwordError(f"X has {matrix.shape[1]} columns, this vectorizer {len(names)}")
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        bounds = matrix.indptr.tolist()
        return [names[matrix.indices[a:b]] for a, b in pairwise(bounds)]

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        """Return a function that gives the features of a text, repeats included.

        Unlike the columns they are not limited to the vocabulary. The function can be pickled,
        and be the `analyzer` of a `CountVectorizer`.

        Examples
        --------
        >>> vectorizer = SubwordVectorizer(num_merges=2).fit(["low lower low"])
        >>> vectorizer.build_analyzer()("Lower, low")
        ['lo@@', 'w@@', 'e@@', 'r', ',@@', '</w>', 'low']

        """
        check_is_fitted(self)
        return self._analyze

    def _analyze(self, text: Any) -> list[str]:
        texts = self._texts([text], self.bpe_.level)
        ids, _ = _encode(self.bpe_, texts, self._special, self._stop_ids, 1)
        pieces = [self._names[i] for i in ids]
        shortest, longest = self._lengths
        return [
            " ".join(pieces[i : i + n])
            for n in range(shortest, longest + 1)
            for i in range(len(pieces) - n + 1)
        ]

    def locate(self, feature: str, text: str) -> list[tuple[int, int]]:
        """Say where a feature occurs in a text.

        Parameters
        ----------
        feature : str
            The name of a feature.
        text : str
            One document. With a `preprocessor`, places are those in the text it returns.

        Returns
        -------
        list of (int, int)
            Start and end of each occurrence, in characters of the text as it was given.

        Examples
        --------
        >>> vectorizer = SubwordVectorizer(num_merges=2).fit(["low lower low"])
        >>> vectorizer.locate("low", "LOW, lower, low")
        [(0, 3), (12, 15)]

        """
        check_is_fitted(self)
        if feature not in self.vocabulary_:
            raise SubwordError(
                f"no feature {feature!r} among the {len(self._table):,}; names of pieces "
                "inside a word end in @@, see get_feature_names_out()"
            )
        gram = self._table.gram(self.vocabulary_[feature])
        (document,) = self._texts([text], self.bpe_.level)
        ids, spans = self.bpe_.encode_with_offsets(document, allowed_special=self._special)
        stops = {*self._stop_ids.tolist()}
        kept = [(i, span) for i, span in zip(ids, spans, strict=True) if i not in stops]
        size = len(gram)
        return [
            (kept[i][1][0], kept[i + size - 1][1][1])
            for i in range(len(kept) - size + 1)
            if size and [j for j, _ in kept[i : i + size]] == gram
        ]

    # -- being an estimator ----------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = self.missing == "empty"
        tags.transformer_tags = TransformerTags(preserves_dtype=[])  # the parameter `dtype` says
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Pack: models as text, features as arrays of ids; no names that follow from these."""
        state = dict(super().__getstate__())
        if isinstance(self.bpe, BPE):
            state["bpe"], state["_given"] = None, self.bpe.dumps()
        if "bpe_" in state:
            bpe, table, vocabulary = (state.pop(name) for name in ("bpe_", "_table", "_columns"))
            del state["_names"]
            state["_model"] = "" if bpe is self.bpe else bpe.dumps()
            state["_never"] = table.unmatched(vocabulary) if self.fixed_vocabulary_ else []
            state["_grams"], state["_sizes"] = ngrams.packed(table.flat), ngrams.packed(table.sizes)
            state["_stop_ids"] = ngrams.packed(self._stop_ids)
            if self.fixed_vocabulary_:
                state["_order"] = ngrams.packed(np.array([*vocabulary.values()]))
        return dict(sorted(state.items()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_given" in state:
            state["bpe"] = loads(state.pop("_given"))
        if "_model" in state:
            text = state.pop("_model")
            bpe = loads(text) if text else state["bpe"]
            names = _piece_names(bpe)
            flat, sizes = (state.pop(name).astype(np.int32) for name in ("_grams", "_sizes"))
            table = matrix.make_table(ngrams.NgramTable(flat, sizes, len(names)))
            never, order = iter(state.pop("_never")), state.pop("_order", None)
            spelt = None if order is None else table.names(names)
            columns = spelt and {spelt[i] or next(never): int(i) for i in order}
            state["_stop_ids"] = state["_stop_ids"].astype(np.int32)
            state |= {"bpe_": bpe, "_columns": columns, "_table": table, "_names": names}
        # Interned as names of attributes are, or the next pickle would not have the same bytes.
        super().__setstate__({sys.intern(name): value for name, value in state.items()})


class SubwordTfidfVectorizer(SubwordVectorizer):
    """Turn raw texts into a sparse matrix of tf-idf weights of subword pieces.

    The same as a `SubwordVectorizer` followed by scikit-learn's `TfidfTransformer`.

    Parameters
    ----------
    norm : {"l1", "l2", None}, default="l2"
        What is made 1 in every row: the sum of the weights, or of their squares.
    use_idf : bool, default=True
        Weight by inverse document frequency.
    smooth_idf : bool, default=True
        Count one document more that has every feature.
    sublinear_tf : bool, default=False
        Replace a count by ``1 + log(count)``.
    dtype : {np.float64, np.float32}, default=np.float64
        Type of the matrix.
    lowercase, preprocessor, stop_words, ngram_range, max_df, min_df, max_features, vocabulary, \
binary, bpe, num_merges, level, end_of_word, pretokenizer, tie_break, min_frequency, unknown, \
normalization, special_tokens, missing, n_jobs
        As in `SubwordVectorizer`, where the names of features are explained, too.

    Attributes
    ----------
    bpe_ : BPE
        The model in use.
    vocabulary_ : dict of str to int
        Columns by name, in the order of the names.
    fixed_vocabulary_ : bool
        Whether the vocabulary was given.
    idf_ : ndarray of shape (n_features,)
        Inverse document frequencies, if `use_idf`; can be set on a fitted vectorizer.

    Examples
    --------
    >>> vectorizer = SubwordTfidfVectorizer(num_merges=4)
    >>> X = vectorizer.fit_transform(["low low lower", "newest widest"])
    >>> vectorizer.inverse_transform(X[0])
    [array(['lo@@', 'low', 'r', 'we@@'], dtype=object)]
    >>> X[0].data.round(2)
    array([0.39, 0.78, 0.39, 0.28])

    """

    def __init__(
        self,
        *,
        lowercase: bool = True,
        preprocessor: Callable[[Any], str] | None = None,
        stop_words: Iterable[str] | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        binary: bool = False,
        dtype: npt.DTypeLike = np.float64,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        bpe: BPE | str | os.PathLike[str] | None = None,
        num_merges: int | None = None,
        level: str = "char",
        end_of_word: str | None = "auto",
        pretokenizer: str = "words",
        tie_break: str = "largest",
        min_frequency: int = 2,
        unknown: str = "bytes",
        normalization: str | Sequence[str] | None = None,
        special_tokens: Sequence[str] = (),
        missing: str = "error",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            lowercase=lowercase, preprocessor=preprocessor, stop_words=stop_words,
            ngram_range=ngram_range, max_df=max_df, min_df=min_df, max_features=max_features,
            vocabulary=vocabulary, binary=binary, dtype=dtype, bpe=bpe, num_merges=num_merges,
            level=level, end_of_word=end_of_word, pretokenizer=pretokenizer, tie_break=tie_break,
            min_frequency=min_frequency, unknown=unknown, normalization=normalization,
            special_tokens=special_tokens, missing=missing, n_jobs=n_jobs,
        )  # fmt: skip
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def _learn_weights(self, counts: Any) -> None:
        self._tfidf = TfidfTransformer(
            norm=self.norm, use_idf=self.use_idf, smooth_idf=self.smooth_idf,
            sublinear_tf=self.sublinear_tf,
        ).fit(counts)  # fmt: skip

    def _weigh(self, counts: Any) -> Any:
        if counts.shape[0]:
            return self._tfidf.transform(counts, copy=False)
        return counts.astype(np.float32 if np.dtype(self.dtype) == np.float32 else np.float64)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("norm", self.norm, ("l1", "l2", None))
        for name in ("use_idf", "smooth_idf", "sublinear_tf"):
            check_choice(name, getattr(self, name), (True, False))
        if np.dtype(self.dtype) not in (np.float64, np.float32):
            _tell(
                f"only float64 and float32 'dtype' should be used; {np.dtype(self.dtype)} will be "
                "converted to float64"
            )

    @property
    def idf_(self) -> npt.NDArray[Any]:
        """Inverse document frequencies; only if `use_idf`."""
        if not hasattr(self, "_tfidf"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
        idf: npt.NDArray[Any] = self._tfidf.idf_
        return idf

    @idf_.setter
    def idf_(self, value: npt.ArrayLike) -> None:
        check_is_fitted(self)
        idf = np.asarray(value, self.idf_.dtype) if self.use_idf else None
        if idf is None or idf.shape != (len(self._table),):
            raise SubwordError(
                f"idf_ needs use_idf=True and {len(self._table)} numbers, one a feature; got "
                f"use_idf={self.use_idf} and an array of shape {np.shape(value)}"
            )
        self._tfidf.idf_ = idf


# -- models, names and checks ------------------------------------------------------------------


def _encode(
    bpe: BPE, texts: Sequence[str], special: tuple[str, ...], stops: Ints, threads: int
) -> tuple[Ints, Longs]:
    """Return the ids of all texts one after another, without stop words, and where each begins."""
    ids, indptr = matrix.encode(bpe, texts, special, threads)
    if not len(stops):
        return ids, indptr
    kept = ~np.isin(ids, stops)
    return ids[kept], ngrams.count_before(kept)[indptr]


def _piece_names(bpe: BPE) -> list[str]:
    """Name every id; special tokens and ``<unk>`` as they are, all different."""
    own = [*bpe._special_ids.values()]
    own += [bpe._coder.unk] if bpe.options.unknown == "unk" else []
    return feature_names(bpe.symbols, bpe.end_of_word is not None, own)


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")


def _tell(message: str) -> None:
    warnings.warn(message, SubwordWarning, stacklevel=5)
