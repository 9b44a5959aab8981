"""What systems are compared with: the same split into words, other features and classifiers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from ..nbsvm import NBSVMClassifier
from ..pretokenize import Splitter
from ..vectorizer import SubwordTfidfVectorizer

_words = Splitter("words", lowercase=True).words


def usual_baselines() -> dict[str, Any]:
    """Return whole words by tf-idf with logistic regression, and no learning at all."""
    words = TfidfVectorizer(analyzer=_words, sublinear_tf=True)
    return {
        "words": make_pipeline(words, _logistic()),
        "majority": DummyClassifier(strategy="most_frequent"),
    }


def strong_baselines() -> dict[str, Any]:
    """Return what is hard to beat: pairs of words, characters, subwords without a second view."""
    pairs = TfidfVectorizer(analyzer=words_and_pairs, sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True)
    subwords = SubwordTfidfVectorizer(
        num_merges=500, ngram_range=(1, 3), min_df=2, sublinear_tf=True
    )
    return {
        "words 1-2, NBSVM": make_pipeline(
            CountVectorizer(analyzer=words_and_pairs, binary=True), NBSVMClassifier()
        ),
        "words 1-2, SVM": make_pipeline(pairs, LinearSVC(random_state=0)),
        "characters 2-5, SVM": make_pipeline(characters, LinearSVC(random_state=0)),
        "subwords 1-3, LR": make_pipeline(subwords, _logistic()),
    }


def words_and_pairs(text: str) -> list[str]:
    """Return the words of a text and the pairs of neighbours.

    >>> words_and_pairs("so low")
    ['so', 'low', 'so low']
    """
    words = _words(text)
    return words + [f"{a} {b}" for a, b in pairwise(words)]


def _logistic() -> LogisticRegression:
    return LogisticRegression(C=10, max_iter=1000)
