"""The text form, as subword-nmt writes it."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import subword
from subword.coder import Coder, Dropout
from subword.native import core
from subword.segment import Segmenter, make_segmenter

LOW = subword.loads("#version: 0.2\nl o\nlo w</w>\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  low  low \r\n", "  low low \r\n"),
        ("low\tlow", "lo@@ w@@ \t@@ low"),
        ("\n\n\n", "\n\n\n"),
        ("a\u2028b\nc\u0085d\n\ne", "a@@ \u2028@@ b\nc@@ \u0085@@ d\n\ne"),
        (" \r\n", " \r\n"),
        ("", ""),
        ("low é", "low é"),
        ("low\rlow\r\n low", "low\rlow\r\n low"),
        (" low  \n\r  low ", " low  \n\r  low "),
    ],
)
def test_white_space_follows_subword_nmt(line, expected):
    assert LOW.segment(line) == expected


def test_version_0_1():
    codes = subword.loads("e s\nes t\nest </w>\nl o\nlo w\n")
    assert codes.segment("low lowest newest q") == "low low@@ est n@@ e@@ w@@ est q"


def test_overlaps_go_left_to_right():
    bpe = subword.loads("#version: 0.2\na a\naa aa\na a</w>\n")
    assert bpe.segment("aaaaa") == "aaaa@@ a"


@pytest.mark.parametrize(
    ("glossary", "line", "expected"),
    [
        ("low", "lowlow lo", "low@@ low l@@ o"),
        (
            r"<num>\d+</num>",
            "<num>12</num> low <num>3</num>low",
            "<num>12</num> low <num>3</num>@@ low",
        ),
        ("a.c", "abc", "abc"),
    ],
)
def test_glossaries_are_patterns(glossary, line, expected):
    assert LOW.segment(line, glossaries=[glossary]) == expected


@pytest.mark.parametrize(
    ("vocabulary", "line", "expected"),
    [
        ({"l@@", "o@@", "w", "lo@@"}, "low", "lo@@ w"),
        ({"l@@", "o@@", "w"}, "low", "l@@ o@@ w"),
        ({"zz"}, "q low", "q l@@ o@@ w"),
        ({"low"}, "low", "low"),
    ],
)
def test_a_vocabulary_undoes_merges(vocabulary, line, expected):
    assert LOW.segment(line, vocabulary=vocabulary) == expected


def test_a_vocabulary_under_version_0_1_leaves_no_empty_piece():
    bpe = subword.loads("l o\nlo w\nlow </w>\n")
    assert bpe.segment("low", vocabulary={"lo@@", "w"}) == "lo@@ w"


def test_other_separators_and_dropout():
    assert LOW.segment("lower", "+") == "lo+ w+ e+ r"
    assert LOW.segment("low", dropout=1.0) == "l@@ o@@ w"
    line = "low lower " * 30
    assert LOW.segment(line, dropout=0.5, seed=1) == LOW.segment(line, dropout=0.5, seed=1)


def test_bytes_that_are_no_characters_are_spelt():
    bpe = subword.train(["é é"], 0, level="byte")
    assert bpe.segment("é") == "<0xC3>@@ <0xA9>"


# -- the two engines -------------------------------------------------------------------------

ODD = "abcde  éBΣ北😀.\t\n\r@\u2028\x85"
MODELS = {
    "suffix": {},
    "separate": {"end_of_word": "separate"},
    "unk": {"unknown": "unk"},
    "unk_run": {"unknown": "unk_run"},
    "lowercase": {"lowercase": True, "pretokenizer": "words"},
    "byte": {"level": "byte", "end_of_word": "suffix"},
    "words": {"pretokenizer": "words"},
    "whitespace": {"pretokenizer": "whitespace"},
    "gpt2": {"level": "byte", "pretokenizer": "gpt2"},
}


def texts(seed: int) -> list[str]:
    rng = random.Random(seed)
    odd = ["".join(rng.choices(ODD, k=rng.randrange(60))) for _ in range(20)]
    return [*odd, "ab" * 500, "a" * 129 + " " + "b" * 40, "\n".join(odd), " ", "\t\n \t"]


@pytest.mark.skipif(not core(), reason="compares the native engine")
@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_the_engines_write_the_same(name, raw):
    bpe = subword.train(
        ["".join(ODD[:5]) * 3, "abcab cabc deab", "bcde é abc"] * 3, 12, **MODELS[name]
    )
    twin = Coder(bpe._plain, bpe._table, bpe.options)
    vocabulary = {"ab@@", "abc", "a@@", "de", "<0xC3>", "é@@"}
    rules = [("@@",), ("~", ["bc", r"\d|é"]), ("@@", (), vocabulary), ("", ["d.", "a"], vocabulary)]
    for rule in rules:
        ours, theirs = make_segmenter(bpe._coder, *rule, raw=raw), Segmenter(twin, *rule, raw=raw)
        assert type(ours) is not type(theirs)
        for seed in range(2):
            for text in texts(seed):
                assert ours.segment(text) == theirs.segment(text), (rule, text)
                drop = Dropout(0.4, 7, bpe._coder.hash_text(text))
                assert ours.segment(text, drop, 3) == theirs.segment(text, drop, 3)
                utf8 = text.encode("utf-8", "surrogateescape")
                assert ours.count_words(utf8) == theirs.count_words(utf8)
                assert ours.segment_utf8(utf8) == theirs.segment_utf8(utf8)


def test_bytes_that_are_no_utf8_pass_at_byte_level():
    bpe = subword.train([b"\xff\xfe low"], 0, level="byte", end_of_word="suffix")
    segmenter = make_segmenter(bpe._coder, raw=True)
    assert segmenter.segment_utf8(b"\xff\xfe low") == b"\xff@@ \xfe l@@ o@@ w"


def test_many_lines_at_once_equal_each_alone():
    lines = [text for text in texts(9) if not {"\n", "\r"} & {*text}]
    assert LOW.segment("\n".join(lines)) == "\n".join(map(LOW.segment, lines))


def test_dropout_of_a_stream_is_keyed_by_the_place_of_the_word():
    segmenter, drop = LOW.segmenter(), Dropout(0.5, 1, 0)
    whole = segmenter.segment("low low\n low\n" * 40, drop)
    parts = [segmenter.segment("low low\n low\n", drop, 3 * i) for i in range(40)]
    assert whole == "".join(parts)
    assert len({*parts}) > 1


def test_a_segmenter_is_made_once_for_the_same_rules():
    assert LOW.segmenter(glossaries=["low"]) is LOW.segmenter(glossaries=("low",))
    assert LOW.segmenter() is not LOW.segmenter("~")
    changing = {"low"}
    assert LOW.segment("low", vocabulary=changing) == "low"
    changing.clear()
    assert LOW.segment("low", vocabulary=changing) == "l@@ o@@ w"


def test_rules_that_cannot_be_meant_are_refused():
    with pytest.raises(subword.SubwordError, match="lone surrogate"):
        LOW.segment("lowly", "\ud800")
    for name in ("glossaries", "vocabulary"):
        with pytest.raises(TypeError, match=rf"put it in a list: {name}=\['low'\]"):
            LOW.segment("lowly", **{name: "low"})


def test_threads_share_a_segmenter():
    segmenter = LOW.segmenter(glossaries=["x+"])
    given = texts(4) * 3
    expected = list(map(segmenter.segment, given))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(segmenter.segment, given)) == expected


def test_a_segmenter_may_be_forgotten_at_any_time(monkeypatch):
    class Forgetful(dict):
        def __setitem__(self, rules, segmenter):
            """Do what another thread that clears it might."""

    monkeypatch.setattr(LOW, "_segmenters", Forgetful())
    assert LOW.segmenter().segment("lowly") == "lo@@ w@@ l@@ y"


def test_a_deep_piece_is_split_without_recursion():
    merges = "".join(f"{'a' * n} a\n" for n in range(1, 1500))
    bpe = subword.loads(f"#version: 0.2\n{merges}")
    assert bpe.segment("a" * 1400 + "b", vocabulary=set()) == "a@@ " * 1400 + "b"
