"""Log-count ratios by hand, the classifier on top of them, scikit-learn's official checks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subword import NBLogCountRatio, NBSVMClassifier, SubwordError
from subword.nbsvm import cross_temperature, fit_temperature, log_ratios, mix, softmax

# Rows are texts, columns low, lower, newest.
COUNTS = np.array([[2, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1]])
TWO = np.array(["up", "up", "down", "down"])
THREE = np.array(["a", "a", "b", "c"])

ESTIMATORS = [
    NBLogCountRatio(),
    NBLogCountRatio(binarize=False, smoothing="shared"),
    NBSVMClassifier(),
    NBSVMClassifier(smoothing="shared", norm="l2", calibrate=True),
]


@parametrize_with_checks(ESTIMATORS)
def test_official_check(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [NBSVMClassifier(binarize=False)],
    expected_failed_checks=lambda _: {"check_class_weight_classifiers": "has negative counts"},
)
def test_official_check_on_counts(estimator, check):
    check(estimator)


# -- ratios ------------------------------------------------------------------------------------


def test_plain_ratios_by_hand():
    """up has low 2, lower 1, newest 0 documents; down has 1, 1, 2; each 1 more, shares of 6, 7."""
    ratio = NBLogCountRatio(alpha=1.0).fit(COUNTS, TWO)
    up = np.log([3 / 6, 2 / 6, 1 / 6]) - np.log([2 / 7, 2 / 7, 3 / 7])
    assert_array_equal(ratio.classes_, ["down", "up"])
    assert_allclose(ratio.r_, [-up, up])
    assert_allclose(ratio.g_, abs(up))
    assert not hasattr(ratio, "idf_")
    assert_allclose(ratio.transform(COUNTS)[0], [abs(up[0]), abs(up[1]), 0])


def test_counts_are_used_as_they_are_if_asked():
    ratio = NBLogCountRatio(binarize=False).fit(COUNTS, TWO)
    assert_allclose(ratio.r_[1, 0], np.log((4 / 7) / (2 / 7)))
    assert_allclose(ratio.transform(COUNTS)[0, 0], 2 * ratio.g_[0])


def test_shared_ratios_by_hand():
    """up has 3 of all 7 (feature, document) pairs, so the smoothing is 2 * 3/7 there."""
    ratio = NBLogCountRatio(alpha=2.0, smoothing="shared").fit(COUNTS, TWO)
    mine, theirs = np.array([2, 1, 0]) + 6 / 7, np.array([1, 1, 2]) + 8 / 7
    assert_allclose(ratio.r_[1], np.log(mine / theirs) - np.log(3 / 4))


def test_shared_smoothing_says_nothing_about_what_was_not_seen():
    sums = np.array([[90.0, 0.0, 30.0], [1.0, 0.0, 2.0], [5.0, 0.0, 0.0]])
    shared, plain = (log_ratios(sums, 2.0, smoothing) for smoothing in ("shared", "plain"))
    assert_allclose(shared[:, 1], 0, atol=1e-12)
    assert abs(plain[:, 1]).min() > 0.4


def test_more_classes_share_one_weight_with_idf():
    ratio = NBLogCountRatio(alpha=2.0, smoothing="shared").fit(COUNTS, THREE)
    assert ratio.r_.shape == (3, 3)
    assert_allclose(ratio.idf_, np.log(5 / np.array([4, 3, 3])) + 1)
    assert_allclose(ratio.g_, np.sqrt((ratio.r_**2).mean(axis=0)) * np.sqrt(ratio.idf_))


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_array])
def test_sparse_in_sparse_out_and_the_same(kind):
    dense, sparse = (NBLogCountRatio().fit(X, THREE) for X in (COUNTS, kind(COUNTS)))
    assert_allclose(dense.r_, sparse.r_)
    given = kind(COUNTS)
    weighed = sparse.transform(given)
    assert sp.issparse(weighed)
    assert_allclose(weighed.toarray(), dense.transform(COUNTS))
    assert_array_equal(given.toarray(), COUNTS)  # not written to


def test_single_precision_stays_single():
    X = sp.csr_array(COUNTS.astype(np.float32))
    assert NBLogCountRatio().fit(X, TWO).transform(X).dtype == np.float32


@pytest.mark.parametrize("y", [TWO, THREE])
def test_a_weight_of_two_is_a_row_twice(y):
    once = NBLogCountRatio().fit(COUNTS, y, sample_weight=[1, 2, 1, 0 if y is TWO else 1])
    rows = [0, 1, 1, 2] + ([] if y is TWO else [3])
    twice = NBLogCountRatio().fit(COUNTS[rows], y[rows])
    assert_allclose(once.g_, twice.g_)


# -- the classifier ----------------------------------------------------------------------------


def test_two_classes_follow_the_paper():
    """The weights of an SVM on counts times r, drawn towards their mean size."""
    model = NBSVMClassifier(C=0.5, alpha=1.0, beta=0.25).fit(COUNTS, TWO)
    r = NBLogCountRatio().fit(COUNTS, TWO).r_[1]
    binary = (COUNTS > 0).astype(float)
    svm = LinearSVC(C=0.5, tol=1e-2, random_state=0).fit(binary * r, TWO == "up")
    weights = 0.25 * svm.coef_[0] + 0.75 * abs(svm.coef_[0]).mean()
    scores = (binary * r) @ weights + 0.25 * svm.intercept_
    assert_allclose(model.decision_function(COUNTS), scores)


@pytest.mark.parametrize("norm", [None, "l2"])
@pytest.mark.parametrize("smoothing", ["plain", "shared"])
def test_more_classes_are_told_from_all_others(norm, smoothing):
    model = NBSVMClassifier(smoothing=smoothing, norm=norm).fit(COUNTS, THREE)
    scores = model.decision_function(COUNTS)
    assert scores.shape == (4, 3)
    alone = NBSVMClassifier(smoothing=smoothing, norm=norm).fit(COUNTS, THREE == "b")
    assert_allclose(scores[:, 1], alone.decision_function(COUNTS))
    assert_array_equal(model.predict(COUNTS), model.classes_[scores.argmax(axis=1)])


def test_sparse_and_dense_agree():
    for y in (TWO, THREE):
        dense = NBSVMClassifier().fit(COUNTS, y).decision_function(COUNTS)
        sparse = NBSVMClassifier().fit(sp.csr_array(COUNTS), y)
        assert_allclose(dense, sparse.decision_function(sp.csr_matrix(COUNTS)))


@pytest.mark.parametrize("beta", [0, 1])
def test_beta_goes_from_naive_bayes_to_svm(beta):
    model = NBSVMClassifier(beta=beta).fit(COUNTS, TWO)
    assert (np.ptp(model.coef_) == 0) == (beta == 0)
    assert (model.intercept_ == 0).all() == (beta == 0)


def test_heavier_classes_win_more():
    X, y = np.array([[1, 0], [1, 0], [1, 0], [1, 1]]), [0, 0, 1, 2]
    for labels in (y, [0, 0, 0, 1]):
        last = max(labels)
        light, heavy = (
            NBSVMClassifier(class_weight={last: w}).fit(X, labels).decision_function(X)
            for w in (0.1, 10)
        )
        assert (heavy[:, -1] > light[:, -1]).all() if last > 1 else (heavy > light).all()
    assert NBSVMClassifier(class_weight="balanced").fit(X, y).predict(X)[3] == 2


def test_probabilities_come_only_with_calibration():
    assert not hasattr(NBSVMClassifier(), "predict_proba")
    X, y = np.tile(COUNTS, (3, 1)), np.tile(THREE, 3)
    model = NBSVMClassifier(calibrate=True).fit(X, y)
    probabilities = model.predict_proba(X)
    assert_allclose(probabilities.sum(axis=1), 1)
    assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(X))


def test_pickles_clones_and_searches():
    texts = ["low low", "lower", "newest", "widest newest"] * 3
    labels = [0, 0, 1, 1] * 3
    pipeline = make_pipeline(CountVectorizer(), NBSVMClassifier())
    search = GridSearchCV(pipeline, {"nbsvmclassifier__beta": [0.25, 1]}, cv=3).fit(texts, labels)
    assert search.best_score_ == 1
    model = NBSVMClassifier().fit(COUNTS, TWO)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(COUNTS), model.decision_function(COUNTS))
    assert pickle.dumps(clone(model).fit(COUNTS, TWO)) == pickle.dumps(model)


@pytest.mark.parametrize("estimator", [NBLogCountRatio, NBSVMClassifier])
@pytest.mark.parametrize(
    ("options", "message"),
    [({"alpha": 0}, "alpha must be a number above 0, got 0"),
     ({"alpha": "1"}, "alpha must be a number"),
     ({"smoothing": "none"}, "smoothing must be one of 'plain', 'shared'; got 'none'")],
)  # fmt: skip
def test_parameters_out_of_range(estimator, options, message):
    with pytest.raises(SubwordError, match=message):
        estimator(**options).fit(COUNTS, TWO)


@pytest.mark.parametrize("options", [{"C": -1}, {"beta": 1.5}, {"norm": "max"}])
def test_parameters_of_the_classifier(options):
    with pytest.raises(SubwordError, match=f"{next(iter(options))} must be"):
        NBSVMClassifier(**options).fit(COUNTS, TWO)


@pytest.mark.parametrize("estimator", [NBLogCountRatio, NBSVMClassifier])
def test_data_that_say_nothing(estimator):
    with pytest.raises(ValueError, match="at least 2 classes are needed, got only one class"):
        estimator().fit(COUNTS, ["up"] * 4)
    with pytest.raises(ValueError, match="Negative values in data"):
        estimator(binarize=False).fit(-COUNTS, TWO)


# -- parts -------------------------------------------------------------------------------------


def test_mixing_keeps_the_size():
    coef, signs = np.array([[2.0, -4.0]]), np.array([[1.0, -1.0]])
    assert_allclose(mix(coef, signs, 1.0), coef)
    assert_allclose(mix(coef, signs, 0.0), [[3.0, -3.0]])


def test_the_temperature_is_that_of_the_scores():
    rng = np.random.default_rng(0)
    for shape in ((20_000,), (20_000, 4)):
        scores = rng.normal(size=shape) * 3
        sure = softmax(scores, 2.0).cumsum(axis=1)
        codes = (rng.random((len(scores), 1)) > sure).sum(axis=1)
        assert fit_temperature(scores, codes) == pytest.approx(2.0, rel=0.05)


def test_classes_in_one_fold_only_do_no_harm():
    def fit(rows):
        present = np.unique(codes[rows])
        assert len(present) >= 2
        return lambda others: np.zeros((len(others), len(present)))

    codes = np.array([0, 0, 0, 1, 1, 1, 2])
    assert np.isfinite(cross_temperature(fit, codes))
    assert cross_temperature(fit, np.array([0, 1])) == 1.0
