"""Joint learning: the sum is learnt from, each side keeps its own vocabulary."""

from __future__ import annotations

import random

import pytest
from conftest import read

import subword
from subword import SubwordError, WordCounts, train_joint
from subword.joint import count_pieces

LEFT = {"low": 5, "lower": 2, "newest": 6}
RIGHT = {"newest": 2, "widest": 3, "low": 1}


def pieces_of(bpe: subword.BPE, words: dict[str, int], **options) -> dict[str, int]:
    """Count pieces the slow way: repeat every word, segment, split."""
    text = " ".join(" ".join([word] * count) for word, count in words.items())
    found: dict[str, int] = {}
    for piece in bpe.segment(text, **options).split(" "):
        found[piece] = found.get(piece, 0) + 1
    return dict(sorted(found.items(), key=lambda row: -row[1]))


@pytest.mark.parametrize("level", ["char", "byte"])
@pytest.mark.parametrize("end_of_word", ["suffix", "separate"])
@pytest.mark.parametrize("separator", ["@@", "~"])
def test_the_sum_is_learnt_from_and_each_side_counted(level, end_of_word, separator):
    options = {"level": level, "end_of_word": end_of_word}
    bpe, vocabularies = train_joint([LEFT, RIGHT | {"é": 1}], 4, separator=separator, **options)
    assert bpe == subword.train(WordCounts(LEFT) + WordCounts(RIGHT | {"é": 1}), 4, **options)
    for words, vocabulary in zip([LEFT, RIGHT | {"é": 1}], vocabularies):
        expected = pieces_of(bpe, words, separator=separator)
        assert list(vocabulary.items()) == list(expected.items())


def test_sources_may_be_texts_mappings_and_counts():
    texts = ["low low lower", "newest"]
    same = (
        train_joint([texts, RIGHT]),
        train_joint([WordCounts.from_texts(texts), WordCounts(RIGHT)]),
    )
    assert same[0][0] == same[1][0]
    assert [dict(v) for v in same[0][1]] == [dict(v) for v in same[1][1]]


def test_no_source_is_an_error():
    with pytest.raises(SubwordError, match="at least one source"):
        train_joint([])


def test_raw_bytes_stay_bytes():
    counts = WordCounts({"é": 2})
    bpe = subword.train(counts, 0, level="byte", end_of_word="suffix")
    assert dict(count_pieces(bpe, counts)) == {"<0xC3>@@": 2, "<0xA9>": 2}
    assert dict(count_pieces(bpe, counts, raw=True)) == {"\udcc3@@": 2, "\udca9": 2}


def random_words(rng: random.Random) -> dict[str, int]:
    spelt = ("".join(rng.choices("abcde", k=rng.randrange(1, 9))) for _ in range(60))
    return {word: rng.randrange(1, 30) for word in spelt}


@pytest.mark.parametrize("threshold", [2, 10, 50])
def test_no_piece_is_rarer_than_the_threshold_on_its_side(threshold):
    rng = random.Random(threshold)
    for _ in range(10):
        sides = [random_words(rng), random_words(rng)]
        bpe, vocabularies = train_joint(sides, 60)
        for vocabulary in vocabularies:
            line = " ".join(random_words(rng) | sides[0] | sides[1])
            segmented = bpe.segment(line, vocabulary=vocabulary.prune(threshold))
            assert segmented.replace("@@ ", "") == line
            for piece in segmented.split(" "):
                assert vocabulary.get(piece, 0) >= threshold or len(piece.removesuffix("@@")) == 1


@pytest.mark.slow
def test_no_piece_of_real_text_is_rarer_either(shared):
    folder = shared / "golden" / "subword-nmt-0.3.8"
    sides = [WordCounts.from_files(folder / f"train.{side}.gz") for side in ("en", "de")]
    bpe, vocabularies = train_joint(sides, 4000)
    for side, counts, vocabulary in zip(("en", "de"), sides, vocabularies):
        written = subword.formats.subword_nmt.write_vocabulary(vocabulary)
        assert written.decode() == read(folder / f"vocab.{side}.gz")
        frequent = vocabulary.prune(50)
        pieces = bpe.segment(" ".join(counts), vocabulary=frequent).split(" ")
        assert all(piece in frequent or len(piece.removesuffix("@@")) == 1 for piece in pieces)
