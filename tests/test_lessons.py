"""Sizes that share what was learnt are what learning each would have given."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import threading
import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import subword
from subword import SubwordTfidfVectorizer, SubwordVectorizer, lessons
from subword.coder import Coder
from subword.options import END_OF_WORD, LEVELS, TIE_BREAKS
from subword.pretokenize import Splitter
from subword.trainer import learn_model, make_options

pytestmark = pytest.mark.filterwarnings("ignore:.* merges learnt:subword.SubwordWarning")

TEXTS = ["low lower lowest", "new newer newest", "wide wider widest", "slow slower"] * 4
RULES = {
    "level": LEVELS,
    "end_of_word": ["auto", *END_OF_WORD],
    "unknown": ["bytes", "unk"],
    "tie_break": TIE_BREAKS,
    "min_frequency": [1, 2, 3],
}


@pytest.fixture(autouse=True)
def _nothing_learnt():
    lessons._kept.clear()
    yield
    lessons._kept.clear()


@pytest.fixture
def asked(monkeypatch):
    """Return the numbers of merges that are really learnt."""
    asked = []

    def learn(counts, options, sizes, *more):
        asked.append(sizes[0])
        return learn_model(counts, options, sizes, *more)

    monkeypatch.setattr(lessons, "learn_model", learn)
    return asked


def counter(texts, splitter, special=()):
    rules = (splitter.pretokenizer, splitter.lowercase, splitter.normalization)
    names = ("pretokenizer", "lowercase", "normalization")
    return lambda: subword.WordCounts.from_texts(
        texts, special_tokens=special, **dict(zip(names, rules, strict=True))
    )


def told(make, *arguments, **options):
    """Return what a function returns, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make(*arguments, **options)
    return made, [(str(w.message), w.category, os.path.basename(w.filename)) for w in caught]


def some_texts(rng):
    letters = rng.choice(["ab", "abc ", "aé😀 b", "aAb'1 \u0301"])
    return ["".join(rng.choices(letters, k=rng.randint(0, 20))) for _ in range(rng.randint(1, 9))]


@pytest.mark.parametrize("seed", range(60))
def test_models_are_equal_in_every_respect(seed):
    rng = random.Random(seed)
    texts, others = some_texts(rng), some_texts(rng)
    splitter = Splitter(rng.choice(["words", "space", "none", "gpt2", r"\w+"]), rng.random() < 0.5)
    rules = {name: rng.choice(values) for name, values in RULES.items()}
    if rules["level"] == "byte":
        rules["unknown"] = "bytes"
    special = rng.choice([(), ("<s>",)])
    options = make_options(splitter=splitter, **rules)
    count = counter(texts, splitter, special)
    for size in [*rng.choices(range(25), k=5), None, 60]:
        shared, warned = told(lessons.learn_texts, texts, count, options, size, special)
        fresh, expected = told(subword.train, count(), size, special_tokens=special, **rules)
        assert warned == expected
        assert shared == fresh
        assert shared.dumps() == fresh.dumps()
        assert shared.fingerprint == fresh.fingerprint
        assert shared.symbols == fresh.symbols
        assert shared._table.tolist() == fresh._table.tolist()
        assert shared.merge_counts.tolist() == fresh.merge_counts.tolist()
        assert shared.merge_applied.tolist() == fresh.merge_applied.tolist()
        slow = Coder(fresh._plain, fresh._table, fresh.options)
        for text in [*texts, *others]:  # known words and new ones
            prepared = splitter.prepare(text)
            assert shared.encode(text) == fresh.encode(text) == slow.encode(prepared)


def test_truncated_models_know_the_words_of_training():
    bpe = subword.train(dict.fromkeys(TEXTS, 2), 40, pretokenizer="none")
    small = bpe.truncate(7)
    fresh = subword.train(dict.fromkeys(TEXTS, 2), 7, pretokenizer="none")
    assert [*map(small.encode, TEXTS)] == [*map(fresh.encode, TEXTS)]
    assert [*map(bpe.encode, TEXTS)] == [*map(subword.loads(bpe.dumps()).encode, TEXTS)]


def test_rising_sizes_learn_twice_and_falling_ones_once(asked):
    for size in (3, 5, 8, 12, 400):
        SubwordVectorizer(num_merges=size, min_frequency=1).fit(TEXTS)
    assert asked == [3, 8000]
    asked.clear()
    for size in (9, 5, 3, 9):
        SubwordVectorizer(num_merges=size).fit(TEXTS[:8])
    assert asked == [9]


def test_more_than_the_texts_give_is_not_looked_for_again(asked):
    with pytest.warns(subword.SubwordWarning, match="merges learnt, 9000 asked for"):
        SubwordVectorizer(num_merges=9000).fit(TEXTS)
    with pytest.warns(subword.SubwordWarning, match="merges learnt, 9001 asked for"):
        SubwordVectorizer(num_merges=9001).fit(TEXTS)
    assert asked == [9000]


def test_sizes_beyond_all_bounds():
    for size in (1, 2**63 - 1, 2**63 - 1):
        bpe = SubwordVectorizer(num_merges=size).fit(TEXTS).bpe_
    assert bpe == SubwordVectorizer().fit(TEXTS).bpe_


@pytest.mark.parametrize(
    "other",
    [
        {"lowercase": False}, {"level": "byte"}, {"end_of_word": "separate"},
        {"pretokenizer": "space"}, {"tie_break": "first"}, {"min_frequency": 3},
        {"unknown": "unk"}, {"normalization": "NFC"}, {"special_tokens": ["low"]},
    ],
)  # fmt: skip
def test_nothing_is_shared_with_other_rules(asked, other):
    SubwordVectorizer(num_merges=5).fit(TEXTS)
    bpe = SubwordVectorizer(num_merges=5, **other).fit(TEXTS).bpe_
    assert len(asked) == 2
    lessons._kept.clear()
    assert bpe == SubwordVectorizer(num_merges=5, **other).fit(TEXTS).bpe_


def test_what_counts_are_the_texts_after_preprocessing(asked):
    plain = SubwordVectorizer(num_merges=5).fit([text.lower() for text in TEXTS])
    same = SubwordVectorizer(num_merges=5, preprocessor=str.lower).fit(TEXTS)
    assert len(asked) == 2  # it splits without lower-casing: another model
    assert plain.bpe_ != same.bpe_
    SubwordVectorizer(num_merges=5, preprocessor=str.upper).fit(TEXTS)
    assert len(asked) == 3


def test_matrices_do_not_depend_on_what_was_learnt_before():
    grids = []
    for forget in (False, True):
        for size in (4, 9, 6, 15):
            if forget:
                lessons._kept.clear()
            vectorizer = SubwordTfidfVectorizer(num_merges=size, ngram_range=(1, 2))
            X = vectorizer.fit_transform(TEXTS)
            grids.append(
                (X.toarray().tolist(), [*vectorizer.vocabulary_], pickle.dumps(vectorizer))
            )
    assert grids[:4] == grids[4:]


def test_a_grid_search_finds_the_same(asked):
    texts = [f"{text} {i}" for i, text in enumerate(TEXTS)]  # or all folds were the same
    labels = [text < "m" for text in texts]
    grid = {"subwordvectorizer__num_merges": [2, 4, 6, 8, 10, 12]}
    search = GridSearchCV(make_pipeline(SubwordVectorizer(), MultinomialNB()), grid, cv=4)
    search.fit(texts, labels)
    assert len(asked) == 2 * 4 + 1  # twice for each fold, and the last fit


# -- which texts are the same ------------------------------------------------------------------


@pytest.mark.parametrize(
    "others",
    [["AN", ""], ["a", "bc"], ["", "ab", "c"], ["c", "ab"], ["ab"], [], ["ab", "c\0"], ["乁", "c"]],
)
def test_other_texts_have_another_fingerprint(others):
    assert lessons.fingerprint(others) != lessons.fingerprint(["ab", "c"])
    assert lessons.fingerprint(others) == lessons.fingerprint([*others])


def test_texts_of_the_same_bytes_in_memory_differ():
    assert hash("AN") == hash("乁")  # or this test tests nothing
    assert lessons.fingerprint(["AN"]) != lessons.fingerprint(["乁"])


def test_only_plain_strings_have_a_fingerprint(asked):
    class Odd(str):
        def __hash__(self):
            return 1

    assert lessons.fingerprint(["a", b"a"]) is None
    assert lessons.fingerprint([Odd("a")]) is None
    models = [
        SubwordVectorizer(level="byte", pretokenizer="space", num_merges=2).fit([raw] * 3).bpe_
        for raw in (b"\xe9a", b"\xe8a")
    ]
    assert models[0] != models[1]
    assert not lessons._kept


# -- memory, threads, processes ----------------------------------------------------------------


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(lessons, "_ROOM", 5000)
    for i in range(40):
        SubwordVectorizer(num_merges=5).fit([f"{text}{i}" for text in TEXTS])
    sizes = [kept.size for kept in lessons._kept.values()]
    assert sum(sizes) <= 5000
    assert 2 <= len(sizes) < 40
    monkeypatch.setattr(lessons, "_ROOM", 0)
    SubwordVectorizer(num_merges=6).fit(TEXTS)
    assert len(lessons._kept) == 1  # the last one stays, or a search of one fold gained nothing


def test_few_words_are_kept_of_a_lesson(monkeypatch):
    monkeypatch.setattr(lessons, "_WORDS", 3)
    first = SubwordVectorizer(num_merges=9).fit_transform(TEXTS)
    (kept,) = lessons._kept.values()
    seen = kept.lesson.bpe._seen
    if seen:  # pure Python has none
        assert seen.text.tobytes() == b"lowlowerlowest"
        assert len(seen.ends) == 3
        assert seen.text.base is None
        assert len(seen.ids) == seen.ends[-1]
    again = SubwordVectorizer(num_merges=9).fit_transform(TEXTS)
    assert (first != again).nnz == 0


def test_models_in_use_are_not_kept():
    bpe = SubwordVectorizer(num_merges=9).fit(TEXTS).bpe_
    (kept,) = lessons._kept.values()
    assert "_coder" not in vars(kept.lesson.bpe)
    assert kept.lesson.bpe is not bpe
    assert SubwordVectorizer(num_merges=9).fit(TEXTS).bpe_ is not bpe


def fit_all(sizes):
    return [SubwordVectorizer(num_merges=size).fit(TEXTS).bpe_.dumps() for size in sizes]


def test_threads_may_learn_at_once():
    sizes = [2, 9, 4, 12, 7, 3]
    expected = fit_all(sizes)
    lessons._kept.clear()
    found = []
    threads = [threading.Thread(target=lambda: found.append(fit_all(sizes))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_goes_on_with_what_was_learnt():
    sizes = [2, 9, 4]
    expected = fit_all(sizes)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(fit_all, [sizes] * 4) == [expected] * 4


def test_numbers_of_numpy_make_a_model_that_can_be_saved():
    bpe = SubwordVectorizer(num_merges=np.int64(5), min_frequency=np.int64(2)).fit(TEXTS).bpe_
    assert subword.loads(bpe.dumps()) == bpe
