"""Texts as n-grams of words and of pieces, against plain Python over tokens."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import scipy.sparse as sp

from subword.blocks import Recipe, TextBlocks, fold, set_apart
from subword.pretokenize import Splitter

split = Splitter("words", lowercase=True).words
ALPHABET = [*"abAB'’.1 \n", "  ", "é", "川", "い", "ㅏ", "☃", "İ"]


def texts(seed, number=30):
    rng = random.Random(seed)
    return ["".join(rng.choices(ALPHABET, k=rng.randrange(40))) for _ in range(number)]


def grams(parts, lengths):
    return {
        tuple(parts[i : i + n])
        for n in range(lengths[0], lengths[1] + 1)
        for i in range(len(parts) - n + 1)
    }


def expected(learnt, text):
    """The features of a text in all blocks, as sets."""
    bpe, recipe = learnt.bpe, learnt.recipe
    folded = fold(text)
    words = [split(folded)] if recipe.inside else [[folded]]
    pieces = [grams(bpe.tokenize(part), recipe.pieces) for part in words[0]]
    sets = [grams(split(set_apart(folded)), recipe.words), set().union(*pieces)]
    return sets + ([grams(learnt.spaced.tokenize(folded), recipe.pieces)] if learnt.spaced else [])


def columns(documents):
    """What a matrix of ones says, whatever the order of its columns."""
    features = sorted({f for document in documents for f in document})
    return Counter(tuple(f in document for document in documents) for f in features)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_features_are_the_ngrams_of_words_and_pieces(seed, inside):
    recipe = Recipe(15, (1, 3), (2, 4) if seed % 2 else (1, 3), inside, spaced=seed > 2)
    learnt, found = TextBlocks.learn(texts(seed), recipe)
    wanted = zip(*(expected(learnt, text) for text in texts(seed)), strict=True)
    for block, documents in zip(found, wanted, strict=True):
        assert Counter(map(tuple, block.toarray().T.astype(bool).tolist())) == columns(documents)
        assert set(block.data.tolist()) == {1.0}


@pytest.mark.parametrize("inside", [False, True])
def test_what_was_learnt_finds_the_same_again(inside):
    learnt, found = TextBlocks.learn(texts(0), Recipe(15, inside=inside, spaced=True))
    again = TextBlocks.unpack(learnt.pack())
    for blocks in (learnt.transform(texts(0)), again.transform(texts(0))):
        for one, other in zip(found, blocks, strict=True):
            assert (one != other).nnz == 0
    for one, other in zip(learnt.transform(texts(1)), again.transform(texts(1)), strict=True):
        assert (one != other).nnz == 0


@pytest.mark.parametrize("inside", [False, True])
def test_features_are_located_where_they_occur(inside):
    learnt, _ = TextBlocks.learn(texts(0), Recipe(15, inside=inside, spaced=not inside))
    for text in texts(0) + texts(1):
        words, features = learnt.locate(text)
        known = {column for column, _ in features}
        blocks = sp.hstack(learnt.transform([text]), format="csr")
        assert known == ({*blocks.indices} if words else set())
        assert [text[a:b].lower() for a, b in words] == [
            word if fold(text) == text else text[a:b].lower()
            for word, (a, b) in zip(split(set_apart(fold(text))), words, strict=True)
        ]


def test_rare_features_are_left_out():
    for min_df, size in ((1, 3), (2, 2), (3, 1)):
        _, found = TextBlocks.learn(
            ["low lower newest", "low lower", "low"], Recipe(9, (1, 1), (1, 1), min_df=min_df)
        )
        assert found[0].shape == (3, size)


@pytest.mark.slow
def test_a_million_words_leave_out_what_occurs_once():
    million = ["low " * 400_000, "low lower " * 300_000 + "newest"]
    learnt, found = TextBlocks.learn(million, Recipe(5, (1, 1), (1, 1)))
    assert found[0].shape == (2, 1)
    assert learnt.transform(["low lower newest"])[0].toarray().tolist() == [[1.0]]


def test_texts_keep_their_places():
    assert fold("don’t") == "don't"
    assert set_apart("low 川!") == "low  川 !"
