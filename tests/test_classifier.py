"""Raw texts to labels: the recipe by its long way, probabilities, reasons, state, wrong input."""

from __future__ import annotations

import pickle
from pathlib import Path

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import subword
from subword import (
    NBLogCountRatio,
    NBSVMClassifier,
    SubwordError,
    SubwordTextClassifier,
    SubwordVectorizer,
    classifier,
    native,
    views,
)
from subword.blocks import Recipe, TextBlocks, fold
from subword.negation import NegationMarker, mark_negated
from subword.pretokenize import Splitter

GOOD = ["a lovely low river", "lovely, bright and wide", "I love this", "the brightest, no dull"]
BAD = ["a dull slow river", "dull, dark and narrow", "I don't love this", "the darkest and slowest"]
TEXTS, LABELS = GOOD + BAD, ["good"] * 4 + ["bad"] * 4
TOPICS = ["river", "light", "heart", "light"] * 2

both = pytest.mark.parametrize("fast", [False, True], ids=["default", "fast"])
many = pytest.mark.parametrize("labels", [LABELS, TOPICS], ids=["two", "three"])


@pytest.fixture(scope="module")
def model():
    return SubwordTextClassifier().fit(TEXTS, LABELS)


# -- the recipe --------------------------------------------------------------------------------


def by_the_long_way(texts, labels, fast):
    """The recipe out of scikit-learn's parts, from tokens."""
    marked = [*map(mark_negated, texts)]
    ends, spaced = (
        subword.train(marked, 20, pretokenizer=name, lowercase=True) for name in ("words", "gpt2")
    )
    words = Splitter("words", lowercase=True).words
    views = [(marked, words), (texts, ends.tokenize), (marked, spaced.tokenize)]
    views = views[1:] if fast else views
    return sum(by_one_view(some, labels, split) for some, split in views) / len(views)


def by_one_view(texts, labels, split):
    labels = np.array(labels)
    ones = CountVectorizer(analyzer=ngrams(split), binary=True).fit_transform(texts)
    ratio = NBLogCountRatio(alpha=2, smoothing="shared").fit(ones, labels)
    size = np.sqrt((ratio.r_**2).mean(axis=0))
    kept = size >= 0.05
    X = normalize(ratio.transform(ones)[:, kept])
    svm = LinearSVC(C=1, tol=1e-6, random_state=0, max_iter=100_000).fit(X, labels)
    bayes = ratio.r_[:, kept] / size[kept]
    bayes = bayes if len(bayes) > 2 else bayes[1:]
    norm = 2 if len(bayes) > 2 else 1
    size, other = (np.linalg.norm(w, norm, axis=1, keepdims=True) for w in (svm.coef_, bayes))
    return X @ (0.5 * svm.coef_ + 0.5 * bayes * size / other).T + 0.5 * svm.intercept_


def ngrams(split):
    def analyze(text):
        parts = split(text)
        return [tuple(parts[i : i + n]) for n in (1, 2, 3) for i in range(len(parts) - n + 1)]

    return analyze


@both
@many
@pytest.mark.filterwarnings("ignore:.* merges learnt:subword.SubwordWarning")
def test_scores_are_those_of_the_recipe(fast, labels, monkeypatch):
    monkeypatch.setattr(classifier, "_TOLERANCE", 1e-6)
    ours = SubwordTextClassifier(num_merges=20, fast=fast).fit(TEXTS, labels)
    scores = ours.decision_function(TEXTS)
    scores = scores[:, None] if scores.ndim == 1 else scores
    assert_allclose(scores, by_the_long_way(TEXTS, labels, fast), atol=1e-4)


NBSVM = {"C": 1, "alpha": 2, "beta": 0.5, "smoothing": "shared", "scale": "all", "norm": "l2"}


def taken_apart(num_merges, texts):
    """The features that the README makes it of, with its apostrophes, of what it learns from."""
    grams = {"ngram_range": (1, 3), "binary": True, "preprocessor": lambda t: fold(t.lower())}
    marked = [*map(mark_negated, texts)]
    words = CountVectorizer(tokenizer=Splitter("words").words, token_pattern=None, **grams)
    ends = subword.train(map(fold, marked), num_merges, pretokenizer="words", lowercase=True)
    pieces = SubwordVectorizer(bpe=ends, **grams)
    spaced = SubwordVectorizer(num_merges=num_merges, pretokenizer="gpt2", **grams)
    return (
        make_pipeline(NegationMarker(), words),
        pieces,
        make_pipeline(NegationMarker(), spaced),
    )


@pytest.mark.filterwarnings("ignore:.* merges learnt:subword.SubwordWarning")
def test_features_are_those_of_the_vectorizers():
    _, blocks = TextBlocks.learn(TEXTS, Recipe(num_merges=20))
    for ours, part in zip(blocks, taken_apart(20, TEXTS), strict=True):
        theirs = part.fit_transform(TEXTS).toarray()
        assert sorted(map(tuple, ours.toarray().T)) == sorted(map(tuple, theirs.T > 0))


@many
@pytest.mark.filterwarnings("ignore:.* merges learnt:subword.SubwordWarning")
def test_a_view_is_an_nbsvm_classifier(labels, monkeypatch):
    monkeypatch.setattr(views, "_LEAST", 0.0)
    monkeypatch.setattr(classifier, "_TOLERANCE", 1e-6)
    ours = SubwordTextClassifier(num_merges=20).fit(TEXTS, labels)
    found = zip(ours._views, ours._blocks.transform(TEXTS), taken_apart(20, TEXTS), strict=True)
    for view, block, features in [*found][1:]:  # some words have a ratio of 0, and are dropped
        alone = make_pipeline(features, NBSVMClassifier(tol=1e-6, **NBSVM))
        expected = alone.fit(TEXTS, labels).decision_function(TEXTS)
        expected = expected if expected.ndim > 1 else expected[:, None]
        assert_allclose(view.scores(block), expected, atol=1e-4)


@pytest.mark.slow
@pytest.mark.skipif(not native.core(), reason="minutes without the engine")
def test_what_the_readme_takes_apart_gives_nearly_the_same_labels():
    lines = (Path(__file__).parents[1] / "data" / "reviews.tsv").read_text("utf-8").splitlines()
    texts, labels = zip(*(line.split("\t")[:2] for line in lines[1:]), strict=True)
    ours = SubwordTextClassifier().fit(texts[::2], labels[::2])
    scores = 0
    for features in taken_apart(500, texts[::2]):
        view = make_pipeline(features, NBSVMClassifier(**NBSVM)).fit(texts[::2], labels[::2])
        scores += view.decision_function(texts[1::2])
    theirs = ours.classes_[(scores > 0).astype(int)]
    assert (ours.predict(texts[1::2]) == theirs).mean() > 0.99


@both
@pytest.mark.parametrize("name", ["words", "gpt2"])
@pytest.mark.filterwarnings("ignore:.* merges learnt:subword.SubwordWarning")
def test_a_given_model_takes_the_place_of_the_one_of_its_kind(fast, name, tmp_path):
    options = {"pretokenizer": name, "lowercase": True}
    trained, other = (
        subword.train(texts, 30, **options) for texts in (map(mark_negated, TEXTS), TEXTS[1:])
    )
    if name == "words":  # what it would have learnt itself; the other is given texts without marks
        expected = SubwordTextClassifier(fast=fast, num_merges=20).fit(TEXTS, LABELS)
        same = SubwordTextClassifier(fast=fast, num_merges=20, bpe=trained).fit(TEXTS, LABELS)
        scores = expected.decision_function(TEXTS)
        assert_array_equal(same.decision_function(TEXTS), scores)
    other.save(tmp_path / "model")
    given = SubwordTextClassifier(fast=fast, bpe=tmp_path / "model", num_merges=None)
    assert given.fit(TEXTS, LABELS).bpe_ == other
    assert given.set_params(num_merges=5).fit(TEXTS, LABELS).bpe_ == other.truncate(5)
    assert given.set_params(num_merges=99, bpe=other).fit(TEXTS, LABELS).bpe_ == other
    copy = pickle.loads(pickle.dumps(given))
    assert copy.bpe == clone(given).bpe == other
    for text in ("Lovely, don’t!", "好 low", " ", ""):
        score = given.decision_function([text]) - given.intercept_
        assert_array_equal(copy.decision_function([text]), score + given.intercept_)
        assert sum(part.value for part in given.explain(text, "good")) == pytest.approx(
            score[0], abs=1e-6
        )


@both
@many
def test_training_texts_are_recognised(fast, labels):
    fitted = SubwordTextClassifier(fast=fast).fit(TEXTS, labels)
    assert_array_equal(fitted.predict(TEXTS), labels)
    assert fitted.predict([]).shape == (0,)
    assert fitted.score(TEXTS, labels) == 1


@pytest.mark.parametrize("labels", [[3, 1] * 4, np.array([True, False] * 4), [*"abcdefgh"]])
def test_labels_of_any_kind_and_number(labels):
    fitted = SubwordTextClassifier().fit(TEXTS, labels)
    assert_array_equal(fitted.classes_, np.unique(labels))
    assert set(fitted.predict(TEXTS).tolist()) <= set(np.array(labels).tolist())


def test_characters_of_chinese_and_japanese_are_words():
    texts, labels = (
        ["很好的酒店", "早餐很好", "低い川", "不好的酒店", "早餐不好", "高い川"],
        [1, 1, 1, 0, 0, 0],
    )
    fitted = SubwordTextClassifier().fit(texts, labels)
    assert [part.word for part in fitted.explain("低い Low川!")] == ["低", "い", "Low", "川", "!"]
    assert_array_equal(fitted.predict(["好的早餐，不好", "很好"]), [0, 1])


@both
def test_apostrophes_are_alike(fast):
    straight, curly = (
        SubwordTextClassifier(fast=fast).fit([t.replace("'", a) for t in TEXTS], LABELS)
        for a in "'’"
    )
    assert pickle.dumps(straight) == pickle.dumps(curly)
    text = "I don't love, no, I don’t"
    assert len({float(*straight.decision_function([t])) for t in (text, fold(text))}) == 1
    assert [part.word for part in straight.explain(text)][1::6] == ["don't", "don’t"]


def test_case_matters_only_if_asked(model):
    assert model.decision_function(["LOVELY"]) == model.decision_function(["lovely"])
    cased = SubwordTextClassifier(lowercase=False).fit(TEXTS, LABELS)
    assert cased.decision_function(["LOVELY"]) != cased.decision_function(["lovely"])


def test_rare_features_can_be_left_out(model):
    frequent = SubwordTextClassifier(min_df=2).fit(TEXTS, LABELS)
    assert 0 < frequent.coef_.shape[1] < model.coef_.shape[1] / 3


def test_unknown_words_and_characters_are_no_trouble(model):
    assert np.isfinite(model.decision_function(["", "☃ xyzzy", "низкий", "lo" * 5000])).all()
    assert model.decision_function([""]) == model.intercept_


@both
def test_the_number_of_threads_changes_nothing(fast):
    one, two = (SubwordTextClassifier(fast=fast, n_jobs=n).fit(TEXTS, LABELS) for n in (1, 2))
    assert_array_equal(one.coef_, two.coef_)


def test_heavier_classes_win_more():
    light, heavy = (
        SubwordTextClassifier(class_weight={"good": w}).fit(TEXTS, LABELS).decision_function(TEXTS)
        for w in (0.1, 10)
    )
    assert heavy.mean() > light.mean()


# -- probabilities -----------------------------------------------------------------------------


@many
def test_probabilities_now_or_later(labels):
    later = SubwordTextClassifier().fit(TEXTS * 2, labels * 2)
    now = SubwordTextClassifier(calibrate=True).fit(TEXTS * 2, labels * 2)
    assert not hasattr(later, "temperature_")
    assert_allclose(later.predict_proba(TEXTS), now.predict_proba(TEXTS))
    assert later.temperature_ == pytest.approx(now.temperature_)
    probabilities = now.predict_proba(TEXTS)
    assert_allclose(probabilities.sum(axis=1), 1)
    assert_array_equal(now.classes_[probabilities.argmax(axis=1)], now.predict(TEXTS))


def test_what_is_saved_has_its_probabilities(model):
    """As if it had not been saved, and without the texts."""
    fitted = clone(model).fit(TEXTS, LABELS)
    dump = pickle.dumps(fitted)
    assert b"narrow" not in dump
    again = pickle.loads(dump)
    assert_array_equal(again.predict_proba(TEXTS), fitted.predict_proba(TEXTS))
    assert (
        again.temperature_ == SubwordTextClassifier(calibrate=True).fit(TEXTS, LABELS).temperature_
    )


def test_texts_are_not_kept_longer_than_needed(model):
    fitted = clone(model).fit(TEXTS, LABELS)
    assert fitted._training
    fitted.predict_proba(TEXTS)
    assert fitted._training is None
    fitted.fit(TEXTS, TOPICS)  # a temperature does not outlive its scores
    assert not hasattr(fitted, "temperature_")


def test_without_calibration_there_are_no_probabilities():
    plain = SubwordTextClassifier(calibrate=False).fit(TEXTS, LABELS)
    assert plain._training is None
    for fitted in (plain, pickle.loads(pickle.dumps(plain))):
        assert not hasattr(fitted, "predict_proba")
        assert not hasattr(fitted, "temperature_")
        assert_array_equal(fitted.predict(TEXTS), LABELS)
        with pytest.raises(SubwordError, match="calibrate was False in fit; fit again"):
            fitted.set_params(calibrate="auto").predict_proba(TEXTS)


# -- weights -----------------------------------------------------------------------------------


@both
@many
def test_a_weight_of_two_is_a_text_twice(fast, labels, monkeypatch):
    monkeypatch.setattr(classifier, "_TOLERANCE", 1e-8)
    weights = [1, 2, 1, 2, 1, 1, 3, 1]
    rows = np.repeat(np.arange(8), weights)
    bpe = {"num_merges": 0}  # merges are learnt from all texts alike
    once = SubwordTextClassifier(fast=fast, **bpe).fit(TEXTS, labels, sample_weight=weights)
    twice = SubwordTextClassifier(fast=fast, **bpe).fit(
        [TEXTS[i] for i in rows], [labels[i] for i in rows]
    )
    assert_allclose(once.decision_function(TEXTS), twice.decision_function(TEXTS), atol=1e-5)
    plain = SubwordTextClassifier(fast=fast, **bpe).fit(TEXTS, labels)
    assert abs(once.decision_function(TEXTS) - plain.decision_function(TEXTS)).max() > 1e-3


def test_weights_reach_it_through_pipelines_and_searches():
    with config_context(enable_metadata_routing=True):
        fitted = SubwordTextClassifier().set_fit_request(sample_weight=True)
        fitted.set_score_request(sample_weight=True)
        search = GridSearchCV(Pipeline([("text", fitted)]), {"text__C": [1, 2]}, cv=2)
        weights = np.arange(1.0, 17)
        search.fit(TEXTS * 2, LABELS * 2, sample_weight=weights)
        best = search.best_estimator_["text"]
        again = clone(best).fit(TEXTS * 2, LABELS * 2, sample_weight=weights)
        assert_array_equal(best.coef_, again.coef_)


@pytest.mark.parametrize("weights", [[1.0], [-1.0] * 8])
def test_weights_must_fit(weights):
    with pytest.raises(ValueError, match="sample_weight|egative"):
        SubwordTextClassifier().fit(TEXTS, LABELS, sample_weight=weights)


# -- reasons -----------------------------------------------------------------------------------


@both
@many
@pytest.mark.parametrize(
    "text",
    ["I don’t LOVE this dull, dull river!", "lovely", "☃ низкий", " 好 love  İzmir\n", "", " "],
)
def test_contributions_sum_up_to_the_score(fast, labels, text):
    fitted = SubwordTextClassifier(fast=fast).fit(TEXTS, labels)
    scores = np.atleast_2d(fitted.decision_function([text]) - fitted.intercept_)
    scores = np.column_stack([-scores[0], scores[0]]) if len(fitted.classes_) == 2 else scores
    for label, score in zip(fitted.classes_, scores[0], strict=True):
        parts = fitted.explain(text, label)
        assert sum(part.value for part in parts) == pytest.approx(score, abs=1e-5)
        assert [text[part.start : part.end] for part in parts] == [part.word for part in parts]


def test_reasons_are_whole_words_with_their_places(model):
    parts = model.explain("A DULL, lovely river")
    assert [part[:3] for part in parts] == [
        ("A", 0, 1), ("DULL", 2, 6), (",", 6, 7), ("lovely", 8, 14), ("river", 15, 20),
    ]  # fmt: skip
    values = {part.word: part.value for part in model.explain("A DULL, lovely river", "good")}
    assert values["lovely"] > 0 > values["DULL"]


def test_reasons_are_for_the_predicted_class_by_default(model):
    text = "dull and slow"
    assert model.explain(text) == model.explain(text, "bad")
    with pytest.raises(SubwordError, match=r"no class 'new'; the classes are \['bad', 'good'\]"):
        model.explain(text, "new")


# -- state -------------------------------------------------------------------------------------


@both
@many
def test_pickles_are_the_same_model_and_the_same_bytes(fast, labels):
    fitted = SubwordTextClassifier(fast=fast, calibrate=True).fit(TEXTS, labels)
    dump = pickle.dumps(fitted)
    again = pickle.loads(dump)
    assert pickle.dumps(again) == dump == pickle.dumps(clone(fitted).fit(TEXTS, labels))
    others = ["a newer river", "дом", "I don’t"]
    assert_array_equal(again.decision_function(others), fitted.decision_function(others))
    assert again.explain(others[0]) == fitted.explain(others[0])
    assert again.bpe_ == fitted.bpe_


@both
@pytest.mark.skipif(not native.core(), reason="needs the native engine")
def test_engines_make_the_same_bytes(fast, monkeypatch):
    ours = pickle.dumps(SubwordTextClassifier(fast=fast).fit(TEXTS, TOPICS))
    monkeypatch.setattr(native, "core", lambda: None)
    assert pickle.dumps(SubwordTextClassifier(fast=fast).fit(TEXTS, TOPICS)) == ours


def test_joblib_keeps_it(model, tmp_path):
    joblib.dump(model, tmp_path / "model")
    assert_array_equal(joblib.load(tmp_path / "model").predict(TEXTS), LABELS)


def test_skops_needs_to_trust_this_class_only(model):
    skops = pytest.importorskip("skops.io")
    dump = skops.dumps(model)
    trusted = skops.get_untrusted_types(data=dump)
    assert trusted == ["subword.classifier.SubwordTextClassifier"]
    again = skops.loads(dump, trusted=trusted)
    assert_array_equal(again.decision_function(TEXTS), model.decision_function(TEXTS))


def test_clones_and_grids():
    search = GridSearchCV(SubwordTextClassifier(), {"fast": [False, True], "C": [1, 2]}, cv=2)
    search.fit(TEXTS * 2, LABELS * 2)
    assert search.best_score_ == 1
    assert cross_val_score(SubwordTextClassifier(), TEXTS * 2, LABELS * 2, cv=2).mean() == 1
    assert not hasattr(clone(search.best_estimator_), "bpe_")


def test_it_shows_as_html(model):
    assert "SubwordTextClassifier" in model._repr_html_()


# -- wrong input -------------------------------------------------------------------------------


def test_labels_and_texts_must_pair_up():
    with pytest.raises(SubwordError, match="8 texts, but 3 labels; every text needs one label"):
        SubwordTextClassifier().fit(TEXTS, [0, 1, 0])
    with pytest.raises(SubwordError, match="at least 2 classes are needed, got only one class"):
        SubwordTextClassifier().fit(TEXTS, ["good"] * 8)
    with pytest.raises(SubwordError, match="a label for every text is needed, got y=None"):
        SubwordTextClassifier().fit(TEXTS, None)


def test_blocks_may_be_empty_but_not_both():
    lonely = SubwordTextClassifier(word_ngram_range=(3, 3)).fit(["low", "lower"], LABELS[3:5])
    assert_array_equal(lonely.predict(["low", "lower"]), LABELS[3:5])
    assert len(lonely.explain("low lower")) == 2
    with pytest.raises(
        SubwordError, match="no features remain of 2 texts: try a lower min_df .now 9"
    ):
        SubwordTextClassifier(min_df=9).fit(["low", "lower"], LABELS[3:5])


def test_features_may_say_nothing():
    fitted = SubwordTextClassifier().fit(["low", "low", "low"], ["up", "up", "down"])
    assert fitted.coef_.shape == (1, 0)
    assert fitted.predict(["low", "other"]).tolist() == ["up", "up"]
    assert fitted.explain("low")[0].value == 0
    assert pickle.loads(pickle.dumps(fitted)).predict_proba(["low"]).shape == (1, 2)


@pytest.mark.parametrize("label", [None, float("nan"), np.float64("nan")])
def test_labels_must_be_there(label):
    with pytest.raises(SubwordError, match="label 1 is missing"):
        SubwordTextClassifier().fit(TEXTS, [LABELS[0], label, *LABELS[2:]])


def test_texts_must_be_texts(model):
    for method in (lambda X: SubwordTextClassifier().fit(X, LABELS[3:5]), model.predict):
        with pytest.raises(TypeError, match="document 1: expected a str, got NoneType"):
            method(["low", None])
        with pytest.raises(TypeError, match="expected an iterable of texts, got one str"):
            method("low")
        with pytest.raises(SubwordError, match="expected one column of texts"):
            method(np.array([["low"], ["lower"]]))
    with pytest.raises(SubwordError, match="empty vocabulary: 2 documents and 0 symbols"):
        SubwordTextClassifier().fit(["", " \n"], LABELS[3:5])


def test_missing_texts_can_be_empty_ones():
    fitted = SubwordTextClassifier(missing="empty").fit([*TEXTS, None], [*LABELS, "bad"])
    assert fitted.decision_function([None]) == fitted.decision_function([""])


def test_it_says_when_it_is_not_fitted():
    from sklearn.exceptions import NotFittedError

    for method in ("predict", "decision_function", "predict_proba", "explain"):
        with pytest.raises(NotFittedError):
            getattr(SubwordTextClassifier(), method)("low")


@pytest.mark.parametrize(
    "options",
    [{"C": 0}, {"alpha": -1}, {"beta": 2}, {"num_merges": -1}, {"num_merges": 2.5}, {"min_df": 0}, {"bpe": 3},
     {"word_ngram_range": (2, 1)}, {"piece_ngram_range": 3}, {"fast": "yes"}, {"n_jobs": 0},
     {"missing": "drop"}, {"calibrate": "later"}],
)  # fmt: skip
def test_parameters_out_of_range(options):
    with pytest.raises(SubwordError, match="|".join(["ngram_range", *options])):
        SubwordTextClassifier(**options).fit(TEXTS, LABELS)
