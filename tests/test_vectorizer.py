"""The vectorizers on the toy corpus: features, names, places, errors, state."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import subword
from subword import (
    SubwordError,
    SubwordHashingVectorizer,
    SubwordTfidfVectorizer,
    SubwordVectorizer,
    SubwordWarning,
)
from subword.learning import without
from subword.streams import Streams, piece_names

TEXTS = ["low low low low low", "lower lower", "newest " * 6, "widest widest widest"]
KINDS = pytest.mark.parametrize("kind", [SubwordVectorizer, SubwordTfidfVectorizer])


def rows(vectorizer, texts):
    """Return the features of each text with their counts."""
    names = vectorizer.get_feature_names_out()
    return [
        {names[i]: n for i, n in enumerate(row) if n}
        for row in vectorizer.transform(texts).toarray()
    ]


# -- learning and counting -----------------------------------------------------------------


def test_learns_the_merges_of_the_worked_example_and_counts_their_pieces():
    vectorizer = SubwordVectorizer(num_merges=3).fit(TEXTS)
    assert vectorizer.bpe_ == subword.train(TEXTS, 3, pretokenizer="words", lowercase=True)
    assert vectorizer.bpe_.merges == (("s", "t</w>"), ("e", "st</w>"), ("l", "o"))
    assert rows(vectorizer, TEXTS) == [
        {"lo@@": 5, "w": 5},
        {"lo@@": 2, "w@@": 2, "e@@": 2, "r": 2},
        {"n@@": 6, "e@@": 6, "w@@": 6, "est": 6},
        {"w@@": 3, "i@@": 3, "d@@": 3, "est": 3},
    ]


def test_default_learns_eight_thousand_merges_or_what_there_is():
    assert SubwordVectorizer().fit(TEXTS).bpe_.num_merges == 13


def test_ngrams_do_not_cross_documents():
    vectorizer = SubwordVectorizer(ngram_range=(2, 3), min_frequency=1)
    vectorizer.fit(["low lower newest", "widest", "low low"])
    assert [*vectorizer.vocabulary_] == ["low low", "low lower", "low lower newest", "lower newest"]


def test_ids_without_stop_words():
    bpe = subword.train(TEXTS)
    low, newest = bpe.piece_to_id("low</w>"), bpe.piece_to_id("newest</w>")
    streams = Streams(bpe, (1, 1))
    ids, indptr = without(np.array([low]), *streams.encode(["low newest low", "low", ""]))
    assert ids.tolist() == [newest]
    assert indptr.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_threads_change_nothing(n_jobs):
    X = SubwordVectorizer(n_jobs=n_jobs).fit_transform(TEXTS)
    assert (SubwordVectorizer().fit_transform(TEXTS) != X).nnz == 0


# -- preparing texts -----------------------------------------------------------------------


def test_lowercase_by_default_and_not_if_told_so():
    assert [*SubwordVectorizer().fit(["Low LOW low"]).vocabulary_] == ["low"]
    names = [*SubwordVectorizer(lowercase=False, min_frequency=1).fit(["Low LOW low"]).vocabulary_]
    assert names == ["LOW", "Low", "low"]


def test_preprocessor_takes_the_place_of_lower_casing_and_any_document():
    vectorizer = SubwordVectorizer(preprocessor=lambda review: review["text"].upper())
    assert [*vectorizer.fit([{"text": "low low"}]).vocabulary_] == ["LOW"]
    assert vectorizer.transform([{"text": "Low"}]).sum() == 1
    with pytest.raises(TypeError, match="document 0: expected a str, got int"):
        SubwordVectorizer(preprocessor=len).fit(["low"])


def test_normalization_is_part_of_the_model():
    vectorizer = SubwordVectorizer(normalization=["NFKC", "strip_accents"], min_frequency=1)
    vectorizer.fit(["caf\u00e9 ﬁn"])
    assert [*vectorizer.vocabulary_] == ["cafe", "fin"]
    assert vectorizer.locate("cafe", "un cafe\u0301!") == [(3, 8)]


def test_special_tokens_become_features_of_their_own():
    vectorizer = SubwordVectorizer(special_tokens=["<URL>"]).fit(["low <URL>low <URL>"] * 2)
    assert vectorizer.vocabulary_ == {"<URL>": 0, "low": 1}
    assert vectorizer.transform(["low<URL>"]).toarray().tolist() == [[1, 1]]
    with pytest.raises(TypeError, match="must be a list"):
        SubwordVectorizer(special_tokens="<URL>").fit(TEXTS)


def test_special_tokens_of_a_given_model_are_found_only_if_asked_for():
    bpe = subword.train(["low <s> low"] * 2, special_tokens=["<s>"])
    assert "<s>" not in SubwordVectorizer(bpe=bpe).fit(["low <s>"]).vocabulary_
    assert "<s>" in SubwordVectorizer(bpe=bpe, special_tokens=["<s>"]).fit(["low <s>"]).vocabulary_
    with pytest.raises(subword.SpecialTokenError, match="'<x>' is no special token of this model"):
        SubwordVectorizer(bpe=bpe, special_tokens=["<x>"]).fit(["low <s>"])


def test_unknown_characters_are_bytes_or_one_unknown_piece():
    vectorizer = SubwordVectorizer(vocabulary=["<0xE2>@@", "</w>", "low"]).fit(TEXTS)
    assert rows(vectorizer, ["low ☃"]) == [{"<0xE2>@@": 1, "</w>": 1, "low": 1}]
    vectorizer = SubwordVectorizer(unknown="unk", vocabulary=["<unk>", "low"]).fit(TEXTS)
    assert rows(vectorizer, ["low ☃☃"]) == [{"<unk>": 2, "low": 1}]


# -- a given model -------------------------------------------------------------------------


def test_given_model_is_used_whole_or_truncated(tmp_path):
    bpe = subword.train(TEXTS, pretokenizer="words", lowercase=True)
    bpe.save(tmp_path / "model.subword")
    for source in (bpe, tmp_path / "model.subword", str(tmp_path / "model.subword")):
        assert SubwordVectorizer(bpe=source).fit(["low"]).bpe_ == bpe
        assert SubwordVectorizer(bpe=source, num_merges=3).fit(["low"]).bpe_ == bpe.truncate(3)
    learnt = SubwordVectorizer(num_merges=3).fit(TEXTS)
    assert SubwordVectorizer(bpe=bpe, num_merges=3).fit(TEXTS).vocabulary_ == learnt.vocabulary_


def test_given_model_brings_its_rules():
    bpe = subword.train(["Low.LOW"] * 2)
    assert [*SubwordVectorizer(bpe=bpe).fit(["Low.LOW"]).vocabulary_] == ["Low.LOW"]
    same = SubwordVectorizer(bpe=bpe, pretokenizer="space", lowercase=False, end_of_word="suffix")
    assert [*same.fit(["Low.LOW"]).vocabulary_] == ["Low.LOW"]


def test_parameters_that_a_given_model_overrules_are_told_once():
    bpe = subword.train(TEXTS, lowercase=True)
    vectorizer = SubwordVectorizer(bpe=bpe, lowercase=False, level="byte", normalization="NFC")
    message = (
        "bpe= brings lowercase=True, level='char', normalization=[(][)], "
        "so lowercase=False, level='byte', normalization='NFC' will be ignored"
    )
    with pytest.warns(SubwordWarning, match=message) as told:
        vectorizer.fit(TEXTS)
    assert len(told) == 1
    vectorizer.transform(TEXTS)


def test_warnings_are_told_at_the_line_of_the_user():
    overruled = SubwordVectorizer(bpe=subword.train(TEXTS), level="byte")
    calls = [
        lambda: overruled.fit(TEXTS),
        lambda: overruled.fit_transform(TEXTS),
        lambda: make_pipeline(SubwordVectorizer(num_merges=99), TfidfTransformer()).fit(TEXTS),
        lambda: SubwordHashingVectorizer(bpe=overruled.bpe, level="byte").transform(TEXTS),
        lambda: subword.train(TEXTS, num_merges=99),
        lambda: overruled.bpe.extend(TEXTS, num_merges=99),
    ]
    for call in calls:
        with pytest.warns(SubwordWarning) as told:
            call()
        assert [warning.filename for warning in told] == [__file__]


def test_more_merges_than_a_given_model_has_are_told():
    vectorizer = SubwordVectorizer(bpe=subword.train(TEXTS), num_merges=99)
    with pytest.warns(SubwordWarning, match="num_merges=99, but the model given has 13"):
        assert vectorizer.fit(TEXTS).bpe_.num_merges == 13


def test_num_merges_set_after_fit_counts_at_the_next_fit():
    vectorizer = SubwordVectorizer(num_merges=2).fit(TEXTS)
    before = vectorizer.transform(TEXTS)
    vectorizer.set_params(num_merges=5)
    assert (vectorizer.transform(TEXTS) != before).nnz == 0
    assert vectorizer.fit(TEXTS).bpe_.num_merges == 5


def test_clone_shares_a_given_model():
    bpe = subword.train(TEXTS)
    assert clone(SubwordVectorizer(bpe=bpe)).bpe is bpe


# -- names ---------------------------------------------------------------------------------


def test_names_tell_pieces_inside_words_from_their_ends():
    vectorizer = SubwordVectorizer(num_merges=1, min_frequency=1, ngram_range=(1, 2))
    vectorizer.fit(["hello lo lo"])
    assert {"lo", "h@@ e@@", "l@@ lo"} <= {*vectorizer.vocabulary_}
    assert vectorizer.build_analyzer()("hoh lo")[:3] == ["h@@", "o@@", "h"]


def test_names_without_marker_are_the_pieces():
    vectorizer = SubwordVectorizer(pretokenizer="gpt2", min_frequency=1).fit(["low lower\tlow\n"])
    assert [*vectorizer.vocabulary_] == ["\\n", "\\slower", "\\t", "low"]


def test_special_tokens_keep_their_names_and_pieces_like_them_yield():
    bpe = subword.train(
        ["<unk> @@"] * 3, pretokenizer="space", unknown="unk", special_tokens=["s", "</w>", "a b"]
    )
    names = piece_names(bpe)
    assert len({*names}) == len(bpe)
    assert names[0] == "<unk>"
    assert names[-3:] == ("s", "</w>", r"a\sb")
    assert {r"\<unk>", r"\@@"} <= {*names}


# -- places --------------------------------------------------------------------------------


def test_locate_gives_places_in_the_text_as_it_was():
    vectorizer = SubwordVectorizer(num_merges=3, ngram_range=(1, 2)).fit(TEXTS)
    text = "The LOWest, lowest\tlow"
    assert vectorizer.locate("lo@@", text) == [(4, 6), (12, 14), (19, 21)]
    assert [text[a:b] for a, b in vectorizer.locate("lo@@ w", text)] == ["low"]
    assert [text[a:b] for a, b in vectorizer.locate("w@@ est", text)] == ["West", "west"]
    assert vectorizer.locate("lo@@ w", "") == []


def test_locate_agrees_with_the_counts():
    vectorizer = SubwordVectorizer(num_merges=5, ngram_range=(1, 3), stop_words=["r"]).fit(TEXTS)
    text = "Lower lower LOW newest"
    counts = vectorizer.transform([text]).toarray()[0]
    for name, column in vectorizer.vocabulary_.items():
        assert len(vectorizer.locate(name, text)) == counts[column]


def test_locate_needs_a_feature():
    vectorizer = SubwordVectorizer(num_merges=3).fit(TEXTS)
    with pytest.raises(SubwordError, match="no feature 'low' among the 9; .* end in @@"):
        vectorizer.locate("low", "low")


# -- errors --------------------------------------------------------------------------------


@KINDS
@pytest.mark.parametrize("texts", [[], [""], [" ", "\n", ""], iter([])])
@pytest.mark.parametrize("given", [False, True])
def test_only_empty_documents_are_an_error(kind, texts, given):
    texts = [*texts]
    bpe = subword.train(TEXTS) if given else None
    with pytest.raises(ValueError, match=f"{len(texts)} documents and 0 symbols seen"):
        kind(bpe=bpe).fit(texts)


@KINDS
def test_empty_documents_are_zero_rows(kind):
    vectorizer = kind()
    X = vectorizer.fit_transform(["", "low low"])
    assert X.toarray()[0].tolist() == [0]
    assert not np.isnan(vectorizer.transform(["", "qq", "low"]).toarray()).any()
    assert vectorizer.transform([]).shape == (0, 1)
    exhausted = iter(TEXTS)
    vectorizer.fit(exhausted)
    assert vectorizer.transform(exhausted).shape == (0, len(vectorizer.vocabulary_))


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("ngram_range", (2, 1), r"Invalid value for ngram_range=\(2, 1\).*lower boundary larger"),
        ("ngram_range", (0, 1), "ngram_range must be at least 1"),
        ("ngram_range", 2, r"ngram_range must be a pair such as \(1, 2\), got 2"),
        ("max_df", 1.5, "max_df must be a share .* got 1.5"),
        ("min_df", 0, "min_df must be a share .* got 0"),
        ("min_df", True, "min_df must be a share"),
        ("min_df", "2", "min_df must be a share"),
        ("max_features", 0, "max_features must be at least 1"),
        ("max_features", 2.5, "max_features must be an integer"),
        ("num_merges", -1, "num_merges must be at least 0"),
        ("num_merges", "many", "num_merges must be an integer"),
        ("lowercase", "yes", "lowercase must be one of True, False; got 'yes'"),
        ("binary", None, "binary must be one of True, False"),
        ("preprocessor", "upper", "preprocessor must be callable or None"),
        ("dtype", "text", "dtype must be a numeric type"),
        ("dtype", object, "dtype must be a numeric type"),
        ("missing", "drop", "missing must be one of 'error', 'empty'; got 'drop'"),
        ("level", "word", "level must be one of 'char', 'byte'"),
        ("end_of_word", "prefix", "end_of_word must be one of"),
        ("pretokenizer", "wrods", "unknown pretokenizer 'wrods'; choose from"),
        ("tie_break", "random", "tie_break must be one of"),
        ("min_frequency", -2, "min_frequency must be at least 0"),
        ("unknown", "skip", "unknown must be one of 'bytes', 'unk'"),
        ("normalization", "NFQ", "unknown normalization 'NFQ'; choose from"),
        ("bpe", 5, "bpe must be a BPE or the path of one, got int"),
        ("n_jobs", 0, "n_jobs must be None, a number of threads, or -1 for all; got 0"),
        ("n_jobs", "two", "n_jobs must be an integer"),
        ("norm", "l3", "norm must be one of 'l1', 'l2', None"),
        ("use_idf", "no", "use_idf must be one of True, False"),
    ],
)
def test_bad_parameters_are_told_at_fit(parameter, value, message):
    vectorizer = SubwordTfidfVectorizer(**{parameter: value})
    with pytest.raises(SubwordError, match=message):
        vectorizer.fit(TEXTS)
    assert not hasattr(vectorizer, "bpe_")


def test_a_fit_that_fails_leaves_the_old_one():
    vectorizer = SubwordVectorizer().fit(TEXTS)
    before = vectorizer.transform(TEXTS)
    with pytest.raises(SubwordError):
        vectorizer.fit([""])
    assert (vectorizer.transform(TEXTS) != before).nnz == 0


def test_a_missing_model_file_is_named():
    with pytest.raises(FileNotFoundError, match="nowhere"):
        SubwordVectorizer(bpe="nowhere.subword").fit(TEXTS)


# -- state ---------------------------------------------------------------------------------


@KINDS
@pytest.mark.parametrize(
    "options",
    [{}, {"ngram_range": (1, 2), "stop_words": ["low"]}, {"num_merges": 3, "bpe": True},
     {"bpe": True}, {"vocabulary": ["newest", "lower"], "level": "byte"},
     {"special_tokens": ["<s>"], "pretokenizer": "gpt2"}],
)  # fmt: skip
def test_equal_fits_have_equal_pickles(kind, options):
    if "bpe" in options:
        options = options | {"bpe": subword.train(TEXTS)}
    first, second = (kind(**options).fit(TEXTS) for _ in range(2))
    assert pickle.dumps(first) == pickle.dumps(second)
    again = pickle.loads(pickle.dumps(first))
    assert pickle.dumps(again) == pickle.dumps(first)
    assert again.get_params() == first.get_params()
    assert again.vocabulary_ == first.vocabulary_
    assert (again.transform(TEXTS) != first.transform(TEXTS)).nnz == 0


def test_pickles_grow_with_what_is_kept_only():
    texts = [f"w{i} {i * i} low" for i in range(3000)]
    few = SubwordVectorizer(num_merges=50, max_features=20).fit(texts)
    for text in texts:
        few.transform([text])  # fills the cache
    bare = SubwordVectorizer(num_merges=50, max_features=20).fit(texts)
    assert pickle.dumps(few) == pickle.dumps(bare)
    assert len(pickle.dumps(few)) < 5000
    assert len(pickle.dumps(SubwordVectorizer(num_merges=50).fit(texts))) < 6000


def test_state_is_text_and_arrays():
    state = SubwordTfidfVectorizer(bpe=subword.train(TEXTS), num_merges=4).fit(TEXTS).__getstate__()
    plain = (str, int, float, bool, tuple, list, type, type(None), np.ndarray)
    learnt = {name for name, value in state.items() if not isinstance(value, plain)}
    assert learnt == {"_tfidf"}


@pytest.mark.slow
def test_fitted_pipeline_works_in_a_new_process(tmp_path):
    pipe = make_pipeline(SubwordTfidfVectorizer(), LogisticRegression()).fit(TEXTS, [0, 0, 1, 1])
    joblib.dump(pipe, tmp_path / "pipe.joblib")
    code = (
        "import joblib, sys; pipe = joblib.load(sys.argv[1]);"
        "print(pipe[0].transform(['low newest']).toarray().tolist())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "pipe.joblib"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout.strip() == str(pipe[0].transform(["low newest"]).toarray().tolist())


@pytest.mark.slow
def test_hash_seed_changes_nothing(tmp_path):
    code = (
        "import hashlib, pickle; from subword import SubwordTfidfVectorizer as V;"
        f"v = V(ngram_range=(1, 2), max_features=9, stop_words=['r', 'low']).fit({TEXTS!r});"
        "print(hashlib.sha256(pickle.dumps(v)).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert len(digests) == 1


def test_cloudpickle():
    cloudpickle = pytest.importorskip("cloudpickle")
    vectorizer = SubwordVectorizer(preprocessor=lambda text: text.lower()).fit(TEXTS)
    again = pickle.loads(cloudpickle.dumps(vectorizer))
    assert (again.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0


@KINDS
def test_skops_needs_to_trust_the_estimator_only(kind):
    skops = pytest.importorskip("skops.io")
    for options in ({"ngram_range": (1, 2)}, {"bpe": subword.train(TEXTS), "num_merges": 2}):
        pipe = make_pipeline(kind(**options), LogisticRegression()).fit(TEXTS, [0, 0, 1, 1])
        data = skops.dumps(pipe)
        trusted = [f"subword.vectorizer.{kind.__name__}"]
        assert skops.get_untrusted_types(data=data) == trusted
        again = skops.loads(data, trusted=trusted)
        assert (again[0].transform(TEXTS) != pipe[0].transform(TEXTS)).nnz == 0


def test_threads_share_a_vectorizer():
    vectorizer = SubwordVectorizer(ngram_range=(1, 2)).fit(TEXTS)
    expected = {text: vectorizer.transform([text]).toarray().tolist() for text in TEXTS}
    wrong = []

    def work(text):
        for _ in range(50):
            if vectorizer.transform([text]).toarray().tolist() != expected[text]:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(TEXTS[i % 4],)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_repr_shows_what_was_set():
    assert repr(SubwordVectorizer(num_merges=500)) == "SubwordVectorizer(num_merges=500)"
    assert "num_merges" in SubwordTfidfVectorizer(num_merges=500)._repr_html_()


def test_weights_that_were_not_learnt_are_not_there():
    vectorizer = SubwordTfidfVectorizer(use_idf=False).fit(["low lower", "low"])
    with pytest.raises(NotFittedError, match="fitted with use_idf=False"):
        vectorizer.idf_
