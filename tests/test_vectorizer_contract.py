"""What scikit-learn's own tests ask of text vectorizers, asked of ours.

With `min_frequency=1` every word of the texts becomes one piece, so that words can be read here.
"""

from __future__ import annotations

import copy
import inspect
import pickle
from collections import defaultdict
from functools import partial

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

import subword
from subword import SubwordTfidfVectorizer, SubwordVectorizer

RIVER = [
    "the low river runs slow slow wide",
    "the river runs low today",
    "the the wide river runs runs today",
    "the slow river boat river today",
    "the river boat boat",
]
TOWER = [
    "the new tower stands high today",
    "the new new tower bright window today",
    "the the high high tower today",
    "the bright bright window tower",
    "the bright tower window high today",
]
TEXTS = RIVER + TOWER
LABELS = [0] * len(RIVER) + [1] * len(TOWER)

counting = partial(SubwordVectorizer, min_frequency=1)
weighing = partial(SubwordTfidfVectorizer, min_frequency=1)
both = pytest.mark.parametrize("make", [counting, weighing], ids=["counts", "tfidf"])


def equal(a, b):
    assert a.shape == b.shape
    np.testing.assert_allclose(a.toarray(), b.toarray(), rtol=0, atol=1e-12)


# -- features ------------------------------------------------------------------------------


def test_analyzer_gives_pieces_in_order_and_longer_ngrams_behind():
    analyze = counting(ngram_range=(1, 2)).fit(TEXTS).build_analyzer()
    assert analyze("The LOW  river\n\n boat!") == [
        "the", "low", "river", "boat", "!@@", "</w>",
        "the low", "low river", "river boat", "boat !@@", "!@@ </w>",
    ]  # fmt: skip


@both
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3), (2, 2), (3, 6)])
def test_matrices_equal_those_of_count_vectorizer_with_our_analyzer(make, ngram_range):
    ours = make(ngram_range=ngram_range, num_merges=20)
    X = ours.fit_transform(TEXTS)
    theirs = (CountVectorizer if make is counting else TfidfVectorizer)(
        analyzer=ours.build_analyzer()
    )
    equal(X, theirs.fit_transform(TEXTS))
    assert ours.vocabulary_ == theirs.vocabulary_
    equal(ours.transform(RIVER), theirs.transform(RIVER))


@pytest.mark.parametrize(
    "limits",
    [{"min_df": 2}, {"min_df": 0.3, "max_df": 0.8}, {"max_df": 5}, {"max_features": 7},
     {"max_features": 5, "binary": True}, {"max_features": 3, "max_df": 0.6, "min_df": 2}],
)  # fmt: skip
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_limits_choose_what_count_vectorizer_chooses(limits, ngram_range):
    ours = counting(ngram_range=ngram_range, num_merges=25, **limits)
    X = ours.fit_transform(TEXTS)
    theirs = CountVectorizer(analyzer=ours.build_analyzer(), **limits)
    Y = theirs.fit_transform(TEXTS)
    if "max_features" in limits:  # of equal counts it drops others
        assert sorted(X.sum(axis=0).A1) == sorted(Y.sum(axis=0).A1)
    else:
        assert ours.vocabulary_ == theirs.vocabulary_
        equal(X, Y)
    equal(X, ours.transform(TEXTS))


def test_max_df_leaves_out_what_is_everywhere():
    assert "the" in counting(max_df=1.0).fit(TEXTS).vocabulary_
    assert "the" not in counting(max_df=0.9).fit(TEXTS).vocabulary_
    assert "the" not in counting(max_df=9).fit(TEXTS).vocabulary_


def test_min_df_leaves_out_what_is_rare():
    assert "window" in counting(min_df=3).fit(TEXTS).vocabulary_
    assert "window" not in counting(min_df=4).fit(TEXTS).vocabulary_
    assert [*counting(min_df=0.95).fit(TEXTS).vocabulary_] == ["the"]


@both
def test_max_features_keeps_the_most_frequent(make):
    assert {*make(max_features=3).fit(TEXTS).vocabulary_} == {"the", "today", "river"}
    assert [*make(max_features=1).fit(TEXTS).vocabulary_] == ["the"]


def test_ties_at_max_features_are_broken_by_name_whatever_the_order_of_documents():
    names = [*counting(max_features=3).fit(["tin gold", "lead iron"]).vocabulary_]
    assert names == ["gold", "iron", "lead"]
    assert [*counting(max_features=3).fit(["iron lead", "gold tin"]).vocabulary_] == names


def test_columns_do_not_depend_on_the_order_of_documents():
    names = counting(ngram_range=(1, 2)).fit(TEXTS).get_feature_names_out()
    assert_array_equal(names, counting(ngram_range=(1, 2)).fit(TEXTS[::-1]).get_feature_names_out())
    assert [*names] == sorted(names)


@both
def test_feature_names_are_an_object_array_in_column_order(make):
    vectorizer = make(max_df=0.5).fit(TEXTS)
    names = vectorizer.get_feature_names_out()
    assert isinstance(names, np.ndarray)
    assert names.dtype == object
    assert [*names] == [
        "boat", "bright", "high", "low", "new", "river", "runs", "slow", "stands", "tower", "wide",
        "window",
    ]  # fmt: skip
    assert all(vectorizer.vocabulary_[name] == i for i, name in enumerate(names))
    assert_array_equal(vectorizer.get_feature_names_out(["ignored"]), names)


def test_stop_words_go_before_ngrams_are_made():
    vectorizer = counting(stop_words=["river", "the"], ngram_range=(1, 2)).fit(TEXTS)
    assert "river" not in vectorizer.vocabulary_
    assert "low runs" in vectorizer.vocabulary_
    assert vectorizer.build_analyzer()("the low river runs") == ["low", "runs", "low runs"]
    equal(vectorizer.transform(["low river runs"]), vectorizer.transform(["low the runs"]))


@pytest.mark.parametrize("stop_words", ["english", [1, 2], 5])
def test_stop_words_must_be_a_list_of_names(stop_words):
    with pytest.raises(subword.SubwordError, match="stop_words must be a list of pieces"):
        counting(stop_words=stop_words).fit(TEXTS)


def test_stop_words_that_are_no_pieces_are_told_once():
    with pytest.warns(subword.SubwordWarning, match=r"2 of 3 stop_words .*'The', 'qq'") as told:
        vectorizer = counting(stop_words=["the", "The", "qq"]).fit(TEXTS)
    assert len(told) == 1
    vectorizer.transform(TEXTS)


def test_texts_of_stop_words_only_are_an_error():
    with pytest.raises(
        ValueError, match="empty vocabulary: 2 documents and 3 symbols .*stop words"
    ):
        counting(stop_words=["to", "be"]).fit(["to be", "be"])


@pytest.mark.parametrize("limits", [{"min_df": 2, "max_df": 2}, {"max_df": 0.5, "min_df": 1.0 / 2}])
def test_no_features_left_is_an_error(limits):
    with pytest.raises(ValueError, match="no features remain of 3: try a lower min_df"):
        counting(**limits).fit(["low river high", "low high river"] * 2)


def test_max_df_below_min_df_is_an_error():
    with pytest.raises(ValueError, match="max_df corresponds to < documents than min_df"):
        counting(min_df=5, max_df=2).fit(TEXTS)


def test_documents_too_short_for_the_ngrams_are_an_error():
    with pytest.raises(ValueError, match="no document has the 3 pieces in a row"):
        counting(ngram_range=(3, 3)).fit(["low low", "low"])


def test_errors_of_a_preprocessor_come_through():
    def shout(text):
        raise LookupError(f"no idea what {text} is")

    with pytest.raises(LookupError, match="no idea what low is"):
        counting(preprocessor=shout).fit(["low"])


@both
def test_labels_are_ignored(make):
    equal(make().fit_transform(TEXTS, LABELS), make().fit_transform(TEXTS))
    assert make().fit(TEXTS, LABELS).bpe_ == make().fit(TEXTS, [None]).bpe_


# -- a given vocabulary --------------------------------------------------------------------


@pytest.mark.parametrize("kind", [dict, list, tuple, iter, np.array, partial(defaultdict, int)])
def test_vocabulary_of_many_kinds(kind):
    names = {"river": 0, "boat": 1}
    vectorizer = counting(vocabulary=kind(names if kind is not np.array else [*names])).fit(RIVER)
    assert vectorizer.vocabulary_ == names
    assert vectorizer.fixed_vocabulary_
    assert vectorizer.transform(RIVER).toarray().tolist() == [
        [1, 0],
        [1, 0],
        [1, 0],
        [2, 1],
        [1, 2],
    ]


def test_vocabulary_that_is_a_set_is_sorted():
    assert counting(vocabulary={"river", "boat"}).fit(RIVER).vocabulary_ == {"boat": 0, "river": 1}


def test_vocabulary_keeps_columns_that_a_mapping_gives():
    vectorizer = counting(vocabulary={"river": 1, "low": 2, "boat": 0}).fit(RIVER)
    assert [*vectorizer.get_feature_names_out()] == ["boat", "river", "low"]
    assert vectorizer.transform(["low low river"]).toarray().tolist() == [[0, 1, 2]]
    assert [*pickle.loads(pickle.dumps(vectorizer)).vocabulary_] == ["river", "low", "boat"]


def test_vocabulary_may_hold_ngrams():
    vectorizer = counting(vocabulary=["low river", "low"], ngram_range=(1, 2)).fit(RIVER)
    assert vectorizer.transform(["low low river"]).toarray().tolist() == [[1, 2]]


def test_vocabulary_of_another_vectorizer_gives_the_same_columns():
    first = counting(max_df=0.5).fit(TEXTS)
    second = counting(bpe=first.bpe_, vocabulary=first.vocabulary_).fit(["x"])
    equal(first.transform(TEXTS), second.transform(TEXTS))
    assert not first.fixed_vocabulary_


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [({"low": 0, "river": 0}, "Vocabulary contains repeated indices"),
     ({"low": 1, "river": 2}, "size 2 doesn't contain index 0"),
     (["low", "river", "low"], "Duplicate term in vocabulary: 'low'"),
     ([], "empty vocabulary"), ("low", "must be names of features"), ([1], "names of features"),
     (3, "must be names of features"), ({"low": 0.9}, "column of 'low' .* an integer, got 0.9"),
     ({"low": "0"}, "an integer, got '0'"), ({"low": float("nan")}, "an integer, got nan"),
     ({"low": -1}, "at least 0, got -1"), ({3: 0}, "names of features")],
)  # fmt: skip
def test_bad_vocabularies(vocabulary, message):
    with pytest.raises(subword.SubwordError, match=message):
        counting(vocabulary=vocabulary).fit(TEXTS)


def test_names_that_nothing_matches_are_told_at_fit_only():
    vectorizer = counting(vocabulary=["River", "low", "low river", ""])
    with pytest.warns(subword.SubwordWarning, match="3 of 4 names .* not be matched") as told:
        vectorizer.fit(RIVER)
    assert len(told) == 1
    assert vectorizer.transform(["River low"]).toarray().tolist() == [[0, 1, 0, 0]]
    assert vectorizer.locate("River", "River") == []
    loaded = pickle.loads(pickle.dumps(vectorizer))
    assert [*loaded.get_feature_names_out()] == ["River", "low", "low river", ""]


def test_limits_that_a_vocabulary_overrules_are_told_once():
    limits = {"max_df": 0.5, "min_df": 2, "max_features": 1}
    message = "vocabulary says .* max_df=0.5, min_df=2, max_features=1 will be ignored"
    with pytest.warns(subword.SubwordWarning, match=message) as told:
        vectorizer = counting(vocabulary=["river", "low"], **limits).fit(RIVER)
    assert len(told) == 1
    assert [*vectorizer.vocabulary_] == ["river", "low"]


def test_names_that_are_stop_words_are_told_once():
    given = {"vocabulary": ["low", "river", "low river"], "stop_words": ["river"]}
    message = "2 of 3 names in vocabulary hold stop_words .* 'river', 'low river'"
    with pytest.warns(subword.SubwordWarning, match=message) as told:
        vectorizer = counting(ngram_range=(1, 2), **given).fit(RIVER)
    assert len(told) == 1
    assert vectorizer.transform(["low river"]).toarray().tolist() == [[1, 0, 0]]


def test_vocabulary_in_a_pipeline():
    pipe = Pipeline(
        [("count", counting(vocabulary=["river", "high"])), ("tfidf", TfidfTransformer())]
    )
    assert pipe.fit_transform(TEXTS).shape == (10, 2)


# -- the matrix ----------------------------------------------------------------------------


def test_binary_and_dtype():
    X = counting(binary=True).fit_transform(["low low low river", "river"])
    assert X.toarray().tolist() == [[1, 1], [0, 1]]
    assert X.dtype == np.int64
    assert counting(dtype=np.float32).fit_transform(TEXTS).dtype == np.float32
    assert weighing(binary=True, use_idf=False, norm=None).fit_transform(["low low"]).toarray() == 1


def test_counts_that_do_not_fit_the_dtype_are_an_error():
    with pytest.raises(OverflowError, match="a count of 300 does not fit into dtype uint8"):
        counting(dtype=np.uint8).fit_transform(["low " * 300])


@both
def test_matrix_is_canonical_csr(make):
    X = make(ngram_range=(1, 2)).fit_transform(TEXTS)
    assert X.format == "csr"
    assert sp.issparse(X)
    assert X.indices.dtype == X.indptr.dtype == np.int32
    fresh = sp.csr_array((X.data, X.indices, X.indptr), X.shape)
    assert fresh.has_canonical_format
    assert (X.data != 0).all()


@both
def test_sparse_interface_of_the_configuration(make):
    assert isinstance(make().fit_transform(TEXTS), sp.csr_matrix)
    with config_context(sparse_interface="sparray"):
        vectorizer = make()
        assert isinstance(vectorizer.fit_transform(TEXTS), sp.csr_array)
        assert isinstance(vectorizer.transform([]), sp.csr_array)


@both
@pytest.mark.parametrize("form", ["asis", "toarray", "tocsc", "tolil", "list"])
def test_inverse_transform_gives_the_features_of_each_document(make, form):
    vectorizer = make()
    X = vectorizer.fit_transform(TEXTS)
    given = {"asis": X, "list": X.toarray().tolist()}.get(form)
    found = vectorizer.inverse_transform(getattr(X, form)() if given is None else given)
    assert isinstance(found, list)
    for text, names in zip(TEXTS, found, strict=True):
        assert [*names] == sorted({*text.split()})


def test_inverse_transform_leaves_its_argument_alone_and_checks_its_width():
    vectorizer = counting().fit(TEXTS)
    X = vectorizer.transform(TEXTS)
    X.data[0] = 0
    vectorizer.inverse_transform(X)
    assert X.data[0] == 0
    assert vectorizer.inverse_transform(X[:0]) == []
    with pytest.raises(ValueError, match="X has 3 columns, this vectorizer 14"):
        vectorizer.inverse_transform(X[:, :3])


@both
def test_fitting_again_forgets(make):
    vectorizer = make()
    assert [*vectorizer.fit(RIVER).vocabulary_] != [*vectorizer.fit(TOWER).vocabulary_]
    equal(vectorizer.transform(TOWER), make().fit_transform(TOWER))


@both
def test_texts_in_cyrillic(make):
    text = "Машинное обучение — обширный подраздел искусственного интеллекта, изучающий методы."
    vectorizer = make()
    assert vectorizer.fit_transform([text]).shape == (1, 11)
    assert "обучение" in vectorizer.vocabulary_


# -- tf-idf --------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["l1", "l2", None])
@pytest.mark.parametrize("use_idf", [True, False])
@pytest.mark.parametrize("smooth_idf", [True, False])
@pytest.mark.parametrize("sublinear_tf", [True, False])
def test_tfidf_is_counts_and_a_transformer(norm, use_idf, smooth_idf, sublinear_tf):
    options = {
        "norm": norm,
        "use_idf": use_idf,
        "smooth_idf": smooth_idf,
        "sublinear_tf": sublinear_tf,
    }
    whole = weighing(ngram_range=(1, 2), **options)
    parts = make_pipeline(counting(ngram_range=(1, 2)), TfidfTransformer(**options))
    equal(whole.fit_transform(TEXTS), parts.fit_transform(TEXTS))
    equal(whole.transform(["low tower", "", "qq"]), parts.transform(["low tower", "", "qq"]))


def test_idf_by_hand():
    texts = ["low river", "low tower", "low low"]
    smooth = weighing(norm=None).fit(texts)
    assert [*smooth.vocabulary_] == ["low", "river", "tower"]
    np.testing.assert_allclose(smooth.idf_, [1, 1 + np.log(4 / 2), 1 + np.log(4 / 2)])
    rough = weighing(norm=None, smooth_idf=False).fit(texts)
    np.testing.assert_allclose(rough.idf_, [1, 1 + np.log(3), 1 + np.log(3)])
    weights = rough.transform(["river river low"]).toarray()
    np.testing.assert_allclose(weights, [[1, 2 * (1 + np.log(3)), 0]])


def test_sublinear_counts_by_hand():
    vectorizer = weighing(norm=None, use_idf=False, sublinear_tf=True)
    weights = vectorizer.fit_transform(["low " * n for n in (1, 2, 3)])
    np.testing.assert_allclose(weights.toarray()[:, 0], 1 + np.log([1, 2, 3]))


def test_idf_does_not_change_with_what_is_transformed():
    vectorizer = weighing().fit(RIVER)
    before = vectorizer.idf_.copy()
    vectorizer.transform(TOWER)
    assert_array_equal(vectorizer.idf_, before)


def test_rows_have_norm_one_or_are_zero():
    X = weighing().fit(TEXTS).transform([*TEXTS, "", "qq"])
    np.testing.assert_allclose((X.toarray() ** 2).sum(axis=1), [1.0] * 10 + [0.0] * 2)
    assert not np.isnan(X.toarray()).any()
    np.testing.assert_allclose(weighing(norm="l1").fit_transform(TEXTS).sum(axis=1), 1)


def test_tfidf_parameters_are_read_at_fit():
    vectorizer = weighing(norm="l2", use_idf=False).fit(TEXTS)
    before = vectorizer.transform(TEXTS)
    vectorizer.set_params(norm="l1", use_idf=True, sublinear_tf=True)
    equal(vectorizer.transform(TEXTS), before)
    assert vectorizer.fit(TEXTS).transform(TEXTS).sum() == pytest.approx(len(TEXTS))


def test_idf_can_be_read_and_set():
    vectorizer = weighing(norm=None)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        vectorizer.idf_
    with pytest.raises(NotFittedError):
        vectorizer.idf_ = [1.0]
    vectorizer.fit(TEXTS)
    assert vectorizer.idf_[vectorizer.vocabulary_["the"]] == 1.0
    vectorizer.idf_ = np.full(len(vectorizer.vocabulary_), 2.0)
    equal(vectorizer.transform(TEXTS), 2.0 * counting().fit_transform(TEXTS))
    with pytest.raises(ValueError, match="14 numbers, one a feature"):
        vectorizer.idf_ = [1.0]


def test_idf_is_not_there_when_not_used():
    vectorizer = weighing(use_idf=False).fit(TEXTS)
    assert not hasattr(vectorizer, "idf_")
    with pytest.raises(ValueError, match="use_idf=True"):
        vectorizer.idf_ = np.ones(14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tfidf_keeps_float_types(dtype):
    vectorizer = weighing(dtype=dtype)
    assert vectorizer.fit_transform(TEXTS).dtype == dtype
    assert vectorizer.idf_.dtype == vectorizer.transform(RIVER).dtype == dtype
    assert vectorizer.transform([]).dtype == dtype


def test_tfidf_of_an_integer_type_is_float64_and_said_so():
    vectorizer = weighing(dtype=np.int32)
    with pytest.warns(UserWarning, match="'dtype' should be used; int32 will be converted"):
        assert vectorizer.fit_transform(TEXTS).dtype == np.float64
    assert vectorizer.transform([]).dtype == np.float64


# -- as an estimator -----------------------------------------------------------------------


@both
def test_parameters_are_keywords_that_init_only_stores(make):
    kind = make.func
    with pytest.raises(TypeError):
        kind("content")
    vectorizer = kind(num_merges=-1, level="nonsense", vocabulary=5, stop_words=3)
    assert vectorizer.get_params()["level"] == "nonsense"
    assert {*vars(vectorizer)} == {*vectorizer.get_params()}


def test_both_have_the_same_parameters_but_those_of_tfidf():
    ours, theirs = (
        inspect.signature(kind).parameters for kind in (SubwordVectorizer, SubwordTfidfVectorizer)
    )
    extra = {"norm", "use_idf", "smooth_idf", "sublinear_tf"}
    assert {*theirs} - {*ours} == extra
    assert [name for name in theirs if name not in extra] == [*ours]
    assert {n for n in ours if ours[n].default != theirs[n].default} == {"dtype"}
    sklearn = inspect.signature(TfidfVectorizer).parameters
    assert {n for n in theirs if n in sklearn and theirs[n].default != sklearn[n].default} == set()


@both
def test_clone_is_unfitted_and_fits_alike(make):
    fitted = make(vocabulary=["the", "low"], ngram_range=(1, 2)).fit(TEXTS)
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        fresh.transform(TEXTS)
    equal(fresh.fit_transform(TEXTS), fitted.transform(TEXTS))


@both
@pytest.mark.parametrize(
    "call",
    [lambda v: v.transform(["low"]), lambda v: v.get_feature_names_out(),
     lambda v: v.inverse_transform([[1]]), lambda v: v.build_analyzer(),
     lambda v: v.locate("low", "low")],
)  # fmt: skip
def test_not_fitted(make, call):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        call(make())


@both
def test_a_given_model_and_given_names_do_not_stand_for_fit(make):
    vectorizer = make(bpe=counting().fit(TEXTS).bpe_, vocabulary=["low"])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        vectorizer.transform(["low"])
    assert vectorizer.fit(["x"]).transform(["low low"]).nnz == 1


@both
def test_tags_say_text(make):
    tags = make().__sklearn_tags__()
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert not tags.input_tags.allow_nan
    assert make(missing="empty").__sklearn_tags__().input_tags.allow_nan
    assert tags.transformer_tags is not None


@both
def test_neither_number_of_columns_nor_set_output(make):
    vectorizer = make()
    assert not hasattr(vectorizer, "set_output")
    assert not hasattr(vectorizer.fit(TEXTS), "n_features_in_")
    with config_context(transform_output="pandas"):
        assert sp.issparse(vectorizer.fit_transform(TEXTS))


@both
@pytest.mark.parametrize("copied", [lambda v: pickle.loads(pickle.dumps(v)), copy.deepcopy])
@pytest.mark.parametrize(
    "options", [{}, {"ngram_range": (1, 2), "max_features": 9}, {"preprocessor": str.upper}]
)
def test_copies_before_and_after_fit(make, copied, options):
    vectorizer = make(**options)
    before = copied(vectorizer)
    assert type(before) is type(vectorizer)
    assert before.get_params() == vectorizer.get_params()
    equal(before.fit_transform(TEXTS), vectorizer.fit_transform(TEXTS))
    after = copied(vectorizer)
    assert after.vocabulary_ == vectorizer.vocabulary_
    assert after.bpe_ == vectorizer.bpe_
    equal(after.transform(TEXTS), vectorizer.transform(TEXTS))


def test_analyzer_can_be_pickled():
    analyze = counting().fit(TEXTS).build_analyzer()
    assert pickle.loads(pickle.dumps(analyze))("the low") == ["the", "low"]


@both
def test_cross_validation(make):
    scores = cross_val_score(make_pipeline(make(), LogisticRegression(C=100)), TEXTS, LABELS, cv=5)
    assert scores.tolist() == [1.0] * 5


@pytest.mark.filterwarnings("ignore:.* merges learnt:subword.SubwordWarning")
@pytest.mark.parametrize(
    "backend", ["sequential", "threading", pytest.param("loky", marks=pytest.mark.slow)]
)
def test_grid_search_over_sizes_and_ngrams(backend):
    pipe = Pipeline([("texts", weighing()), ("classes", LogisticRegression(C=100))])
    grid = {"texts__num_merges": [5, 20], "texts__ngram_range": [(1, 1), (1, 2)]}
    search = GridSearchCV(pipe, grid, cv=2, n_jobs=2, error_score="raise")
    with joblib.parallel_config(backend=backend):
        search.fit(TEXTS, LABELS)
    assert search.cv_results_["mean_test_score"].tolist() == [0.8, 0.8, 0.9, 0.9]
    assert search.predict(TEXTS).tolist() == LABELS
    fitted = search.best_estimator_["texts"]
    assert fitted.bpe_.num_merges == fitted.num_merges == 5


def test_merges_are_learnt_from_the_training_folds_only():
    pipe = make_pipeline(counting(), LogisticRegression())
    folds = [([0, 1, 2, 5, 6, 7], [3, 4, 8, 9])]
    search = GridSearchCV(pipe, {}, cv=folds, refit=False, error_score="raise")
    seen = []

    class Spy(SubwordVectorizer):
        def fit_transform(self, X, y=None):
            seen.append([*X])
            return super().fit_transform(X, y)

    search.set_params(estimator__subwordvectorizer=Spy(min_frequency=1)).fit(TEXTS, LABELS)
    assert seen == [[TEXTS[i] for i in folds[0][0]]]
