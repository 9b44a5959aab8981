"""Log-count ratios by hand, the classifier on top of them, scikit-learn's official checks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subword import NBLogCountRatio, NBSVMClassifier, SubwordError
from subword.nbsvm import mix

# Rows are texts, columns low, lower, newest.
COUNTS = np.array([[2, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1]])
TWO = np.array(["up", "up", "down", "down"])
THREE = np.array(["a", "a", "b", "c"])

TIGHT = {"tol": 1e-10, "max_iter": 10**6}
UNEVEN = "stops before the optimum, as LinearSVC does, for which scikit-learn leaves this check out"
FAILING = {
    "check_sample_weight_equivalence_on_dense_data": UNEVEN,
    "check_sample_weight_equivalence_on_sparse_data": UNEVEN,
}


@parametrize_with_checks(
    [NBSVMClassifier(**TIGHT), NBSVMClassifier(smoothing="shared", norm="l2", **TIGHT)]
)
def test_official_check(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        NBSVMClassifier(),
        NBSVMClassifier(smoothing="shared", norm="l2", calibrate=True),
        NBSVMClassifier(scale="all"),
    ],
    expected_failed_checks=lambda _: FAILING,
)
def test_official_check_on_defaults(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [NBSVMClassifier(binarize=False, **TIGHT)],
    expected_failed_checks=lambda _: {"check_class_weight_classifiers": "has negative counts"},
)
def test_official_check_on_counts(estimator, check):
    check(estimator)


def lengths(lines):
    return np.linalg.norm(lines, axis=1, keepdims=True)


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


@pytest.mark.parametrize("norm", [None, "l2"])
def test_all_classes_may_share_one_scale(norm):
    options = {"alpha": 2.0, "smoothing": "shared"}
    model = NBSVMClassifier(scale="all", norm=norm, beta=0.5, **options).fit(COUNTS, THREE)
    ratio = NBLogCountRatio(**options).fit(COUNTS, THREE)
    X = ratio.transform(COUNTS.astype(float))
    X = X if norm is None else normalize(X)
    svm = LinearSVC(C=0.1, tol=1e-2, random_state=0).fit(X, THREE)
    bayes = ratio.r_ / np.sqrt((ratio.r_**2).mean(axis=0))
    as_long = bayes * lengths(svm.coef_) / lengths(bayes)
    scores = X @ (0.5 * svm.coef_ + 0.5 * as_long).T + 0.5 * svm.intercept_
    assert_allclose(model.decision_function(COUNTS), scores)


def test_of_two_classes_the_scale_makes_no_difference():
    options = {"norm": "l2", "class_weight": {"up": 2}}
    each, all_ = (NBSVMClassifier(scale=scale, **options) for scale in ("class", "all"))
    expected = each.fit(COUNTS, TWO).decision_function(COUNTS)
    assert_array_equal(all_.fit(COUNTS, TWO).decision_function(COUNTS), expected)


@pytest.mark.parametrize("scale", ["class", "all"])
def test_sparse_and_dense_agree(scale):
    for y in (TWO, THREE):
        dense = NBSVMClassifier(scale=scale).fit(COUNTS, y).decision_function(COUNTS)
        sparse = NBSVMClassifier(scale=scale).fit(sp.csr_array(COUNTS), y)
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


@pytest.mark.parametrize("scale", ["class", "all"])
def test_probabilities_come_only_with_calibration(scale):
    assert not hasattr(NBSVMClassifier(), "predict_proba")
    X, y = np.tile(COUNTS, (3, 1)), np.tile(THREE, 3)
    model = NBSVMClassifier(calibrate=True, scale=scale).fit(X, y)
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


def test_mixing_keeps_the_mean_size_of_one_line():
    coef, signs = np.array([[2.0, -4.0]]), np.array([[1.0, -1.0]])
    assert_allclose(mix(coef, signs, 1.0), coef)
    assert_allclose(mix(coef, signs, 0.0), [[3.0, -3.0]])


def test_mixing_keeps_the_length_of_more_lines():
    """A feature that says nothing takes nothing from what naive Bayes says of the others."""
    coef, bayes = np.array([[0.0, 3.0, 4.0], [0.0, 0.0, 2.0]]), np.array([[0, 2.0, 0], [0, -3, 4]])
    assert_allclose(mix(coef, bayes, 1.0), coef)
    assert_allclose(mix(coef, bayes, 0.0), [[0, 5, 0], [0, -1.2, 1.6]])
    assert_allclose(mix(coef, bayes, 0.5), [[0, 4, 2], [0, -0.6, 1.8]])


@pytest.mark.parametrize("lines", [1, 2])
def test_where_naive_bayes_says_nothing_it_adds_nothing(lines):
    coef = np.array([[3.0, 4.0]] * lines)
    assert_allclose(mix(coef, np.zeros((lines, 2)), 0.5), coef / 2)
    assert mix(coef[:, :0], coef[:, :0], 0.5).shape == (lines, 0)


def test_weights_of_classes_that_there_are_not_are_refused():
    with pytest.raises(SubwordError, match="class_weight names 'zz', which is no class"):
        NBSVMClassifier(class_weight={"zz": 2.0}).fit([[1, 0], [0, 1]], ["a", "b"])


def test_probabilities_that_were_not_asked_for_in_time():
    model = NBSVMClassifier().fit([[1, 0], [0, 1]], ["a", "b"]).set_params(calibrate=True)
    with pytest.raises(NotFittedError, match="fit again with calibrate=True"):
        model.predict_proba([[1, 0]])
