"""Texts as n-grams of words and of pieces, against plain Python over tokens."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from subword import native
from subword.blocks import Recipe, TextBlocks, fold, set_apart
from subword.negation import mark_negated
from subword.pretokenize import Splitter

split = Splitter("words", lowercase=True).words
ALPHABET = [*"abAB'’.1 \n", "  ", "é", "川", "い", "ㅏ", "☃", "İ", " not "]


def texts(seed, number=30):
    rng = random.Random(seed)
    return ["".join(rng.choices(ALPHABET, k=rng.randrange(40))) for _ in range(number)]


def learn(documents, recipe):
    learnt, blocks = TextBlocks.learn(documents, recipe)
    return learnt, [*blocks]


def grams(parts, lengths):
    return {
        tuple(parts[i : i + n])
        for n in range(lengths[0], lengths[1] + 1)
        for i in range(len(parts) - n + 1)
    }


def expected(learnt, text):
    """The features of a text in all blocks, as sets."""
    recipe, folded = learnt.recipe, fold(text)
    marked = mark_negated(folded)
    spaced = "" if text.isspace() else marked  # white space alone says nothing
    return [
        grams(split(set_apart(marked)), recipe.words),
        grams(learnt.models["pieces"].tokenize(folded), recipe.pieces),
        grams(learnt.models["spaced"].tokenize(spaced), recipe.pieces),
    ]


def columns(documents):
    """What a matrix of ones says, whatever the order of its columns."""
    features = sorted({f for document in documents for f in document})
    return Counter(tuple(f in document for document in documents) for f in features)


@pytest.mark.parametrize("seed", range(5))
def test_features_are_the_ngrams_of_words_and_pieces(seed):
    recipe = Recipe(num_merges=15, pieces=(2, 4) if seed % 2 else (1, 3))
    learnt, found = learn(texts(seed), recipe)
    wanted = zip(*(expected(learnt, text) for text in texts(seed)), strict=True)
    for block, documents in zip(found, wanted, strict=True):
        assert Counter(map(tuple, block.toarray().T.tolist())) == columns(documents)
        assert block.data.all()


def test_words_behind_a_negation_are_others_but_not_in_all_blocks():
    recipe = Recipe(num_merges=0, words=(1, 1), pieces=(1, 1))
    learnt, _ = learn(["bad dad", "not bad"], recipe)
    words, pieces, spaced = learnt.transform(["bad", "not bad"])
    assert (words[[0]].multiply(words[[1]])).sum() == 0
    assert (spaced[[0]].multiply(spaced[[1]])).sum() == 0
    assert pieces[[0]].multiply(pieces[[1]]).sum() == pieces[[0]].sum() == 3


def test_some_blocks_alone():
    recipe = Recipe(("words", "spaced"), 15)
    learnt, found = learn(texts(0), recipe)
    _, every = learn(texts(0), Recipe(num_merges=15))
    assert [(a != b).nnz for a, b in zip(found, every[::2], strict=True)] == [0, 0]
    assert TextBlocks.unpack(learnt.pack()).recipe == recipe._replace(min_df=1)


def test_what_was_learnt_finds_the_same_again():
    learnt, found = learn(texts(0), Recipe(num_merges=15))
    again = TextBlocks.unpack(learnt.pack())
    for blocks in (learnt.transform(texts(0)), again.transform(texts(0))):
        for one, other in zip(found, blocks, strict=True):
            assert (one != other).nnz == 0
    for one, other in zip(learnt.transform(texts(1)), again.transform(texts(1)), strict=True):
        assert (one != other).nnz == 0


def test_features_that_are_not_kept_are_forgotten():
    learnt, found = learn(texts(0), Recipe(num_merges=15))
    learnt.keep(np.array([3, 5]))
    *others, spaced = learnt.transform(texts(0))
    assert [(a != b).nnz for a, b in zip(others, found[:-1], strict=True)] == [0, 0]
    assert (spaced != found[-1][:, [3, 5]]).nnz == 0


@pytest.mark.skipif(not native.core(), reason="needs the native engine")
@pytest.mark.parametrize("seed", range(5))
def test_engines_agree(seed, monkeypatch):
    recipe = Recipe(num_merges=15, min_df=1 + seed % 2)
    learnt, found = learn(texts(seed), recipe)
    others = learnt.transform(texts(seed + 1))
    monkeypatch.setattr(native, "core", lambda: None)
    same, again = learn(texts(seed), recipe)
    for one, other in zip(found + others, again + same.transform(texts(seed + 1)), strict=True):
        assert one.shape == other.shape
        assert one.indices.tolist() == other.indices.tolist()
        assert one.indptr.tolist() == other.indptr.tolist()
    for one, other in zip(learnt.pack().values(), same.pack().values(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_features_are_located_where_they_occur():
    learnt, _ = learn(texts(0), Recipe(num_merges=15))
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
        _, found = learn(
            ["low lower newest", "low lower", "low"], Recipe(words=(1, 1), min_df=min_df)
        )
        assert found[0].shape == (3, size)


@pytest.mark.slow
def test_millions_of_characters_leave_out_what_occurs_once():
    millions = ["low " * 600_000, "low lower " * 300_000 + "newest"]
    learnt, found = learn(millions, Recipe(num_merges=5, words=(1, 1), pieces=(1, 1)))
    assert found[0].shape == (2, 1)
    assert learnt.transform(["low lower newest"])[0].toarray().tolist() == [[True]]


def test_texts_keep_their_places():
    assert fold("don’t") == "don't"
    assert set_apart("low 川!") == "low  川 !"
