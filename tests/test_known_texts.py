"""Texts that are fitted again are known by their words, and what is made of them is the same."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import subword
from subword import (
    SubwordHashingVectorizer,
    SubwordTfidfVectorizer,
    SubwordVectorizer,
    known_texts,
    lessons,
)
from subword.model import Merges
from subword.native import SCANNERS
from subword.pretokenize import Splitter
from subword.streams import Streams
from subword.trainer import make_options

core = pytest.importorskip("subword.native._core")
pytestmark = pytest.mark.filterwarnings("ignore::subword.SubwordWarning")  # little to learn here

WORDS = ["low", "Lower", "NEWEST", "ΟΔΟΣ", "İs", "don't", "42", "!?", "😀", "é" * 9, "lowlow" * 30]
RULES = Splitter("words", True)
SHAPES = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (1, 3), "ngram_within": "word"},
    {"granularities": {3: (1, 2), 9: (1, 1)}},
    {"granularities": {3: (1, 2), 9: (1, 1)}, "ngram_within": "word", "n_jobs": 3},
    {"n_jobs": 2},
]


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch):
    monkeypatch.setattr("subword.native.core", lambda: core)
    for kept in (known_texts._stores, known_texts._fitted, lessons._kept):
        kept.clear()


def some_texts(seed, size=120):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.choice([0, 1, 3, 40]))) for _ in range(size)]


def states():
    return [*known_texts._fitted.values()]


def is_known(texts, splitter=RULES):
    return known_texts.known(texts, splitter) is not texts


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        and getattr(one, name).dtype == getattr(other, name).dtype
        for name in ("data", "indices", "indptr")
    )


# -- the engine --------------------------------------------------------------------------------


@pytest.mark.parametrize("scanner", SCANNERS)
@pytest.mark.parametrize("lowercase", [False, True])
def test_known_texts_are_encoded_as_texts_are(scanner, lowercase):
    texts = some_texts(scanner)
    bpe = subword.train(texts, 20, pretokenizer=scanner, lowercase=lowercase)
    store, encoder = core.KnownTexts(scanner, lowercase), bpe._coder.engine
    assert store.find(texts) is None
    assert store.add(texts[:70])
    assert store.find(texts) is None
    assert store.add(texts[::-1])
    assert len(store.find(texts)) == len(texts)
    for n_jobs in (1, 3):
        expected = core.encode_texts(encoder, texts, lowercase, n_jobs)
        found = core.encode_texts(encoder, store.find(texts), lowercase, n_jobs)
        assert all(map(np.array_equal, expected, found))


def test_what_has_no_room_makes_the_store_forget():
    texts = some_texts(1)
    bpe = subword.train(texts, 20)
    store, encoder = core.KnownTexts("words", False), bpe._coder.engine
    expected = core.encode_texts(encoder, texts, False)[0].tolist()
    assert store.add(texts) is True
    rows, generation = store.find(texts), store.generation
    assert store.add(["low " * 300_000]) is False
    assert store.find(texts) is None
    assert store.generation != generation
    assert core.encode_texts(encoder, rows, False)[0].tolist() == expected  # rows live on
    assert store.add(texts) is True
    assert store.find(texts) is not None


def test_what_fits_alone_is_known_although_others_are_forgotten():
    store = core.KnownTexts("words", False)
    lists = [[f"{letter}{i} " * 2 for i in range(150_000)] for letter in "abcd"]
    assert [store.add(texts) for texts in lists] == [True] * 4
    assert store.find(lists[0]) is None
    assert store.find(lists[3]) is not None


def test_every_store_has_a_generation_of_its_own():
    one, other = core.KnownTexts("words", False), core.KnownTexts("words", False)
    assert one.generation != other.generation
    texts = some_texts(14)
    for lowercase in (True, False, True, True, False):
        for pretokenizer in ("words", "gpt2"):
            known_texts.remember(texts, Splitter(pretokenizer, lowercase))
    assert len(known_texts._stores) == known_texts._SPLITTERS
    assert is_known(texts, Splitter("gpt2", False))


def test_only_str_is_known():
    store = core.KnownTexts("words", False)
    with pytest.raises(TypeError, match="text 1 is not str but bytes"):
        store.add(["low", b"low"])
    with pytest.raises(ValueError, match="0, 3"):
        store.add(["low\ud800"])
    with pytest.raises(ValueError, match="scanner"):
        core.KnownTexts("letters", False)


def test_only_who_splits_texts_takes_known_ones():
    texts = some_texts(1)
    store = core.KnownTexts("words", False)
    store.add(texts)
    encoder = subword.train(texts, 9)._coder.engine
    for refuse in (encoder.encode_words, core.rank_names):
        with pytest.raises(TypeError, match="not iterable"):
            refuse(store.find(texts))


def test_a_larger_model_must_have_what_the_smaller_lacks():
    bpe = subword.train({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 6)
    small, (left, right, _) = bpe.truncate(2), bpe._table[2:].T
    encoder, texts = small._coder.engine, some_texts(2)
    store = core.KnownTexts("words", False)
    store.add(texts)
    stream = encoder, 5, -1, (bpe._coder.engine, left, right)
    found = core.encode_texts([stream], store.find(texts), False)[0]
    assert np.array_equal(found, core.encode_texts(encoder, texts, False)[0] + 5)
    for wrong in (
        (bpe._coder.engine, left[1:], right[1:]),
        (encoder, left, right),
        (bpe._coder.engine, left + 90, right),
    ):
        with pytest.raises(ValueError, match="merge"):
            core.encode_texts([(encoder, 0, -1, wrong)], texts, False)


# -- whoever fits again ------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [SubwordTfidfVectorizer, SubwordHashingVectorizer])
@pytest.mark.parametrize("is_given", [False, True])
def test_matrices_are_the_same_at_every_size(shape, kind, is_given):
    train, test = some_texts(3), some_texts(4)
    rules = {"pretokenizer": "words", "lowercase": True}
    bpe = subword.train(train, 30, **rules) if is_given else None
    more = {"n_features": 500} if kind is SubwordHashingVectorizer else {}

    def matrices(size):
        sized = shape if "granularities" in shape else shape | {"num_merges": size}
        vectorizer = kind(bpe=bpe, **more, **sized)
        fitted = vectorizer.fit_transform(train)
        return fitted, vectorizer.transform(test), vectorizer.transform(train)

    expected = []
    for size in (3, 9, 5, 20):
        known_texts._stores.clear()
        known_texts._fitted.clear()
        expected.append(matrices(size))
    for size, matrices_before in zip((3, 9, 5, 20), expected, strict=True):
        assert all(map(same, matrices(size), matrices_before))
    assert is_known(train)
    assert not is_known(test)


@pytest.mark.parametrize("level", ["char", "byte"])
@pytest.mark.parametrize("end_of_word", [None, "suffix", "separate"])
@pytest.mark.parametrize("unknown", ["bytes", "unk", "unk_run"])
def test_matrices_are_the_same_in_every_mode(level, end_of_word, unknown):
    if level == "byte" and unknown != "bytes":
        pytest.skip("every byte is known")
    rules = {"level": level, "end_of_word": end_of_word, "unknown": unknown}
    bpe = subword.train(
        ["low lower lowest", "new newer newest"] * 3, 30, pretokenizer="words", **rules
    )
    texts = some_texts(9)  # of characters, too, that the model does not know
    shapes = [
        {"stop_words": ["low"]}, {"binary": True, "dtype": np.float32}, {"max_features": 7},
        {"ngram_within": "word", "ngram_range": (1, 5)}, {"vocabulary": ["low", "n@@", "?"]},
    ]  # fmt: skip
    for shape in shapes:
        vectorizers = [SubwordVectorizer(bpe=bpe, num_merges=n, **shape) for n in (2, 9, 5)]
        expected = []
        for vectorizer in vectorizers:
            known_texts._fitted.clear()
            expected.append((vectorizer.fit_transform(texts), vectorizer.transform(texts[:110])))
        assert not known_texts._stores
        for vectorizer, (fitted, transformed) in zip(vectorizers, expected, strict=True):
            assert same(vectorizer.fit(texts).fit_transform(texts), fitted)
            assert same(vectorizer.transform(texts[:110]), transformed)
        known_texts._stores.clear()


def test_a_lone_surrogate_is_an_error_beside_known_texts():
    texts = some_texts(10)
    vectorizer = SubwordVectorizer(num_merges=5).fit(texts).fit(texts)
    assert is_known(texts)
    with pytest.raises(subword.SubwordError, match="document 120"):
        vectorizer.transform([*texts, "low\ud800"])


def test_what_was_forgotten_is_known_again(monkeypatch):
    texts, other = some_texts(11), ["low " * 300_000] * 100
    for given in (texts, texts, other, other):
        known_texts.remember(given, RULES)
    assert not is_known(texts)
    known_texts.remember(texts, RULES)
    assert is_known(texts)
    store = known_texts._stores["words", True]
    monkeypatch.setitem(known_texts._stores, ("words", True), _Busy(store))
    known_texts.remember(more := some_texts(12), RULES)
    known_texts.remember(more, RULES)
    monkeypatch.setitem(known_texts._stores, ("words", True), store)
    known_texts.remember(more, RULES)
    assert is_known(more)


class _Busy:
    """A store that somebody else is at work in."""

    def __init__(self, store):
        self.generation = store.generation

    def add(self, texts):
        return None

    def find(self, texts):
        return None


def test_lessons_stay_as_small_as_they_are():
    texts = some_texts(13)
    for size in (3, 9, 5):
        SubwordVectorizer(num_merges=size).fit(texts)
    (kept,) = lessons._kept.values()
    before = kept.size
    for size in (4, 8, 20):
        SubwordVectorizer(num_merges=size).fit(texts).transform(texts)
    assert (kept.size, [*lessons._kept.values()]) == (before, [kept])
    assert kept.lesson.bpe._seen


def test_nothing_is_kept_of_what_is_fitted_once():
    texts = some_texts(5)
    vectorizer = SubwordVectorizer(num_merges=9).fit(texts)
    vectorizer.transform(texts), vectorizer.transform(texts)
    assert states() == [known_texts._ONCE]
    assert not known_texts._stores
    vectorizer.fit(texts)
    assert states() == [known_texts._stores["words", True].generation]
    assert is_known(texts)


def test_folds_share_what_is_known():
    texts = some_texts(6, 300)
    folds = [texts[100:], texts[:100] + texts[200:], texts[:200]]
    for _ in range(2):
        for fold in folds:
            SubwordVectorizer(num_merges=9).fit(fold)
    assert is_known(texts)
    assert all(map(is_known, folds))
    assert not is_known(texts, Splitter("words", False))
    assert not is_known(texts, Splitter("gpt2"))


@pytest.mark.parametrize(
    "options", [{"normalization": "NFC"}, {"special_tokens": ["<b>"]}, {"pretokenizer": r"\w+|\W"}]
)
def test_texts_that_the_engine_does_not_split_itself_stay_unknown(options):
    texts = some_texts(7)
    for _ in range(3):
        SubwordVectorizer(num_merges=5, **options).fit(texts)
    assert not known_texts._stores


def test_few_texts_bytes_and_what_is_too_much_stay_unknown():
    for texts in (some_texts(8, 99), [b"low lower"] * 200, ["low " * 300_000] * 100):
        for _ in range(3):
            known_texts.remember(texts, RULES)
            assert not is_known(texts)
    assert states() == [known_texts._TOO_MANY] * 2


def test_lists_that_were_fitted_are_forgotten_in_time():
    for seed in range(known_texts._LISTS + 9):
        known_texts.remember([str(seed)] * 100, RULES)
    assert len(states()) == known_texts._LISTS


# -- where the larger model is ------------------------------------------------------------------


def test_a_size_knows_its_model_as_long_as_that_lives():
    bpe = subword.train({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 6)
    small = bpe.truncate(4).truncate(2)
    assert small._larger() is bpe
    del bpe
    gc.collect()
    assert small._larger() is None


def test_a_piece_that_a_text_may_begin_with_is_not_taken_apart():
    """'é' is a character of the smaller model; the larger one makes it of two bytes, too."""
    symbols = [(bytes([byte]), False) for byte in range(256)] + [
        (b"n", False),
        ("é".encode(), False),
    ]
    table = np.array([[256, 256, 258], [0xC3, 0xA9, 259]], np.int32)
    merges = Merges(table, *np.zeros((2, 2), np.int64))
    options = make_options("char", None, Splitter("words", False), "bytes", "largest", 1)
    bpe = subword.BPE([*symbols, (b"nn", False), ("é".encode(), False)], merges, options)
    texts = ["née n nn"] * 100
    expected = Streams(bpe.truncate(1), (1, 1)).encode(texts)
    for _ in range(2):
        known_texts.remember(texts, options.splitter)
    assert is_known(texts, options.splitter)
    assert all(map(np.array_equal, Streams(bpe.truncate(1), (1, 1)).encode(texts), expected))


def test_a_piece_that_is_made_in_two_ways_is_not_taken_apart():
    """'abc' is a + bc before ab + c: the first merges alone leave 'abx' other than 'abc' says."""
    codes = "#version: 0.2\nb c\na bc\na b\nab c\n"
    bpe = subword.loads(codes)
    texts = ["abc ab c", "aabcb"] * 60
    for size in range(5):
        vectorizer = SubwordVectorizer(bpe=bpe, num_merges=size)
        expected = Streams(bpe.truncate(size), (1, 1)).encode(texts)
        vectorizer.fit(texts).fit(texts)
        assert is_known(texts, bpe.options.splitter)
        assert all(map(np.array_equal, Streams(bpe.truncate(size), (1, 1)).encode(texts), expected))


# -- many at once --------------------------------------------------------------------------------


def fit_again(seed):
    texts = some_texts(seed % 3, 200)
    return [
        SubwordVectorizer(num_merges=size).fit_transform(texts).data.tolist()
        for size in (3, 9, 5, 20)
    ]


def test_threads_share_what_is_known():
    expected = [fit_again(seed) for seed in range(3)]
    known_texts._stores.clear()
    known_texts._fitted.clear()
    with ThreadPoolExecutor(6) as pool:
        assert [*pool.map(fit_again, range(18))] == expected * 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_knows_what_its_parent_knew():
    expected = fit_again(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(fit_again, [0] * 4) == [expected] * 4
