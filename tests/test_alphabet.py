"""How symbols and texts are spelt for people."""

from __future__ import annotations

import random

import pytest

from subword.alphabet import (
    HOLE,
    feature_name,
    feature_names,
    in_texts,
    unk_id,
    visible,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("low</w>", "low</w>"),
        (" low", r"\slow"),
        ("\\s\n\t\r", r"\\s\n\t\r"),
        ("é\u00a0\u200d\x00\u2028北😀", r"é\u{a0}\u{200d}\u{0}\u{2028}北😀"),
        ("\udc80\udcff\ud800", r"\x80\xFF\u{d800}"),
        ("\U000e0001", r"\u{e0001}"),
    ],
)
def test_what_does_not_print_becomes_visible(text, shown):
    assert visible(text) == shown


def test_visible_texts_stay_apart():
    parts = ["\\", "s", " ", "n", "\n", "x80", "\udc80", "u{a0}", "\u00a0"]
    texts = {a + b + c for a in parts for b in parts for c in parts}
    shown = {visible(text) for text in texts}
    assert len(shown) == len(texts)
    assert all(text.isprintable() and " " not in text for text in shown)


@pytest.mark.parametrize(
    ("symbol", "marked", "unmarked"),
    [
        ((b"lo", False), "lo@@", "lo"),
        ((b"lo", True), "lo", "lo"),
        ((b"", True), "</w>", "</w>"),
        ((b"lo@@", True), r"lo\@@", "lo@@"),
        ((b"lo@@", False), "lo@@@@", "lo@@"),
        ((b"</w>", True), r"\</w>", "</w>"),
        ((b"</w>", False), "</w>@@", "</w>"),
        ((b"\xe2", False), "<0xE2>@@", "<0xE2>"),
        ((b"<0xE2>", False), r"\<0xE2>@@", r"\<0xE2>"),
        ((b" \n\t\r", False), r"\s\n\t\r@@", r"\s\n\t\r"),
        ((rb"\s", False), r"\\s@@", r"\\s"),
        (("\u00a0é\u2028".encode(), True), r"\u{a0}é\u{2028}", r"\u{a0}é\u{2028}"),
    ],
)
def test_name_of_one_piece(symbol, marked, unmarked):
    assert feature_name(symbol, True) == marked
    assert feature_name(symbol, False) == unmarked


def test_no_two_names_are_equal():
    parts = [b"lo", b"@@", b"\\", b"</w>", b"<0xE2>", b"\xe2", b" ", b"s"]
    raw = [b"".join(pair) for pair in [(a, b) for a in [b"", *parts] for b in parts]]
    symbols = {(text, is_final) for text in raw for is_final in (True, False)} | {(b"", True)}
    assert len({feature_name(symbol, True) for symbol in symbols}) == len(symbols)
    insides = {symbol for symbol in symbols if not symbol[1]}
    assert len({feature_name(symbol, False) for symbol in insides}) == len(insides)


@pytest.mark.parametrize("marked", [True, False])
def test_the_engine_names_symbols_alike(marked):
    core = pytest.importorskip("subword.native._core")
    rng = random.Random(3)
    parts = [b"lo", b"@", b"\\", b"</w>", b"<0xE2>", b"\xe2\x80", b"\xff", b" ", b"\n", b"\x7f"]
    parts += [c.encode() for c in "é\u2019\x85\u00a0\u1680\u2028\u3000\u200b낮"]
    raw = {b"".join(rng.choices(parts, k=rng.randint(0, 3))) for _ in range(3000)}
    symbols = [(text, is_final) for text in raw for is_final in (True, False)]
    names, differ = core.name_symbols(symbols, marked, {7}, feature_name)
    expected = [feature_name(one, marked and i != 7) for i, one in enumerate(symbols)]
    assert names == expected
    assert differ == (len({*names}) == len(names))


def test_names_of_symbols_that_words_have_no_part_in_come_first():
    symbols = [(b"<s>", True), (b"<s>", False), (b"<s>", False)]
    assert feature_names(symbols, True, whole=[2]) == [r"\<s>", "<s>@@", "<s>"]
    assert feature_names(symbols[1:], False, whole=[1]) == [r"\<s>", "<s>"]


def test_of_equal_symbols_texts_have_the_last():
    symbols = [(b"a", False), (b"<unk>", False), HOLE, (b"a", True), (b"a", False)]
    assert unk_id(symbols, "unk") == 1
    assert unk_id(symbols, "bytes") == -1
    assert in_texts(symbols, 1) == [HOLE, HOLE, HOLE, (b"a", True), (b"a", False)]
    assert in_texts(symbols[2:], -1) == symbols[2:]


@pytest.mark.parametrize("marked", [False, True])
def test_both_engines_name_alike(monkeypatch, marked):
    draw = random.Random(7)
    parts = [
        b"l",
        b"ow",
        b"9",
        b" ",
        b"@",
        b"@@",
        b"<",
        b"/w>",
        b"\\",
        b"\n",
        b"\x7f",
        b"\xc3\xa9",
        b"\xe2",
    ]
    symbols = [(b"".join(draw.choices(parts, k=n % 5)), draw.random() < 0.5) for n in range(3000)]
    symbols = [*dict.fromkeys(symbols)]
    names = feature_names(symbols, marked, whole=[3])
    monkeypatch.setenv("SUBWORD_ENGINE", "python")
    assert names == feature_names(symbols, marked, whole=[3])
    assert len({*names}) == len(symbols)
