"""Learning through the public door: the worked examples, options, limits, warnings."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from conftest import TOY

import subword
from subword import SubwordError, SubwordWarning, WordCounts


def spelt(bpe: subword.BPE) -> list[str]:
    return [f"{left} {right}" for left, right in bpe.merges]


def test_the_example_of_the_paper(toy):
    bpe = subword.train(toy, 10, end_of_word="separate", tie_break="first")
    assert spelt(bpe) == [
        "e s", "es t", "est </w>", "l o", "lo w", "n e", "ne w", "new est</w>", "low </w>", "w i",
    ]  # fmt: skip


def test_the_example_with_the_rules_of_subword_nmt(toy):
    bpe = subword.train(toy)
    assert spelt(bpe)[:10] == [
        "s t</w>", "e st</w>", "l o", "w est</w>", "n e", "ne west</w>", "lo w</w>", "w i", "wi d",
        "wid est</w>",
    ]  # fmt: skip
    assert bpe.num_merges == 13
    assert bpe.merge_counts[:4].tolist() == [9, 9, 7, 6]


@pytest.mark.parametrize(
    ("tie_break", "merges"),
    [
        ("largest", ["b c", "a c", "a bc"]),
        ("largest_id", ["b c", "a bc", "a c"]),
        ("smallest_id", ["a b", "a c", "ab c"]),
        ("first", ["a b", "ab c", "a c"]),
    ],
)
def test_the_four_tie_rules(tie_break, merges):
    bpe = subword.train(
        {"abc": 1, "ac": 1}, level="byte", end_of_word=None, pretokenizer="none",
        min_frequency=1, tie_break=tie_break,
    )  # fmt: skip
    assert spelt(bpe) == merges


def test_banana_by_ids():
    options = {"level": "byte", "pretokenizer": "none", "tie_break": "largest_id"}
    bpe = subword.train(["banana"], 3, min_frequency=1, **options)
    assert [m[:3] for m in bpe.merge_table()] == [(110, 97, 256), (256, 256, 257), (98, 97, 258)]
    assert bpe.encode("banana") == [258, 257]
    assert subword.train(["banana"], **options).encode("banana") == [98, 97, 256, 256]


def test_hello_world_with_gpt2_words():
    bpe = subword.train(["hello world"] * 3, 9, level="byte", pretokenizer="gpt2")
    assert bpe.end_of_word is None
    assert bpe.tokenize("hello world") == ["hello", " world"]
    assert [step.result for step in bpe.trace(" world")] == ["wo", "wor", "worl", "world", " world"]


@pytest.mark.parametrize(
    "source",
    [TOY, WordCounts(TOY), ["low " * 5 + "lower " * 2, "newest " * 6 + "widest " * 3]],
    ids=["mapping", "counts", "texts"],
)
def test_sources_of_the_same_words_give_the_same_model(source):
    assert subword.train(source) == subword.train(TOY)


def test_a_generator_is_read_once():
    assert subword.train(text for text in ["low low", "low"]) == subword.train({"low": 3})


def test_order_of_words_does_not_matter():
    words = list(TOY.items())
    for seed in range(5):
        random.Random(seed).shuffle(words)
        for tie_break in ("largest", "largest_id", "smallest_id"):
            assert subword.train(dict(words), tie_break=tie_break) == subword.train(
                TOY, tie_break=tie_break
            )


def test_five_times_the_corpus_is_the_same_corpus(toy):
    five = {word: 5 * count for word, count in toy.items()}
    assert (
        subword.train(five, min_frequency=10).merges == subword.train(toy, min_frequency=2).merges
    )


def test_min_frequency_limits_pair_counts():
    assert spelt(subword.train(["ab ab cd"])) == ["a b</w>"]
    with pytest.warns(SubwordWarning, match="nothing to learn"):
        assert spelt(subword.train(["ab ab cd"], min_frequency=3)) == []


def test_ties_follow_the_spelling():
    assert spelt(subword.train(["ab cd ef"], min_frequency=1)) == ["e f</w>", "c d</w>", "a b</w>"]


def test_large_counts_are_exact():
    assert spelt(subword.train({"aaa": 3_000_000_000, "bc": 2})) == [
        "a a</w>",
        "a aa</w>",
        "b c</w>",
    ]
    assert subword.train({"ab": 2**62}).merge_counts.tolist() == [2**62]
    with pytest.raises(OverflowError):
        subword.train({"ab": 2**62, "abab": 2**62})


def test_vocab_size_counts_every_id(toy):
    base = len(subword.train(toy, 0))
    assert base == 256 + 1 + len(set("lowernstid"))
    bpe = subword.train(toy, vocab_size=base + 4, special_tokens=["<s>"])
    assert (len(bpe), bpe.num_merges, bpe.piece_to_id("<s>")) == (base + 4, 3, base + 3)
    with pytest.raises(SubwordError, match=f"too small: {base}"):
        subword.train(toy, vocab_size=10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_merges": 5, "vocab_size": 400}, "not both"),
        ({"num_merges": -1}, "at least 0"),
        ({"num_merges": 1.5}, "integer"),
        ({"level": "word"}, "'char', 'byte'"),
        ({"end_of_word": "prefix"}, "'suffix', 'separate', None"),
        ({"tie_break": "random"}, "'largest'"),
        ({"unknown": "drop"}, "'bytes', 'unk'"),
        ({"max_token_length": 0}, "at least 1"),
        ({"pretokenizer": "gtp2"}, "choose from"),
        ({"special_tokens": ["", "a"]}, "empty"),
    ],
)
def test_wrong_options_say_what_is_allowed(toy, options, message):
    with pytest.raises(SubwordError, match=message):
        subword.train(toy, **options)


@pytest.mark.parametrize("source", [[""], ["   \n  \n"], ["a b c"], {}, []])
def test_nothing_to_learn_gives_a_usable_model(source):
    with pytest.warns(SubwordWarning, match="nothing to learn"):
        bpe = subword.train(source)
    assert bpe.segment("low") == "l@@ o@@ w"
    assert subword.loads(bpe.dumps()) == bpe


def test_fewer_merges_than_asked_for_is_said_once():
    with pytest.warns(SubwordWarning, match="1 merges learnt, 10000 asked for"):
        assert subword.train(["ab ab"], 10_000).num_merges == 1


def test_words_that_will_run_together_are_announced():
    with pytest.warns(SubwordWarning, match="run together"):
        subword.train(["low low"], end_of_word=None)


def test_max_token_length_is_in_characters():
    bpe = subword.train({"äöü": 5}, max_token_length=2)
    assert max(len(piece.replace("</w>", "")) for piece in bpe.vocab[257:]) == 2


def test_rare_words_can_be_left_out():
    assert subword.train({"low": 5, "wow": 1}, min_word_frequency=2) == subword.train({"low": 5})


def test_special_tokens_take_no_part():
    bpe = subword.train(["is<SEP>ok is<SEP>ok <SEP>"], special_tokens=["<SEP>"])
    assert not any("S" in piece for pair in bpe.merges for piece in pair)
    assert bpe.encode("is<SEP>ok", allowed_special="all") == [
        bpe.piece_to_id("is</w>"), bpe.piece_to_id("<SEP>"), bpe.piece_to_id("ok</w>"),
    ]  # fmt: skip
    assert subword.train({"is<SEP>ok": 2, "<SEP>": 1}, special_tokens=["<SEP>"]) == bpe


def test_counts_bring_their_rules():
    counts = WordCounts.from_texts(["Low Low"], lowercase=True, pretokenizer="words")
    bpe = subword.train(counts)
    assert (bpe.pretokenizer, bpe.options.splitter.lowercase) == ("words", True)
    with pytest.raises(SubwordError, match="cannot be split again"):
        subword.train(counts, pretokenizer="gpt2")


def test_mappings_are_normalised_too():
    assert subword.train({"Low": 1, "low": 1}, lowercase=True) == subword.train(
        {"low": 2}, lowercase=True
    )


@pytest.mark.parametrize("source", ["one string", b"bytes"])
def test_a_single_text_is_refused(source):
    with pytest.raises(TypeError, match="iterable of texts"):
        subword.train(source)


def test_bytes_are_texts_at_byte_level_only():
    bpe = subword.train([b"\xff\xfe \xff\xfe"], level="byte")
    assert bpe.symbols[-1] == (b"\xff\xfe", True)
    assert bpe.decode_bytes(bpe.encode(b"\xff\xfe")) == b"\xff\xfe"
    with pytest.raises(TypeError, match="level='byte'"):
        subword.train([b"low"])
    with pytest.raises(SubwordError, match="level='byte'"):
        subword.train(WordCounts.from_texts([b"\xff\xfe"]))


def test_files_are_trained_on_like_texts(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("low low\nlower")
    assert subword.train_files(path, lowercase=True) == subword.train(
        ["low low lower"], lowercase=True
    )


def test_the_hash_seed_changes_nothing():
    code = "import subword; print(subword.train(['a\u00e9 b\u00e9c low lower lowest low'] * 2).fingerprint)"
    prints = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1", "42")
    }  # fmt: skip
    assert len(prints) == 1


def test_a_line_like_a_header_is_text():
    bpe = subword.train(["#version: 0.2 #version: 0.2"], tie_break="largest")
    assert spelt(bpe)[0] == "v e"
    assert "0. 2</w>" in spelt(bpe)
