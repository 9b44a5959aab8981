"""The checks of text estimators: ours pass, scikit-learn's differ as said, faults are found."""

import inspect
import pickle
import random
import re
from itertools import count
from pathlib import Path
from unittest import SkipTest

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import subword
from subword import SubwordTextClassifier, SubwordTfidfVectorizer, SubwordVectorizer
from subword.testing import (
    CHECKS,
    CheckResult,
    TextCheckError,
    check_text_estimator,
    text_estimator_checks,
)

DIFFERENCES = Path(__file__).parents[1] / "docs" / "scikit-learn.md"


def text_estimators():
    """Return one of each public estimator whose tags say that it takes texts."""
    public = (getattr(subword, name) for name in subword.__all__)
    kinds = (kind for kind in public if inspect.isclass(kind) and issubclass(kind, BaseEstimator))
    return [made for made in (kind() for kind in kinds) if get_tags(made).input_tags.string]


OURS = [
    *text_estimators(),
    SubwordVectorizer(ngram_range=(1, 2), missing="empty", stop_words=["low"]),
    SubwordTfidfVectorizer(level="byte", num_merges=20, max_features=30),
    SubwordVectorizer(bpe=subword.train(["low lower newest tower"]), vocabulary=["low", "t@@"]),
    SubwordTextClassifier(fast=True, calibrate=True, missing="empty"),
]


@pytest.mark.parametrize("estimator", OURS, ids=lambda estimator: repr(estimator)[:60])
def test_ours_pass(estimator):
    known = {}
    if isinstance(estimator, subword.LanguageIdentifier):
        reason = "it says 'und' of texts without a letter"
        known = dict.fromkeys(["check_labels", "check_probabilities"], reason)
    report = check_text_estimator(estimator, known=known)
    passed = [result.name for result in report if result.status == "passed"]
    assert len(passed) + len(known) >= 30


@pytest.mark.parametrize(
    ("estimator", "check"), text_estimator_checks(SubwordVectorizer(), CountVectorizer())[:3]
)
def test_checks_can_be_parameters_of_a_test(estimator, check):
    check(estimator)


def test_all_public_text_estimators_are_among_them():
    names = {type(estimator).__name__ for estimator in text_estimators()}
    assert names >= {"SubwordVectorizer", "SubwordTfidfVectorizer", "SubwordTextClassifier"}


# What scikit-learn's own do otherwise; docs/scikit-learn.md has the same table.
DIFFERENT = {
    "check_single_text_is_refused": "CTH",
    "check_used_up_generator": "H",
    "check_missing_values": "CTH",
    "check_two_dimensional_input": "CTH",
    "check_empty_texts": "TH",
    "check_nothing_to_learn_from": "CT",
    "check_use_changes_nothing": "H",
    "check_equal_fits_pickle_alike": "H",
}


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_where_scikit_learn_differs(kind):
    report = check_text_estimator(kind(), on_fail=None)
    failed = [result.name for result in report if result.status == "failed"]
    assert failed == [name for name, kinds in DIFFERENT.items() if kind.__name__[0] in kinds]


def test_the_document_says_the_same():
    rows = re.findall(
        r"^\| `(check_\w+)` \|.*\| ([CTH, ]+) \|$", DIFFERENCES.read_text("utf-8"), re.M
    )
    assert {name: kinds.replace(", ", "") for name, kinds in rows} == DIFFERENT


def test_pipelines_can_be_checked():
    pipeline = make_pipeline(SubwordTfidfVectorizer(), LogisticRegression())
    known = {"check_empty_texts": "the classifier of scikit-learn refuses no rows"}
    report = check_text_estimator(pipeline, known=known)
    assert CheckResult("check_empty_texts", "skipped", known["check_empty_texts"]) in report
    assert CheckResult("check_pickle", "passed", "") in report


# -- faults ------------------------------------------------------------------------------------


def broken(kind=SubwordVectorizer, **methods):
    return type("Broken", (kind,), methods)()


def use(change, method="transform", kind=SubwordVectorizer):
    """Return an estimator with a change in what a method returns."""
    whole = getattr(kind, method)
    return broken(kind, **{method: lambda self, *args: change(whole(self, *args))})


def learn(change, kind=SubwordVectorizer):
    """Return an estimator that is changed when it learns."""

    def fit(self, X, y=None):
        kind.fit(self, X, y)
        change(self)
        return self

    return broken(kind, fit=fit)


class Counted(SubwordVectorizer):
    """Counts its uses."""

    def transform(self, X):
        self.uses_ = getattr(self, "uses_", 0) + 1
        return super().transform(X)


class Forgetful(SubwordVectorizer):
    """Its copies have other parameters."""

    def __setstate__(self, state):
        super().__setstate__(state | {"num_merges": 1})


class Traces(SubwordVectorizer):
    """Remembers an earlier fit."""

    def fit(self, X, y=None):
        super().fit(X)
        self.fits_ = getattr(self, "fits_", 0) + 1
        return self

    def transform(self, X):
        return super().transform(X) * self.fits_


class Moody(SubwordVectorizer):
    """Every fit gives other numbers."""

    moods = count(1)

    def fit(self, X, y=None):
        self.mood_ = next(Moody.moods)
        return super().fit(X)

    def transform(self, X):
        return super().transform(X) * self.mood_


class Unequal(SubwordVectorizer):
    """Every fit has other bytes."""

    def fit(self, X, y=None):
        self.token_ = random.Random().random()
        return super().fit(X)


class Letters(SubwordVectorizer):
    """Takes a str for documents."""

    def fit(self, X, y=None):
        return super().fit([*map(str, X)])

    def transform(self, X):
        return super().transform([*map(str, X)])


class Eager(SubwordVectorizer):
    """Checks in __init__."""

    def __init__(self, *, num_merges=100):
        super().__init__(num_merges=int(num_merges))


class Shares(SubwordTextClassifier):
    """Has probabilities that are none."""

    def predict_proba(self, X):
        return super().predict_proba(X) * 2


def shuffled(X):
    return X[::-1].copy()


def unsorted(X):
    X.indices[:2] = X.indices[:2][::-1].copy()
    return X


def only(kind):
    """Return an estimator that takes one kind of container."""

    def fit(self, X, y=None):
        if not isinstance(X, kind):
            raise TypeError(f"not {kind}")
        return SubwordVectorizer.fit(self, X)

    return broken(fit=fit)


def in_place(self, X, y=None):
    X = X if isinstance(X, (list, np.ndarray)) else [*X]
    for i, text in enumerate(X):
        X[i] = text.upper() if isinstance(text, str) else text
    return SubwordVectorizer.fit(self, X)


def no_rows_unless_empty(self, X):
    return SubwordVectorizer.transform(self, [*X] or ["one more"])


FAULTS = {
    "check_init_only_stores": (Eager(), "TypeError: int"),
    "check_defaults_are_immutable": (
        broken(__init__=lambda self, *, vocabulary=[]: SubwordVectorizer.__init__(self)),
        "default of vocabulary",
    ),
    "check_clone": (
        broken(
            __sklearn_clone__=lambda self: BaseEstimator.__sklearn_clone__(self).set_params(
                num_merges=(self.num_merges or 0) + 1
            )
        ),
        "a clone is Broken",
    ),
    "check_set_params": (broken(set_params=lambda self, **params: self), "should be refused"),
    "check_fit_changes_no_parameter": (
        learn(lambda self: setattr(self, "num_merges", 7)),
        r"changes the parameters \['num_merges'\]",
    ),
    "check_not_fitted": (broken(inverse_transform=lambda self, X: []), "inverse_transform"),
    "check_tags": (broken(__sklearn_tags__=BaseEstimator.__sklearn_tags__), "input_tags.string"),
    "check_shown": (broken(__repr__=lambda self, N_CHAR_MAX=0: "?"), "it shows as"),
    "check_single_text_is_refused": (Letters(), "a single str in fit .* was taken"),
    "check_generators": (only((list, str, np.ndarray)), "not"),
    "check_used_up_generator": (
        broken(transform=no_rows_unless_empty), "used up gives 1 rows"
    ),
    "check_containers": (only(list), "TypeError"),
    "check_missing_values": (Letters(), "NoneType in a text's place should be refused"),
    "check_two_dimensional_input": (Letters(), "a list of lists in fit"),
    "check_empty_texts": (use(lambda X: X * np.nan), "give NaN"),
    "check_nothing_to_learn_from": (CountVectorizer(), "how many texts"),
    "check_unusual_texts": (use(lambda X: X[:5]), "7 unusual texts give 5 rows"),
    "check_input_is_left_alone": (broken(fit=in_place), "the texts were changed"),
    "check_fits_are_alike": (Moody(), "two fits on the same texts differ"),
    "check_fitting_again": (Traces(), "leaves traces"),
    "check_fit_transform": (use(lambda X: X * 2, "fit_transform"), "fit_transform differs"),
    "check_texts_are_independent": (use(shuffled), "alone and together differ"),
    "check_order_of_learning": (
        broken(
            fit=lambda self, X, y=None: SubwordVectorizer.fit(
                self.set_params(bpe=subword.train([*X][:1])), X
            )
        ),
        "changes the columns",
    ),
    "check_use_changes_nothing": (Counted(), "use changes the state"),
    "check_global_random_state": (use(lambda X: X * (np.random.random() < 2)), "were drawn"),
    "check_pickle": (Forgetful(), "other parameters"),
    "check_equal_fits_pickle_alike": (Unequal(), "pickles of equal fits differ"),
    "check_n_jobs": (
        broken(
            transform=lambda self, X: SubwordVectorizer.transform(self, X) * (self.n_jobs or 1)
        ),
        "n_jobs=2 gives",
    ),
    "check_metadata_routing": (broken(get_metadata_routing=None), "NoneType"),
    "check_sparse_form": (use(sp.csr_matrix.tocsc), "the format is csc"),
    "check_sparse_interface": (use(sp.csr_matrix), "'sparray' gives csr_matrix"),
    "check_dtype": (use(lambda X: X.astype(int)), "dtype=float32 gives int64"),
    "check_feature_names": (
        use(lambda names: names[[0, *range(len(names) - 1)]], "get_feature_names_out"),
        "two columns have the same name",
    ),
    "check_inverse_transform": (use(shuffled, "inverse_transform"), "names and columns"),
    "check_set_output": (
        broken(
            transform=lambda self, X: SubwordVectorizer.transform(self, X)
            * (1 + (subword_output() == "pandas"))
        ),
        "other values",
    ),
    "check_labels": (
        use(lambda labels: labels.astype(str), "predict", SubwordTextClassifier), "predicts"
    ),
    "check_labels_pair_up": (
        broken(
            SubwordTextClassifier,
            fit=lambda self, X, y=None: SubwordTextClassifier.fit(self, X, (y or [0, 1] * 4)[:7]),
        ),
        "raised|taken",
    ),
    "check_probabilities": (Shares(), "some are not between 0 and 1"),
}  # fmt: skip


def subword_output():
    from sklearn import get_config

    return get_config()["transform_output"]


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_found(name):
    estimator, message = FAULTS[name]
    with pytest.raises(TextCheckError, match=f"^{name}: .*({message})"):
        CHECKS[name](estimator)


def test_threads_that_disturb_each_other_are_found():
    import threading

    together = threading.Barrier(2, timeout=5)

    class Slate(SubwordVectorizer):
        def transform(self, X):
            self.kept_ = [*X]
            if threading.current_thread() is not threading.main_thread():
                together.wait()
            return super().transform(self.kept_)

    with pytest.raises(TextCheckError, match="^check_threads_share_it: "):
        CHECKS["check_threads_share_it"](Slate())


def test_every_check_has_a_fault_that_it_finds_and_says_what_it_asks():
    assert CHECKS.keys() == FAULTS.keys() | {"check_threads_share_it"}
    assert all(check.__doc__.count("\n") == 0 for check in CHECKS.values())


# -- reports -----------------------------------------------------------------------------------


def test_all_failures_are_raised_at_once():
    estimator = use(lambda X: X[:1])
    with pytest.raises(TextCheckError) as told:
        check_text_estimator(estimator)
    assert str(told.value).startswith("Broken(): ")
    assert "check_empty_texts: three texts" in str(told.value)
    assert "check_unusual_texts: 7 unusual" in str(told.value)


def test_reports_say_what_was_skipped_and_why():
    report = {result.name: result for result in check_text_estimator(SubwordVectorizer())}
    assert report["check_labels"] == ("check_labels", "skipped", "it is no classifier")
    assert report["check_clone"].status == "passed"
    with pytest.raises(SkipTest):
        CHECKS["check_labels"](SubwordVectorizer())


def test_the_estimator_stays_as_it_is():
    estimator = SubwordVectorizer(num_merges=3)
    check_text_estimator(estimator)
    assert estimator.num_merges == 3
    with pytest.raises(NotFittedError):
        estimator.transform(["low"])


def test_what_cannot_be_asked():
    with pytest.raises(ValueError, match="on_fail must be 'raise' or None, got 'warn'"):
        check_text_estimator(SubwordVectorizer(), on_fail="warn")
    with pytest.raises(ValueError, match="known names no check: check_nothing"):
        check_text_estimator(SubwordVectorizer(), known={"check_nothing": "never"})


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(TextCheckError("check_clone: a clone keeps ['x_']")))
    assert str(error) == "check_clone: a clone keeps ['x_']"
