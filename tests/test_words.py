"""Words told from their pieces: where they stand, and equal numbers for equal ones."""

from __future__ import annotations

import random

import numpy as np
import pytest

import subword
from subword import native
from subword.pretokenize import Splitter
from subword.words import NativeWordIndex, WordIndex, Words

split = Splitter("words", lowercase=True).words
KINDS = [WordIndex, NativeWordIndex] if native.core() else [WordIndex]


def texts(seed, number=30):
    rng = random.Random(seed)
    return ["".join(rng.choices("aabé☃川 ", k=rng.randrange(40))) for _ in range(number)]


@pytest.fixture(scope="module")
def bpe():
    return subword.train(texts(0), 15, pretokenizer="words", lowercase=True)


def words_of(bpe, documents):
    ids, indptr = bpe.encode_batch(documents)
    return ids, Words.find(ids, indptr, np.array([final for _, final in bpe.symbols]))


def test_words_are_where_pieces_say(bpe):
    ids, words = words_of(bpe, texts(1))
    assert words.indptr.tolist() == np.cumsum([0, *(len(split(t)) for t in texts(1))]).tolist()
    spelt = [word for text in texts(1) for word in split(text)]
    ends = words.starts + words.sizes
    assert [bpe.decode(ids[a:b]) for a, b in zip(words.starts, ends, strict=True)] == spelt


def test_no_words():
    words = Words.find(np.zeros(0, np.int32), np.array([0, 0, 0]), np.array([True]))
    assert [part.tolist() for part in words] == [[], [], [0, 0, 0]]


@pytest.mark.parametrize("kind", KINDS)
def test_equal_words_have_equal_numbers_in_the_order_of_their_pieces(bpe, kind):
    ids, words = words_of(bpe, texts(0))
    index, numbers = kind.learn(ids, words.sizes, len(bpe))
    tokens = [tuple(ids[a : a + n].tolist()) for a, n in zip(*words[:2], strict=True)]
    order = sorted({*tokens})
    assert numbers.tolist() == [order.index(token) for token in tokens]
    assert [tuple(index.table.gram(i)) for i in range(len(index))] == order
    assert index.number(ids, words.sizes).tolist() == numbers.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_word_has_the_number_of_words(kind):
    index, _ = kind.learn(np.array([0, 1, 2]), np.array([2, 1]), 9)  # 0 1, 2
    others = np.array([0, 1, 0, 0, 1, 2, 8, 2])
    assert index.number(others, np.array([2, 1, 3, 1, 1])).tolist() == [0, 2, 2, 2, 1]
    assert kind.learn(others[:0], others[:0], 9)[0].number(others, np.array([8])).tolist() == [0]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.skipif(not native.core(), reason="needs the native engine")
def test_engines_agree(bpe, seed):
    ids, words = words_of(bpe, texts(seed))
    others = words_of(bpe, texts(seed + 100))
    (one, numbers), (other, same) = (k.learn(ids, words.sizes, len(bpe)) for k in KINDS)
    assert numbers.tolist() == same.tolist()
    assert one.table.flat.tolist() == other.table.flat.tolist()
    assert one.table.sizes.tolist() == other.table.sizes.tolist()
    found, again = (i.number(others[0], others[1].sizes) for i in (one, other))
    assert found.tolist() == again.tolist()
