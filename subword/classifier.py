"""`SubwordTextClassifier`: raw texts in, labels out, with settings that do well on all texts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.svm import LinearSVC
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .blocks import Range, Recipe, TextBlocks
from .documents import nothing_found, read_documents, tag_texts, threads
from .errors import SubwordError
from .formats import unpack
from .labels import Array, check_weights, encode_labels, label_of, read_labels
from .learning import model_of
from .model import BPE
from .ngrams import check_ngram_range
from .options import check_choice, check_positive, check_share, check_whole
from .temperature import Fit, cross_temperature, softmax
from .views import Ratios, View, contributions, keep_columns, mean_scores

_TOLERANCE = 1e-2  # of the SVM; finer ones cost time and change no figure
_BATCH = 2000  # texts that are scored at a time

# The blocks; each is a view.
_KINDS = ("words", "pieces", "spaced")
_FAST_KINDS = ("pieces", "spaced")


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


class SubwordTextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """Classify raw texts: any language, any number of classes, no settings to find.

    Three linear models vote. One sees n-grams of whole words, one n-grams of the pieces of a small
    byte-pair encoding learnt from the texts, one those of pieces that begin with the space before
    a word. In each, features are weighed by naive-Bayes log-count ratios (`NBLogCountRatio`), a
    linear SVM is fitted and its weights are mixed with those of naive Bayes; the score is the mean
    of the three. The defaults were chosen by cross-validation on the training parts of nine data
    sets of reviews, questions, topics, intents and messages in three languages.

    Characters of Chinese and Japanese count as words, and the two apostrophes ``'`` and ``’`` are
    the same. Words behind an English negation are other words to the first and the third model,
    up to four of them and to the next punctuation mark; texts of other languages stay as they are.

    Parameters
    ----------
    fast : bool, default=False
        Take the cheaper recipe, without the model of whole words.
    bpe : BPE or path, default=None
        A trained model, or the file of one, such as one learnt from much text without labels. One
        that marks the ends of words takes the place of the pieces inside words, any other that of
        the pieces with spaces; its own rules apply to them.
    num_merges : int, default=500
        Merges to learn, and how many of a given `bpe` to use; None: all of that, 500 of others.
    word_ngram_range : tuple (min_n, max_n), default=(1, 3)
        Lengths of the n-grams of words.
    piece_ngram_range : tuple (min_n, max_n), default=(1, 3)
        Lengths of the n-grams of pieces.
    min_df : int, default=None
        In how many texts a feature must occur. None: in 1, or in 2 if there are five million
        characters.
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
    calibrate : bool or "auto", default="auto"
        When to learn what `predict_proba` needs, which takes up to three more fits of the SVM:
        True in `fit`, "auto" when `predict_proba` is called first or the classifier is pickled,
        copied or saved, so that it does not change by that; until then the texts are kept. With
        False there is no `predict_proba`.
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
        The model whose pieces begin with the space before a word, or the one that was given.
    coef_ : ndarray of shape (1 or n_classes, n_features)
        Weights of the features, those of words first; a single line for two classes.
    intercept_ : ndarray of shape (1 or n_classes,)
        Added to the scores.
    temperature_ : float
        Scores are divided by it before they become probabilities; see `calibrate`.

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
        bpe: BPE | str | os.PathLike[str] | None = None,
        num_merges: int | None = 500,
        word_ngram_range: Range = (1, 3),
        piece_ngram_range: Range = (1, 3),
        min_df: int | None = None,
        lowercase: bool = True,
        C: float = 1.0,
        alpha: float = 2.0,
        beta: float = 0.5,
        class_weight: Any = None,
        calibrate: bool | str = "auto",
        missing: str = "error",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.fast = fast
        self.bpe = bpe
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

    def fit(self, X: Iterable[str], y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from texts and labels.

        Parameters
        ----------
        X : iterable of str
            One text per document; it is read once.
        y : iterable of n_documents labels
            Of at least two classes.
        sample_weight : array of shape (n_documents,), default=None
            How often each text counts, in the ratios, in the SVM and in the temperature. Merges
            and features are learnt from all texts alike.

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
        self._check_parameters()
        given, n_jobs = self._given_model(), threads(self.n_jobs)
        texts = read_documents(X, missing=self.missing)
        if not any(map(str.strip, texts)):
            raise nothing_found(texts, 0)
        classes, codes = encode_labels(read_labels(y, len(texts)))
        weights = _check_sample_weight(
            sample_weight, texts, dtype=np.float64, ensure_non_negative=True
        )
        check_weights(codes, weights, classes)
        self.classes_ = classes
        self.__dict__.pop("temperature_", None)
        self._blocks, found = TextBlocks.learn(texts, self._recipe(), n_jobs, given)
        self._views = [self._learn(found, codes, weights) for _ in self._blocks.recipe.kinds]
        self._training = (texts, codes, weights) if self.calibrate else None
        if self.calibrate is True:
            self._calibrate()
        return self

    def _check_parameters(self) -> None:
        for name in ("fast", "lowercase"):
            check_choice(name, getattr(self, name), (True, False))
        check_choice("calibrate", self.calibrate, (True, False, "auto"))
        check_choice("missing", self.missing, ("error", "empty"))
        check_positive("C", self.C)
        check_positive("alpha", self.alpha)
        check_share("beta", self.beta)
        if self.num_merges is not None:
            check_whole("num_merges", self.num_merges, 0)
        if self.min_df is not None:
            check_whole("min_df", self.min_df, 1)
        check_ngram_range(self.word_ngram_range)
        check_ngram_range(self.piece_ngram_range)

    def _given_model(self) -> BPE | None:
        """Return the model of `bpe=`, truncated."""
        if self.bpe is None:
            return None
        bpe = model_of(self.bpe)
        size = bpe.num_merges if self.num_merges is None else self.num_merges
        return bpe.truncate(min(size, bpe.num_merges))

    def _recipe(self) -> Recipe:
        """Return what to do with texts."""
        merges = 500 if self.num_merges is None else int(self.num_merges)
        return Recipe(
            _FAST_KINDS if self.fast else _KINDS,
            merges, self.word_ngram_range, self.piece_ngram_range,
            int(self.min_df or 0), bool(self.lowercase),
        )  # fmt: skip

    def _learn(self, found: Iterator[Any], codes: Array, weights: Array) -> View:
        """Take the next block, forget what says nothing, and fit a model on the other features."""
        block = next(found)
        ratios = Ratios.learn(block, codes, weights, self.alpha)
        kept = ratios.scale > 0
        self._blocks.keep(np.flatnonzero(kept))
        block = keep_columns(block, kept)  # room for the SVM
        return self._fit_view(block, ratios.take(kept), codes, weights)

    def _fit_view(self, ones: Any, ratios: Ratios, codes: Array, weights: Array) -> View:
        svm = LinearSVC(
            C=self.C,
            tol=_TOLERANCE,
            class_weight=self.class_weight,
            random_state=self.random_state,
        )
        return View.learn(ones, ratios, self.classes_[codes], weights, svm, self.beta)

    def _scorer(self, blocks: list[Any], codes: Array, weights: Array) -> Fit:
        """Return the function with which `cross_temperature` fits on some rows."""

        def fit(rows: Array) -> Callable[[Array], Array]:
            local = np.unique_inverse(codes[rows])[1]
            views = []
            for ones in (block[rows] for block in blocks):
                ratios = Ratios.learn(ones, local, weights[rows], self.alpha)
                views.append(self._fit_view(ones, ratios, codes[rows], weights[rows]))
            return lambda others: mean_scores(views, [block[others] for block in blocks])

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
        texts, n_jobs = read_documents(X, missing=self.missing), threads(self.n_jobs)
        batches = [texts[i : i + _BATCH] for i in range(0, len(texts), _BATCH)] or [[]]
        scores = np.concatenate(
            [mean_scores(self._views, self._blocks.transform(some, n_jobs)) for some in batches]
        )
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

    @available_if(lambda self: self.calibrate)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Iterable[str]) -> Array:
        """Return probabilities; not with ``calibrate=False``.

        Parameters
        ----------
        X : iterable of str
            One text per document.

        Returns
        -------
        ndarray of shape (n_documents, n_classes)
            Rows sum to 1.

        Raises
        ------
        SubwordError
            When `calibrate` was False in `fit`.

        """
        check_is_fitted(self)
        self._calibrate()
        if not hasattr(self, "temperature_"):
            raise SubwordError(
                "nothing was kept to learn probabilities from, for calibrate was False in fit; fit "
                "again with calibrate=True"
            )
        return softmax(self.decision_function(X), self.temperature_)

    def _calibrate(self) -> None:
        """Learn the temperature if that was put off."""
        if self._training is None:
            return
        texts, codes, weights = self._training
        blocks = self._blocks.transform(texts, threads(self.n_jobs))
        scorer = self._scorer(blocks, codes, weights)
        self.temperature_ = cross_temperature(scorer, codes, weights)
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
        line, sign = self._line_of(self.predict([document])[0] if label is None else label)
        words, features = self._blocks.locate(document)
        found = [*features]
        columns = np.array([column for column, _ in found], np.int64)
        distinct, places, times = np.unique(columns, return_inverse=True, return_counts=True)
        values = sign * contributions(self._views, distinct, line) / times
        sums = np.zeros(len(words))
        for (_, units), value in zip(found, values[places], strict=True):
            np.add.at(sums, units, value / len(units))
        return [
            WordContribution(document[start:end], start, end, value)
            for (start, end), value in zip(words, sums.tolist(), strict=True)
        ]

    def _line_of(self, label: Any) -> tuple[int, int]:
        """Return the number of the weights for a class, and 1, or -1 if they speak against it."""
        places = np.flatnonzero(self.classes_ == label)
        if not len(places):
            raise SubwordError(f"no class {label!r}; the classes are {self.classes_.tolist()}")
        if len(self.classes_) > 2:
            return int(places[0]), 1
        return 0, 1 if places[0] else -1

    @property
    def coef_(self) -> Array:
        """The weights of the features."""
        check_is_fitted(self)
        lines: Array = np.concatenate([view.weights for view in self._views]).T / len(self._views)
        return lines

    @property
    def intercept_(self) -> Array:
        """What is added to the scores."""
        check_is_fitted(self)
        mean: Array = np.mean([view.intercept for view in self._views], axis=0)
        return mean

    @property
    def bpe_(self) -> BPE:
        """The model whose pieces begin with the space before a word, or the one given."""
        check_is_fitted(self)
        return self._blocks.models[self._blocks.given or "spaced"]

    # -- being an estimator ----------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_views")

    def __sklearn_tags__(self) -> Any:
        return tag_texts(super().__sklearn_tags__(), self.missing)

    def __getstate__(self) -> dict[str, Any]:
        """Pack: the models as text, features and weights as arrays; no texts."""
        if hasattr(self, "_views"):
            self._calibrate()
        state = dict(super().__getstate__())
        if isinstance(self.bpe, BPE):
            state["bpe"], state["_given"] = None, self.bpe.dumps()
        for name in ("word_ngram_range", "piece_ngram_range"):
            state[name] = clone(state[name], safe=False)  # two objects also where it was one
        if "_views" in state:
            del state["_training"]
            state["_blocks"] = state["_blocks"].pack()
            state["_views"] = [[*view] for view in state["_views"]]
        return dict(sorted(state.items()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = {sys.intern(name): value for name, value in state.items()}
        if "_given" in state:
            state["bpe"] = unpack(state.pop("_given"))
        if "_views" in state:
            state["_views"] = [View(*view) for view in state["_views"]]
            state |= {"_blocks": TextBlocks.unpack(state["_blocks"]), "_training": None}
        super().__setstate__(state)
