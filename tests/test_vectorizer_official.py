"""scikit-learn's official checks, through a door that turns rows of numbers into documents.

`check_estimator` runs a single check on estimators of text. These subclasses take numbers, so
that all the others run, too: on `__init__`, cloning, state, idempotence, order of samples, ...
"""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from sklearn.utils.validation import validate_data

from subword import (
    SubwordHashingVectorizer,
    SubwordTextClassifier,
    SubwordTfidfVectorizer,
    SubwordVectorizer,
)


def documents(X):
    """Spell a row as words like ``f0=-1``, one a column."""
    return [" ".join(f"f{i}={value:.0f}" for i, value in enumerate(row)) for row in X]


class Numeric:
    def fit(self, X, y=None):
        return super().fit(documents(validate_data(self, X)))

    def fit_transform(self, X, y=None):
        return super().fit_transform(documents(validate_data(self, X)))

    def transform(self, X):
        if not hasattr(self, "bpe_"):
            return super().transform([])  # says that it is not fitted
        return super().transform(documents(validate_data(self, X, reset=False)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.two_d_array = True
        return tags


class NumericCounts(Numeric, SubwordVectorizer):
    pass


class NumericTfidf(Numeric, SubwordTfidfVectorizer):
    pass


class NumericHashes(Numeric, SubwordHashingVectorizer):
    def partial_fit(self, X, y=None):
        first = not hasattr(self, "bpe_")
        return SubwordHashingVectorizer.partial_fit(
            self, X if first else documents(validate_data(self, X, reset=False))
        )


class NumericClasses(SubwordTextClassifier):
    def fit(self, X, y=None):
        X, y = validate_data(self, X, y)
        return super().fit(documents(X), y)

    def decision_function(self, X):
        if not hasattr(self, "bpe_"):
            return super().decision_function([])
        return super().decision_function(documents(validate_data(self, X, reset=False)))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.two_d_array = True
        tags.classifier_tags.poor_score = True  # to words, numbers are not near to each other
        return tags


# Every word counts, so that even a single row gives something to learn.
ESTIMATORS = [
    NumericCounts(pretokenizer="space", min_frequency=1),
    NumericTfidf(pretokenizer="space", min_frequency=1, num_merges=20),
    NumericClasses(),
    NumericClasses(fast=True, calibrate=True),
    NumericTfidf(
        pretokenizer="space",
        min_frequency=1,
        granularities={20: (1, 2), 3: (1, 1)},
        ngram_within="word",
    ),
    NumericHashes(pretokenizer="space", min_frequency=1, num_merges=20, use_idf=True),
]


def expected_to_fail(estimator):
    """What calls of `predict` and `transform` may change: by itself, the temperature is learnt late."""
    if getattr(estimator, "calibrate", None) != "auto":
        return {}
    return {"check_dict_unchanged": "predict_proba learns when it is first called"}


@pytest.mark.filterwarnings("ignore:.* merges learnt:subword.SubwordWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_to_fail)
def test_official_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_most_official_checks_run(estimator):
    assert len([*estimator_checks_generator(estimator)]) >= 45
