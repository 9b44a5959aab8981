"""Documents as streams of pieces: sizes side by side, words opened by ``<w>``."""

from __future__ import annotations

import pickle
import random
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import subword
from subword import SubwordTfidfVectorizer, SubwordVectorizer
from subword.streams import Drop, Streams

TEXTS = ["low low lower", "newest widest low", "", "lowest, new"]


@pytest.fixture
def model():
    """Three merges: l o, lo w, lo w</w>."""
    rules = {"pretokenizer": "words", "lowercase": True}
    return subword.train({"low": 3, "lower": 2, "lows": 2}, 3, **rules)


def named(streams, text):
    ids, indptr = streams.encode([text])
    return [" ".join(streams.names[i] for i in ids[a:b]) for a, b in pairwise(indptr)]


def dense(vectorizer, texts):
    return vectorizer.fit_transform(texts).toarray()


def features(vectorizer, text):
    """The counts of one text by name."""
    row = vectorizer.transform([text]).toarray()[0]
    return {name: int(row[i]) for name, i in vectorizer.vocabulary_.items() if row[i]}


# -- inside words ------------------------------------------------------------------------------


def test_a_word_begins_with_its_opener(model):
    assert model.merges == (("l", "o"), ("lo", "w"), ("lo", "w</w>"))
    assert named(Streams(model, (1, 1), True), "low lower") == ["<w> low <w> low@@ e@@ r"]


def test_ngrams_stay_inside_words_and_the_opener_is_one_of_their_pieces(model):
    vectorizer = SubwordVectorizer(bpe=model, ngram_range=(1, 3), ngram_within="word")
    vectorizer.fit(["low lower"])
    assert features(vectorizer, "low lower") == {
        "<w> low": 1,
        "<w> low@@": 1,
        "<w> low@@ e@@": 1,
        "e@@": 1,
        "e@@ r": 1,
        "low": 1,
        "low@@": 1,
        "low@@ e@@": 1,
        "low@@ e@@ r": 1,
        "r": 1,
    }


def test_the_opener_alone_is_no_feature_even_if_asked_for(model):
    names = ["low", "<w>", "<w> low", "low <w>"]
    vectorizer = SubwordVectorizer(
        bpe=model, vocabulary=names, ngram_within="word", ngram_range=(1, 2)
    )
    with pytest.warns(subword.SubwordWarning, match="2 of 4 names .*: '<w>', 'low <w>'"):
        counts = dense(vectorizer, ["low low"])
    assert counts.tolist() == [[2, 0, 2, 0]]


def test_a_piece_spelt_like_the_opener_has_another_name():
    bpe = subword.train({"<w>": 9}, min_frequency=1, pretokenizer="space")
    streams = Streams(bpe, (1, 1), True)
    assert named(streams, "<w>") == ["<w> \\<w>"]
    assert len({*streams.names}) == len(streams.names)
    assert "<w>" in Streams(bpe, (1, 1)).names


def test_without_ngrams_words_change_nothing():
    counts = [
        SubwordVectorizer(num_merges=5, ngram_within=within).fit_transform(TEXTS)
        for within in ("document", "word")
    ]
    assert (counts[0] != counts[1]).nnz == 0


def test_special_tokens_are_words():
    bpe = subword.train(["low lower"], 1, special_tokens=["<s>"], pretokenizer="words")
    vectorizer = SubwordVectorizer(
        bpe=bpe, special_tokens=["<s>"], ngram_range=(2, 2), ngram_within="word"
    )
    vectorizer.fit(["low<s>low"])
    assert [*vectorizer.vocabulary_] == ["<w> <s>", "<w> lo@@", "lo@@ w"]
    assert features(vectorizer, "<s><s>") == {"<w> <s>": 2}


# -- several sizes -----------------------------------------------------------------------------


def test_sizes_stand_side_by_side_each_with_its_ngrams(model):
    vectorizer = SubwordVectorizer(bpe=model, granularities={1: (1, 2), 3: (1, 1)})
    vectorizer.fit(["low lower"])
    assert features(vectorizer, "lower") == {
        "1:e@@": 1,
        "1:e@@ 1:r": 1,
        "1:lo@@": 1,
        "1:lo@@ 1:w@@": 1,
        "1:r": 1,
        "1:w@@": 1,
        "1:w@@ 1:e@@": 1,
        "3:e@@": 1,
        "3:low@@": 1,
        "3:r": 1,
    }


@pytest.mark.parametrize("within", ["document", "word"])
@pytest.mark.parametrize("limits", [{}, {"min_df": 2}, {"max_df": 0.5}, {"binary": True}])
def test_each_size_is_what_it_is_alone(within, limits):
    texts = random_texts(60)
    ranges = {5: (1, 3), 12: (2, 2), 40: (1, 2)}
    together = SubwordVectorizer(granularities=ranges, ngram_within=within, **limits)
    counts = together.fit_transform(texts)
    names = together.get_feature_names_out()
    assert [*names] == sorted({*names})
    for size, ngram_range in ranges.items():
        alone = SubwordVectorizer(
            bpe=together.bpe_, num_merges=size, ngram_range=ngram_range, ngram_within=within,
            **limits,
        )  # fmt: skip
        expected = alone.fit_transform(texts)
        prefix = f"{size}:"
        columns = [i for i, name in enumerate(names) if name.startswith(prefix)]
        assert [name.replace(prefix, "") for name in names[columns]] == [*alone.vocabulary_]
        assert (counts[:, columns] != expected).nnz == 0


def random_texts(documents, letters="abc", seed=3):
    draw = random.Random(seed)
    words = ["".join(draw.choices(letters, k=draw.randint(1, 9))) for _ in range(40)]
    return [" ".join(draw.choices(words, k=draw.randint(0, 12))) for _ in range(documents)]


def test_every_size_is_what_the_truncated_model_gives():
    texts = random_texts(40, "ab", seed=8)
    bpe = subword.train(texts, 50, pretokenizer="words", min_frequency=1)
    sizes = [*range(0, 51, 7)]
    streams = Streams(bpe, dict.fromkeys(sizes, (1, 1)))
    for text in texts:
        rows = dict(zip(streams.prefixes, named(streams, text), strict=True))
        for size in sizes:
            alone = Streams(bpe.truncate(size), (1, 1))
            assert rows[f"{size}:"].replace(f"{size}:", "") == named(alone, text)[0]


def test_the_largest_size_is_learnt_and_the_others_are_its_first_merges():
    vectorizer = SubwordVectorizer(granularities={3: (1, 1), 1: (1, 1)}).fit(TEXTS)
    assert vectorizer.bpe_ == SubwordVectorizer(num_merges=3).fit(TEXTS).bpe_


def test_tfidf_weighs_all_sizes_together():
    vectorizer = SubwordTfidfVectorizer(granularities={3: (1, 2), 1: (1, 1)})
    weights = dense(vectorizer, TEXTS)
    norms = np.linalg.norm(weights, axis=1)
    np.testing.assert_allclose(norms, [1, 1, 0, 1])
    names = vectorizer.inverse_transform(weights[:1])[0]
    assert {name.split(":")[0] for name in names} == {"1", "3"}


def test_max_features_are_the_most_frequent_of_all_sizes(model):
    vectorizer = SubwordVectorizer(
        bpe=model, granularities={0: (1, 1), 3: (1, 1)}, max_features=3
    ).fit(["low low lower"])
    assert [*vectorizer.vocabulary_] == ["0:l@@", "0:o@@", "0:w"]


@pytest.mark.parametrize(
    ("feature", "places"),
    [("1:lo@@", [(0, 2), (5, 7)]), ("3:low", [(0, 3)]), ("1:<w> 1:lo@@", [(0, 2), (5, 7)]),
     ("3:<w> 3:low@@", [(5, 8)])],
)  # fmt: skip
def test_features_of_all_sizes_are_located(model, feature, places):
    vectorizer = SubwordVectorizer(
        bpe=model, granularities={1: (1, 2), 3: (1, 2)}, ngram_within="word"
    ).fit(["low lower"])
    assert vectorizer.locate(feature, "LOW, lower") == places


@pytest.mark.parametrize("within", ["document", "word"])
def test_the_analyzer_gives_what_is_counted(within):
    vectorizer = SubwordVectorizer(granularities={5: (1, 3), 0: (2, 2)}, ngram_within=within)
    vectorizer.fit(TEXTS)
    analyze = vectorizer.build_analyzer()
    for text in TEXTS:
        found = analyze(text)
        assert {name: found.count(name) for name in found} == features(vectorizer, text)


@pytest.mark.parametrize("within", ["document", "word"])
@pytest.mark.parametrize("vocabulary", [None, ["3:low", "1:lo@@ 1:w", "no piece"]])
def test_sizes_and_words_survive_pickle(within, vocabulary):
    options = {"granularities": {3: (1, 1), 1: (1, 2)}, "ngram_within": within}
    vectorizer = SubwordTfidfVectorizer(**options, vocabulary=vocabulary)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights = vectorizer.fit_transform(TEXTS)
    copy = pickle.loads(pickle.dumps(vectorizer))
    assert (copy.transform(TEXTS) != weights).nnz == 0
    assert copy.vocabulary_ == vectorizer.vocabulary_
    assert pickle.dumps(copy) == pickle.dumps(vectorizer)
    trusted = ["subword.vectorizer.SubwordTfidfVectorizer"]
    skops = pytest.importorskip("skops.io")
    again = skops.loads(skops.dumps(vectorizer), trusted=trusted)
    assert (again.transform(TEXTS) != weights).nnz == 0


# -- parameters --------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [{}, 3, {3: 1}, {-1: (1, 1)}, {"3": (1, 1)}, {3: (2, 1)}])
def test_granularities_map_sizes_to_lengths(value):
    with pytest.raises(subword.SubwordError, match="granularities|ngram_range"):
        SubwordVectorizer(granularities=value).fit(TEXTS)


def test_what_granularities_overrule_is_told(model):
    ignored = {"num_merges": 9, "ngram_range": (1, 2)}
    message = r"num_merges=9, ngram_range=\(1, 2\) will be ignored"
    with pytest.warns(subword.SubwordWarning, match=message) as told:
        SubwordVectorizer(granularities={3: (1, 1)}, **ignored).fit(TEXTS)
    assert len(told) == 1
    with pytest.warns(subword.SubwordWarning, match="granularities has 9, but the model .* 3"):
        SubwordVectorizer(granularities={9: (1, 1)}, bpe=model).fit(TEXTS)


def test_a_wrong_place_for_ngrams_is_named():
    with pytest.raises(subword.SubwordError, match="ngram_within must be one of"):
        SubwordVectorizer(ngram_within="sentence").fit(TEXTS)


# -- dropout -----------------------------------------------------------------------------------


@pytest.mark.parametrize("within", ["document", "word"])
def test_fit_drops_merges_and_transform_never_does(model, within):
    options = {"bpe": model, "dropout": 0.5, "random_state": 7, "ngram_within": within}
    vectorizer = SubwordVectorizer(**options)
    texts = ["low lower low low"] * 3 + ["low low"]
    fitted = vectorizer.fit_transform(texts)
    for text, row in zip(texts, fitted.toarray(), strict=True):
        ids = model.encode(text, dropout=0.5, seed=7)
        pieces = [vectorizer._streams.names[i] for i in ids]
        assert {name: row[i] for name, i in vectorizer.vocabulary_.items() if row[i]} == {
            piece: pieces.count(piece) for piece in pieces
        }
    assert features(vectorizer, "low")["low"] == 1
    assert (vectorizer.transform(texts) != fitted).nnz > 0
    again = SubwordVectorizer(**options, n_jobs=2).fit_transform(texts[::-1])
    assert (again[::-1] != fitted).nnz == 0


def test_dropout_depends_on_the_random_state_alone(model):
    texts = ["low lower " * 9]

    def fitted(seed):
        return SubwordVectorizer(bpe=model, dropout=0.4, random_state=seed).fit_transform(texts)

    state = np.random.get_state()[1].tolist()
    assert (fitted(1) != fitted(1)).nnz == 0
    draws = [fitted(np.random.RandomState(seed)).toarray().tolist() for seed in (1, 1)]
    assert draws[0] == draws[1]
    assert len({str(fitted(None).toarray()) for _ in range(9)}) > 1
    assert np.random.get_state()[1].tolist() == state


@pytest.mark.parametrize("value", [1.1, -0.1, "half", None, True, float("nan")])
def test_dropout_is_a_share(value):
    with pytest.raises(subword.SubwordError, match="dropout must be a number from 0 to 1"):
        SubwordVectorizer(dropout=value).fit(TEXTS)
    if value:
        with pytest.raises(subword.SubwordError, match="dropout must be a number from 0 to 1"):
            subword.train(TEXTS).encode("low", dropout=value)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.text(max_size=40) | st.sampled_from(TEXTS), min_size=1, max_size=8),
    ranges=st.just((1, 1)) | st.dictionaries(st.integers(0, 9), st.just((1, 2)), min_size=1),
    within_words=st.booleans(),
    special=st.sampled_from([(), ("<s>",)]),
    rules=st.sampled_from(
        [{"lowercase": True}, {"normalization": "NFKD"}, {"level": "byte"}, {"pretokenizer": r"\w"}]
    ),
    n_jobs=st.integers(1, 3),
)
@example(["0000"], {0: (1, 2)}, False, ("<s>",), {"lowercase": True}, 1)
def test_any_texts_drop_alike_in_batches_and_one_by_one(
    texts, ranges, within_words, special, rules, n_jobs
):
    options = {"pretokenizer": "words", "special_tokens": special} | rules
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", subword.SubwordWarning)
        bpe = subword.train(["low lower", *texts], 9, **options)
    streams, drop = Streams(bpe, ranges, within_words, special), Drop(0.4, 7)
    ids, indptr = streams.encode(texts, n_jobs, drop)
    rows = [row for text in texts for row in streams._rows(text, drop)]
    assert [ids[a:b].tolist() for a, b in pairwise(indptr)] == rows
