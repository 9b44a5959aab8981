"""Estimators of texts stored, copied, searched and put into other estimators of scikit-learn."""

import io
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
import zipfile

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

import subword
from subword import (
    NBSVMClassifier,
    SubwordTextClassifier,
    SubwordTfidfVectorizer,
    SubwordVectorizer,
)

TEXTS = ["low low lower", "newest widest low", "new tower", "the lower tower", "wide and new"] * 4
LABELS = ["low", "high", "high", "low", "high"] * 4
UNSEEN = ["the lowest tower", "", "newer"]

bpe = subword.train(TEXTS)
MAKERS = {
    "counts": lambda: SubwordVectorizer(ngram_range=(1, 2), stop_words=["tower"]),
    "tfidf": lambda: SubwordTfidfVectorizer(num_merges=9, dtype=np.float32),
    "given model": lambda: SubwordTfidfVectorizer(bpe=bpe, num_merges=9),
    "given names": lambda: SubwordVectorizer(vocabulary={"tower": 1, "low": 0}),
    "byte level": lambda: SubwordVectorizer(level="byte", special_tokens=["<s>"]),
    "classifier": SubwordTextClassifier,
    "classifier with a model": lambda: SubwordTextClassifier(bpe=bpe),
    "fast classifier": lambda: SubwordTextClassifier(fast=True, calibrate=True),
    "pipeline": lambda: make_pipeline(SubwordVectorizer(), NBSVMClassifier()),
}  # fmt: skip
any_estimator = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def fitted(make):
    return make().fit(TEXTS, LABELS)


def use(estimator, texts=UNSEEN):
    if hasattr(estimator, "transform"):
        return estimator.transform(texts).toarray().tolist()
    return estimator.decision_function(texts).tolist()


def by_joblib(estimator):
    stream = io.BytesIO()
    joblib.dump(estimator, stream, compress=3)
    stream.seek(0)
    return joblib.load(stream)


def by_cloudpickle(estimator):
    return pickle.loads(pytest.importorskip("cloudpickle").dumps(estimator))


def by_skops(estimator):
    skops = pytest.importorskip("skops.io")
    data = skops.dumps(estimator)
    return skops.loads(data, trusted=skops.get_untrusted_types(data=data))


WAYS = {f"pickle {n}": lambda e, n=n: pickle.loads(pickle.dumps(e, n)) for n in (2, 4, 5)}
WAYS |= {"joblib": by_joblib, "cloudpickle": by_cloudpickle, "skops": by_skops}


# -- stored ------------------------------------------------------------------------------------


@any_estimator
@pytest.mark.parametrize("copied", WAYS.values(), ids=WAYS.keys())
def test_copies_work_alike_and_have_the_same_bytes(make, copied):
    original = fitted(make)
    copy = copied(original)
    assert use(copy) == use(original)
    assert repr(copy) == repr(original)
    if not isinstance(copy, Pipeline):  # other steps store names of attributes a second time
        assert pickle.dumps(copy) == pickle.dumps(original)
    assert use(clone(copy).fit(TEXTS, LABELS)) == use(original)


@any_estimator
def test_equal_fits_have_equal_dumps(make):
    skops = pytest.importorskip("skops.io")
    one, other = fitted(make), fitted(make)
    use(other)  # caches are no part of the state
    assert pickle.dumps(one) == pickle.dumps(other)
    first, second = (contents(skops.dumps(estimator)) for estimator in (one, other))
    assert first == second


def contents(data):
    """Return the arrays of a skops file; it names them by addresses in memory."""
    with zipfile.ZipFile(io.BytesIO(data)) as files:
        return sorted(files.read(name) for name in files.namelist() if name != "schema.json")


@any_estimator
def test_skops_has_to_trust_our_own_classes_only(make):
    skops = pytest.importorskip("skops.io")
    untrusted = skops.get_untrusted_types(data=skops.dumps(fitted(make)))
    public = {getattr(subword, name) for name in subword.__all__}
    own = {f"{kind.__module__}.{kind.__qualname__}" for kind in public if isinstance(kind, type)}
    assert {*untrusted} <= own


@pytest.mark.slow
@pytest.mark.skipif(subword.info()["engine"] == "python", reason="minutes without the engine")
def test_a_large_pipeline_stays_small():
    skops = pytest.importorskip("skops.io")
    draw = np.random.default_rng(0)
    syllables = [a + b for a in "bcdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "un", "er")]
    words = ["".join(draw.choice(syllables, 1 + i % 4)) for i in range(60_000)]
    places = (len(words) ** draw.random((20_000, 25))).astype(int)  # rank times share is constant
    texts = [" ".join(words[place] for place in row) for row in places]
    pipe = make_pipeline(
        SubwordTfidfVectorizer(num_merges=30_000, ngram_range=(1, 2), max_features=50_000),
        LogisticRegression(max_iter=2, tol=10),
    ).fit(texts, [len(text) % 2 for text in texts])
    assert len(pipe[0].bpe_.merges) == 30_000
    assert pipe[1].coef_.shape == (1, 50_000)
    assert len(skops.dumps(pipe)) <= 2_000_000
    assert len(pickle.dumps(pipe)) <= 2_000_000


@pytest.mark.slow
def test_a_fresh_process_needs_nothing_but_the_dump(tmp_path):
    path, stored = tmp_path / "model.subword", tmp_path / "estimators.joblib"
    bpe.save(path)
    estimators = [make() for make in MAKERS.values()] + [SubwordVectorizer(bpe=path)]
    joblib.dump([estimator.fit(TEXTS, LABELS) for estimator in estimators], stored)
    path.unlink()
    code = (
        "import joblib, sys\n"
        "for estimator in joblib.load(sys.argv[1]):\n"
        "    name = 'transform' if hasattr(estimator, 'transform') else 'decision_function'\n"
        f"    found = getattr(estimator, name)({UNSEEN!r})\n"
        "    print(getattr(found, 'toarray', lambda: found)().tolist())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, stored], cwd=tmp_path,
        env=os.environ | {"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout.splitlines() == [str(use(estimator)) for estimator in estimators]


@pytest.mark.parametrize("kind", [set, dict.fromkeys])
def test_unfitted_copies_number_given_names_alike(kind):
    draw = random.Random(0)
    names = [name for name in SubwordVectorizer().fit(TEXTS).vocabulary_ if name.isalpha()]
    for _ in range(20):
        chosen = kind(draw.sample(names, 4))
        if isinstance(chosen, dict):
            chosen = {name: column for column, name in enumerate(chosen)}
        vectorizer = SubwordVectorizer(vocabulary=chosen)
        copy = pickle.loads(pickle.dumps(vectorizer))
        ours, theirs = (v.fit(TEXTS).get_feature_names_out() for v in (vectorizer, copy))
        assert ours.tolist() == theirs.tolist()


def test_copies_that_come_one_after_another_share_a_model(monkeypatch):
    """As in a process that gets the tasks of a search: the model is written and read once."""
    given = SubwordTfidfVectorizer(bpe=subword.train(TEXTS))
    pickle.dumps(given)
    monkeypatch.setattr("subword.formats.dumps", None)
    copies = [pickle.loads(pickle.dumps(clone(given).set_params(num_merges=n))) for n in (3, 5)]
    assert copies[0].bpe is copies[1].bpe
    assert copies[0].fit(TEXTS).bpe_ is copies[1].set_params(num_merges=3).fit(TEXTS).bpe_
    assert pickle.loads(pickle.dumps(given.bpe)) is copies[0].bpe


# -- cloned ------------------------------------------------------------------------------------


@any_estimator
def test_clones_share_given_models_and_learn_alike(make):
    original = fitted(make)
    copy = clone(original)
    if "bpe" in original.get_params():
        assert copy.bpe is original.bpe
    assert use(copy.fit(TEXTS, LABELS)) == use(original)


# -- inside others -----------------------------------------------------------------------------


@pytest.mark.parametrize("first", [SubwordVectorizer, SubwordTfidfVectorizer])
def test_pipeline_with_memory_learns_once(first, tmp_path, monkeypatch):
    pipe = Pipeline([("texts", first()), ("classes", LogisticRegression())], memory=str(tmp_path))
    expected = pipe.fit(TEXTS, LABELS).decision_function(UNSEEN).tolist()
    monkeypatch.setattr(first, "_learn", None)  # the second time nothing is learnt
    pipe.set_params(classes__C=2.0).fit(TEXTS, LABELS)
    pipe.set_params(classes__C=1.0).fit(TEXTS, LABELS)
    assert pipe.decision_function(UNSEEN).tolist() == expected


def test_one_column_of_a_frame_by_its_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": TEXTS, "size": range(20)}, index=range(50, 70))
    by_name = ColumnTransformer([("t", SubwordVectorizer(), "text")], remainder="passthrough")
    X = by_name.fit_transform(frame)
    expected = SubwordVectorizer().fit_transform(TEXTS)
    np.testing.assert_array_equal(X[:, :-1], expected.toarray())
    names = by_name.get_feature_names_out().tolist()
    assert names[-2:] == ["t__widest", "remainder__size"]
    by_list = ColumnTransformer([("t", SubwordVectorizer(), ["text"])])
    with pytest.raises(ValueError, match=r'DataFrame of shape \(20, 1\).*"text", not \["text"\]'):
        by_list.fit_transform(frame)


def test_union_puts_features_side_by_side():
    union = FeatureUnion([("pieces", SubwordVectorizer()), ("words", CountVectorizer())])
    X = union.fit_transform(TEXTS)
    assert sp.issparse(X)
    assert X.shape[1] == len(union.get_feature_names_out())
    assert {"pieces__low", "words__low"} <= {*union.get_feature_names_out()}
    union.set_params(pieces__n_jobs=2, n_jobs=2)
    with joblib.parallel_config(backend="threading"):
        np.testing.assert_array_equal(union.fit_transform(TEXTS).toarray(), X.toarray())


GRID = {"texts__num_merges": [5, 20], "texts__n_jobs": [None, 2]}


def searched(n_jobs, backend):
    pipe = Pipeline([("texts", SubwordTfidfVectorizer()), ("classes", LogisticRegression())])
    search = GridSearchCV(pipe, GRID, cv=2, n_jobs=n_jobs, error_score="raise")
    with joblib.parallel_config(backend=backend):
        search.fit(TEXTS, LABELS)
    return search.cv_results_["mean_test_score"].tolist(), search.decision_function(UNSEEN).tolist()


@pytest.mark.filterwarnings("ignore:.* merges learnt:subword.SubwordWarning")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize(
    "backend", ["threading", *(pytest.param(b, marks=pytest.mark.slow) for b in ("loky", "multiprocessing"))]
)  # fmt: skip
def test_search_in_parallel_finds_what_it_finds_alone(backend):
    assert searched(2, backend) == searched(1, "sequential")


def transform_in_child(estimator, texts):
    return use(estimator, texts)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_fork_after_threads():
    vectorizer = SubwordVectorizer(n_jobs=2).fit(TEXTS)
    expected = use(vectorizer)
    with multiprocessing.get_context("fork").Pool(4) as pool:
        found = pool.starmap_async(transform_in_child, [(vectorizer, UNSEEN)] * 8).get(timeout=60)
    assert found == [expected] * 8


@any_estimator
def test_settings_of_scikit_learn_change_no_value(make):
    expected = use(fitted(make))
    for setting in ({"enable_metadata_routing": True}, {"transform_output": "pandas"},
                    {"assume_finite": True}):  # fmt: skip
        with config_context(**setting):
            assert use(fitted(make)) == expected


def test_metadata_reaches_the_step_that_asks_for_it():
    weights = [1.0, 3.0] * 10
    with config_context(enable_metadata_routing=True):
        last = LogisticRegression().set_fit_request(sample_weight=True)
        pipe = make_pipeline(SubwordVectorizer(), last).fit(TEXTS, LABELS, sample_weight=weights)
    plain = LogisticRegression().fit(pipe[0].transform(TEXTS), LABELS, sample_weight=weights)
    np.testing.assert_allclose(pipe[1].coef_, plain.coef_)


def test_arrays_flow_through_a_pipeline():
    with config_context(sparse_interface="sparray"):
        pipe = make_pipeline(SubwordTfidfVectorizer(), LogisticRegression()).fit(TEXTS, LABELS)
        assert isinstance(pipe[0].transform(TEXTS), sp.csr_array)
        found = pipe.predict(TEXTS).tolist()
    assert found == pipe.predict(TEXTS).tolist() == LABELS


@any_estimator
def test_output_set_to_pandas_is_as_with_count_vectorizer(make):
    estimator = make()
    assert hasattr(estimator, "set_output") == isinstance(estimator, Pipeline)
    assert not hasattr(CountVectorizer(), "set_output")


@any_estimator
def test_notebooks_show_it(make):
    for estimator in (make(), fitted(make)):
        shown = estimator._repr_html_()
        assert "sk-top-container" in shown
        assert type(estimator).__name__ in shown
