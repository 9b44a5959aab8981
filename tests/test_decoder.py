"""Decoding id by id: what is shown is certain, and in the end it is what decoding at once gives."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from conftest import TOY
from hypothesis import given, settings
from hypothesis import strategies as st

import subword

BYTES = subword.train(["é☃ 😀 low"] * 2, level="byte", pretokenizer="gpt2", special_tokens=["<s>"])
MARKED = subword.train(
    ["é☃ 😀 low"] * 2, level="byte", end_of_word="suffix", special_tokens=["<s>"]
)
MODELS = {
    "bytes": BYTES,
    "bytes, suffix": MARKED,
    "characters": subword.train(TOY, special_tokens=["<s>"]),
    "separate": subword.train(TOY, end_of_word="separate"),
    "unk": subword.train(TOY, unknown="unk"),
}
models = pytest.mark.parametrize("name", MODELS)


@models
@settings(max_examples=100, deadline=None)
@given(numbers=st.lists(st.integers(0, 10**6), max_size=30))
def test_any_ids_come_out_as_at_once(name, numbers):
    bpe = MODELS[name]
    ids = [number % len(bpe) for number in numbers]
    stream = bpe.decoder()
    assert "".join(map(stream.push, ids)) + stream.flush() == bpe.decode(ids)
    assert "".join(map(stream.push, ids)) + stream.flush() == bpe.decode(ids)  # and again


@models
def test_nothing_shown_is_taken_back(name):
    bpe = MODELS[name]
    for text in ("naïve ☃ 😀", "👩‍👩‍👧 é́", "\0 low\U0010ffff", ""):
        ids, stream = bpe.encode(text), bpe.decoder()
        shown = "".join(map(stream.push, ids))
        whole = bpe.decode(ids)
        assert whole.startswith(shown)
        assert whole == shown + stream.flush()
        if "unk" not in name:
            assert "\ufffd" not in shown


@pytest.mark.parametrize("text", ["杝", "😀", "é"])
def test_a_character_comes_with_its_last_byte(text):
    bpe = subword.train(["x"], 0, level="byte", pretokenizer="gpt2")
    stream, ids = bpe.decoder(), bpe.encode(text)
    assert [stream.push(i) for i in ids] == [""] * (len(ids) - 1) + [text]
    assert stream.flush() == ""
    for cut in range(1, len(ids)):
        assert [stream.push(i) for i in ids[:cut]] == [""] * cut
        assert stream.flush() == "\ufffd" == bpe.decode(ids[:cut])


def test_bytes_that_are_no_text_become_u_fffd_as_soon_as_that_is_sure():
    stream = BYTES.decoder()
    assert [stream.push(i) for i in (0xFF, 0xE2, 0x98, 0x41, 0xC3)] == [
        "\ufffd",
        "",
        "",
        "\ufffdA",
        "",
    ]
    assert stream.flush() == "\ufffd"
    assert stream.push(0x41) == "A"


def test_the_space_behind_a_word_comes_with_the_next():
    bpe = MODELS["characters"]
    ids = bpe.encode("low<s>lower", allowed_special="all")
    stream = bpe.decoder()
    assert [stream.push(i) for i in ids] == ["low", " <s>", " lower"]
    assert stream.flush() == ""
    assert [stream.push(i) for i in ids[:1]] == ["low"]  # no space from the text before


@models
def test_an_id_that_there_is_not_leaves_the_stream_as_it_was(name):
    bpe = MODELS[name]
    ids, stream = bpe.encode("low lower"), bpe.decoder()
    shown = stream.push(ids[0])
    for wrong in (-1, len(bpe), 10**9):
        with pytest.raises(IndexError, match=str(wrong)):
            stream.push(wrong)
    with pytest.raises(TypeError):
        stream.push(1.5)
    shown += "".join(stream.push(i) for i in np.array(ids[1:], np.int32))
    assert shown + stream.flush() == bpe.decode(ids) == "low lower"


def test_special_tokens_among_the_ids():
    bpe = BYTES.extend([" newest"] * 3, 3)
    ids = bpe.encode("low<s> newest<s>", allowed_special="all")
    assert bpe.piece_to_id("<s>") in ids
    assert max(ids) > bpe.piece_to_id("<s>")
    stream = bpe.decoder()
    assert "".join(map(stream.push, ids)) == "low<s> newest<s>" == bpe.decode(ids)


def test_streams_do_not_disturb_each_other():
    one, other = BYTES.decoder(), BYTES.decoder()
    ids = "☃".encode()
    shown = [(one.push(i), other.push(i)) for i in ids]
    assert shown == [("", ""), ("", ""), ("☃", "☃")]
    mixed = [stream.push(i) for i, stream in zip("é".encode() * 2, itertools.cycle([one, other]))]
    assert mixed == ["", "\ufffd", "\ufffd", "\ufffd"]
