"""Raw texts to sparse counts of subword pieces without a vocabulary, for streams of texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from . import matrix, ngrams
from .coder import Ints
from .documents import nothing_found, threads
from .errors import SubwordError
from .hashed import Hasher
from .learning import TextEstimator, without
from .model import BPE
from .options import check_choice, check_whole
from .pretokenize import Rules
from .streams import Streams


class SubwordHashingVectorizer(TextEstimator):
    """Turn raw texts into a sparse matrix of counts of subword pieces, columns by hash.

    There is no vocabulary to learn or to hold, so it suits streams of texts: with a given `bpe`
    nothing at all has to be learnt (but for `use_idf`), without one `fit` or the first
    `partial_fit` learns the merges, and nothing else.

    The column of a feature is the MurmurHash3 of its name, as in scikit-learn's
    `HashingVectorizer`: the matrix is what that one makes of the same names. It depends on what
    is spelt alone; not on the ids of the model, the machine or the process.

    Parameters
    ----------
    n_features : int, default=2**20
        The number of columns. Names that share a column are counted together.
    norm : {"l1", "l2", None}, default="l2"
        What is made 1 in every row: the sum of the absolute values, or of the squares.
    alternate_sign : bool, default=True
        Whether half of the names count negatively, so that those that share a column cancel
        out instead of adding up.
    use_idf : bool, default=False
        Weight by inverse document frequency, from the texts that `fit` and `partial_fit` saw.
    sublinear_tf : bool, default=False
        Replace a count by ``1 + log(count)``.
    dtype : dtype, default=np.float64
        Type of the matrix.
    lowercase, preprocessor, stop_words, ngram_range, ngram_within, granularities, binary, bpe, \
num_merges, level, end_of_word, pretokenizer, tie_break, min_frequency, unknown, normalization, \
special_tokens, missing, n_jobs
        As in `SubwordVectorizer`, where the names of features are explained, too.

    Attributes
    ----------
    bpe_ : BPE
        The model in use.
    document_frequency_ : ndarray of int64, shape (n_features,)
        In how many of the texts seen each column is not empty, if `use_idf`.
    n_documents_ : int
        The number of texts seen, if `use_idf`.
    idf_ : ndarray of float64, shape (n_features,)
        ``log((1 + n_documents_) / (1 + document_frequency_)) + 1``, if `use_idf`.

    See Also
    --------
    SubwordTfidfVectorizer : With a vocabulary, so that columns have names.

    Examples
    --------
    >>> import subword
    >>> bpe = subword.train(["low low lower"], pretokenizer="words", lowercase=True)
    >>> vectorizer = SubwordHashingVectorizer(bpe=bpe, n_features=8, norm=None)
    >>> vectorizer.transform(["low lower", "low"]).toarray()
    array([[ 0.,  1., -1.,  0.,  2.,  0.,  0., -1.],
           [ 0.,  0.,  0.,  0.,  1.,  0.,  0.,  0.]])
    >>> stream = SubwordHashingVectorizer(bpe=bpe, use_idf=True)
    >>> for batch in (["low lower"], ["low", "low low"]):
    ...     _ = stream.partial_fit(batch)
    >>> stream.n_documents_, sorted({*stream.document_frequency_.tolist()})
    (3, [0, 1, 3])

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
        n_features: int = 2**20,
        binary: bool = False,
        dtype: npt.DTypeLike = np.float64,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        use_idf: bool = False,
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
        n_jobs: int | None = None,
    ) -> None:
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.stop_words = stop_words
        self.ngram_range = ngram_range
        self.ngram_within = ngram_within
        self.granularities = granularities
        self.n_features = n_features
        self.binary = binary
        self.dtype = dtype
        self.norm = norm
        self.alternate_sign = alternate_sign
        self.use_idf = use_idf
        self.sublinear_tf = sublinear_tf
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

    def partial_fit(self, X: Iterable[str], y: object = None) -> Self:
        """Add to the numbers of documents if `use_idf`; the first call learns as `fit` does.

        Parameters
        ----------
        X : iterable of str
            One text per document.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted vectorizer; merges that it has are kept.

        """
        if not hasattr(self, "bpe_"):
            return self.fit(X)
        self._check_parameters()
        texts = self._texts(X, self.bpe_.level)
        if self.use_idf:
            self._check_frequencies()
            self._note(self._count(texts))
        return self

    def _learn(self, X: Iterable[str]) -> Any:
        """Learn all there is to learn; return the counts."""
        self._check_parameters()
        given, texts = self._read(X)
        if self.use_idf and not texts:
            raise nothing_found(texts, 0)
        bpe = self._train(texts) if given is None else given
        self.bpe_, self._streams, self._stop_ids = self._prepared(bpe)
        self._streams.remember(texts)
        counts = self._count(texts)
        if self.use_idf:
            self.n_documents_ = 0
            self.document_frequency_ = np.zeros(self.n_features, np.int64)
            self._note(counts)
        return counts

    def _prepared(self, bpe: BPE) -> tuple[BPE, Streams, Ints]:
        streams = self._streams_of(bpe)
        return bpe, streams, self._stops(streams.names)

    def _note(self, counts: Any) -> None:
        """Add the documents to those seen."""
        met = np.bincount(counts.indices[counts.data != 0], minlength=self.n_features)
        self.document_frequency_ = self.document_frequency_ + met
        self.n_documents_ += counts.shape[0]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_whole("n_features", self.n_features, 1)
        if self.n_features >= 2**31:
            raise SubwordError(f"n_features must be less than 2**31, got {self.n_features}")
        check_choice("norm", self.norm, ("l1", "l2", None))
        for name in ("alternate_sign", "use_idf", "sublinear_tf"):
            check_choice(name, getattr(self, name), (True, False))
        if self.alternate_sign and np.dtype(self.dtype).kind in "ub":
            raise SubwordError(
                f"alternate_sign=True makes negative numbers, which dtype={np.dtype(self.dtype)} "
                "has not: choose another dtype, or alternate_sign=False"
            )

    def _check_frequencies(self) -> None:
        """Raise if the documents seen were not counted in as many columns."""
        if len(getattr(self, "document_frequency_", ())) != self.n_features:
            raise SubwordError(
                f"use_idf=True with n_features={self.n_features} needs the numbers of documents "
                "of such a fit: call fit again after changing use_idf or n_features"
            )

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
            The counts or weights, with sorted indices; rows in the order of the texts.

        """
        if hasattr(self, "bpe_"):
            return self._weigh(self._count(self._texts(X, self.bpe_.level)))
        if not self._is_stateless():
            raise NotFittedError(
                f"this {type(self).__name__} is not fitted yet; call fit or partial_fit first, "
                "or give a trained bpe and leave use_idf out"
            )
        return clone(self).fit_transform(X)

    def _count(self, texts: list[str]) -> Any:
        hasher = Hasher(self._streams, self.n_features, self.alternate_sign)
        n_jobs = threads(self.n_jobs)
        if not len(self._stop_ids):
            return hasher.count_texts(texts, self.dtype, n_jobs)
        ids, indptr = without(self._stop_ids, *self._streams.encode(texts, n_jobs))
        return hasher.count(ids, indptr, self.dtype, n_jobs)

    def _weigh(self, counts: Any) -> Any:
        """Turn counts into what the matrix holds."""
        weights = ngrams.finished(counts, self.dtype, self.binary)
        if self.sublinear_tf or self.use_idf:
            weights = weights.astype(np.result_type(weights.dtype, np.float32), copy=False)
        if self.sublinear_tf:
            weights.data = _sublinear(weights.data)
        if self.use_idf:
            self._check_frequencies()
        return matrix.weigh(weights, self.idf_ if self.use_idf else None, self.norm)

    @property
    def idf_(self) -> npt.NDArray[np.float64]:
        """Inverse document frequencies; only if `use_idf`."""
        if not hasattr(self, "document_frequency_"):
            raise NotFittedError(f"this {type(self).__name__} has seen no texts with use_idf=True")
        idf: npt.NDArray[np.float64] = np.log(
            (1 + self.n_documents_) / (1 + self.document_frequency_)
        )
        return idf + 1

    # -- being an estimator ----------------------------------------------------------------

    def _is_stateless(self) -> bool:
        """Say whether there is nothing to learn."""
        return self.bpe is not None and not self.use_idf

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "bpe_") or self._is_stateless()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = not self._is_stateless()
        return tags


def _sublinear(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Replace counts by 1 + log(count), signs kept; those that cancelled out stay 0."""
    size = np.abs(data)
    return np.where(size > 0, np.sign(data) * (1 + np.log(np.maximum(size, 1))), 0).astype(
        data.dtype
    )
