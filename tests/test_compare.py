"""Comparing two models: the first merge that differs and why, and the words it changes."""

from __future__ import annotations

import json
import warnings

import pytest
from conftest import TOY
from hypothesis import given, settings
from hypothesis import strategies as st

import subword
from subword import SubwordError, SubwordWarning, WordCounts

words = st.dictionaries(
    st.text(alphabet="abé", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=9
)


def test_a_model_does_not_differ_from_itself(bpe):
    same = subword.diff(bpe, subword.train(TOY), TOY)
    assert (same.options, same.divergence, same.shared) == ({}, None, bpe.num_merges)
    assert same.corpus.different == same.corpus.share == 0
    assert str(same).startswith("merges: 13 | 13; 13 in both; the first 13 the same\ncorpus: 0.00%")


def test_a_beginning_is_told(bpe):
    found = subword.diff(bpe.truncate(5), bpe)
    assert found.divergence.rank == found.shared == 5
    assert found.divergence.pairs == (None, ("ne", "west</w>"))
    assert str(found.divergence) == (
        "no more merges | ne + west</w> (6): the first is the beginning of the other"
    )
    assert subword.diff(bpe, bpe.truncate(5)).divergence.reason.startswith("the second")


def test_a_tie_is_told_with_its_counts(bpe):
    other = subword.train(TOY, tie_break="first")
    for counts in (None, TOY):
        found = subword.diff(bpe, other, counts).divergence
        assert found.rank == 0
        assert (found.pairs, found.counts) == ((("s", "t</w>"), ("e", "s")), (9, 9))
        assert found.reason == "a tie, broken by 'largest' | 'first'"


def test_other_counts_are_told(bpe):
    other = subword.train(TOY | {"lot": 9})
    found = subword.diff(bpe, other)
    assert found.divergence.pairs == (("s", "t</w>"), ("l", "o"))
    assert found.divergence.counts == (9, 16)
    assert "not equally frequent: learnt from other words" in found.divergence.reason
    assert subword.diff(bpe, other, TOY).divergence == found.divergence  # the past stays


def test_counts_at_a_later_rank_are_those_of_that_moment():
    counts = {"abc": 5, "abd": 3, "xc": 4}  # a+b first; then c</w> follows ab 5 times, x 4 times
    one = subword.loads("#version: 0.2\na b\nab c</w>\n")
    other = subword.loads("#version: 0.2\na b\nx c</w>\n")
    assert subword.diff(one, other).divergence.counts == (None, None)
    assert "not known" in subword.diff(one, other).divergence.reason
    assert subword.diff(one, other, counts).divergence.counts == (5, 4)
    counts["zc"] = 1  # not c</w> behind x
    counts["xc"] = 5
    assert (
        "a tie, in this corpus, though both" in subword.diff(one, other, counts).divergence.reason
    )


def test_options_come_first(bpe):
    other = subword.train(TOY, level="byte", end_of_word=None, pretokenizer="gpt2")
    found = subword.diff(bpe, other)
    assert list(found.options) == ["level", "end_of_word", "pretokenizer"]
    assert found.divergence.reason == "other words or symbols (level, end_of_word, pretokenizer)"
    assert "options: end_of_word 'suffix' | None" in str(found)


def test_words_are_compared_by_where_they_are_cut(bpe):
    other = subword.train(TOY, 7, end_of_word="separate")
    found = subword.diff(bpe, other, WordCounts(TOY | {"x": 2})).corpus
    assert (found.words, found.distinct_words) == (18, 5)
    for word, _, (one, two) in found.examples:
        assert list(one) == bpe.tokenize(word)
        assert list(two) == other.tokenize(word)
    assert "x" not in [example.word for example in found.examples]  # x</w> | x </w>


@settings(max_examples=60, deadline=None)
@given(counts=words, sizes=st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_the_share_is_what_words_one_by_one_give(counts, sizes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SubwordWarning)
        a = subword.train(counts, sizes[0])
        b = subword.train(counts, sizes[1], level="byte", tie_break="first", end_of_word=None)

    def cut(bpe, word):
        pieces = [bpe.symbols[i][0] for i in bpe.encode(word)]
        return [piece for piece in pieces if piece]

    differ = [word for word in counts if cut(a, word) != cut(b, word)]
    found = subword.diff(a, b, counts).corpus
    assert found.distinct_different == len(differ)
    assert found.different == sum(counts[word] for word in differ)
    assert found.pieces == tuple(
        sum(count * len(bpe.encode(word)) for word, count in counts.items()) for bpe in (a, b)
    )
    ranked = sorted(differ, key=lambda word: -counts[word])
    assert [example.word for example in found.examples] == ranked[:10]


def test_other_splitting_rules_take_words_as_texts():
    counts = WordCounts({"don't": 3, "low": 2})
    a = subword.train(counts)
    b = subword.train([" low low don't don't"], level="byte", pretokenizer="gpt2")
    found = subword.diff(a, b, counts).corpus  # low</w> | <space>low are cut alike
    assert [example.pieces for example in found.examples] == [(("don't</w>",), (" don", "'t"))]
    assert found.pieces == (5, 8)


def test_it_is_plain_data(bpe):
    found = subword.diff(bpe, subword.train(TOY, 5, tie_break="first"), TOY)
    data = json.loads(json.dumps(found.as_dict()))
    assert data["merges"] == [13, 5]
    assert data["divergence"]["pairs"] == [["s", "t</w>"], ["e", "s"]]
    assert data["corpus"]["share"] == found.corpus.share
    assert set(data["corpus"]["examples"][0]) == {"word", "count", "pieces"}
    assert json.dumps(subword.diff(bpe, bpe).as_dict())


def test_an_empty_corpus_is_no_problem(bpe):
    assert "0.00% of 0 words" in str(subword.diff(bpe, bpe, {}))


def test_words_that_are_no_text_need_byte_level(bpe):
    counts = WordCounts.from_texts([b"a\xff low"])
    with pytest.raises(SubwordError, match="only level='byte' can hold them"):
        subword.diff(bpe, bpe, counts)
    raw = subword.train(counts, 0, level="byte")
    assert subword.diff(raw, raw, counts).corpus.words == 2
