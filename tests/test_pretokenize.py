"""From text to words."""

from __future__ import annotations

import pickle
import random

import pytest

import subword
from subword import SubwordError
from subword.pretokenize import PATTERNS, Splitter, check_pretokenizer, check_text, check_texts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello world9119", ["Hello", " world", "9119"]),
        ("I'm a mess", ["I", "'m", " a", " mess"]),
        ("Hellow worl!!!!", ["Hellow", " worl", "!!!!"]),
        ("how      are?", ["how", "     ", " are", "?"]),
    ],
)
def test_gpt2_splits_as_published(text, words):
    assert Splitter("gpt2").words(text) == words


def test_space_splits_at_spaces_and_line_ends_only():
    assert Splitter("space").words("  10\u00a0km\tlow \r\nlow\u2028x\n") == [
        "10\u00a0km\tlow",
        "low\u2028x",
    ]


def test_whitespace_is_str_split():
    rng = random.Random(0)
    for _ in range(200):
        text = "".join(
            chr(rng.choice([0x1C, 0x1F, 0x20, 0x85, 0xA0, 0x2028, 97, 98])) for _ in range(9)
        )
        assert Splitter("whitespace").words(text) == text.split()


def test_words_keep_marks_apostrophes_and_emoticons():
    text = "Don’t, o'clock 42km :-) cafe\u0301"
    assert Splitter("words").words(text) == [
        "Don’t",
        ",",
        "o'clock",
        "42",
        "km",
        ":-)",
        "cafe\u0301",
    ]


def test_cl100k_takes_three_digits_and_ascii_prefixes():
    assert Splitter("cl100k").words("It'S 12345\n\n x") == [
        "It",
        "'S",
        " ",
        "123",
        "45",
        "\n\n",
        " x",
    ]


def test_o200k_splits_at_case_borders():
    assert Splitter("o200k").words("camelCase HTTPServer don't") == [
        "camel",
        "Case",
        " HTTPServer",
        " don't",
    ]


def test_clip_and_bert_isolate_what_their_models_do():
    assert Splitter("clip", lowercase=True).words("It's 42 :)") == ["it", "'s", "4", "2", ":)"]
    assert Splitter("bert").words("a+b, c.") == ["a", "+", "b", ",", "c", "."]


def test_none_takes_the_whole_text():
    assert Splitter("none").words("a\nb ") == ["a\nb "]
    assert Splitter("none").words("") == []


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k", "none"])
def test_patterns_that_keep_space_lose_nothing(name):
    rng = random.Random(name)
    splitter = Splitter(name)
    assert splitter.keeps_space
    for _ in range(300):
        text = "".join(rng.choices("aB1 \n\r\t'’s!/é北\u0301\u2028\x1c", k=15))
        assert "".join(splitter.words(text)) == text


def test_a_pattern_names_the_words():
    assert Splitter(r"(\w)\w*").words("ab, c") == ["ab", "c"]
    assert Splitter(r"a*").words("baa") == ["aa"]
    assert not Splitter(r"\w+").keeps_space
    assert Splitter(r"\w+|\W+").keeps_space


def test_a_slow_pattern_is_stopped():
    splitter = Splitter(r"(?:a|aa|a.|.a)+\b\B", timeout=0.05)
    with pytest.raises(SubwordError, match="took more than"):
        splitter.words("a" * 5000)


@pytest.mark.parametrize(
    ("spec", "message"), [("gtp2", "choose from space"), ("(", "not a pattern"), ("", "unknown")]
)
def test_what_is_no_pretokenizer_is_refused(spec, message):
    with pytest.raises(SubwordError, match=message):
        check_pretokenizer(spec)


def test_order_is_normalise_lower_split():
    assert Splitter("words", True, ("NFKC",)).words("ﬁX") == ["fix"]


@pytest.mark.parametrize("name", [*PATTERNS, r"\w+"])
def test_spans_are_where_the_words_are(name):
    text = " Low,\tlower  42 \n"
    splitter = Splitter(name)
    assert [text[a:b] for a, b in splitter.spans(text)] == splitter.words(text)


@pytest.mark.parametrize("name", PATTERNS)
def test_cutting_a_text_does_not_change_its_words(name):
    rng = random.Random(name)
    splitter = Splitter(name)
    for _ in range(400):
        text = "".join(rng.choices("aB1  \n\r\t's!/", k=30))
        cut = splitter.last_cut(text[:20])
        assert splitter.words(text[:cut]) + splitter.words(text[cut:]) == splitter.words(text)


def test_texts_are_checked():
    with pytest.raises(TypeError, match=r"\[text\]"):
        check_texts("one string")
    with pytest.raises(TypeError, match="document 1: expected a str, got float"):
        list(check_texts(["low", float("nan")]))
    with pytest.raises(SubwordError, match=r"document 0: lone surrogate U\+D83D at character 4"):
        list(check_texts(["low \ud83d"]))
    with pytest.raises(TypeError, match="level='byte'"):
        check_text(b"low")


def test_splitters_compare_and_pickle():
    assert pickle.loads(pickle.dumps(Splitter("gpt2", True))) == Splitter("gpt2", True)
    assert Splitter("gpt2") != Splitter("gpt2", True)


def test_rules_in_a_row_each_split_the_words_of_the_one_before(tmp_path):
    rules = ("space", r"\p{N}|\P{N}+", "words")
    splitter = Splitter(rules)
    assert splitter.words("room 12b, don't") == ["room", "1", "2", "b", ",", "don't"]
    assert splitter.spans("ab 12") == [(0, 2), (3, 4), (4, 5)]
    assert Splitter((r"a|[^a]+", r"x$|.")).words("xax") == ["x", "a", "x"]  # each word is a text
    assert Splitter(["space"]) == Splitter("space") != splitter
    assert Splitter([*rules]) == splitter == pickle.loads(pickle.dumps(splitter))
    counts = subword.WordCounts.from_texts(["a1 a1"], pretokenizer=rules)
    counts.save(tmp_path / "counts")
    assert subword.WordCounts.load(tmp_path / "counts") == counts
    bpe = subword.train(["room12 room12"], pretokenizer=rules)
    assert bpe.pretokenizer == rules
    assert subword.loads(bpe.dumps()) == bpe
    assert bpe.tokenize("room1") == ["room</w>", "1</w>"]
    assert bpe.encode_with_offsets("room1")[1] == [(0, 4), (4, 5)]
    with pytest.raises(SubwordError, match="got none"):
        Splitter(())
    with pytest.raises(SubwordError, match="unknown pretokenizer 'word'"):
        Splitter(("space", "word"))
