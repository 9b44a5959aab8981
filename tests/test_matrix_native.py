"""Texts to matrices by the compiled engine: bit for bit what the pure-Python code gives."""

from __future__ import annotations

import pickle
import signal
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import subword
from subword import (
    SubwordError,
    SubwordHashingVectorizer,
    SubwordTfidfVectorizer,
    SubwordVectorizer,
    matrix,
    ngrams,
)
from subword.formats import unpack
from subword.ngrams import FoundNgrams, Layout, NgramTable
from subword.streams import Streams

core = pytest.importorskip("subword.native._core")
pytestmark = pytest.mark.filterwarnings("ignore::subword.SubwordWarning")  # little to learn here

WORDS = [
    "low",
    "Lower",
    "NEWEST",
    "widest",
    "Straße",
    "İstanbul",
    "ΟΔΟΣ",
    "don't",
    "42",
    "!?",
    "😀",
    "ǅ",
    "a",
]


@pytest.fixture(autouse=True)
def _native(monkeypatch):
    monkeypatch.setattr("subword.native.core", lambda: core)


@pytest.fixture
def plain(monkeypatch):
    """Run a function with the pure-Python code in the engine's place."""

    def run(function):
        with monkeypatch.context() as patch:
            patch.setattr("subword.native.core", lambda: None)
            unpack.cache_clear()  # copies get a model of their own, in pure Python
            result = function()
            unpack.cache_clear()
            return result

    return run


def copy(vectorizer):
    """A fitted vectorizer anew, for the engine that runs."""
    return pickle.loads(pickle.dumps(vectorizer))


def same(ours, theirs):
    """Two sparse matrices are equal in all their arrays, types included."""
    assert ours.shape == theirs.shape
    for name in ("data", "indices", "indptr"):
        left, right = getattr(ours, name), getattr(theirs, name)
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    assert ours.has_sorted_indices


def random_texts(seed, documents, longest=30):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, size)) for size in rng.integers(0, longest, documents)]
    return [text + ("\n" if i % 7 == 0 else "") for i, text in enumerate(texts)]


def random_documents(seed, pieces, documents, longest):
    """Ids of documents and where each begins; some have none."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, longest + 1, documents)
    ids = rng.zipf(1.3, sizes.sum()) % pieces
    return ids.astype(np.int32), np.concatenate(([0], np.cumsum(sizes)))


# -- the estimators ----------------------------------------------------------------------------

SETTINGS = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (1, 3), "min_df": 2},
    {"ngram_range": (2, 3), "min_df": 0.05, "max_df": 0.5},
    {"ngram_range": (3, 3), "max_features": 40},
    {"ngram_range": (1, 2), "max_features": 25, "binary": True},
    {"ngram_range": (1, 2), "min_df": 0.0, "max_df": 3},
    {"dtype": np.float32, "n_jobs": 2},
    {"dtype": np.float64, "binary": True},
    {"dtype": np.uint8, "ngram_range": (1, 4)},
    {"dtype": bool, "binary": True},
    {"lowercase": False, "ngram_range": (1, 2), "n_jobs": 2},
    {"preprocessor": str.upper},
    {"normalization": ["NFD", "strip_accents"]},
    {"stop_words": ["a", "!?"], "ngram_range": (1, 2)},
    {"special_tokens": ["42"], "ngram_range": (1, 2)},
    {"level": "byte", "pretokenizer": "gpt2", "ngram_range": (1, 2)},
    {"end_of_word": "separate", "unknown": "unk"},
    {"pretokenizer": r"\w+"},
    {"num_merges": 0, "ngram_range": (2, 5), "min_df": 3},
    {"vocabulary": ["low", "a low", "no such name", "42 42"], "ngram_range": (1, 2)},
    {"vocabulary": {"low a": 1, "a": 0}, "ngram_range": (1, 2), "stop_words": ["a"]},
]


@pytest.mark.parametrize("kind", [SubwordVectorizer, SubwordTfidfVectorizer])
@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_estimators_give_what_they_give_without_the_engine(kind, options, plain):
    if kind is SubwordTfidfVectorizer:
        options = {"dtype": np.float32} | options
    options = {"num_merges": 30} | options
    train, test = random_texts(1, 60), [*random_texts(2, 40), "", "Ωμέγα low ☃"]
    ours, theirs = kind(**options), kind(**options)
    X = plain(lambda: theirs.fit_transform(train))
    same(ours.fit_transform(train), X)
    Y = plain(lambda: theirs.transform(test))
    same(ours.transform(test), Y)
    same(ours.set_params(n_jobs=2).transform(tuple(test)), Y)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert [*ours.vocabulary_] == [*theirs.vocabulary_]
    again = copy(ours)
    same(again.transform(test), Y)
    assert [*again.vocabulary_.items()] == [*theirs.vocabulary_.items()]
    assert again.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    "texts", [["low"], ["", "", "low"], ["low", "", ""], ["low " * 5000, "lower"]]
)
@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_empty_single_and_long_documents(texts, n_jobs, plain):
    options = {"ngram_range": (1, 3), "num_merges": 2, "n_jobs": n_jobs}
    same(SubwordVectorizer(**options).fit_transform(texts),
         plain(lambda: SubwordVectorizer(**options).fit_transform(texts)))  # fmt: skip


def test_no_documents_give_no_rows(plain):
    vectorizer = SubwordVectorizer().fit(["low"])
    same(vectorizer.transform([]), plain(lambda: copy(vectorizer).transform([])))


def test_byte_level_takes_bytes_that_are_no_utf8(plain):
    texts = [b"low \xff low", "low", "LOW é"]
    options = {"level": "byte", "num_merges": 3, "ngram_range": (1, 2)}
    vectorizer = SubwordVectorizer(**options)
    same(
        vectorizer.fit_transform(texts),
        plain(lambda: SubwordVectorizer(**options).fit_transform(texts)),
    )
    same(
        vectorizer.transform(texts),
        plain(lambda: SubwordVectorizer(**options).fit_transform(texts)),
    )


@pytest.mark.parametrize("text", ["low \ud800", 3, None, b"low", ["low"]])
def test_what_is_no_text_is_named_by_its_row(text, plain):
    vectorizer = SubwordVectorizer().fit(["low"])
    with pytest.raises((SubwordError, TypeError), match="document 1") as ours:
        vectorizer.transform(["low", text])
    with pytest.raises((SubwordError, TypeError)) as theirs:
        plain(lambda: copy(vectorizer).transform(["low", text]))
    assert str(ours.value) == str(theirs.value)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.text(max_size=40), min_size=1, max_size=8),
    size=st.integers(1, 3),
    n_jobs=st.integers(1, 3),
)
def test_any_text_is_lower_cased_and_counted_alike(texts, size, n_jobs):
    bpe = subword.train(["low lower", *texts], 10, pretokenizer="words", lowercase=True)
    ids, indptr = core.encode_texts(bpe._coder._encoder, texts, True, n_jobs)
    assert [ids[a:b].tolist() for a, b in pairwise(indptr)] == [*map(bpe.encode, texts)]
    found = FoundNgrams(ids, indptr, Layout.of((1, size)), len(bpe), 1)
    plain = found.select(np.arange(len(found)))
    table = matrix.NativeTable(plain.flat, plain.sizes, plain.base)
    counts = table.count_texts(Streams(bpe, (1, size)), texts, np.int64, n_jobs)
    same(counts, plain.count(ids, indptr))


# -- streams and words -------------------------------------------------------------------------

RANGES = {0: (1, 2), 9: (2, 4), 30: (1, 1)}
KINDS = [
    {"ngram_within": "word", "ngram_range": (1, 3)},
    {"ngram_within": "word", "ngram_range": (2, 2), "min_df": 2},
    {"granularities": RANGES},
    {"granularities": RANGES, "min_df": 3, "max_features": 50},
    {"granularities": RANGES, "ngram_within": "word", "max_df": 0.9},
    {"granularities": RANGES, "ngram_within": "word", "stop_words": ["9:lo@@"]},
    {"granularities": {30: (5, 10**9)}},
]


@pytest.mark.parametrize("options", KINDS, ids=str)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", ["char", "byte"])
def test_streams_and_words_are_counted_alike(options, seed, level, plain):
    options = {"num_merges": None if "granularities" in options else 30, "level": level} | options
    texts, others = random_texts(seed, 40), random_texts(seed + 50, 30, 300)
    ours = SubwordVectorizer(**options)
    theirs = SubwordVectorizer(**options)
    same(ours.fit_transform(texts), plain(lambda: theirs.fit_transform(texts)))
    assert ours.vocabulary_ == theirs.vocabulary_
    expected = plain(lambda: theirs.transform(others))
    for n_jobs in (1, 2, 5):
        same(ours.set_params(n_jobs=n_jobs).transform(others), expected)
    chosen = [*ours.vocabulary_][::-3]
    fixed = SubwordVectorizer(**options, vocabulary=chosen, bpe=ours.bpe_)
    same(fixed.fit_transform(texts), plain(lambda: copy(fixed).transform(texts)))


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.text(max_size=40), min_size=1, max_size=8),
    ranges=st.dictionaries(
        st.integers(0, 9), st.sampled_from([(1, 1), (1, 3), (2, 2)]), min_size=1
    ),
    within_words=st.booleans(),
    n_jobs=st.integers(1, 3),
)
def test_streams_of_any_texts_are_encoded_found_and_counted_alike(
    texts, ranges, within_words, n_jobs
):
    bpe = subword.train(["low lower", *texts], 9, pretokenizer="words", lowercase=True)
    streams = Streams(bpe, ranges, within_words)
    ids, indptr = streams.encode(texts, n_jobs)
    rows = [row for text in texts for row in streams._rows(text, None)]
    assert [ids[a:b].tolist() for a, b in pairwise(indptr)] == rows
    found = [kind(ids, indptr, streams.layout, len(streams), 1)
             for kind in (FoundNgrams, matrix.NativeFoundNgrams)]  # fmt: skip
    assert len(found[0]) == len(found[1])
    assume(len(found[0]))
    order, other = (f.by_name(f.frequent(1.0, 1), streams.names) for f in found)
    table, counts = found[0].take(order)
    ours, same_counts = found[1].take(other)
    np.testing.assert_array_equal(table.flat, ours.flat)
    same(same_counts, counts)
    same(matrix.count_texts(ours, streams, texts, np.int64, n_jobs), counts)


@pytest.mark.slow
def test_control_c_ends_long_work():
    """A signal that comes while the engine works is raised before the work is done."""
    texts = [" ".join(WORDS) * 20] * 20_000
    streams = Streams(subword.train(texts[:1], 5, pretokenizer="words"), (1, 2))
    ids, indptr = streams.encode(texts)
    index = core.NgramIndex(len(streams))
    table = matrix.find(ids, indptr, (1, 2), len(streams)).select(np.arange(9))
    for work in (
        lambda: streams.encode(texts * 99),
        lambda: index.find(np.tile(ids, 9), np.arange(len(ids) * 9 + 1), [(1, 50)]),
        lambda: matrix.count_texts(table, streams, texts * 99, np.int64, 2),
        lambda: [table.count(ids, indptr, np.int64, 2) for _ in range(1000)],
    ):
        signal.signal(signal.SIGALRM, _interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            work()


def _interrupt(*_):
    raise KeyboardInterrupt


# -- n-grams of ids ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2), (2, 2), (1, 5), (3, 4)])
@pytest.mark.parametrize("min_documents", [1, 3])
def test_ngrams_of_ids_are_found_counted_and_ordered_alike(seed, ngram_range, min_documents):
    pieces = [3, 40, 1000][seed % 3]
    ids, indptr = random_documents(seed, pieces, 50, 40)
    names = [f"{i:b}" for i in np.random.default_rng(seed).permutation(pieces)]
    wanted = []
    for kind in (matrix.NativeFoundNgrams, FoundNgrams):
        found = kind(ids, indptr, Layout.of(ngram_range), pieces, min_documents)
        order = found.by_name(found.frequent(1.0, min_documents), names)
        totals = [found.totals(order, binary) for binary in (False, True)]
        table, counts = found.take(order)
        assert table.names(names) == sorted(table.names(names))
        wanted.append((table, counts, totals))
    (ours, counts, totals), (theirs, expected, sums) = wanted
    np.testing.assert_array_equal(ours.flat, theirs.flat)
    np.testing.assert_array_equal(ours.sizes, theirs.sizes)
    np.testing.assert_array_equal(totals, sums)
    same(counts, expected)
    other = random_documents(seed + 100, pieces, 30, 60)
    for dtype in (np.int64, np.float32, np.float64):
        for n_jobs in (1, 2, 7):
            counts = matrix.make_table(theirs).count(*other, dtype, n_jobs)
            expected = theirs.count(*other)
            expected.data = expected.data.astype(dtype)
            same(counts, expected)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), unique=True))
def test_names_are_ranked_alike(names):
    longer = [f"a common beginning {name}" for name in names]
    for given_names in (names, longer, [*{*names, *longer}]):
        ranks = core.rank_names(given_names)
        assert ranks.tolist() == ngrams.name_ranks(given_names).tolist()


@pytest.mark.parametrize(
    "options",
    [{"ngram_range": (1, 2)}, {"ngram_range": (1, 3), "ngram_within": "word"}],
)
@pytest.mark.parametrize("kind", [SubwordVectorizer, SubwordHashingVectorizer])
def test_threads_put_the_rows_of_many_parts_in_order(kind, options):
    texts = random_texts(9, 2000)
    X = kind(num_merges=30, **options).fit_transform(texts)
    for n_jobs in (2, 5):
        ours = kind(num_merges=30, n_jobs=n_jobs, **options).fit(texts)
        same(ours.transform(texts), X)


def test_few_of_many_ngrams_get_a_table_of_their_own():
    ids, indptr = random_documents(3, 50, 100, 20)
    found = matrix.find(ids, indptr, (1, 3), 50)
    order = np.arange(0, len(found), 10)
    table, counts = found.take(order)
    same(counts, NgramTable(table.flat, table.sizes, 50).count(ids, indptr))


def test_counts_beyond_a_byte_are_exact():
    ids = np.repeat([0, 1, 2, 3], [255, 256, 257, 100_000]).astype(np.int32)
    indptr = np.array([0, len(ids), len(ids)])
    table = matrix.make_table(NgramTable(np.arange(4, dtype=np.int32), np.ones(4, np.int32), 4))
    assert table.count(np.tile(ids, 2), np.array([0, len(ids), 2 * len(ids)])).toarray().tolist() == [
        [255, 256, 257, 100_000]] * 2  # fmt: skip
    assert table.count(ids, indptr, np.float32).toarray().tolist() == [
        [255, 256, 257, 100_000],
        [0] * 4,
    ]


def test_columns_far_apart_come_sorted():
    pieces = 1 << 20
    ids = np.random.default_rng(0).permutation(pieces)[:5000].astype(np.int32)
    table = matrix.make_table(
        NgramTable(np.arange(pieces, dtype=np.int32), np.ones(pieces, np.int32), pieces)
    )
    counts = table.count(ids, np.array([0, 2500, 5000]))
    assert counts.indices.tolist() == sorted(ids[:2500]) + sorted(ids[2500:])


def test_indices_are_int64_once_a_total_passes_31_bits(monkeypatch):
    ids, indptr = random_documents(1, 9, 20, 9)
    table, counts = matrix.find(ids, indptr, (1, 2), 9).take(np.arange(9))
    assert counts.indices.dtype == counts.indptr.dtype == np.int32
    smaller = ngrams.index_dtype
    monkeypatch.setattr(ngrams, "index_dtype", lambda total: smaller(total << 31))
    long = table.count(ids, indptr)
    assert long.indices.dtype == long.indptr.dtype == np.int64
    np.testing.assert_array_equal(long.toarray(), counts.toarray())


def test_rare_ngrams_are_not_built_upon():
    documents = [[0, 1, 2], [0, 1, 3], [4, 5, 6], [4, 6, 5]]
    ids, indptr = np.concatenate(documents).astype(np.int32), np.array([0, 3, 6, 9, 12])
    documents_with, totals = core.NgramIndex(7).find(ids, indptr, [(1, 3)], 2)
    assert len(totals) == 7 + 5  # the pieces, and pairs of pieces that are in two documents each
    assert Counter(documents_with.tolist()) == {2: 6, 1: 6}


@pytest.mark.parametrize(
    ("ids", "indptr"),
    [
        ([0, 7], [0, 2]),
        ([0, -1], [0, 2]),
        ([0, 1], [0, 1]),
        ([0, 1], [1, 2]),
        ([0, 1], [0, 2, 1, 2]),
        ([0], []),
    ],
)
def test_ids_and_bounds_that_do_not_fit_are_refused(ids, indptr):
    index = core.NgramIndex(7)
    index.set_columns(np.arange(7, dtype=np.int32), 1, 1)
    for call in (index.count, lambda ids, indptr: core.NgramIndex(7).find(ids, indptr, [(1, 2)])):
        with pytest.raises(ValueError, match=r"ids must lie|indptr must rise"):
            call(np.array(ids), np.array(indptr, np.int64))


def test_found_ngrams_are_counted_once_and_only_where_they_were_found():
    ids, indptr = random_documents(1, 9, 20, 9)
    index = core.NgramIndex(9)
    frequencies, _ = index.find(ids, indptr, [(1, 3)])
    numbers = np.flatnonzero(frequencies).astype(np.int32)
    with pytest.raises(ValueError, match="n-grams were found in"):
        index.count_found(ids[:1], np.array([0, 1]), numbers)
    first = index.count_found(ids, indptr, numbers)
    index.set_columns(numbers, 1, 3)
    for ours, theirs in zip(first, index.count(ids, indptr), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(ValueError, match="n-grams were found in -1"):
        index.count_found(ids, indptr, numbers)


def test_ngrams_are_looked_up_without_being_added():
    index = core.NgramIndex(7)
    flat, sizes = np.array([1, 2, 1, 2, 3, 6], np.int32), np.array([2, 3, 0, 1], np.int32)
    assert index.look_up(flat, sizes).tolist() == [-1, -1, -1, 6]
    numbers = index.add(flat, sizes)
    assert index.look_up(flat, sizes).tolist() == numbers.tolist()
    assert numbers[2] == -1
    assert index.look_up(np.array([2, 1], np.int32), np.array([2])).tolist() == [-1]
    with pytest.raises(ValueError, match="pieces must lie in"):
        index.look_up(np.array([7], np.int32), np.array([1]))


def test_numbers_and_pieces_that_are_none_are_refused():
    index = core.NgramIndex(7)
    one, seven = np.array([1], np.int32), np.array([7], np.int32)
    for call in (
        lambda: index.count(one, np.array([0, 1])),  # no columns yet
        lambda: index.add(seven, one),
        lambda: index.add(one, np.array([2], np.int32)),
        lambda: index.spell(seven),
        lambda: index.set_columns(seven, 1, 1),
        lambda: core.order_ngrams(seven, one, np.arange(7)),
    ):
        with pytest.raises(ValueError, match=r"must|first"):
            call()


@pytest.mark.parametrize("columns", [64, 65, 4096, 65_536, 65_537, 300_000])
def test_columns_of_any_number_come_sorted(columns):
    rng = np.random.default_rng(columns)
    table = core.NgramIndex(columns)
    table.set_columns(np.arange(columns, dtype=np.int32), 1, 1)
    ids = np.concatenate([[columns - 1, 0, columns - 1], rng.integers(0, columns, 500)])
    counts, found, indptr = table.count(ids.astype(np.int32), np.array([0, 3, 3, 503]))
    assert found[:2].tolist() == [0, columns - 1]
    assert counts[:2].tolist() == [1, 2]
    expected = np.unique(ids[3:], return_counts=True)
    assert all(map(np.array_equal, (found[2:], counts[2:]), expected))
    assert indptr.tolist() == [0, 2, 2, len(found)]
