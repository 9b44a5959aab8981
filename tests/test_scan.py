"""The native scanners find what `regex` and `str.split` find, in whatever text."""

import random
import re

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

core = pytest.importorskip("subword.native._core")

# As published by tiktoken (r50k, cl100k, o200k); `words` is ours.
PATTERNS = {
    "words": r"\p{L}[\p{L}\p{M}]*(?:['’]\p{L}[\p{L}\p{M}]*)*|\p{N}+|[^\s\p{L}\p{N}]+",
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
ORACLES = {
    "space": lambda text: re.findall(r"[^ \r\n]+", text),
    "whitespace": str.split,
    "none": lambda text: [text] if text else [],
    **{name: regex.compile(pattern).findall for name, pattern in PATTERNS.items()},
}
each_scanner = pytest.mark.parametrize("scanner", ORACLES)

# What the patterns tell apart: cases, marks, contractions, apostrophes, digits of several scripts, white space.
TELLING = list(
    "aZ'’sStTvVeErRlLdDmM09²٣Ⅷ.,/!_ʰªǅßéñ中のжЖ\u0301\u0903\u200d\u017f\u2019\u00ad\ufeff\U0001f600\U0001e900"
)
TELLING += list("  \t\n\r\x0b\x0c\x1c\x1f\x00\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000")
TELLING += ["'s", "'LL", "'ſ", "\r\n", "the", " a", "\n\n  ", "1234", "   "]
EDGE_CASES = [
    "",
    " ",
    "a",
    "a ",
    "  \n  ",
    "a\n \n",
    "don't I'LL 'ſ '' 's's",
    "!\n/usr",
    "ʰAAA",
    "\u0301ABC",
    "ǅungla",
    "a'é",
    "é'a'",
]

telling_text = st.lists(st.sampled_from(TELLING), max_size=200).map("".join)
any_text = st.text(max_size=200)


def random_character(rng):
    """From any plane, half of the time from the Basic Multilingual Plane; no surrogates."""
    code = rng.randrange(0x10000 if rng.random() < 0.5 else 0x110000)
    return chr(code) if not 0xD800 <= code < 0xE000 else "x"


def random_text(rng, size):
    """Telling pieces, ASCII stretches (the AVX2 windows) and characters of any kind."""
    makers = [
        lambda: rng.choice(TELLING),
        lambda: "".join(map(chr, rng.choices(range(128), k=rng.randrange(80)))),
        lambda: " ".join(
            "".join(rng.choices("abcDEF'19", k=rng.randrange(1, 9))) for _ in range(20)
        ),
        lambda: random_character(rng),
    ]
    return "".join(rng.choice(makers)() for _ in range(size))


@each_scanner
@settings(max_examples=300)
@given(text=st.one_of(telling_text, any_text))
@example(text="a" * 200)
@example(text="a" * 63 + "'s b")
def test_equals_oracle(scanner, text):
    expected = ORACLES[scanner](text)
    assert core.scan(scanner, text) == expected
    assert core.scan(scanner, text, simd=False) == expected


@each_scanner
@pytest.mark.parametrize("text", EDGE_CASES)
def test_edge_cases(scanner, text):
    assert core.scan(scanner, text) == ORACLES[scanner](text)


@each_scanner
def test_random_text_of_all_planes(scanner):
    rng = random.Random(1)
    for _ in range(300):
        text = random_text(rng, 40)
        assert core.scan(scanner, text) == ORACLES[scanner](text)


@each_scanner
def test_every_code_point(scanner):
    codes = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    text = "".join(f"a{chr(code)}b 1{chr(code)}\n" for code in codes)
    assert core.scan(scanner, text) == ORACLES[scanner](text)


@each_scanner
@given(
    text=st.lists(
        st.sampled_from(
            [
                b"\xff",
                b"\xc2",
                b"\xa0",
                b"\xe2\x80",
                b"\xed\xa0\x80",
                b"\xf4\x90",
                b"a",
                b"A",
                b" ",
                b"'s",
                b"\n",
                b"1",
                "é".encode(),
            ]
        )
    ).map(b"".join)
)
def test_invalid_bytes_are_other_characters(scanner, text):
    """As if each stood for a character that no pattern names."""
    shown = text.decode(errors="surrogateescape")
    expected = [word.encode(errors="surrogateescape") for word in ORACLES[scanner](shown)]
    assert core.scan(scanner, text) == expected == core.scan(scanner, text, simd=False)


@each_scanner
@given(text=telling_text)
def test_spans_are_the_words(scanner, text):
    text = text.encode()
    starts, ends = core.spans(scanner, text)
    assert [text[start:end] for start, end in zip(starts, ends)] == core.scan(scanner, text)


@each_scanner
@given(text=telling_text)
def test_cut_anywhere_allowed(scanner, text):
    text = text.encode()
    while text:
        cut = core.last_cut(scanner, text)
        assert core.scan(scanner, text[:cut]) + core.scan(scanner, text[cut:]) == core.scan(
            scanner, text
        )
        text = text[:cut]


@each_scanner
@pytest.mark.parametrize(
    "piece",
    ["a", "A", "ʰ", "ʰA", " ", "\n", " \n", "'", "a'", "1", "!", "!\n", "\u0301", "中", "\u3000"],
)
def test_linear_time(scanner, piece):
    """A quadratic scanner would take minutes."""
    text = piece * (2_000_000 // len(piece)) + "x"
    assert core.scan(scanner, text)[-1].endswith("x")
    assert core.scan(scanner, text, simd=False)[-1].endswith("x")


@given(
    st.lists(st.one_of(st.binary(max_size=5), any_text.map(str.encode))).map(b"".join),
    st.integers(0, 130),
)
def test_validate_utf8(text, padding):
    text = b"x" * padding + text
    try:
        text.decode()
        expected = -1
    except UnicodeDecodeError as error:
        expected = error.start
    assert core.validate_utf8(text) == expected


@pytest.mark.parametrize("bad", ["\ud800", "a\udfff", "é\udc80"])
def test_lone_surrogate(bad):
    with pytest.raises(ValueError) as caught:
        core.scan("words", bad)
    assert caught.value.args == (0, len(bad) - 1)


def test_unknown_scanner():
    with pytest.raises(ValueError, match="choose from space, whitespace"):
        core.scan("spaces", "a")


def test_unicode_version():
    assert regex.fullmatch(r"\d+\.\d+\.\d+", core.unicode_version())


@pytest.mark.parametrize("scanner", ["words", "gpt2", "cl100k", "whitespace", "space"])
def test_windows_of_other_scripts_are_scanned_alike(scanner):
    rng = random.Random(scanner)
    scripts = [
        "привет мир ",
        "नमस्ते दुनिया ",
        "สวัสดี ",
        "안녕 세상 ",
        "你好世界",
        "مرحبا ",
        "naïve ",
        "abc 12 ",
        "ኣማርኛ ",
        "𐍈𐍉 😀",
    ]
    for _ in range(300):
        pieces = ["".join(rng.choices(rng.choice(scripts), k=rng.randint(1, 90))) for _ in range(4)]
        text = "".join(pieces).encode()
        if rng.random() < 0.3:  # cut somewhere, and damaged somewhere
            text = text[: rng.randrange(len(text))] + b"\xff" + text[rng.randrange(len(text)) :]
        assert core.scan(scanner, text) == core.scan(scanner, text, simd=False)
