"""Raw texts to sparse counts of subword pieces, as scikit-learn estimators."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils import TransformerTags, check_array
from sklearn.utils.validation import check_is_fitted

from .alphabet import feature_name
from .counts import WordCounts
from .errors import SubwordError, SubwordWarning
from .formats import load, loads
from .model import BPE
from .normalize import check_normalization
from .options import LEVELS, check_choice, check_whole
from .pretokenize import check_text, check_texts
from .specials import special_pattern
from .trainer import train

Ids = npt.NDArray[np.int32]
Indptr = npt.NDArray[np.int64]
Places = npt.NDArray[Any]

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
        """Learn the merges and the features from texts.

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
            The counts.

        """
        return self._learn(X)

    def _learn(self, X: Iterable[str]) -> Any:
        """Learn all there is to learn, then set it; return the counts."""
        self._check_parameters()
        given = None if self.bpe is None else self._given_model(self.bpe)
        texts = self._texts(X, self.level if given is None else given.level)
        bpe = self._train(texts) if given is None else given
        names = _piece_names(bpe)
        fixed = None if self.vocabulary is None else _columns(self.vocabulary)
        stops = self._stops(names)
        special = tuple(self.special_tokens)
        ids, indptr = _encode(bpe, texts, special, stops, self._threads())
        self._check_found(ids, bpe, texts, special)
        if fixed is None:
            table, counts = self._choose(ids, indptr, names)
            vocabulary = {name: i for i, name in enumerate(table.names(names))}
        else:
            table, vocabulary = self._fixed(fixed, names), fixed
            counts = table.count(ids, indptr)
        self.bpe_, self.vocabulary_, self.fixed_vocabulary_ = bpe, vocabulary, fixed is not None
        self._table, self._names, self._stop_ids, self._special = table, names, stops, special
        self._lengths = tuple(map(int, self.ngram_range))
        return self._finish(counts)

    def _check_parameters(self) -> None:
        for name in ("lowercase", "binary"):
            check_choice(name, getattr(self, name), (True, False))
        if self.preprocessor is not None and not callable(self.preprocessor):
            raise SubwordError(f"preprocessor must be callable or None, got {self.preprocessor!r}")
        check_choice("missing", self.missing, ("error", "empty"))
        check_choice("level", self.level, LEVELS)
        special_pattern(self.special_tokens)
        _check_ngram_range(self.ngram_range)
        _check_df("max_df", self.max_df)
        _check_df("min_df", self.min_df)
        for name, smallest in (("max_features", 1), ("num_merges", 0)):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), smallest)
        _check_dtype(self.dtype)
        self._threads()

    def _threads(self) -> int:
        """Return the number of threads; one inside a parallel grid search."""
        if self.n_jobs is not None:
            check_whole("n_jobs", self.n_jobs, -(2**31))
        if self.n_jobs == 0:
            raise SubwordError("n_jobs must be None, a number of threads, or -1 for all; got 0")
        return int(effective_n_jobs(self.n_jobs))

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
            special_tokens=self.special_tokens, n_jobs=self._threads(),
        )  # fmt: skip
        if not counts and not self.special_tokens:
            raise _nothing_found(texts, 0)
        return train(
            counts, self.num_merges, level=self.level, end_of_word=self.end_of_word,
            tie_break=self.tie_break, min_frequency=self.min_frequency, unknown=self.unknown,
            special_tokens=self.special_tokens, n_jobs=self._threads(),
        )  # fmt: skip

    def _stops(self, names: list[str]) -> Ids:
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

    def _check_found(self, ids: Ids, bpe: BPE, texts: list[str], special: tuple[str, ...]) -> None:
        if not len(ids):
            symbols = sum(bpe.count(text, allowed_special=special) for text in texts)
            raise _nothing_found(texts, symbols)

    def _choose(self, ids: Ids, indptr: Indptr, names: list[str]) -> tuple[_NgramTable, Any]:
        """Return the features to keep, in the order of their names, and their counts."""
        table, counts = _find_ngrams(ids, indptr, self.ngram_range, len(names))
        if not len(table):
            raise SubwordError(
                f"empty vocabulary: no document has the {self.ngram_range[0]} pieces in a row that "
                f"ngram_range={self.ngram_range} asks for"
            )
        kept = self._frequent(counts)
        if self.max_features is not None and len(kept) > self.max_features:
            totals = (counts > 0 if self.binary else counts).sum(axis=0)[kept]
            kept = _largest(kept, totals, self.max_features, table, names)
        spelt = table.select(kept).names(names)
        order = kept[sorted(range(len(kept)), key=spelt.__getitem__)]
        return table.select(order), _take_columns(counts, order)

    def _frequent(self, counts: Any) -> Places:
        """Return the columns whose document frequency is in bounds."""
        documents, features = counts.shape
        high, low = (
            limit if isinstance(limit, Integral) else limit * documents
            for limit in (self.max_df, self.min_df)
        )
        if high < low:
            raise SubwordError(
                f"max_df corresponds to < documents than min_df: {high} and {low} of {documents}"
            )
        frequencies = np.bincount(counts.indices, minlength=features)
        kept = np.flatnonzero((frequencies >= low) & (frequencies <= high))
        if not len(kept):
            raise SubwordError(
                f"no features remain of {features}: try a lower min_df (now {self.min_df}) or a "
                f"higher max_df (now {self.max_df})"
            )
        return kept

    def _fixed(self, columns: Mapping[str, int], names: list[str]) -> _NgramTable:
        """Return the n-grams of given names; what cannot occur gets an empty one."""
        shortest, longest = self.ngram_range
        known = {name: i for i, name in enumerate(names)}
        grams: list[list[int]] = [[] for _ in columns]
        never = []
        for name, column in columns.items():
            parts = name.split(" ")
            if shortest <= len(parts) <= longest and all(part in known for part in parts):
                grams[column] = [known[part] for part in parts]
            else:
                never.append(name)
        if never:
            _tell(
                f"{len(never)} of {len(columns)} names in vocabulary are no pieces of the model or "
                f"n-grams in ngram_range={self.ngram_range} and will not be matched with any "
                f"document: {_few(never)}; texts may be lower-cased, names not"
            )
        flat = np.fromiter(chain.from_iterable(grams), np.int32)
        return _NgramTable(flat, np.array([*map(len, grams)], np.int32), len(names))

    # -- using -----------------------------------------------------------------------------

    def transform(self, X: Iterable[str]) -> Any:
        """Count the features in texts.

        Parameters
        ----------
        X : iterable of str
            One text per document; none at all gives a matrix without rows.

        Returns
        -------
        CSR matrix of shape (n_documents, n_features)
            The counts, with sorted indices; rows in the order of the texts.

        """
        return self._count(X)

    def _count(self, X: Iterable[str]) -> Any:
        check_is_fitted(self)
        texts = self._texts(X, self.bpe_.level)
        return self._finish(self._table.count(*self._encode(texts)))

    def _encode(self, texts: list[str]) -> tuple[Ids, Indptr]:
        return _encode(self.bpe_, texts, self._special, self._stop_ids, self._threads())

    def _finish(self, counts: Any) -> Any:
        """Give a matrix of counts the form that was asked for."""
        dtype = np.dtype(self.dtype)
        if self.binary:
            counts.data.fill(1)
        elif dtype.kind in "iu" and counts.nnz and counts.data.max() > np.iinfo(dtype).max:
            raise OverflowError(f"a count of {counts.data.max()} does not fit into dtype {dtype}")
        wanted = get_config().get("sparse_interface", "spmatrix")
        form = sp.csr_array if wanted == "sparray" else sp.csr_matrix
        finished = form((counts.data.astype(dtype), counts.indices, counts.indptr), counts.shape)
        finished.has_sorted_indices = finished.has_canonical_format = True
        return finished

    def _texts(self, X: Iterable[Any], level: str) -> list[str]:
        """Read the documents once and check each."""
        texts = []
        for row, document in enumerate(_rows(X)):
            absent = _is_missing(document)
            if absent and self.missing == "empty":
                document = ""
            elif self.preprocessor is not None and not absent:
                document = self.preprocessor(document)
            try:
                check_text(document, row, level == "byte")
            except TypeError as error:
                raise TypeError(f"{error}{_hint(document)}") from None
            texts.append(document)
        return texts

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
        names = np.empty(len(self.vocabulary_), object)
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
        ids, _ = self._encode(self._texts([text], self.bpe_.level))
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
                f"no feature {feature!r} among the {len(self.vocabulary_):,}; names of pieces "
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
            bpe, vocabulary = state.pop("bpe_"), state.pop("vocabulary_")
            table = state.pop("_table")
            del state["_names"]
            state["_model"] = "" if bpe is self.bpe else bpe.dumps()
            state["_never"] = [name for name, i in vocabulary.items() if not table.sizes[i]]
            state["_grams"], state["_sizes"] = _packed(table.flat), _packed(table.sizes)
            state["_stop_ids"] = _packed(self._stop_ids)
            if self.fixed_vocabulary_:
                state["_order"] = _packed(np.array([*vocabulary.values()]))
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
            table = _NgramTable(flat, sizes, len(names))
            spelt, never = table.names(names), iter(state.pop("_never"))
            order = state.pop("_order", range(len(table)))
            vocabulary = {spelt[i] or next(never): int(i) for i in order}
            state["_stop_ids"] = state["_stop_ids"].astype(np.int32)
            state |= {"bpe_": bpe, "vocabulary_": vocabulary, "_table": table, "_names": names}
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

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Learn the merges, the features and their idf from texts.

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

        """
        self._learn_idf(X)
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
            The weights.

        """
        counts = self._learn_idf(X)
        return self._tfidf.transform(counts, copy=False)

    def transform(self, X: Iterable[str]) -> Any:
        """Weigh the features of texts.

        Parameters
        ----------
        X : iterable of str
            One text per document; none at all gives a matrix without rows.

        Returns
        -------
        CSR matrix of shape (n_documents, n_features)
            The weights; documents without any feature are zero.

        """
        counts = self._count(X)
        if counts.shape[0]:
            return self._tfidf.transform(counts, copy=False)
        return counts.astype(np.float32 if np.dtype(self.dtype) == np.float32 else np.float64)

    def _learn_idf(self, X: Iterable[str]) -> Any:
        counts = self._learn(X)
        self._tfidf = TfidfTransformer(
            norm=self.norm, use_idf=self.use_idf, smooth_idf=self.smooth_idf,
            sublinear_tf=self.sublinear_tf,
        ).fit(counts)  # fmt: skip
        return counts

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
        if idf is None or idf.shape != (len(self.vocabulary_),):
            raise SubwordError(
                f"idf_ needs use_idf=True and {len(self.vocabulary_)} numbers, one a feature; got "
                f"use_idf={self.use_idf} and an array of shape {np.shape(value)}"
            )
        self._tfidf.idf_ = idf


# -- texts -> ids, ids -> counts: the two seams of the native engine ---------------------------


def _encode(
    bpe: BPE, texts: Sequence[str], special: tuple[str, ...], stops: Ids, threads: int
) -> tuple[Ids, Indptr]:
    """Return the ids of all texts one after another, without stop words, and where each begins."""
    ids, indptr = bpe.encode_batch(texts, n_jobs=threads, allowed_special=special)
    if not len(stops):
        return ids, indptr
    kept = ~np.isin(ids, stops)
    return ids[kept], _count_before(kept)[indptr]


def _count_before(kept: npt.NDArray[np.bool_]) -> Indptr:
    """Return how many are kept before each place, the end included."""
    return np.concatenate(([0], np.cumsum(kept)))


class _NgramTable:
    """Known n-grams, one a column, found by a walk over their prefixes.

    Parameters
    ----------
    flat : ndarray of int32
        The ids of all n-grams, one after another.
    sizes : ndarray of int32, shape (n_columns,)
        How many ids each n-gram has. One without any never occurs.
    base : int
        Greater than all ids.

    """

    def __init__(self, flat: Ids, sizes: Ids, base: int) -> None:
        self.flat, self.sizes, self.base = flat, sizes, base
        self.starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))

    def __len__(self) -> int:
        return len(self.sizes)

    def gram(self, column: int) -> list[int]:
        ids: list[int] = self.flat[self.starts[column] : self.starts[column + 1]].tolist()
        return ids

    def names(self, pieces: Sequence[str]) -> list[str]:
        spelt = [pieces[i] for i in self.flat]
        bounds = self.starts.tolist()
        return [" ".join(spelt[a:b]) for a, b in pairwise(bounds)]

    def select(self, columns: Places) -> _NgramTable:
        """Return the table of some columns in the order given."""
        sizes = self.sizes[columns]
        ends = np.cumsum(sizes, dtype=np.int64)
        shift = np.repeat(self.starts[columns] - (ends - sizes), sizes)
        return _NgramTable(self.flat[np.arange(len(shift)) + shift], sizes, self.base)

    def _levels(self) -> Iterator[tuple[Places, Places]]:
        """Yield by length the sorted keys of all prefixes, and the column each is (-1: none)."""
        nodes = np.zeros(len(self), np.int64)
        for n in range(int(self.sizes.max(initial=0))):
            longer = np.flatnonzero(self.sizes > n)
            raw = nodes[longer] * self.base + self.flat[self.starts[longer] + n]
            keys, nodes[longer] = np.unique(raw, return_inverse=True)
            columns = np.full(len(keys), -1)
            whole = np.flatnonzero(self.sizes == n + 1)
            columns[nodes[whole]] = whole
            yield keys, columns

    def count(self, ids: Ids, indptr: Indptr) -> Any:
        """Count the n-grams in documents; return a CSR matrix of int64."""
        documents = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        levels = [*self._levels()]
        rows, columns = [], []
        found = _walk(ids, indptr, self.base, [keys for keys, _ in levels])
        for (_, places, nodes), (_, column_of) in zip(found, levels, strict=True):
            column = column_of[nodes]
            rows.append(documents[places[column >= 0]])
            columns.append(column[column >= 0])
        return _matrix(rows, columns, (len(indptr) - 1, len(self)))


def _walk(
    ids: Ids, indptr: Indptr, base: int, known: Iterable[Places | None]
) -> Iterator[tuple[Places, Places, Places]]:
    """Find the n-grams of documents for n = 1, 2, ...

    An n-gram is (its first n - 1 ids, its last id); its key is the index of the former among
    the keys one shorter, times `base`, plus the latter.

    Parameters
    ----------
    ids, indptr : ndarray
        The documents, see `_encode`.
    base : int
        Greater than all ids.
    known : iterable of (ndarray or None)
        For each n the sorted keys to find; None finds all there are.

    Yields
    ------
    keys, places, nodes : ndarray
        The keys, where in `ids` an n-gram begins, and the index of its key.

    """
    ends = np.repeat(indptr[1:], np.diff(indptr))
    places, nodes = np.arange(len(ids)), np.zeros(len(ids), np.int64)
    for n, keys in enumerate(known):
        fits = places + n < ends[places]
        places, nodes = places[fits], nodes[fits]
        raw = nodes * base + ids[places + n]
        if keys is None:
            keys, nodes = np.unique(raw, return_inverse=True)
        else:
            nodes = np.searchsorted(keys, raw)
            hits = keys[np.minimum(nodes, len(keys) - 1)] == raw
            places, nodes = places[hits], nodes[hits]
        yield keys, places, nodes


def _find_ngrams(
    ids: Ids, indptr: Indptr, ngram_range: tuple[int, int], base: int
) -> tuple[_NgramTable, Any]:
    """Return all n-grams that occur, and their counts, by length."""
    documents = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    shortest, longest = ngram_range
    grams, total = np.zeros((1, 0), np.int32), 0
    flat, sizes, rows, columns = [], [], [], []
    for n, (keys, places, nodes) in enumerate(_walk(ids, indptr, base, [None] * longest), 1):
        grams = np.column_stack([grams[keys // base], (keys % base).astype(np.int32)])
        if n >= shortest:
            flat.append(grams.ravel())
            sizes.append(np.full(len(keys), n, np.int32))
            rows.append(documents[places])
            columns.append(nodes + total)
            total += len(keys)
    table = _NgramTable(np.concatenate(flat), np.concatenate(sizes), base)
    return table, _matrix(rows, columns, (len(indptr) - 1, total))


def _matrix(rows: list[Places], columns: list[Places], shape: tuple[int, int]) -> Any:
    """Count how often each (row, column) comes."""
    row = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    column = np.concatenate(columns) if columns else np.zeros(0, np.int64)
    ones = np.ones(len(row), np.int64)
    return _csr(sp.coo_array((ones, (row, column)), shape=shape).tocsr())


def _csr(counts: Any) -> Any:
    """Sort the indices and give them the smallest type that holds them."""
    counts.sort_indices()
    dtype = _index_dtype(max(counts.nnz, *counts.shape))
    counts.indices, counts.indptr = counts.indices.astype(dtype), counts.indptr.astype(dtype)
    return counts


def _index_dtype(total: int) -> type[np.int32 | np.int64]:
    """Return int32 while it can hold the number of entries, then int64."""
    return np.int32 if total <= np.iinfo(np.int32).max else np.int64


def _take_columns(counts: Any, order: Places) -> Any:
    """Return some columns in a new order."""
    new = np.full(counts.shape[1], -1)
    new[order] = np.arange(len(order))
    columns = new[counts.indices]
    kept = columns >= 0
    parts = (counts.data[kept], columns[kept], _count_before(kept)[counts.indptr])
    return _csr(sp.csr_array(parts, (counts.shape[0], len(order))))


def _largest(
    kept: Places, totals: Places, size: int, table: _NgramTable, names: Sequence[str]
) -> Places:
    """Return the columns with the largest totals; of equal ones the first by name."""
    cut = np.partition(totals, len(totals) - size)[len(totals) - size]
    above, equal = kept[totals > cut], kept[totals == cut]
    spelt = table.select(equal).names(names)
    by_name = sorted(range(len(equal)), key=spelt.__getitem__)
    return np.concatenate([above, equal[by_name[: size - len(above)]]])


# -- names and checks --------------------------------------------------------------------------


def _piece_names(bpe: BPE) -> list[str]:
    """Name every id; special tokens as they are, then others, all different."""
    marked = bpe.end_of_word is not None
    first_special = len(bpe) - len(bpe.special_tokens)
    own = [*range(first_special, len(bpe)), *([0] if bpe.options.unknown == "unk" else [])]
    names = [feature_name(symbol, marked) for symbol in bpe.symbols]
    for i in own:
        names[i] = feature_name(bpe.symbols[i], marked=False)
    taken: set[str] = set()
    for i in dict.fromkeys([*own, *range(len(names))]):
        while names[i] in taken:
            names[i] = "\\" + names[i]
        taken.add(names[i])
    return names


def _packed(ids: Places) -> Places:
    """Return an array in the smallest type that holds it."""
    return ids.astype(np.min_scalar_type(ids.max(initial=0)))


def _columns(vocabulary: Mapping[str, int] | Iterable[str]) -> dict[str, int]:
    """Return a given vocabulary as name -> column."""
    if isinstance(vocabulary, str) or not isinstance(vocabulary, Iterable):
        raise SubwordError(f"vocabulary must be names of features, got {vocabulary!r:.60}")
    if isinstance(vocabulary, Mapping):
        columns = {name: int(column) for name, column in vocabulary.items()}
    else:
        names = sorted(vocabulary) if isinstance(vocabulary, (set, frozenset)) else [*vocabulary]
        columns = {name: column for column, name in reversed([*enumerate(names)])}
        columns = dict(reversed(columns.items()))
        if len(columns) < len(names):
            twice = next(name for i, name in enumerate(names) if columns[name] != i)
            raise SubwordError(f"Duplicate term in vocabulary: {twice!r}")
    wrong = next((name for name in columns if not isinstance(name, str)), None)
    if wrong is not None:
        raise SubwordError(f"vocabulary must hold names of features (str), got {wrong!r:.60}")
    _check_columns(columns)
    return columns


def _check_columns(columns: Mapping[str, int]) -> None:
    if not columns:
        raise SubwordError("empty vocabulary passed to fit; give names of features, or None")
    numbers = {*columns.values()}
    if len(numbers) < len(columns):
        raise SubwordError("Vocabulary contains repeated indices; every name needs its own column")
    gap = next((i for i in range(len(columns)) if i not in numbers), None)
    if gap is not None:
        raise SubwordError(
            f"Vocabulary of size {len(columns)} doesn't contain index {gap}; columns are numbered "
            "from 0 without gaps"
        )


def _check_ngram_range(value: Any) -> None:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise SubwordError(f"ngram_range must be a pair such as (1, 2), got {value!r}")
    for bound in value:
        check_whole("ngram_range", bound, 1)
    if value[0] > value[1]:
        raise SubwordError(
            f"Invalid value for ngram_range={value}: lower boundary larger than the upper boundary"
        )


def _check_df(name: str, value: Any) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    is_share = is_number and not isinstance(value, Integral)
    if not is_number or not (0 <= value <= 1 if is_share else value >= 1):
        raise SubwordError(
            f"{name} must be a share of the documents (float from 0.0 to 1.0) or a number of them "
            f"(int of at least 1); got {value!r}"
        )


def _check_dtype(dtype: Any) -> None:
    try:
        known = np.dtype(dtype).char in "?bBhHiIlLqQfd"
    except TypeError:
        known = False
    if not known:
        raise SubwordError(f"dtype must be a numeric type such as numpy.int64, got {dtype!r}")


def _rows(X: Any) -> list[Any]:
    """Return the documents as a list; refuse what is not one-dimensional."""
    shape = getattr(X, "shape", None)
    if isinstance(X, Mapping) or (isinstance(shape, tuple) and len(shape) > 1):
        size = f" of shape {shape}" if shape else ""
        raise SubwordError(
            f"expected one column of texts, got {type(X).__name__}{size}; pass the column itself, "
            'such as X["text"], and name it "text", not ["text"], in a ColumnTransformer'
        )
    if not isinstance(X, Iterable) or shape == ():
        raise TypeError(f"expected an iterable of texts, got {type(X).__name__} ({X!r:.40})")
    check_texts(X)  # not a single str
    return list(X.tolist() if isinstance(X, np.ndarray) else X)


def _is_missing(value: object) -> bool:
    """Recognise None, NaN, and pandas' NA and NaT without pandas."""
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _hint(document: object) -> str:
    if _is_missing(document):
        return "; fill or drop missing values, or pass missing='empty'"
    if isinstance(document, (list, tuple, np.ndarray)):
        return "; a document is one str, and X is one-dimensional"
    return ""


def _nothing_found(texts: Sequence[str], symbols: int) -> SubwordError:
    reason = "all of them stop words" if symbols else "texts are empty, or a generator is used up"
    return SubwordError(
        f"empty vocabulary: {len(texts)} documents and {symbols} symbols seen ({reason})"
    )


def _few(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")


def _tell(message: str) -> None:
    warnings.warn(message, SubwordWarning, stacklevel=5)
