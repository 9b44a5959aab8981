"""The readable engine: worked examples by hand, then against the recount-everything oracle."""

from __future__ import annotations

import random

import pytest
import recount

from subword import reference
from subword.alphabet import alphabet
from subword.options import END_OF_WORD, LEVELS, TIE_BREAKS


def learn(words, level, end_of_word, tie_break, num_merges, min_frequency=1, max_length=0):
    base = alphabet("".join(words), level, end_of_word, "bytes")
    spelt = [(reference.spell(word, level, end_of_word), n) for word, n in words.items()]
    learner = reference.Learner(spelt, base, tie_break, max_length)
    merges = []
    while len(merges) < num_merges and (pair := learner.best(min_frequency)):
        merges.append(learner.merge(pair))
    expected = recount.learn(spelt, base, tie_break, num_merges, min_frequency, max_length)
    assert [(m[:2], m.result, m.count) for m in merges] == expected
    return learner, merges


def random_words(rng: random.Random) -> dict[str, int]:
    letters = rng.choice(["ab", "abc", "aé", "a<", "aabcd"])
    return {
        "".join(rng.choices(letters, k=rng.randint(1, 9))): rng.randint(1, 4)
        for _ in range(rng.randint(1, 12))
    }


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("end_of_word", END_OF_WORD)
@pytest.mark.parametrize("level", LEVELS)
def test_learning_equals_recounting_everything(level, end_of_word, tie_break):
    rng = random.Random(f"{level}{end_of_word}{tie_break}")
    for _ in range(60):
        learn(random_words(rng), level, end_of_word, tie_break, 30, rng.randint(1, 3))


def test_max_length_counts_characters_not_bytes():
    _, merges = learn({"éé": 3, "ééé": 2}, "char", "suffix", "largest", 9, max_length=2)
    assert merges
    assert all(m.count > 0 for m in merges)


def test_overlaps_count_twice_and_merge_leftmost():
    learner, (merge, *_) = learn({"aaa": 1}, "char", None, "largest", 1)
    assert (merge.count, merge.applied) == (2, 1)
    assert [learner.symbols[i] for i in learner.words[0]] == [(b"aa", False), (b"a", False)]


def test_merges_of_equal_result_share_a_symbol():
    learner = reference.Learner([], [(b"a", False), (b"b", False), (b"c", False)])
    first, second = learner.merge((0, 1)), learner.merge((1, 2))
    assert learner.merge((first.result, 2)).result == learner.merge((0, second.result)).result


def test_counts_past_63_bits_overflow():
    with pytest.raises(OverflowError, match=r"2\*\*63"):
        learn({"ab": 2**62, "cab": 2**62}, "byte", None, "largest", 1)


def test_encoding_equals_the_naive_way():
    rng = random.Random(1)
    for _ in range(200):
        words = random_words(rng)
        learner, merges = learn(words, "char", rng.choice(END_OF_WORD), "first", 20)
        ranks: reference.Ranks = {}
        for rank, merge in enumerate(merges):
            ranks.setdefault(merge[:2], (rank, merge.result))
        ids = [rng.choice([*range(97, 100), *range(len(learner.symbols))]) for _ in range(40)]
        assert reference.encode(ids, ranks) == recount.encode(ids, ranks)


def test_merges_apply_in_the_order_learnt():
    ranks = {(65, 66): (0, 300), (66, 67): (1, 301), (300, 67): (2, 489)}
    assert reference.encode([65, 66, 67], ranks) == [489]
    assert reference.encode([66, 67], ranks) == [301]


def test_a_million_letters_are_no_problem():
    ranks = {(0, 0): (0, 1), (1, 1): (1, 2)}
    assert reference.encode([0] * 40_001, ranks) == [2] * 10_000 + [0]


def test_splitmix_and_fnv_are_the_published_ones():
    golden = 0x9E3779B97F4A7C15
    assert reference.mix(golden) == 0xE220A8397B1DCDAF  # SplitMix64, seed 0, first two numbers
    assert reference.mix(2 * golden % 2**64) == 0x6E789E6AA1B965F4
    assert reference.hash_text(b"") == 0xCBF29CE484222325
    assert reference.hash_text(b"a") == 0xAF63DC4C8601EC8C


def test_dropout_at_its_ends():
    ranks = {(0, 1): (0, 2), (2, 2): (1, 3)}
    draw = reference.draws(7, 0, 0)
    assert reference.encode_dropout([0, 1, 0, 1], ranks, 1.0, draw) == [0, 1, 0, 1]
    assert reference.encode_dropout([0, 1, 0, 1], ranks, 0.0, draw) == [3]


def test_dropout_skips_each_candidate_with_its_probability():
    ranks = {(0, 1): (0, 2)}
    kept = sum(
        reference.encode_dropout([0, 1], ranks, 0.3, reference.draws(1, 2, n)) == [2]
        for n in range(5000)
    )
    assert kept / 5000 == pytest.approx(0.7, abs=0.02)


def test_draws_depend_on_seed_document_and_position():
    keys = [(1, 2, 3), (2, 2, 3), (1, 3, 3), (1, 2, 4)]
    assert len({reference.draws(*key)() for key in keys}) == 4
    assert all(0 <= reference.draws(*key)() < 1 for key in keys)


def test_decode_puts_a_space_behind_final_symbols_but_the_last():
    symbols = [(b"lo", False), (b"w", True), (b"", True)]
    assert reference.decode([0, 1, 0, 1], symbols) == b"low low"
    assert reference.decode([0, 2, 2], symbols) == b"lo "
    assert reference.decode([], symbols) == b""
