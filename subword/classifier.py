"""`SubwordTextClassifier`: raw texts in, labels out, with settings that do well on all texts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .blocks import Range, Recipe, TextBlocks
from .documents import is_missing, nothing_found, read_documents, threads
from .errors import SubwordError
from .nbsvm import (
    Array,
    NBLogCountRatio,
    check_positive,
    check_share,
    cross_temperature,
    encode_labels,
    label_of,
    mix,
    softmax,
)
from .ngrams import check_ngram_range
from .options import check_choice, check_whole

_TOLERANCE = 1e-2  # of the SVM; finer ones cost time and change no figure


class WordContribution(NamedTuple):
    """What a word of a text adds to the score of a class.

    Attributes
    ----------
    word : str
        As it stands in the text.
    start, end : int
        Where, in characters.
    value : float
        Above 0 it speaks for the class, below against it.

    """

    word: str
    start: int
    end: int
    value: float


class _Head(NamedTuple):
    """The linear model: features by their scale, rows of length 1, by the weights.

    Of two classes `weights` has one column, of more one per class.
    """

    scale: Array
    weights: Array
    intercept: Array

    def scores(self, blocks: list[Any]) -> Array:
        rows = _scaled(sp.hstack(blocks, format="csr"), self.scale)
        scores: Array = rows @ self.weights + self.intercept
        return scores


class SubwordTextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """Classify raw texts: any language, any number of classes, no settings to find.

    Texts become n-grams of whole words and n-grams of the pieces of a small byte-pair encoding,
    learnt from them; both are weighed by naive-Bayes log-count ratios (`NBLogCountRatio`), a
    linear SVM is fitted and its weights are mixed with those of naive Bayes. The defaults were
    chosen by cross-validation over eleven data sets of reviews, questions, topics, intents and
    messages in three languages.

    Characters of Chinese and Japanese count as words, and the two apostrophes ``'`` and ``’`` are
    the same.

    Parameters
    ----------
    fast : bool, default=False
        Take the cheaper recipe, with fewer merges and n-grams of pieces inside words only.
    thorough : bool, default=False
        Add a third block, of pieces that begin with the space before a word. Takes 1.7 times the
        time and memory; in cross-validation on nine training sets it won 0.3 points on average.
    num_merges : int, default=None
        Merges to learn. None: 500, or 200 if `fast`.
    word_ngram_range : tuple (min_n, max_n), default=(1, 3)
        Lengths of the n-grams of words.
    piece_ngram_range : tuple (min_n, max_n), default=None
        Lengths of the n-grams of pieces. None: (1, 3), or (1, 5) if `fast`.
    min_df : int, default=None
        In how many texts a feature must occur. None: in 1, or in 2 if there are a million words.
    lowercase : bool, default=True
        Lower-case the texts.
    C : float, default=1.0
        Inverse strength of the regularisation of the SVM.
    alpha : float, default=2.0
        Smoothing of the log-count ratios.
    beta : float in [0, 1], default=0.5
        Share of the SVM against naive Bayes.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the SVM.
    calibrate : bool, default=False
        Learn in `fit` what `predict_proba` needs, which takes three more fits of the SVM.
        Otherwise its first call does so; until then the texts are kept, but not pickled.
    missing : {"error", "empty"}, default="error"
        Whether None, NaN and NA are errors or empty texts.
    n_jobs : int, default=None
        Threads of the native engine, -1 for all; the result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        The order in which the SVM visits the texts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    bpe_ : BPE
        The model in use.
    coef_ : ndarray of shape (1 or n_classes, n_features)
        Weights of the features, those of words first; a single line for two classes.
    intercept_ : ndarray of shape (1 or n_classes,)
        Added to the scores.
    temperature_ : float
        Scores are divided by it before they become probabilities. From `calibrate`, or the first
        call of `predict_proba`.

    See Also
    --------
    SubwordTfidfVectorizer : The features alone, for a classifier of one's own.

    Examples
    --------
    >>> texts = ["low and lower", "so low", "the newest", "newest and widest"]
    >>> model = SubwordTextClassifier().fit(texts, ["down", "down", "up", "up"])
    >>> model.predict(["How low!", "The widest"])
    array(['down', 'up'], dtype='<U4')
    >>> [(part.word, part.value > 0) for part in model.explain("so low", "down")]
    [('so', True), ('low', True)]

    """

    def __init__(
        self,
        *,
        fast: bool = False,
        thorough: bool = False,
        num_merges: int | None = None,
        word_ngram_range: Range = (1, 3),
        piece_ngram_range: Range | None = None,
        min_df: int | None = None,
        lowercase: bool = True,
        C: float = 1.0,
        alpha: float = 2.0,
        beta: float = 0.5,
        class_weight: Any = None,
        calibrate: bool = False,
        missing: str = "error",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.fast = fast
        self.thorough = thorough
        self.num_merges = num_merges
        self.word_ngram_range = word_ngram_range
        self.piece_ngram_range = piece_ngram_range
        self.min_df = min_df
        self.lowercase = lowercase
        self.C = C
        self.alpha = alpha
        self.beta = beta
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.missing = missing
        self.n_jobs = n_jobs
        self.random_state = random_state

    # -- learning --------------------------------------------------------------------------

    def fit(self, X: Iterable[str], y: Any) -> Self:
        """Learn from texts and labels.

        Parameters
        ----------
        X : iterable of str
            One text per document; it is read once.
        y : iterable of n_documents labels
            Of at least two classes.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        SubwordError
            For parameters out of range, texts and labels of different number, missing labels, a
            single class, and texts without any word.
        TypeError
            For a single str, and for texts that are none.

        """
        recipe, n_jobs = self._recipe(), threads(self.n_jobs)
        texts = read_documents(X, missing=self.missing)
        if not any(map(str.strip, texts)):
            raise nothing_found(texts, 0)
        classes, codes = encode_labels(_read_labels(y, len(texts)))
        self.classes_ = classes
        self._blocks, blocks = TextBlocks.learn(texts, recipe, n_jobs)
        if not any(block.shape[1] for block in blocks):
            raise SubwordError(
                f"no features remain of {len(texts)} texts: try a lower min_df (now {self.min_df}) "
                "or shorter n-grams"
            )
        self.bpe_ = self._blocks.bpe
        self._head, self._training = self._learn(blocks, codes), None
        self.__dict__.pop("temperature_", None)
        if self.calibrate:
            self.temperature_ = cross_temperature(self._scorer(blocks, codes), codes)
        else:
            self._training = texts, codes
        return self

    def _recipe(self) -> Recipe:
        """Check the parameters and return what to do with texts."""
        for name in ("fast", "thorough", "lowercase", "calibrate"):
            check_choice(name, getattr(self, name), (True, False))
        if self.fast and self.thorough:
            raise SubwordError("fast and thorough exclude each other; set one of them")
        check_choice("missing", self.missing, ("error", "empty"))
        check_positive("C", self.C)
        check_positive("alpha", self.alpha)
        check_share("beta", self.beta)
        merges, pieces = (200, (1, 5)) if self.fast else (500, (1, 3))
        merges = merges if self.num_merges is None else self.num_merges
        pieces = pieces if self.piece_ngram_range is None else self.piece_ngram_range
        check_whole("num_merges", merges, 0)
        if self.min_df is not None:
            check_whole("min_df", self.min_df, 1)
        check_ngram_range(self.word_ngram_range)
        check_ngram_range(pieces)
        return Recipe(
            int(merges), self.word_ngram_range, pieces, bool(self.fast), int(self.min_df or 0),
            bool(self.lowercase), bool(self.thorough),
        )  # fmt: skip

    def _learn(self, blocks: list[Any], codes: Array) -> _Head:
        """Fit the linear model on blocks of ones."""
        ratios = [
            NBLogCountRatio(alpha=self.alpha, smoothing="shared").fit(block, codes)
            for block in blocks
            if block.shape[1]
        ]
        scale = np.concatenate([ratio.g_ for ratio in ratios])
        bayes = np.hstack([_bayes(ratio) for ratio in ratios])
        labels = self.classes_[codes]
        svm = LinearSVC(
            C=self.C,
            tol=_TOLERANCE,
            class_weight=self.class_weight,
            random_state=self.random_state,
        ).fit(_scaled(sp.hstack(blocks, format="csr"), scale), labels)
        coef = mix(svm.coef_, bayes, self.beta)
        single = np.float32  # half the memory; scores change in the seventh digit
        weights = np.ascontiguousarray(coef.T, single)
        return _Head(scale.astype(single), weights, svm.intercept_ * self.beta)

    def _scorer(self, blocks: list[Any], codes: Array) -> Any:
        """Return the function with which `cross_temperature` fits on some rows."""

        def fit(rows: Array) -> Callable[[Array], Array]:
            head = self._learn([block[rows] for block in blocks], codes[rows])
            return lambda others: head.scores([block[others] for block in blocks])

        return fit

    # -- using -----------------------------------------------------------------------------

    def decision_function(self, X: Iterable[str]) -> Array:
        """Return the scores of texts.

        Parameters
        ----------
        X : iterable of str
            One text per document.

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_classes)
            One column per class; with two classes that of the second one.

        """
        check_is_fitted(self)
        texts = read_documents(X, missing=self.missing)
        scores = self._head.scores(self._blocks.transform(texts, threads(self.n_jobs)))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Iterable[str]) -> Array:
        """Return the label with the highest score for each text.

        Parameters
        ----------
        X : iterable of str
            One text per document.

        Returns
        -------
        ndarray of shape (n_documents,)
            Labels.

        """
        return label_of(self.decision_function(X), self.classes_)

    def predict_proba(self, X: Iterable[str]) -> Array:
        """Return probabilities.

        Parameters
        ----------
        X : iterable of str
            One text per document.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Rows sum to 1. The first call fits the SVM three times more, unless `calibrate`.

        Raises
        ------
        SubwordError
            When the classifier was pickled before its first call, and without `calibrate`.

        """
        check_is_fitted(self)
        if not hasattr(self, "temperature_"):
            self._calibrate()
        return softmax(self.decision_function(X), self.temperature_)

    def _calibrate(self) -> None:
        if self._training is None:
            raise SubwordError(
                "this classifier was saved without what probabilities need, and the texts it "
                "learnt from are gone: fit it with calibrate=True, or call predict_proba before "
                "saving"
            )
        texts, codes = self._training
        blocks = self._blocks.transform(texts, threads(self.n_jobs))
        self.temperature_ = cross_temperature(self._scorer(blocks, codes), codes)
        self._training = None

    def explain(self, text: str, label: Any = None) -> list[WordContribution]:
        """Say how much each word of a text speaks for a class.

        The contributions sum up to the score of the class without its intercept. That of a feature
        is shared equally between the places where it occurs, and there between its words.

        Parameters
        ----------
        text : str
            One document.
        label : label, default=None
            The class; None for the predicted one.

        Returns
        -------
        list of WordContribution
            Every word in the order of the text: ``(word, start, end, value)``.

        Raises
        ------
        SubwordError
            For a label that was not seen in `fit`.

        """
        check_is_fitted(self)
        (document,) = read_documents([text], missing=self.missing)
        weights = self._weights_of(self.predict([document])[0] if label is None else label)
        words, features = self._blocks.locate(document)
        found = [*features]
        columns = np.array([column for column, _ in found], np.int64)
        distinct, times = np.unique(columns, return_counts=True)
        scale = self._head.scale[distinct].astype(float)
        values = scale * weights[distinct] / (np.linalg.norm(scale) or 1.0) / times
        sums = np.zeros(len(words))
        for (_, units), value in zip(
            found, values[np.searchsorted(distinct, columns)], strict=True
        ):
            np.add.at(sums, units, value / len(units))
        return [
            WordContribution(document[start:end], start, end, value)
            for (start, end), value in zip(words, sums.tolist(), strict=True)
        ]

    def _weights_of(self, label: Any) -> Array:
        """Return the weights that speak for a class."""
        places = np.flatnonzero(self.classes_ == label)
        if not len(places):
            raise SubwordError(f"no class {label!r}; the classes are {self.classes_.tolist()}")
        if len(self.classes_) > 2:
            return self._head.weights[:, places[0]].astype(float)
        return self._head.weights[:, 0].astype(float) * (1 if places[0] else -1)

    @property
    def coef_(self) -> npt.NDArray[np.float32]:
        """The weights of the features."""
        check_is_fitted(self)
        weights: npt.NDArray[np.float32] = self._head.weights.T
        return weights

    @property
    def intercept_(self) -> Array:
        """What is added to the scores."""
        check_is_fitted(self)
        return self._head.intercept

    # -- being an estimator ----------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_head")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = self.missing == "empty"
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Pack: the model as text, features and weights as arrays; no texts."""
        state = dict(super().__getstate__())
        if "_head" in state:
            del state["bpe_"], state["_training"]
            state["_blocks"] = state["_blocks"].pack()
            state["_head"] = [*state["_head"]]
        return dict(sorted(state.items()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = {sys.intern(name): value for name, value in state.items()}
        if "_head" in state:
            state["_head"] = _Head(*state["_head"])
            state["_blocks"] = TextBlocks.unpack(state["_blocks"])
            state |= {"bpe_": state["_blocks"].bpe, "_training": None}
        super().__setstate__(state)


def _scaled(ones: Any, scale: Array) -> Any:
    """Return rows of ones with their columns scaled, of length 1."""
    rows = sp.csr_array((scale[ones.indices], ones.indices, ones.indptr), ones.shape)
    return normalize(rows, copy=False) if rows.shape[0] else rows


def _bayes(ratio: NBLogCountRatio) -> Array:
    """Return the ratios over their size in all classes, a line for each of the linear model."""
    lines = ratio.r_ if len(ratio.classes_) > 2 else ratio.r_[1:]
    size = ratio.g_ / np.sqrt(ratio.idf_) if len(ratio.classes_) > 2 else ratio.g_
    return np.divide(lines, size, out=np.zeros_like(lines), where=size > 0)


def _read_labels(y: Any, documents: int) -> Array:
    """Return the labels as an array; refuse missing ones and a wrong number of them."""
    if y is None:
        raise SubwordError("a label for every text is needed, got y=None")
    held = y if hasattr(y, "shape") else [*y]
    if len(held) != documents:
        raise SubwordError(f"{documents} texts, but {len(held)} labels; every text needs one label")
    row = next((i for i, label in enumerate(held) if is_missing(label)), None)
    if row is not None:
        raise SubwordError(f"label {row} is missing ({held[row]!r}); drop or fill such rows")
    return np.asarray(column_or_1d(held, warn=True))
