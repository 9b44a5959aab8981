"""Special tokens: the leftmost, of those the longest, however many there are."""

from __future__ import annotations

import random

import pytest
import regex

import subword
from subword.specials import special_pattern, without_specials


@pytest.mark.parametrize("seed", range(20))
def test_equals_the_regular_expression(seed):
    rng = random.Random(seed)
    tokens = list({"".join(rng.choices("a]^\\-<é", k=rng.randint(1, 4))) for _ in range(6)})
    texts = ["".join(rng.choices("a]^\\-<é b", k=40)) for _ in range(20)]
    expected = regex.compile(r"\L<tokens>", tokens=tokens)
    for text in texts:
        assert list(special_pattern(tokens).spans(text)) == [
            m.span() for m in expected.finditer(text)
        ]
    pieces = [piece for text in texts for piece in expected.split(text) if piece]
    assert list(without_specials(texts, tokens)) == pieces


@pytest.mark.slow
def test_a_million_tokens():
    tokens = [f"<{i}>" for i in range(1_000_000)]
    bpe = subword.train(["low<5> lower<77>"] * 9, special_tokens=tokens)
    assert not any(b"<" in text for text, _ in bpe._plain[256:])
    first = len(bpe) - len(tokens)
    ids, _ = bpe.encode_batch(["<5><999999> <1000000>"] * 3, allowed_special="all")
    assert ids[:2].tolist() == [first + 5, first + 999_999]
    with pytest.raises(subword.SpecialTokenError, match="'<x>' is no special token") as caught:
        bpe.encode("low", allowed_special={"<x>"})
    assert len(str(caught.value)) < 300


def test_an_iterator_of_tokens_holds_for_every_document():
    bpe = subword.train({"low": 5}, special_tokens=["<s>"])
    texts = ["<s>low"] * 3
    ids, _ = bpe.encode_batch(texts, allowed_special=iter(["<s>"]))
    assert ids.tolist() == bpe.encode_batch(texts, allowed_special="all")[0].tolist()


def test_a_document_that_quotes_special_tokens_is_text():
    specials = ["<|endoftext|>", "</s>"]
    bpe = subword.train(["low lower"] * 3, special_tokens=specials)
    plain = subword.train(["low lower"] * 3)
    text = "He wrote <|endoftext|> and </s>."
    assert bpe.encode(text) == plain.encode(text)
    assert bpe.encode_batch([text])[0].tolist() == bpe.encode(text)
    assert bpe.decode(bpe.encode(text)) == text
    assert not set(bpe.encode(text)) & {bpe.piece_to_id(token) for token in specials}
    some = bpe.encode(text, allowed_special={"</s>"})
    assert bpe.piece_to_id("</s>") in some
    assert bpe.piece_to_id("<|endoftext|>") not in some


def test_special_tokens_live_on_in_files(tmp_path):
    bpe = subword.train(["is<SEP>ok is<SEP>ok"], special_tokens=["<SEP>"])
    assert not any("SEP" in piece for piece in bpe.vocab[:-1])
    bpe.save(tmp_path / "model")
    again = subword.load(tmp_path / "model")
    assert again.tokenize("is<SEP>ok", allowed_special="all") == ["is</w>", "<SEP>", "ok</w>"]
    assert again.piece_to_id("<SEP>") == bpe.piece_to_id("<SEP>") == len(bpe) - 1


def test_all_ways_to_encode_find_the_same_special_tokens():
    bpe = subword.train(["low lower"] * 3, special_tokens=["<s>", "<s>>", "<"])
    text = "<s>>low<<s><"
    ids = bpe.encode(text, allowed_special="all")
    assert [bpe.vocab[i] for i in ids] == ["<s>>", "low</w>", "<", "<s>", "<"]
    assert bpe.encode_batch([text, text], allowed_special="all")[0].tolist() == ids * 2
    assert bpe.count(text, allowed_special="all") == len(ids)
    found, offsets = bpe.encode_with_offsets(text, allowed_special="all")
    assert found == ids
    assert [text[start:end] for start, end in offsets] == ["<s>>", "low", "<", "<s>", "<"]
