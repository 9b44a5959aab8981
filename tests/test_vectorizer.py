"""The vectorizers on the toy corpus: features, names, places, input, state."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import threading
from collections import Counter

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import subword
from subword import SubwordError, SubwordTfidfVectorizer, SubwordVectorizer, SubwordWarning
from subword.alphabet import feature_name
from subword.vectorizer import _encode, _find_ngrams, _index_dtype, _NgramTable, _piece_names

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


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 4), (3, 3)])
def test_ngrams_equal_those_counted_one_by_one(ngram_range):
    rng = np.random.default_rng(7)
    documents = [rng.integers(0, 5, size).tolist() for size in rng.integers(0, 12, 40)]
    ids = np.concatenate(documents).astype(np.int32)
    indptr = np.cumsum([0, *map(len, documents)])
    table, counts = _find_ngrams(ids, indptr, ngram_range, 5)
    grams = [tuple(table.gram(i)) for i in range(len(table))]
    for document, row in zip(documents, counts.toarray(), strict=True):
        shortest, longest = ngram_range
        expected = Counter(
            tuple(document[i : i + n])
            for n in range(shortest, longest + 1)
            for i in range(len(document) - n + 1)
        )
        assert {grams[i]: n for i, n in enumerate(row) if n} == expected
    order = rng.permutation(len(table))[: len(table) // 2]
    chosen = table.select(order).count(ids, indptr)
    np.testing.assert_array_equal(chosen.toarray(), counts.toarray()[:, order])


def test_tables_without_any_ngram_count_nothing():
    table = _NgramTable(np.zeros(0, np.int32), np.zeros(2, np.int32), 9)
    assert table.count(np.array([1, 2], np.int32), np.array([0, 2])).toarray().tolist() == [[0, 0]]


def test_indices_are_int32_while_they_fit():
    assert _index_dtype(2**31 - 1) is np.int32
    assert _index_dtype(2**31) is np.int64


def test_ids_without_stop_words():
    bpe = subword.train(TEXTS)
    low, newest = bpe.piece_to_id("low</w>"), bpe.piece_to_id("newest</w>")
    ids, indptr = _encode(bpe, ["low newest low", "low", ""], (), np.array([low], np.int32), 1)
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


def test_byte_models_take_bytes():
    vectorizer = SubwordVectorizer(level="byte", pretokenizer="space", min_frequency=1)
    vectorizer.fit([b"low \xff\xfe", "low"])
    assert [*vectorizer.vocabulary_] == ["<0xFF><0xFE>", "low"]
    with pytest.raises(TypeError, match="document 1: expected a str, got bytes .* level='byte'"):
        SubwordVectorizer().fit(["low", b"low"])


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


@pytest.mark.parametrize(
    ("symbol", "marked", "unmarked"),
    [
        ((b"lo", False), "lo@@", "lo"),
        ((b"lo", True), "lo", "lo"),
        ((b"", True), "</w>", "</w>"),
        ((b"lo@@", True), r"lo\@@", "lo@@"),
        ((b"lo@@", False), "lo@@@@", "lo@@"),
        ((b"</w>", True), r"\</w>", "</w>"),
        ((b"</w>", False), "</w>@@", "</w>"),
        ((b"\xe2", False), "<0xE2>@@", "<0xE2>"),
        ((b"<0xE2>", False), r"\<0xE2>@@", r"\<0xE2>"),
        ((b" \n\t\r", False), r"\s\n\t\u{d}@@", r"\s\n\t\u{d}"),
        ((rb"\s", False), r"\\s@@", r"\\s"),
        (("\u00a0é\u2028".encode(), True), r"\u{a0}é\u{2028}", r"\u{a0}é\u{2028}"),
    ],
)
def test_name_of_one_piece(symbol, marked, unmarked):
    assert feature_name(symbol, True) == marked
    assert feature_name(symbol, False) == unmarked


def test_no_two_names_are_equal():
    parts = [b"lo", b"@@", b"\\", b"</w>", b"<0xE2>", b"\xe2", b" ", b"s"]
    raw = [b"".join(pair) for pair in [(a, b) for a in [b"", *parts] for b in parts]]
    symbols = {(text, is_final) for text in raw for is_final in (True, False)} | {(b"", True)}
    assert len({feature_name(symbol, True) for symbol in symbols}) == len(symbols)
    insides = {symbol for symbol in symbols if not symbol[1]}
    assert len({feature_name(symbol, False) for symbol in insides}) == len(insides)


def test_special_tokens_keep_their_names_and_pieces_like_them_yield():
    bpe = subword.train(
        ["<unk> @@"] * 3, pretokenizer="space", unknown="unk", special_tokens=["s", "</w>", "a b"]
    )
    names = _piece_names(bpe)
    assert len({*names}) == len(bpe)
    assert names[0] == "<unk>"
    assert names[-3:] == ["s", "</w>", r"a\sb"]
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


# -- input ---------------------------------------------------------------------------------


class Series:
    """What a column of a data frame looks like from outside."""

    def __init__(self, texts):
        self.texts, self.shape = texts, (len(texts),)

    def __iter__(self):
        return iter(self.texts)


class Frame(dict):
    shape = (2, 1)


class NAType:
    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    def __eq__(self, other):
        return self

    __ne__, __hash__ = __eq__, None


@KINDS
@pytest.mark.parametrize(
    "column",
    [tuple, iter, Series, np.array, lambda texts: np.array(texts, object),
     lambda texts: (text for text in texts), lambda texts: io.StringIO("\n".join(texts))],
)  # fmt: skip
def test_any_iterable_of_texts_gives_the_same(kind, column):
    vectorizer = kind()
    X = vectorizer.fit_transform(column(TEXTS))
    assert (kind().fit_transform(TEXTS) != X).nnz == 0
    assert (vectorizer.transform(column(TEXTS)) != X).nnz == 0


@KINDS
@pytest.mark.parametrize("text", ["one string", b"bytes"])
def test_a_single_text_is_refused(kind, text):
    fitted = kind().fit(TEXTS)
    for method in (kind().fit, kind().fit_transform, fitted.transform):
        with pytest.raises(TypeError, match=r"expected an iterable of texts, .* put it in a list"):
            method(text)


@KINDS
@pytest.mark.parametrize(
    "table", [Frame(text=["low", "lower"]), {"text": ["low"]}, np.array([["low"], ["lower"]])]
)
def test_tables_are_refused_with_the_way_out(kind, table):
    for method in (kind().fit, kind().fit(TEXTS).transform):
        with pytest.raises(
            ValueError, match=r'expected one column .* name it "text", not \["text"\]'
        ):
            method(table)


@pytest.mark.parametrize("value", [5, None, np.array("low")])
def test_what_is_no_iterable_is_refused(value):
    with pytest.raises(TypeError, match="expected an iterable of texts, got"):
        SubwordVectorizer().fit(value)


@KINDS
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "NoneType"),
        (float("nan"), "float"),
        (np.float64("nan"), "float64"),
        (NAType(), "NAType"),
    ],
)
def test_missing_texts_are_errors_or_empty(kind, value, shown):
    documents = ["low low", value, "lower"]
    fitted = kind().fit(TEXTS)
    for method in (kind().fit, fitted.transform):
        for given in (documents, np.array(documents, object), iter(documents)):
            with pytest.raises(
                TypeError, match=f"document 1: expected a str, got {shown} .*missing='empty'"
            ):
                method(given)
    empty = kind(missing="empty").fit(documents)
    assert (empty.transform(documents) != empty.transform(["low low", "", "lower"])).nnz == 0


@pytest.mark.parametrize(
    ("value", "message"),
    [(3, "got int .3.$"), (["low"], "got list .*a document is one str"), (b"low", "got bytes")],
)
def test_documents_that_are_no_texts(value, message):
    for missing in ("error", "empty"):
        with pytest.raises(TypeError, match=f"document 1: expected a str, {message}"):
            SubwordVectorizer(missing=missing).fit(["low", value])


@KINDS
def test_lone_surrogates_are_errors_with_their_place(kind):
    fitted = kind().fit(TEXTS)
    for method in (kind().fit, fitted.transform):
        with pytest.raises(
            SubwordError, match=r"document 1: lone surrogate U\+D800 at character 3"
        ):
            method(["low", "low\ud800"])


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


def test_column_transformer_takes_one_column():
    table = np.array([["low lower", "x"], ["lower", "y"], ["low", "z"]], object)
    columns = ColumnTransformer([("pieces", SubwordVectorizer(), 0)])
    assert columns.fit_transform(table).shape == (3, 2)
    assert [*columns.get_feature_names_out()] == ["pieces__low", "pieces__lower"]
    with pytest.raises(ValueError, match="expected one column of texts"):
        ColumnTransformer([("pieces", SubwordVectorizer(), [0])]).fit(table)


def test_data_frames_of_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": [*TEXTS, None], "label": [0, 0, 1, 1, 1]})
    columns = ColumnTransformer([("pieces", SubwordVectorizer(missing="empty"), "text")])
    assert columns.fit_transform(frame).shape[0] == 5
    for wrong in (frame, frame[["text"]]):
        with pytest.raises(ValueError, match=r'"text", not \["text"\]'):
            SubwordVectorizer().fit(wrong)
    with pytest.raises(ValueError, match=r'"text", not \["text"\]'):
        ColumnTransformer([("pieces", SubwordVectorizer(), ["text"])]).fit(frame)
    for dtype in (object, "string"):
        with pytest.raises(TypeError, match="document 4: expected a str, got"):
            SubwordVectorizer().fit(frame["text"].astype(dtype))


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
