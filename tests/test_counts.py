"""Word counts."""

from __future__ import annotations

import gzip
import pickle

import numpy as np
import pytest

from subword import CorpusError, SpecialTokenError, SubwordError, WordCounts


def test_words_are_counted_in_order_of_first_appearance():
    counts = WordCounts.from_texts(["low lower", "newest low"])
    assert list(counts.items()) == [("low", 2), ("lower", 1), ("newest", 1)]
    assert (len(counts), counts.total()) == (3, 4)


def test_any_mapping_pairs_and_numpy_integers():
    assert dict(WordCounts({"a": np.int64(2)})) == {"a": 2}
    assert dict(WordCounts([("ab", 2), ("x", 0), ("ab", 3)])) == {"ab": 5}
    assert WordCounts({"a": 2**63 - 1})["a"] == 2**63 - 1


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"bc": -2}, SubwordError, "negative"),
        ({"x": 1.5}, TypeError, "integer"),
        ({"x": True}, TypeError, "integer"),
        ({"": 1}, SubwordError, "empty word"),
        ({"x": 2**63}, OverflowError, "2\\*\\*63"),
        ({3: 1}, TypeError, "expected a str"),
        ({"\ud83d": 1}, SubwordError, "lone surrogate"),
        (["low lower"], TypeError, "got .low lower.; texts are counted by WordCounts.from_texts"),
        ("ab", TypeError, "pairs of a word and its count"),
    ],
)
def test_counts_that_cannot_be(words, error, message):
    with pytest.raises(error, match=message):
        WordCounts(words)


def test_counts_add_up():
    left, right = WordCounts({"low": 5}), WordCounts({"new": 1, "low": 1})
    assert list((left + right).items()) == [("low", 6), ("new", 1)]
    assert dict(left) == {"low": 5}
    with pytest.raises(SubwordError, match="different words"):
        left + WordCounts({"a": 1}, pretokenizer="gpt2")
    with pytest.raises(OverflowError):
        WordCounts({"a": 2**62}) + WordCounts({"a": 2**62})


def test_prune_keeps_what_is_frequent():
    counts = WordCounts({"low": 5, "lower": 1})
    assert dict(counts.prune()) == {"low": 5}
    with pytest.raises(SubwordError, match="min_count must be an integer, got '2'"):
        counts.prune("2")


@pytest.mark.parametrize(
    "pretokenizer", ["space", "whitespace", "words", "gpt2", "cl100k", "o200k", "none", r"\w+"]
)
def test_a_file_counts_like_its_text(tmp_path, monkeypatch, pretokenizer):
    monkeypatch.setattr("subword.files._BLOCK", 7)
    text = "Low, low's  lower\n\n newest\r\n42 low \u00a0x\n" * 3
    path = tmp_path / "corpus.gz"
    path.write_bytes(gzip.compress(text.encode()))
    counts = WordCounts.from_files(
        path, pretokenizer=pretokenizer, lowercase=True, normalization="NFKC"
    )
    expected = WordCounts.from_texts(
        [text], pretokenizer=pretokenizer, lowercase=True, normalization="NFKC"
    )
    assert list(counts.items()) == list(expected.items())


def test_crlf_and_bom_do_not_reach_the_words(tmp_path):
    path = tmp_path / "corpus"
    path.write_bytes(b"\xef\xbb\xbflow\r\nlow\r\n")
    assert dict(WordCounts.from_files([path])) == {"low": 2}


def test_special_tokens_are_cut_out_leftmost_and_longest():
    counts = WordCounts.from_texts(["is<SEP>ok <SEP><SEP>>x"], special_tokens=["<SEP>", "<SEP>>"])
    assert dict(counts) == {"is": 1, "ok": 1, "x": 1}
    with pytest.raises(SpecialTokenError, match="twice"):
        WordCounts.from_texts([], special_tokens=["a", "a"])
    with pytest.raises(TypeError, match="list"):
        WordCounts.from_texts([], special_tokens="<SEP>")


def test_save_and_load_bring_everything_back(tmp_path):
    counts = WordCounts(
        {"a\tb": 1, " x\n": 2, "\\n": 3, "low": 2**62, "#": 1},
        pretokenizer="gpt2",
        lowercase=True,
        normalization="NFC",
    )
    counts.save(tmp_path / "counts.tsv")
    again = WordCounts.load(tmp_path / "counts.tsv")
    assert list(again.items()) == list(counts.items())
    assert again.splitter == counts.splitter
    assert again.dumps() == counts.dumps()


def test_bytes_that_are_no_utf8_survive_a_file(tmp_path):
    counts = WordCounts.from_texts([b"a\xff b"])
    counts.save(tmp_path / "counts.tsv")
    assert dict(WordCounts.load(tmp_path / "counts.tsv")) == {"a\udcff": 1, "b": 1}


def test_plain_dictionaries_load(tmp_path):
    path = tmp_path / "dict"
    path.write_text("low 5\nlower\t2\n\naaa 0\nlow 1\n")
    assert dict(WordCounts.load(path)) == {"low": 6, "lower": 2}


@pytest.mark.parametrize(
    "row", ["two words 3", "bc -2", "x 1.5", "x", "3", "x 9999999999999999999999999"]
)
def test_bad_rows_name_their_line(tmp_path, row):
    path = tmp_path / "dict"
    path.write_text(f"low 5\n{row}\n")
    with pytest.raises((CorpusError, OverflowError)) as caught:
        WordCounts.load(path)
    assert isinstance(caught.value, OverflowError) or caught.value.line == 2


def test_a_single_string_is_refused():
    with pytest.raises(TypeError, match="iterable of texts"):
        WordCounts.from_texts("low low")


@pytest.mark.parametrize("kind", [list, tuple, iter])
@pytest.mark.parametrize("rules", [{}, {"normalization": "NFC"}, {"special_tokens": ["<s>"]}])
@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ("é \ud83d", SubwordError, r"document 3: lone surrogate U\+D83D at character 2"),
        ("\udcff", SubwordError, "document 3: lone surrogate"),
        (7, TypeError, "document 3: expected a str, got int"),
    ],
)
def test_the_text_that_cannot_be_counted_is_named(kind, rules, wrong, error, message):
    texts = ["Low", b"low \xff", "", wrong, 5]
    with pytest.raises(error, match=message):
        WordCounts.from_texts(kind(texts), pretokenizer="words", lowercase=True, **rules)


def test_counts_pickle():
    counts = WordCounts({"low": 5}, pretokenizer="words")
    again = pickle.loads(pickle.dumps(counts))
    assert (dict(again), again.splitter) == (dict(counts), counts.splitter)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, None])
def test_threads_are_a_positive_number(tmp_path, wrong):
    (tmp_path / "text").touch()
    for count in (
        lambda: WordCounts.from_texts([], n_jobs=wrong),
        lambda: WordCounts.from_files(tmp_path / "text", n_jobs=wrong),
    ):
        with pytest.raises(SubwordError, match="n_jobs"):
            count()
