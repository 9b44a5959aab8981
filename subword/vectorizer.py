"""Raw texts to sparse counts of subword pieces, as scikit-learn estimators."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Integral
from types import NoneType
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from . import matrix, ngrams
from .coder import Ints, Longs
from .documents import nothing_found, threads
from .errors import SubwordError, tell
from .learning import TextEstimator, few, without
from .model import BPE
from .options import check_choice, check_share, check_whole
from .pretokenize import Rules
from .streams import Drop, Streams
from .vocabulary import check_vocabulary, table_of


class SubwordVectorizer(TextEstimator):
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
    ngram_within : {"document", "word"}, default="document"
        Whether n-grams run across the document or stay inside words. Inside words ``<w>`` stands
        before the first piece of each and counts as a piece of n-grams, but is none alone:
        ``<w> low`` is a word that is one piece, ``<w> lo@@`` one that begins so.
    granularities : mapping of int to tuple (min_n, max_n), default=None
        Several numbers of merges side by side, each with its lengths of n-grams, such as
        ``{500: (1, 4), 8000: (1, 2)}``, in the place of `num_merges` and `ngram_range`. The
        largest is learnt, the others are its first merges. The name of each piece then begins
        with its size: ``500:lo@@ 500:w``.
    max_df, min_df : float in [0, 1] or int, default=1.0 and 1
        Leave out what occurs in more or in fewer documents: a share (float) or a number (int).
    max_features : int, default=None
        Keep the features with the largest total counts; of equal ones the first by name.
    vocabulary : mapping or iterable of str, default=None
        Names of the features, with their columns if it is a mapping; `max_df`, `min_df` and
        `max_features` are then ignored. Merges are learnt from the texts all the same, unless
        `bpe` is given.
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
    pretokenizer : str or tuple of str, default="words"
        How texts become words: a name or a pattern, or several in a row.
    tie_break : {"largest", "largest_id", "smallest_id", "first"}, default="largest"
        Which of the most frequent pairs is merged.
    min_frequency : int, default=2
        Rarer pairs are not merged.
    unknown : {"bytes", "unk", "unk_run"}, default="bytes"
        What becomes of characters that were not seen in `fit`.
    normalization : str or sequence of str, default=None
        Named steps applied before anything else: NFC, NFD, NFKC, NFKD, strip_accents, squeeze.
    special_tokens : sequence of str, default=()
        Texts that are never split or normalised and become features of their own. With `bpe`,
        those special tokens of the model that texts may contain.
    missing : {"error", "empty"}, default="error"
        Whether None, NaN and NA are errors or empty documents.
    dropout : float in [0, 1], default=0.0
        The share of merges to skip at random where `fit` and `fit_transform` split the texts
        (BPE-dropout, Provilkov et al. 2020); `transform` never skips any.
    random_state : int, RandomState instance or None, default=None
        Makes `dropout` repeatable: the draws depend on it, the text and the place of the word.
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
        ngram_within: str = "document",
        granularities: Mapping[int, tuple[int, int]] | None = None,
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
        pretokenizer: Rules = "words",
        tie_break: str = "largest",
        min_frequency: int = 2,
        unknown: str = "bytes",
        normalization: str | Sequence[str] | None = None,
        special_tokens: Sequence[str] = (),
        missing: str = "error",
        dropout: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.stop_words = stop_words
        self.ngram_range = ngram_range
        self.ngram_within = ngram_within
        self.granularities = granularities
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
        self.dropout = dropout
        self.random_state = random_state
        self.n_jobs = n_jobs

    # -- learning --------------------------------------------------------------------------

    def _learn(self, X: Iterable[str]) -> Any:
        """Learn all there is to learn, then set it; return the counts."""
        self._check_parameters()
        fixed = None if self.vocabulary is None else check_vocabulary(self.vocabulary)
        given, texts = self._read(X)
        bpe = self._train(texts) if given is None else given
        streams, n_jobs = self._streams_of(bpe), threads(self.n_jobs)
        stops = self._stops(streams.names)
        streams.remember(texts)
        if fixed is None:
            table, counts = self._choose(self._find(texts, streams, stops), streams)
        else:
            table = self._fixed(fixed, streams)
            counts = table.count(*self._ids(texts, streams, stops), self.dtype, n_jobs)
        self.bpe_, self._columns, self.fixed_vocabulary_ = bpe, fixed, fixed is not None
        self._streams, self._table, self._stop_ids = streams, table, stops
        counts = ngrams.finished(counts, self.dtype, self.binary)
        self._learn_weights(counts)
        return counts

    def _check_parameters(self) -> None:
        super()._check_parameters()
        ngrams.check_df("max_df", self.max_df)
        ngrams.check_df("min_df", self.min_df)
        if self.max_features is not None:
            check_whole("max_features", self.max_features, 1)
        check_share("dropout", self.dropout)

    def _drop(self) -> Drop | None:
        """Return the dropout of this fit; draws are never taken from global generators."""
        if not self.dropout:
            return None
        seed = self.random_state
        if not isinstance(seed, (Integral, NoneType)):
            seed = check_random_state(seed).randint(2**31 - 1)
        return Drop(self.dropout, seed)

    def _ids(self, texts: list[str], streams: Streams, stops: Ints) -> tuple[Ints, Longs]:
        """Return the ids of texts; an error if there are none."""
        ids, indptr = without(stops, *streams.encode(texts, threads(self.n_jobs), self._drop()))
        if (ids < len(streams) - streams.layout.openers).any():
            return ids, indptr
        symbols = sum(streams.bpe.count(text, allowed_special=streams.special) for text in texts)
        raise nothing_found(texts, symbols)

    def _find(self, texts: list[str], streams: Streams, stops: Ints) -> ngrams.FoundNgrams:
        """Return all n-grams of texts; an error if there are none."""
        layout = streams.layout
        found: ngrams.FoundNgrams
        if layout.longest == 1 and not self.dropout:
            n_jobs = threads(self.n_jobs)
            found = matrix.count_pieces(streams, texts, stops, self.dtype, n_jobs)
            if len(found):
                return found
        ids, indptr = self._ids(texts, streams, stops)
        fewest = math.ceil(ngrams.limit(self.min_df, ngrams.documents_in(indptr, layout)))
        found = matrix.find(ids, indptr, layout, len(streams), fewest)
        if not len(found):
            fewest = min(shortest for shortest, _ in layout.ranges)
            raise SubwordError(
                f"empty vocabulary: no {self.ngram_within} has the {fewest} pieces in a row that "
                f"{self._asked} asks for"
            )
        return found

    def _choose(self, found: ngrams.FoundNgrams, streams: Streams) -> tuple[ngrams.NgramTable, Any]:
        """Return the features to keep, in the order of their names, and their counts."""
        names = streams.names
        kept = found.frequent(self.max_df, self.min_df)
        if self.max_features is not None and len(kept) > self.max_features:
            totals = found.totals(kept, self.binary)
            kept = ngrams.largest(kept, totals, self.max_features, found, names)
        return found.take(found.by_name(kept, names), self.dtype, threads(self.n_jobs))

    @property
    def _asked(self) -> str:
        """What says which n-grams there are."""
        name = "granularities" if self.granularities else "ngram_range"
        return f"{name}={getattr(self, name)}"

    def _fixed(self, columns: Mapping[str, int], streams: Streams) -> ngrams.NgramTable:
        """Return the n-grams of given names; tell what cannot occur."""
        self._tell_ignored(
            "vocabulary says which features there are", "max_df", "min_df", "max_features"
        )
        listed = table_of(columns, streams.names, streams.layout, streams.owners)
        table = matrix.make_table(listed)
        if never := table.unmatched(columns):
            tell(
                f"{len(never)} of {len(columns)} names in vocabulary are no pieces of the model or "
                f"n-grams in {self._asked} and will not be matched with any "
                f"document: {few(never)}; texts may be lower-cased, names not"
            )
        stops = {*(self.stop_words or ())}
        if stopped := [name for name in columns if not stops.isdisjoint(name.split(" "))]:
            tell(
                f"{len(stopped)} of {len(columns)} names in vocabulary hold stop_words and will "
                f"not be matched with any document: {few(stopped)}"
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
        if not len(self._stop_ids):
            return matrix.count_texts(self._table, self._streams, texts, self.dtype, n_jobs)
        ids, indptr = without(self._stop_ids, *self._streams.encode(texts, n_jobs))
        return self._table.count(ids, indptr, self.dtype, n_jobs)

    def _learn_weights(self, counts: Any) -> None:
        """Learn what `_weigh` needs: nothing for counts."""

    def _weigh(self, counts: Any) -> Any:
        """Turn counts into what the matrix holds."""
        return counts

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Columns by name, in the order of the names or as given. Made when first asked for."""
        if not hasattr(self, "_table"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
        if self._columns is None:
            self._columns = ngrams.number_names(self._table.names(self._streams.names))
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
        if self._columns is None:
            names[:] = self._table.names(self._streams.names)
        else:
            names[[*self._columns.values()]] = [*self._columns]
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
        streams = self._streams
        texts = self._texts([text], self.bpe_.level)
        ids, indptr = without(self._stop_ids, *streams.encode(texts))
        base, (layout, names) = len(streams), (streams.layout.within(indptr), streams.names)
        ends = ngrams.ngram_ends(ids, indptr, base, layout.openers).tolist()
        return [
            " ".join(names[j] for j in ids[i : i + n])
            for (low, high), (first, stop) in zip(layout.ranges, pairwise(indptr), strict=True)
            for n in range(low, high + 1)
            for i in range(first, stop - n + 1)
            if i + n <= ends[i] and (n > 1 or ids[i] < base - layout.openers)
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
        stream = self._streams.stream_of(gram[0]) if gram else 0
        ids, spans = self._streams.spans(document, stream)
        stops = {*self._stop_ids.tolist()}
        kept = [(i, span) for i, span in zip(ids, spans, strict=True) if i not in stops]
        size = len(gram)
        return [
            (kept[i][1][0], kept[i + size - 1][1][1])
            for i in range(len(kept) - size + 1)
            if size and [j for j, _ in kept[i : i + size]] == gram
        ]

    # -- being an estimator ----------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Pack: features as arrays of ids; no names that follow from these."""
        state = super().__getstate__()
        if "_table" in state:
            table, vocabulary = state.pop("_table"), state.pop("_columns")
            state["_never"] = table.unmatched(vocabulary) if self.fixed_vocabulary_ else []
            state["_grams"], state["_sizes"] = ngrams.packed(table.flat), ngrams.packed(table.sizes)
            if self.fixed_vocabulary_:
                state["_order"] = ngrams.packed(np.array([*vocabulary.values()]))
        return dict(sorted(state.items()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        packed = {name: state.pop(name, None) for name in ("_grams", "_sizes", "_never", "_order")}
        super().__setstate__(state)
        if packed["_grams"] is not None:
            self._unpack(**packed)

    def _unpack(self, _grams: Ints, _sizes: Ints, _never: list[str], _order: Ints | None) -> None:
        flat, sizes, streams = _grams.astype(np.int32), _sizes.astype(np.int32), self._streams
        listed = ngrams.NgramTable(flat, sizes, len(streams), streams.layout)
        self._table, self._columns = matrix.make_table(listed), None
        if _order is not None:
            never, spelt = iter(_never), listed.names(streams.names)
            self._columns = {spelt[i] or next(never): int(i) for i in _order}


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
    lowercase, preprocessor, stop_words, ngram_range, ngram_within, granularities, max_df, \
min_df, max_features, vocabulary, binary, bpe, num_merges, level, end_of_word, pretokenizer, \
tie_break, min_frequency, unknown, normalization, special_tokens, missing, dropout, \
random_state, n_jobs
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
        ngram_within: str = "document",
        granularities: Mapping[int, tuple[int, int]] | None = None,
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
        pretokenizer: Rules = "words",
        tie_break: str = "largest",
        min_frequency: int = 2,
        unknown: str = "bytes",
        normalization: str | Sequence[str] | None = None,
        special_tokens: Sequence[str] = (),
        missing: str = "error",
        dropout: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            lowercase=lowercase, preprocessor=preprocessor, stop_words=stop_words,
            ngram_range=ngram_range, ngram_within=ngram_within, granularities=granularities,
            max_df=max_df, min_df=min_df, max_features=max_features, vocabulary=vocabulary,
            binary=binary, dtype=dtype, bpe=bpe, num_merges=num_merges, level=level,
            end_of_word=end_of_word, pretokenizer=pretokenizer, tie_break=tie_break,
            min_frequency=min_frequency, unknown=unknown, normalization=normalization,
            special_tokens=special_tokens, missing=missing, dropout=dropout,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def _learn_weights(self, counts: Any) -> None:
        self._tfidf = TfidfTransformer(
            norm=self.norm, use_idf=self.use_idf, smooth_idf=self.smooth_idf,
            sublinear_tf=self.sublinear_tf,
        )  # fmt: skip
        with np.errstate(divide="ignore"):
            self._tfidf.fit(counts[:1])
        if self.use_idf:  # as it would learn them from all counts, in less memory
            kind = counts.dtype if counts.dtype == np.float32 else np.float64
            frequencies = ngrams.document_frequencies(counts).astype(kind) + self.smooth_idf
            documents = np.full_like(frequencies, counts.shape[0] + self.smooth_idf)
            self._tfidf.idf_ = np.log(documents / frequencies) + 1

    def _weigh(self, counts: Any) -> Any:
        kind = np.float32 if np.dtype(self.dtype) == np.float32 else np.float64
        weights = counts.astype(kind, copy=False)
        if self._tfidf.sublinear_tf:
            np.log(weights.data, weights.data)
            weights.data += 1
        idf = self._tfidf.idf_ if self._tfidf.use_idf else None
        return matrix.weigh(weights, idf, self._tfidf.norm)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("norm", self.norm, ("l1", "l2", None))
        for name in ("use_idf", "smooth_idf", "sublinear_tf"):
            check_choice(name, getattr(self, name), (True, False))
        if np.dtype(self.dtype) not in (np.float64, np.float32):
            tell(
                f"only float64 and float32 'dtype' should be used; {np.dtype(self.dtype)} will be "
                "converted to float64"
            )

    @property
    def idf_(self) -> npt.NDArray[Any]:
        """Inverse document frequencies; only if `use_idf`."""
        if not hasattr(self, "_tfidf"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
        if not hasattr(self._tfidf, "idf_"):
            raise NotFittedError(f"this {type(self).__name__} was fitted with use_idf=False")
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
