"""GPT-1's two files: characters, suffix, <unk>, BERT's cleaning."""

from __future__ import annotations

import json

import pytest
from conftest import read
from foreign import HELD, references, small

import subword
from subword import ModelFileError
from subword.formats import gpt1

TOKENS = ["<unk>", "l", "o", "w", "w</w>", "lo", "low</w>", "<pad>", "\n</w>"]


def pair(folder, tokens=TOKENS, rows=("l o", "lo w</w>")):
    paths = folder / "encoder_bpe_40000.json", folder / "vocab_40000.bpe"
    paths[0].write_text(json.dumps({token: i for i, token in enumerate(tokens)}, indent=0))
    paths[1].write_text("\n".join(["#version: 0.2", *rows, ""]), encoding="utf-8")
    return paths


def test_either_file_will_do(tmp_path):
    first, second = map(subword.load, pair(tmp_path))
    assert first == second
    assert first.encode("LÓW lo x ") == [6, 5 - 4, 0, 0]
    assert first.encode("low<pad>", allowed_special="all") == [6, 7]
    assert first.decode([6, 7, 6]) == "low <pad> low"
    assert subword.loads(first.dumps()) == first
    assert gpt1.write(first) == (
        json.dumps({t: i for i, t in enumerate(TOKENS)}),
        "#version: 0.2\nl o\nlo w</w>\n",
    )


def test_hugging_face_calls_them_otherwise(tmp_path):
    paths = pair(tmp_path)
    paths[0].rename(tmp_path / "vocab.json")
    paths[1].rename(tmp_path / "merges.txt")
    assert subword.load(tmp_path / "vocab.json").options.unknown == "unk"
    assert subword.load(tmp_path / "merges.txt").options.unknown == "bytes"  # codes like others


@pytest.mark.parametrize(
    ("tokens", "rows", "reason"),
    [
        (TOKENS[1:], ["l o"], "<unk> is not in the vocabulary"),
        (TOKENS, ["x o"], "'x' is no character and no earlier merge makes it"),
        (TOKENS, ["lo w</w>"], "'lo' is no character"), (TOKENS, ["l w"], "its result 'lw'"),
        (TOKENS, ["l o", "l o"], "duplicate"), ([*TOKENS, "\ud800x"], ["l o"], "surrogate"),
        ([*TOKENS, ""], ["l o"], "must not be empty"),
        ([*TOKENS, "<", "u", "n", "k", ">", "<u", "<un", "<unk"], ["< u", "<u n", "<un k", "<unk >"], "a merge makes <unk>"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused(tmp_path, tokens, rows, reason):
    for path in pair(tmp_path, tokens, rows):
        with pytest.raises(ModelFileError, match=reason):
            subword.load(path)


@pytest.mark.parametrize(
    "options", [{"unknown": "bytes"}, {"level": "byte"}, {"normalization": "NFC"}, {"pretokenizer": "space"}]
)  # fmt: skip
def test_what_they_cannot_hold_is_refused(options):
    with pytest.raises(ModelFileError, match="format='huggingface'"):
        gpt1.write(small(**(HELD["gpt1"] | options)))


@pytest.mark.parametrize("name", ["encoder_bpe_40000.json.gz", "vocab_40000.bpe.gz"])
def test_the_ids_of_gpt1(shared, name):
    folder = shared / "golden" / "gpt1"
    bpe = subword.load(folder / name)
    texts, ids = references(shared, "gpt1_hf")
    assert [bpe.encode(text) for text in texts] == ids
    vocabulary, merges = gpt1.write(bpe)
    assert json.loads(vocabulary) == json.loads(read(folder / "encoder_bpe_40000.json.gz"))
    assert merges == read(folder / "vocab_40000.bpe.gz")
