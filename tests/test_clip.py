"""CLIP's merges: ids that follow from them, 48,894 of them and no more."""

from __future__ import annotations

import gzip

import pytest
from foreign import HELD, references, small

import subword
from subword import ModelFileError, SubwordWarning
from subword.formats import clip

FILE = f"{clip.HEADER}\nl o\nlo w</w>\n"


@pytest.mark.parametrize("text", [FILE, FILE.replace("\n", "\r\n"), "\ufeff" + FILE, FILE[:-1]])
def test_ids_follow_from_the_merges(text):
    bpe = subword.loads(text)
    assert len(bpe) == 512 + 2 + 2
    assert bpe.encode("!") == [256]
    assert bpe.encode("Low, lo<|endoftext|>", allowed_special="all") == [
        513,
        256 + 11,
        75,
        256 + 78,
        515,
    ]
    assert clip.write(bpe) == FILE
    assert subword.loads(bpe.dumps()) == bpe


def test_later_merges_do_not_count(monkeypatch):
    monkeypatch.setattr(clip, "MOST_MERGES", 1)
    assert subword.loads(FILE).num_merges == 1
    with pytest.raises(ModelFileError, match="truncate"):
        clip.write(subword.loads(FILE + "lo x\n").__class__(*two_merges()))


def two_merges():
    bpe = small(**HELD["clip"])
    return (
        bpe._plain,
        subword.model.Merges(bpe._table, bpe.merge_counts, bpe.merge_applied),
        bpe.options,
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("lo", "expected two tokens"), ("l  o", "expected two tokens"), ("xy z", "made before"),
        ("l 北", "made before"), ("l o", "stands twice"), ("l</w> o", "impossible merge"),
    ],
)  # fmt: skip
def test_wrong_merges_are_refused_with_their_line(row, reason):
    with pytest.raises(ModelFileError, match=reason) as caught:
        subword.loads(f"{FILE}{row}\n", "clip.txt")
    assert caught.value.line == 4


def test_a_model_learnt_here_goes_there_with_other_ids(tmp_path):
    bpe = small(**HELD["clip"])
    with pytest.warns(SubwordWarning, match="an order of its own"):
        bpe.export(tmp_path / "merges.txt.gz", "clip")
    again = subword.load(tmp_path / "merges.txt.gz")
    assert again.tokenize("Low LOWER's é 北!") == bpe.tokenize("Low LOWER's é 北!")
    assert again.special_tokens == clip.SPECIALS


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"end_of_word": "separate"}, "'separate'"), ({"level": "char"}, "char level"),
        ({"lowercase": False}, "lowercase=False"), ({"pretokenizer": "bert"}, "'bert'"),
        ({"special_tokens": ["<s>"]}, "1 special tokens"),
    ],
)  # fmt: skip
def test_what_it_cannot_hold_is_refused(options, reason):
    with pytest.raises(ModelFileError, match=reason):
        clip.write(small(**(HELD["clip"] | options)))


@pytest.mark.parametrize("name", ["bpe_simple_vocab_16e6.txt.gz", "tokenizer.json.gz"])
def test_the_ids_of_clip(shared, name):
    bpe = subword.load(shared / "golden" / "clip" / name)
    assert (bpe.num_merges, len(bpe)) == (48894, 49408)
    texts, ids = references(shared, "clip_hf")
    assert [bpe.encode(text, allowed_special="all") for text in texts] == ids


def test_the_merges_of_clip_come_back(shared):
    path = shared / "golden" / "clip" / "bpe_simple_vocab_16e6.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = file.read().split("\n")[: clip.MOST_MERGES + 1]
    assert clip.write(subword.load(path)).split("\n")[:-1] == rows
