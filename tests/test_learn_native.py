"""The native trainer learns what recounting everything in each round learns."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
import recount

from subword.reference import MARKER, spell

core = pytest.importorskip("subword.native._core")

LEVELS, ENDS = ["char", "byte"], [None, "suffix", "separate"]
TIES = ["largest", "largest_id", "smallest_id", "first"]
MODES = list(itertools.product(LEVELS, ENDS, TIES))
ALPHABETS = ["a", "ab", "abc", "aé", "é☃a", "ab\0", "a<", "a</w>", "😀ab", "abcdefgh"]


def base_of(words, level, end):
    """Every initial symbol of the words, in a fixed order."""
    return sorted({symbol for word in words for symbol in spell(word, level, end)} | {MARKER})


def learn(
    words,
    counts,
    symbols,
    level="char",
    end=None,
    tie="largest",
    merges=-1,
    size=-1,
    least=1,
    longest=0,
    progress=None,
):
    flat = [word.encode() for word in words]
    columns = core.learn(
        flat,
        np.array(counts, np.int64),
        symbols,
        level,
        end,
        tie,
        merges,
        size,
        least,
        longest,
        progress,
    )
    return [column.tolist() for column in columns[:5]]


def merges_of(columns):
    left, right, result, count, _ = columns
    return list(zip(zip(left, right), result, count))


def random_words(rng):
    letters = rng.choice(ALPHABETS)
    words = [
        "".join(rng.choices(letters, k=rng.choice([1, 2, 3, 5, 8, 20])))
        for _ in range(rng.choice([1, 2, 5, 12]))
    ]
    scale = rng.choice([1, 1, 2**33, 2**50])  # from 2**32 on the trainer uses wider cells
    return words, [rng.randint(1, 4) * rng.choice([1, scale]) for _ in words]


@pytest.mark.parametrize(("level", "end", "tie"), MODES)
def test_equals_recounting(level, end, tie):
    rng = random.Random(f"{level} {end} {tie}")
    for _ in range(30):
        words, counts = random_words(rng)
        symbols = base_of(words, level, end)
        least = rng.choice([1, 2, 5])
        split = [(spell(word, level, end), count) for word, count in zip(words, counts)]
        expected = recount.learn(split, symbols, tie, 40, least)
        assert merges_of(learn(words, counts, symbols, level, end, tie, 40, -1, least)) == expected


@pytest.mark.parametrize("longest", [1, 2, 3, 7])
@pytest.mark.parametrize("end", ENDS)
def test_no_token_is_longer_than_allowed(longest, end):
    rng = random.Random(longest)
    for _ in range(20):
        words, counts = random_words(rng)
        symbols = base_of(words, "char", end)
        split = [(spell(word, "char", end), count) for word, count in zip(words, counts)]
        expected = recount.learn(split, symbols, "first", 40, 1, longest)
        assert (
            merges_of(
                learn(words, counts, symbols, end=end, tie="first", merges=40, longest=longest)
            )
            == expected
        )


def test_applied_counts_what_was_merged():
    left, right, result, count, applied = learn(["aaa", "aaaa"], [1, 10], [(b"a", False)], merges=1)
    assert (left, right, result) == ([0], [0], [1])
    assert count == [2 + 30]  # overlapping
    assert applied == [1 + 20]


def test_a_merge_may_give_a_symbol_that_is_there():
    symbols = [(b"ab", False), (b"a", False), (b"b", False)]
    assert learn(["abab"], [1], symbols, merges=2)[2] == [0, 3]


def test_limits():
    symbols = [(b"a", False), (b"b", False), (b"c", False)]
    assert len(learn(["abc"], [1], symbols)[0]) == 2
    assert len(learn(["abc"], [1], symbols, merges=1)[0]) == 1
    assert len(learn(["abc"], [1], symbols, size=4)[0]) == 1
    assert len(learn(["abc"], [1], symbols, least=2)[0]) == 0


def test_a_character_without_a_symbol_is_not_merged():
    assert learn(["abab", "axb"], [1, 9], [(b"a", False), (b"b", False)])[3] == [2, 1]


@pytest.mark.parametrize("words", [[], [""], ["", ""], ["a"]])
@pytest.mark.parametrize("end", ENDS)
def test_nothing_to_learn(words, end):
    merges = learn(words, [1] * len(words), [(b"", True)], end=end)
    assert merges == [[], [], [], [], []]


def test_counts_near_the_limit():
    symbols = [(b"a", False), (b"b", False)]
    assert learn(["ab"], [2**63 - 1], symbols)[3:] == [[2**63 - 1], [2**63 - 1]]
    with pytest.raises(OverflowError, match="2\\^63"):
        learn(["ab", "aba"], [2**63 - 2, 2], symbols)
    with pytest.raises(OverflowError, match="2\\^63"):
        learn(["aaa"], [2**62], symbols)


def test_one_long_word():
    text = "".join(random.Random(3).choices("abcd", k=100_000))
    left, _, _, count, _ = learn([text], [1], base_of([text], "byte", None), "byte", merges=200)
    assert len(left) == 200
    assert count == sorted(count, reverse=True)


def test_flat_words_are_the_same_as_a_list():
    words, counts = [b"low", b"lower"], np.array([5, 2])
    symbols = [(bytes([c]), False) for c in b"elorw"]
    options = (symbols, "byte", None, "largest", -1, -1, 1)
    flat = core.learn((b"lowlower", np.array([0, 3, 8], np.uint64)), counts, *options)
    for one, other in zip(flat, core.learn(words, counts, *options)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("offsets", [[0, 3], [0, 5, 3], [0, 3, 9]])
def test_wrong_offsets_are_refused(offsets):
    with pytest.raises(ValueError, match="offset"):
        core.learn(
            (b"lowlower", np.array(offsets, np.uint64)),
            np.array([5, 2]),
            [],
            "byte",
            None,
            "largest",
            -1,
            -1,
            1,
        )


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="-1"):
        learn(["ab"], [-1], [(b"a", False)])


@pytest.mark.parametrize("option", ["level", "end", "tie"])
def test_other_options_are_refused(option):
    with pytest.raises(ValueError, match="must be one of .*'other'"):
        learn(["ab"], [1], [], **{option: "other"})


@pytest.mark.parametrize("frozen", [([0], []), ([0], [2]), ([-1], [0])])
def test_frozen_merges_of_unknown_symbols_are_refused(frozen):
    options = ([(b"a", False), (b"b", False)], "byte", None, "largest", -1, -1, 1)
    with pytest.raises(ValueError, match="one length|but there are 2 symbols"):
        core.learn([b"ab"], np.array([1]), *options, frozen=frozen)


def test_separate_needs_the_marker():
    with pytest.raises(ValueError, match="marker"):
        learn(["ab"], [1], [(b"a", False), (b"b", False)], end="separate")


def test_an_exception_of_progress_ends_the_work():
    def progress(done):
        raise KeyboardInterrupt

    text = "".join(random.Random(4).choices("abcdefgh", k=3_000_000))
    with pytest.raises(KeyboardInterrupt):
        learn([text], [1], base_of([text], "byte", None), "byte", progress=progress)


def test_words_come_back_as_the_merges_have_left_them():
    symbols = [(b"a", False), (b"b", False), (b"b", True)]
    words = [
        b"abab",
        b"",
        b"xab",
        b"ab",
        b"bb",
    ]  # nothing merged is known of x, and a count of 0 has no cells
    *_, result, _, _, ids, ends = core.learn(
        words, np.array([3, 1, 5, 0, 2]), symbols, "char", "suffix", "first", 2, -1, 1, 0, None, 5
    )
    assert result.tolist() == [3, 4]
    spelt = [ids[first:last].tolist() for first, last in zip([0, *ends], ends)]
    assert spelt == [[4, 3], [], [], [], [1, 2]]
