"""SentencePiece: models by hand and, where the package is, models made by it."""

from __future__ import annotations

import io
import struct

import pytest
from foreign import lines, reviews

import subword
from subword import ModelFileError
from subword.formats import sentencepiece

BYTES = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
START = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
LOW = [("lo", -0.0, 1), ("low", -1.0, 1), ("▁low", -2.0, 1), ("▁", -3.0, 1), ("l", -4.0, 1), ("o", -5.0, 1), ("w", -6.0, 1)]  # fmt: skip


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def field(number: int, value: int | float | bytes) -> bytes:
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def model(pieces=START + BYTES + LOW, trainer=None, rules=None) -> bytes:
    parts = [
        field(1, field(1, t.encode()) + field(2, score) + field(3, kind))
        for t, score, kind in pieces
    ]
    parts.append(
        field(2, b"".join(field(*row) for row in ({3: 2, 35: 1} | (trainer or {})).items()))
    )
    parts.append(
        field(3, b"".join(field(*row) for row in ({1: b"identity"} | (rules or {})).items()))
    )
    return b"".join(parts)


def load(raw: bytes) -> subword.BPE:
    return subword.loads(raw.decode("utf-8", "surrogateescape"), "m.model")


def test_merges_are_found_in_the_scores(tmp_path):
    bpe = load(model())
    assert bpe.merges == (("l", "o"), ("lo", "w"), (" ", "low"))
    assert bpe.encode(" low  lö") == [261, 262, 263, 3 + 0xC3, 3 + 0xB6]
    assert bpe.decode(bpe.encode("low lö low")) == " low lö low"
    assert bpe.special_tokens == ("<unk>", "<s>", "</s>")
    assert bpe.encode("</s>low", allowed_special="all") == [2, 261]
    assert bpe.encode("a") == [262, 3 + ord("a")]
    assert bpe.decode([3 + ord("l"), 263]) == "ll"
    (tmp_path / "m.model").write_bytes(model())
    assert subword.load(tmp_path / "m.model") == bpe == subword.loads(bpe.dumps())


def test_offsets_are_those_of_the_text():
    ids, offsets = load(model()).encode_with_offsets("  low  low ")
    assert ids == [261, 261]
    assert offsets == [(2, 5), (5, 10)]


def test_without_bytes_unknown_neighbours_are_one_unk():
    bpe = load(model(START + LOW, {35: 0}))
    assert bpe.encode("xy low") == [6, 0, 5]
    assert bpe.special_tokens == ("<s>", "</s>")


@pytest.mark.parametrize(
    ("pieces", "trainer", "rules", "reason"),
    [
        ([], {3: 1}, {}, "unigram model; only bpe"), ([], {3: 4}, {}, "char model"),
        ([("x", 0.0, 4)], {}, {}, "1 pieces are user-defined, 'x'"), ([("x", 0.0, 5)], {}, {}, "unused"),
        ([("x", 0.0, 9)], {}, {}, "type 9"), ([("x", float("nan"), 1)], {}, {}, "score nan"),
        ([("ow", -1.0, 1)], {}, {}, "same score"), ([("lx", -9.0, 1)], {}, {}, "'x', which is no piece"),
        ([("l", -9.0, 1)], {}, {}, "two pieces stand for the same text"), ([("", -9.0, 1)], {}, {}, "an empty piece"),
        ([("<0xZZ>", 0.0, 6)], {}, {}, "expected a byte"), ([], {24: 1}, {}, "white space at the end"),
        ([], {}, {5: 0}, "not spelt U\\+2581"), ([], {}, {1: b"mine", 2: b"x"}, "named 'mine'"),
        ([("<unk2>", 0.0, 2)], {}, {}, "no unknown piece, or several"), ([], {3: b"x"}, {}, "wrong type"),
    ],
)  # fmt: skip
def test_what_is_wrong_or_has_no_equal_is_refused(pieces, trainer, rules, reason):
    with pytest.raises(ModelFileError, match=reason) as caught:
        load(model(START + BYTES + LOW + pieces, trainer, rules))
    assert caught.value.path == "m.model"


def test_missing_bytes_are_refused():
    with pytest.raises(ModelFileError, match="only 255 of the 256"):
        load(model(START + BYTES[:-1] + LOW))


def test_a_cut_file_is_refused_wherever_it_is_cut():
    raw = model()
    for size in range(20, len(raw) - 1, 101):
        with pytest.raises(ModelFileError):
            load(raw[:size])


@pytest.mark.parametrize(
    "options",
    [
        {}, {"normalization_rule_name": "identity", "remove_extra_whitespaces": False},
        {"normalization_rule_name": "nmt_nfkc_cf", "add_dummy_prefix": False},
        {"normalization_rule_name": "nfkc", "split_by_whitespace": False},
        {"allow_whitespace_only_pieces": True, "split_digits": True},
    ],
    ids=["plain", "identity", "folded", "phrases", "spaces"],
)  # fmt: skip
def test_sentencepiece_gives_the_same_ids(options):
    theirs = pytest.importorskip("sentencepiece")
    file = io.BytesIO()
    texts = reviews()[:600]
    theirs.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=file, vocab_size=700, model_type="bpe",
        byte_fallback=True, minloglevel=2, **options,
    )  # fmt: skip
    bpe = load(file.getvalue())
    processor = theirs.SentencePieceProcessor(model_proto=file.getvalue())
    odd = ["", "   ", " a  b ", "▁", "a▁ ", "～ﬁ Ａ Straße İ", "ю\u0323\u0301 ｶﾞ  \u200b 한국"]
    for text in [*lines(), *odd]:
        assert bpe.encode(text) == processor.encode(text), text


def test_other_bytes_are_not_taken_for_it():
    for raw in (b"\nl o\n", b"\n\n\n\n", b"\n\x0e\n\xff<unk>", b"\n"):
        assert not sentencepiece.recognises(raw.decode("utf-8", "surrogateescape"))
        with pytest.raises(ModelFileError):
            load(raw)
