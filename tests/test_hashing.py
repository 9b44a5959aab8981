"""`SubwordHashingVectorizer`: scikit-learn's columns for our names, and frequencies of a stream."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils import murmurhash3_32

import subword
from subword import SubwordError, SubwordHashingVectorizer, SubwordVectorizer
from subword.hashed import Hasher, hash_columns, hash_ngrams
from subword.streams import Streams

pytestmark = pytest.mark.filterwarnings("ignore::subword.SubwordWarning")  # little to learn here
TEXTS = ["low low lower", "newest widest low", "", "lowest, NEW Straße 😀", "low " * 300]
OPTIONS = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "ngram_within": "word"},
    {"granularities": {2: (1, 3), 9: (1, 1)}},
    {"granularities": {2: (2, 2), 9: (1, 2)}, "ngram_within": "word"},
    {"stop_words": ["low"], "ngram_range": (1, 2)},
    {"special_tokens": ["<s>"], "ngram_range": (1, 2)},
]


@pytest.fixture(scope="module")
def bpe():
    rules = {"pretokenizer": "words", "lowercase": True, "special_tokens": ["<s>"]}
    return subword.train([*TEXTS, *TEXTS[:4]], 15, **rules)


def same(ours, theirs):
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-13)
    assert ours.has_sorted_indices
    for name in ("indices", "indptr"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("n_features", [7, 2**20])
@pytest.mark.parametrize("alternate_sign", [True, False])
@pytest.mark.parametrize("finish", [{"norm": None}, {"norm": "l1"}, {"binary": True}])
def test_the_matrix_is_that_of_scikit_learn_for_the_same_names(
    bpe, options, n_features, alternate_sign, finish
):
    texts = [*TEXTS, "<s>low<s>"]
    finish = {"n_features": n_features, "alternate_sign": alternate_sign} | finish
    analyzer = SubwordVectorizer(bpe=bpe, **options).fit(texts).build_analyzer()
    expected = HashingVectorizer(analyzer=analyzer, **finish).transform(texts)
    ours = SubwordHashingVectorizer(bpe=bpe, **options, **finish)
    for n_jobs in (1, 2, 5):
        same(ours.set_params(n_jobs=n_jobs).transform(texts), expected)
    same(ours.fit_transform(texts), expected)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.text(max_size=40), min_size=1, max_size=8),
    longest=st.integers(1, 4),
    columns=st.sampled_from([1, 3, 64, 2**16]),
    within_words=st.booleans(),
)
def test_both_engines_hash_any_text_alike(texts, longest, columns, within_words):
    rules = {"pretokenizer": "words", "lowercase": True}
    bpe = subword.train(["low lower", *texts], 9, **rules)
    streams = Streams(bpe, {9: (1, longest), 0: (1, 2)}, within_words)
    ids, indptr = streams.encode(texts)
    hasher = Hasher(streams, columns, True)
    expected = hash_ngrams(ids, indptr, streams.layout, streams.names, columns, True)
    same(hasher.count(ids, indptr), expected)
    same(hasher.count_texts(texts), expected)


@given(st.lists(st.text(max_size=20)))
def test_columns_are_murmur_hashes_of_names(names):
    columns, signs = hash_columns(names, 2**31 - 1, True)
    hashes = [murmurhash3_32(name) for name in names]
    assert (columns * signs).tolist() == [h % -(2**31 - 1) if h < 0 else h for h in hashes]


def test_columns_do_not_depend_on_ids(bpe):
    """The same merges in a model with more characters, so that all ids are others."""
    other = subword.train([*TEXTS, *TEXTS[:4], "ä Ö Ж"], 15, pretokenizer="words", lowercase=True)
    assert other.merges == bpe.merges
    assert len(other) != len(bpe)
    matrices = [SubwordHashingVectorizer(bpe=model).transform(TEXTS) for model in (bpe, other)]
    same(*matrices)


# -- streams and idf ---------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"norm": None}, {"norm": "l1", "ngram_range": (1, 2)}])
def test_frequencies_are_added_batch_by_batch(bpe, options):
    whole = SubwordHashingVectorizer(bpe=bpe, use_idf=True, **options).fit(TEXTS)
    stream = SubwordHashingVectorizer(bpe=bpe, use_idf=True, **options)
    for text in TEXTS:
        stream.partial_fit([text])
    assert stream.n_documents_ == len(TEXTS)
    np.testing.assert_array_equal(stream.document_frequency_, whole.document_frequency_)
    plain = SubwordHashingVectorizer(bpe=bpe, **options).set_params(norm=None)
    pipeline = make_pipeline(plain, TfidfTransformer(norm=options.get("norm", "l2")))
    expected = pipeline.fit_transform(TEXTS)
    same(stream.transform(TEXTS), expected)
    same(whole.fit_transform(TEXTS), expected)


def test_no_documents_are_no_frequencies(bpe):
    counting = SubwordHashingVectorizer(bpe=bpe, use_idf=True)
    for learn in (counting.fit, counting.fit_transform, counting.partial_fit):
        with pytest.raises(ValueError, match=r"0 documents .* a generator is used up"):
            learn(iter([]))
    counting.partial_fit(["low"]).partial_fit([])
    assert counting.n_documents_ == 1


def test_the_first_batch_brings_the_merges():
    stream = SubwordHashingVectorizer(num_merges=5, use_idf=True).partial_fit(TEXTS)
    bpe = stream.bpe_
    assert bpe == SubwordVectorizer(num_merges=5).fit(TEXTS).bpe_
    assert stream.partial_fit(["other texts other texts"]).bpe_ is bpe
    assert stream.n_documents_ == len(TEXTS) + 1


def test_counts_are_damped_with_their_sign(bpe):
    options = {"bpe": bpe, "norm": None, "n_features": 4}
    counts = SubwordHashingVectorizer(**options).transform(TEXTS).toarray()
    damped = SubwordHashingVectorizer(**options, sublinear_tf=True).transform(TEXTS).toarray()
    assert counts.min() < 0
    sizes = np.abs(counts)
    expected = np.sign(counts) * (1 + np.log(sizes, where=sizes > 0, out=np.zeros_like(sizes)))
    np.testing.assert_allclose(damped, expected)


def test_frequencies_of_other_columns_are_not_used(bpe):
    stream = SubwordHashingVectorizer(bpe=bpe, use_idf=True, n_features=8).fit(TEXTS)
    stream.set_params(n_features=16)
    for use in (stream.transform, stream.partial_fit):
        with pytest.raises(SubwordError, match="n_features=16 needs the numbers of documents"):
            use(TEXTS)


# -- being an estimator ------------------------------------------------------------------------


def test_only_a_given_model_needs_no_fit(bpe):
    given, learnt, weighed = (
        SubwordHashingVectorizer(**options)
        for options in ({"bpe": bpe}, {}, {"bpe": bpe, "use_idf": True})
    )
    assert not given.__sklearn_tags__().requires_fit
    assert given.transform(TEXTS).shape == (5, 2**20)
    for vectorizer in (learnt, weighed):
        assert vectorizer.__sklearn_tags__().requires_fit
        with pytest.raises(NotFittedError, match="call fit or partial_fit first"):
            vectorizer.transform(TEXTS)


def test_a_vectorizer_survives_pickle_and_clone(bpe):
    stream = SubwordHashingVectorizer(bpe=bpe, use_idf=True, n_features=64).fit(TEXTS)
    copy = pickle.loads(pickle.dumps(stream))
    same(copy.transform(TEXTS), stream.transform(TEXTS))
    assert pickle.dumps(copy) == pickle.dumps(stream)
    assert not hasattr(clone(stream), "bpe_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features": 0}, "n_features must be at least 1"),
        ({"n_features": 2**31}, r"n_features must be less than 2\*\*31"),
        ({"norm": "l3"}, "norm must be one of"),
        ({"dtype": np.uint8}, "alternate_sign=True makes negative numbers"),
        ({"use_idf": 1.5}, "use_idf must be one of"),
    ],
)
def test_parameters_out_of_range_are_named(options, message):
    with pytest.raises(SubwordError, match=message):
        SubwordHashingVectorizer(**options).fit(TEXTS)


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64, np.int16])
def test_the_matrix_has_the_type_asked_for(bpe, dtype):
    counts = SubwordHashingVectorizer(bpe=bpe, dtype=dtype, norm=None).transform(TEXTS)
    assert counts.dtype == dtype
    assert counts.shape[0] == len(TEXTS)
    assert SubwordHashingVectorizer(bpe=bpe).transform([]).shape == (0, 2**20)


def test_a_model_file_is_read_once_until_it_changes(tmp_path):
    path = tmp_path / "model.subword"
    subword.train({"low": 5, "lower": 2}).save(path)
    hashing = SubwordHashingVectorizer(bpe=path, n_features=64, lowercase=False)
    first = hashing.fit(["low"]).bpe_
    assert clone(hashing).fit(["low"]).bpe_ is first
    subword.train({"newest": 5, "widest": 2}).save(path)
    assert clone(hashing).fit(["low"]).bpe_ != first
