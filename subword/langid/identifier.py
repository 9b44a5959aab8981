"""`LanguageIdentifier`: which language a text is in, from one word dictionary per language."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..counts import WordCounts
from ..documents import is_missing, nothing_found, read_documents, tag_texts, threads
from ..errors import SubwordError, SubwordWarning
from ..files import bundled, open_binary, write_atomic
from ..labels import read_labels
from ..model import BPE
from ..options import check_choice, check_not_negative, check_positive, check_share, check_whole
from ..trainer import train
from . import storage
from .calibration import Calibration, fit_calibration
from .features import prepare, words_of
from .scoring import Scorer, make_scorer
from .spans import LanguageSpan, find_words, join, likeliest_path
from .table import MOST_LANGUAGES
from .weights import Dictionary, learn_weights

UNDETERMINED = "und"  # as in ISO 639-2
PRETRAINED = "languages.model"

_TOP_WORDS = 4000  # of each language, that merges are learnt from
_GRAIN = 1e6  # what the frequencies of one language add up to when merges are learnt

Floats = npt.NDArray[np.float64]


class LanguageIdentifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # no stubs
    """Tell which language texts are in.

    Learns from one word-frequency dictionary per language. Merges are learnt on the most frequent
    words of all of them; naive Bayes then weighs the pieces of words, pairs of neighbouring
    pieces, whole words, and where in Unicode words begin. Texts are only looked up.

    Letter case, web and mail addresses, numbers and signs play no part. A text in which no word
    says anything about the languages, such as one without letters, is ``"und"`` (undetermined, as
    in ISO 639-2), and all languages are equally probable.

    Parameters
    ----------
    num_merges : int, default=4000
        Merges to learn.
    power : float, default=0.4
        Word counts are raised to this power, so that frequent words do not count for everything.
    alpha : float, default=0.1
        Smoothing of naive Bayes, where the counts of each language add up to 100,000.
    max_size : int, default=None
        Units of two bytes that the table of weights may have; the least informative features are
        left out. None: as many as it takes.
    languages : list of str, default=None
        The languages that texts may be in, None for all that were learnt. May be changed at any
        time.
    min_confidence : float in [0, 1], default=0.0
        Where the best language is less probable, `predict` says ``"und"``, and `identify_spans`
        of a span in which it is less probable. May be changed at any time.
    missing : {"error", "empty"}, default="error"
        Whether None, NaN and NA are errors or empty texts.
    n_jobs : int, default=None
        Threads of the native engine, -1 for all; the result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of str, shape (n_languages,)
        The languages.
    variants_ : list of str
        The dictionaries that were learnt from; ``sr@latin`` is a variant of ``sr``.
    bpe_ : BPE
        The merges in use.
    calibration_ : Calibration
        What turns scores into probabilities; see `calibrate`.

    Examples
    --------
    >>> dictionaries = {"de": {"der": 9, "wein": 2}, "en": {"the": 9, "wine": 2}}
    >>> model = LanguageIdentifier(num_merges=10).fit_dictionaries(dictionaries)
    >>> model.predict(["The weather", "WEIN!", "42"])
    array(['en', 'de', 'und'], dtype=object)

    """

    def __init__(
        self,
        *,
        num_merges: int = 4000,
        power: float = 0.4,
        alpha: float = 0.1,
        max_size: int | None = None,
        languages: Sequence[str] | None = None,
        min_confidence: float = 0.0,
        missing: str = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.num_merges = num_merges
        self.power = power
        self.alpha = alpha
        self.max_size = max_size
        self.languages = languages
        self.min_confidence = min_confidence
        self.missing = missing
        self.n_jobs = n_jobs

    # -- learning --------------------------------------------------------------------------

    def fit(self, X: Iterable[str], y: Iterable[str]) -> Self:
        """Learn from texts whose languages are known.

        Parameters
        ----------
        X : iterable of str
            The texts.
        y : iterable of str
            The language of each.

        Returns
        -------
        self
            The fitted identifier.

        Raises
        ------
        SubwordError
            For parameters out of range, texts and labels of different number, fewer than two
            languages, and a language without any word.
        TypeError
            For a single str, for texts that are none and labels that are no str.

        """
        self._check_parameters()
        texts = read_documents(X, missing=self.missing)
        if not any(map(str.strip, texts)):
            raise nothing_found(texts, 0)
        labels = _read_labels(y, len(texts))
        by_language: dict[str, list[str]] = {label: [] for label in labels}
        for text, label in zip(texts, labels, strict=True):
            by_language[label].append(prepare(text))
        return self.fit_dictionaries(
            {
                label: WordCounts.from_texts(prepared, pretokenizer="words")
                for label, prepared in by_language.items()
            }
        )

    def fit_dictionaries(self, dictionaries: Mapping[str, Dictionary]) -> Self:
        """Learn from word frequencies.

        Parameters
        ----------
        dictionaries : mapping language -> mapping word -> frequency
            `WordCounts` or any other numbers of at least 0. Where a language comes in several
            forms, such as scripts, give one dictionary for each and name them ``sr@latin``,
            ``sr@cyrillic``: both are reported as ``sr``.

        Returns
        -------
        self
            The fitted identifier.

        Raises
        ------
        SubwordError
            As `fit`.
        TypeError
            For what is no mapping, words that are no str and frequencies that are no numbers.

        Examples
        --------
        >>> words = {"sr@latin": {"reka": 1}, "sr@cyrillic": {"река": 1}, "ru": {"речка": 1}}
        >>> LanguageIdentifier(num_merges=5).fit_dictionaries(words).predict(["REKA", "река"])
        array(['sr', 'sr'], dtype=object)

        """
        self._check_parameters()
        names = sorted(_check_names(dictionaries), key=_language_and_variant)
        damped = [self._damp(name, dictionaries[name]) for name in names]
        self.bpe_ = _learn_merges(damped, self.num_merges)
        table, unit = learn_weights(self.bpe_, damped, self.alpha, self.max_size)
        self._adopt(storage.Learnt(names, self.bpe_, table, Calibration(unit)))
        return self

    def _adopt(self, learnt: storage.Learnt) -> None:
        self._learnt, self.bpe_, self.variants_ = learnt, learnt.bpe, learnt.names
        languages = [_language_and_variant(name)[0] for name in learnt.names]
        classes, self._firsts = np.unique(languages, return_index=True)
        self.classes_ = classes.astype(object)
        self.__dict__.pop("_scorer", None)

    def _damp(self, name: str, dictionary: Dictionary) -> dict[str, float]:
        """Return the words as they are looked up, with frequencies that add up to 1."""
        damped: dict[str, float] = {}
        for word, count in dictionary.items():
            if not isinstance(word, str) or not isinstance(count, Real):
                raise TypeError(
                    f"{name}: a str and its frequency are needed, got {word!r:.40}: {count!r:.40}"
                )
            if not 0 <= count < np.inf:
                raise SubwordError(f"{name}: {word!r} has the frequency {count!r}; none is below 0")
            if count:
                for part in words_of(prepare(word)):
                    damped[part] = damped.get(part, 0) + count
        if not damped:
            raise SubwordError(f"there is no word of letters for {name!r}: nothing to learn from")
        powers = {word: float(count) ** self.power for word, count in damped.items()}
        total = sum(powers.values())
        return {word: value / total for word, value in powers.items()}

    def calibrate(self, X: Iterable[str], y: Iterable[str]) -> Self:
        """Learn how sure to be, from texts that were not learnt from.

        Probabilities are ``softmax(scale * n ** -damping * scores)``, where n is the number of
        known features of the text: what they say is not independent. Before this is called,
        values stand in that suit 75 languages.

        Parameters
        ----------
        X : iterable of str
            The texts: short and long ones, as they will come.
        y : iterable of str
            The language of each; those not learnt are an error.

        Returns
        -------
        self
            The identifier; what it predicts stays the same.

        """
        scores, known = self._scores(X)
        labels = _read_labels(y, len(scores))
        numbers = {language: i for i, language in enumerate(self.classes_)}
        if strange := sorted(set(labels) - set(numbers)):
            raise SubwordError(f"languages that were not learnt: {', '.join(strange)}")
        right = np.array([numbers[label] for label in labels])
        self.calibration_ = fit_calibration(self.calibration_, scores, known, right)
        return self

    # -- using -----------------------------------------------------------------------------

    def predict(self, X: Iterable[str]) -> npt.NDArray[Any]:
        """Return the likeliest language of each text, or ``"und"``.

        Parameters
        ----------
        X : iterable of str
            The texts.

        Returns
        -------
        ndarray of object, shape (n_texts,)
            Languages.

        """
        scores, known = self._scores(X)
        predicted: npt.NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        predicted[scores.max(axis=1, initial=0) <= 0] = UNDETERMINED
        if self.min_confidence > 0:
            best = self.calibration_.probabilities(scores, known).max(axis=1)
            predicted[best < self.min_confidence] = UNDETERMINED
        return predicted

    def predict_proba(self, X: Iterable[str]) -> Floats:
        """Return the probability of each language.

        Parameters
        ----------
        X : iterable of str
            The texts.

        Returns
        -------
        ndarray of shape (n_texts, n_languages)
            Rows sum to 1; a language that is not among `languages` has 0.

        """
        return self.calibration_.probabilities(*self._scores(X))

    def identify_spans(self, text: str, penalty: float = 6.0) -> list[LanguageSpan]:
        """Say which stretches of a text are in which language.

        Each word is looked up alone; the likeliest run of languages over all words is taken,
        where every change costs something.

        Parameters
        ----------
        text : str
            One text, perhaps in several languages.
        penalty : float, default=6.0
            What a change of language costs, in nats, at least 0: the higher, the fewer spans.

        Returns
        -------
        list of LanguageSpan
            In the order of the text: ``(start, end, language)``, in characters. What stands
            between the words of two spans belongs to neither. A span is ``"und"`` where no word
            says anything about the languages, and where all of them together make its language
            less probable than `min_confidence`.

        Raises
        ------
        SubwordError
            For a penalty below 0 or none, and for parameters out of range.
        TypeError
            For what is no str.

        Examples
        --------
        >>> words = {"de": {"guten": 2, "morgen": 1}, "en": {"good": 2, "morning": 1}}
        >>> model = LanguageIdentifier(num_merges=9).fit_dictionaries(words)
        >>> model.identify_spans("Good morning! Guten Morgen!", penalty=1.0)
        [LanguageSpan(start=0, end=12, language='en'),
         LanguageSpan(start=14, end=26, language='de')]

        """
        check_not_negative("penalty", penalty)
        self._check_use()
        (text,) = read_documents([text], missing=self.missing)
        words = find_words(text)
        if not words:
            return []
        path = likeliest_path(self.predict_proba([word.word for word in words]), penalty)
        names = [str(self.classes_[language]) for language in path]
        spans = join(LanguageSpan(*word[1:], name) for word, name in zip(words, names, strict=True))
        return join(self._withhold(text, spans))

    def _withhold(self, text: str, spans: list[LanguageSpan]) -> Iterator[LanguageSpan]:
        """Take away the languages of spans that are not sure enough."""
        scores, known = self._scores([text[span.start : span.end] for span in spans])
        probabilities = self.calibration_.probabilities(scores, known)
        numbers = {language: i for i, language in enumerate(self.classes_)}
        for span, row, told in zip(spans, probabilities, scores.max(axis=1) > 0, strict=True):
            sure = told and row[numbers[span.language]] >= self.min_confidence
            yield span if sure else span._replace(language=UNDETERMINED)

    def _scores(self, X: Iterable[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the scores of languages, -1 for those not allowed, and how much is known."""
        check_is_fitted(self)
        self._check_use()
        allowed = self._allowed()
        texts = [prepare(text) for text in read_documents(X, missing=self.missing)]
        scores, known = self._scorer.score(texts, threads(self.n_jobs))
        if len(self.variants_) > len(self.classes_):  # a language is as likely as its best variant
            scores = np.maximum.reduceat(scores, self._firsts, axis=1)
        scores[:, ~allowed] = -1
        return scores, known

    def _allowed(self) -> npt.NDArray[np.bool_]:
        """Say which classes texts may be in."""
        if self.languages is None:
            return np.ones(len(self.classes_), bool)
        is_list = isinstance(self.languages, Iterable) and not isinstance(self.languages, str)
        if not is_list or not (names := [*self.languages]):
            raise SubwordError(f"languages must be a list of at least one, got {self.languages!r}")
        if strange := [name for name in names if name not in self.classes_.tolist()]:
            raise SubwordError(
                f"languages that were not learnt: {', '.join(map(str, strange))}; "
                f"known are {', '.join(self.classes_)}"
            )
        return np.isin(self.classes_, names)

    @cached_property
    def _scorer(self) -> Scorer:
        return make_scorer(self.bpe_, self._learnt.table, len(self.variants_))

    @property
    def calibration_(self) -> Calibration:
        """What turns scores into probabilities; can be set."""
        check_is_fitted(self)
        return self._learnt.calibration

    @calibration_.setter
    def calibration_(self, value: Calibration) -> None:
        check_is_fitted(self)
        self._learnt = self._learnt._replace(calibration=value)

    # -- files -----------------------------------------------------------------------------

    @classmethod
    def pretrained(cls, **parameters: Any) -> Self:
        """Return the model of 75 languages that comes with the package.

        Parameters
        ----------
        **parameters
            `languages`, `min_confidence`, `missing`, `n_jobs`.

        Examples
        --------
        >>> LanguageIdentifier.pretrained().predict(["Ein gut gekühlter Wein", "a cold wine"])
        array(['de', 'en'], dtype=object)

        """
        return cls.load(bundled(PRETRAINED), **parameters)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **parameters: Any) -> Self:
        """Read a fitted identifier that `save` wrote.

        Parameters
        ----------
        path : path
            The file.
        **parameters
            Parameters of the identifier.

        Raises
        ------
        ModelFileError
            When the file is none of ours, or damaged.

        """
        with open_binary(path) as stream:
            learnt = storage.read(stream.read(), os.fspath(path))
        identifier = cls(**parameters)
        identifier._adopt(learnt)
        return identifier

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what was learnt to a file, whole or not at all."""
        check_is_fitted(self)
        write_atomic(path, storage.write(self._learnt))

    # -- being an estimator ----------------------------------------------------------------

    def _check_parameters(self) -> None:
        check_whole("num_merges", self.num_merges, 0)
        check_positive("power", self.power)
        check_positive("alpha", self.alpha)
        if self.max_size is not None:
            check_whole("max_size", self.max_size, 1)
        self._check_use()

    def _check_use(self) -> None:
        check_share("min_confidence", self.min_confidence)
        check_choice("missing", self.missing, ("error", "empty"))
        threads(self.n_jobs)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learnt")

    def __sklearn_tags__(self) -> Any:
        return tag_texts(super().__sklearn_tags__(), self.missing)

    def __getstate__(self) -> dict[str, Any]:
        """Pack what was learnt as in a file."""
        state = dict(super().__getstate__())
        if "_learnt" in state:
            for name in ("bpe_", "variants_", "classes_", "_firsts"):
                del state[name]
            state.pop("_scorer", None)
            state["_learnt"] = storage.write(state["_learnt"])
        return dict(sorted(state.items()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = {sys.intern(name): value for name, value in state.items()}
        packed = state.pop("_learnt", None)
        super().__setstate__(state)
        if packed is not None:
            self._adopt(storage.read(packed))


def _learn_merges(dictionaries: Sequence[Dictionary], num_merges: int) -> BPE:
    """Learn merges on the most frequent words of all languages, each as heavy as the others."""
    frequencies: Counter[str] = Counter()
    for dictionary in dictionaries:
        words = sorted(dictionary.items(), key=lambda item: (-item[1], item[0]))[:_TOP_WORDS]
        total = sum(value for _, value in words)
        for word, value in words:
            frequencies[word] += value / total  # type: ignore[assignment]
    counts = {word: max(1, round(value * _GRAIN)) for word, value in frequencies.items()}
    with warnings.catch_warnings():  # small dictionaries give fewer merges, and no harm is done
        warnings.simplefilter("ignore", SubwordWarning)
        return train(WordCounts(counts, pretokenizer="words"), num_merges=num_merges)


def _language_and_variant(name: str) -> tuple[str, str]:
    language, _, variant = name.partition("@")
    return language, variant


def _check_names(dictionaries: Mapping[str, Dictionary]) -> list[str]:
    """Return the names of dictionaries if they can be told apart and learnt."""
    if not isinstance(dictionaries, Mapping):
        raise TypeError(
            "expected a mapping from languages to word frequencies, got "
            f"{type(dictionaries).__name__}"
        )
    names = _read_labels(dictionaries, len(dictionaries))
    for name, dictionary in dictionaries.items():
        if not hasattr(dictionary, "items"):
            raise TypeError(
                f"{name}: expected a mapping from words to frequencies, got "
                f"{type(dictionary).__name__}; texts go to `fit`"
            )
    languages = {_language_and_variant(name)[0] for name in names}
    if len(languages) < 2:
        raise SubwordError(f"at least 2 languages are needed, got {sorted(languages)}")
    if UNDETERMINED in languages or "" in languages:
        raise SubwordError(
            f"no language can be named {UNDETERMINED!r}, which stands for none, or be empty"
        )
    if len(names) > MOST_LANGUAGES:
        raise SubwordError(f"at most {MOST_LANGUAGES} dictionaries are possible, got {len(names)}")
    return names


def _read_labels(labels: Iterable[Any], texts: int) -> list[str]:
    """Return labels as a list of str."""
    given = labels if labels is None or isinstance(labels, (str, bytes)) else [*labels]
    for row, label in enumerate(given if isinstance(given, list) else ()):
        if not isinstance(label, str) and not is_missing(label):
            raise TypeError(f"label {row}: a language is named by a str, got {label!r:.40}")
    listed: list[str] = read_labels(given, texts).tolist()
    return listed
