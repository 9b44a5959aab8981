"""Rank files of tiktoken: merges found again in the ranks, the same ids as there."""

from __future__ import annotations

import base64

import pytest
from conftest import read
from damage import survive
from foreign import check_encodings, lines, references, small

import subword
from subword import ModelFileError, SubwordError, SubwordWarning
from subword.formats import tiktoken
from subword.model import Merges
from subword.pretokenize import PATTERNS

SINGLE = [bytes([byte]) for byte in range(255, -1, -1)]


def ranks(*tokens: bytes) -> str:
    return "".join(
        f"{base64.b64encode(token).decode()} {rank}\n"
        for rank, token in enumerate([*SINGLE, *tokens])
    )


LOW = ranks(b"lo", b"low")


def test_merges_are_found_in_the_ranks():
    bpe = subword.loads(LOW, pretokenizer="gpt2")
    assert bpe.merges == (("l", "o"), ("lo", "w"))
    assert bpe.encode("lower") == [257, 255 - ord("e"), 255 - ord("r")]
    assert tiktoken.write(bpe) == LOW
    assert subword.loads(bpe.dumps()) == bpe


def test_a_token_is_cut_where_the_merges_before_it_cut_it():
    bpe = subword.loads(ranks(b"aa", b"aaaa", b"ab", b"aaab"), pretokenizer="none")
    assert bpe.merges == (("a", "a"), ("aa", "aa"), ("a", "b"), ("aa", "ab"))


@pytest.mark.parametrize(
    ("name", "pretokenizer"),
    [
        ("cl100k_base.tiktoken", "cl100k"), ("my_o200k.txt", "o200k"), ("r50k_base.tiktoken", "gpt2"),
        ("gpt2.tiktoken", "gpt2"),
    ],
)  # fmt: skip
def test_the_name_says_how_words_are_made(tmp_path, name, pretokenizer):
    (tmp_path / name).write_text(LOW)
    assert subword.load(tmp_path / name).pretokenizer == pretokenizer
    assert subword.load(tmp_path / name, pretokenizer=r"\w+|\W").pretokenizer == r"\w+|\W"


def test_else_it_must_be_said(tmp_path):
    (tmp_path / "ranks").write_text(LOW)
    with pytest.raises(ModelFileError, match="pretokenizer='cl100k'"):
        subword.load(tmp_path / "ranks")
    with pytest.raises(SubwordError, match="unknown pretokenizer"):
        subword.load(tmp_path / "ranks", pretokenizer="p50k")


def test_formats_that_store_it_refuse_another(tmp_path, bpe):
    bpe.save(tmp_path / "model")
    assert subword.load(tmp_path / "model", pretokenizer="space") == bpe
    with pytest.raises(SubwordError, match="leave it out"):
        subword.load(tmp_path / "model", pretokenizer="gpt2")
    bpe.export(tmp_path / "codes")
    assert subword.load(tmp_path / "codes", pretokenizer="words").pretokenizer == "words"


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        ((" 256\n", "\n"), 257, "expected a token in base64"),
        ((" 256\n", " 256 1\n"), 257, "expected a token in base64"),
        ((" 256\n", " -256\n"), 257, "expected a token in base64"),
        (("bG8= 256", "bG8 256"), 257, "expected a token in base64"),
        (("bG8= 256", "bG8=bG8= 256"), 257, "expected a token in base64"),
        (("bG93 257", "bG8= 257"), 258, "stands twice"), ((" 257\n", " 256\n"), 258, "stands twice"),
        ((" 257\n", " 258\n"), 258, "rank 257 is missing"), (("bA== 147", "bGw= 147"), 1, "byte 0x6C"),
        (("bG93", "eHl6"), None, "'xyz', rank 257, is not made of two .* but of 3 \\('x' \\+ 'y' \\+ 'z'"),
    ],
)  # fmt: skip
def test_wrong_ranks_are_refused_with_their_line(tmp_path, change, line, reason):
    assert LOW.count(change[0]) == 1
    (tmp_path / "ranks").write_text(LOW.replace(*change))
    with pytest.raises(ModelFileError, match=reason) as caught:
        subword.load(tmp_path / "ranks", pretokenizer="gpt2")
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "ranks"), line)


@pytest.mark.parametrize("name", ["gpt2.tiktoken", "gpt2.tiktoken.gz"])
def test_what_is_written_is_read_and_written_the_same(tmp_path, name):
    bpe = small()
    bpe.export(tmp_path / name, "tiktoken")
    again = subword.load(tmp_path / name)
    assert (again.symbols, again.merges) == (bpe.symbols, bpe.merges)
    first = (tmp_path / name).read_bytes()
    again.export(tmp_path / name, "tiktoken")
    assert (tmp_path / name).read_bytes() == first


def test_special_tokens_are_told_to_be_left_out(tmp_path):
    with pytest.warns(SubwordWarning, match=r"special_tokens=\{'<s>': 756\}"):
        small(special_tokens=["<s>"]).export(tmp_path / "ranks", "tiktoken")


def test_what_ranks_cannot_hold_is_refused(tmp_path):
    for options in ({"level": "char"}, {"end_of_word": "suffix"}, {"lowercase": True}):
        with pytest.raises(ModelFileError, match="format='huggingface'"):
            small(**options).export(tmp_path / "ranks", "tiktoken")
    with pytest.raises(ModelFileError, match="not all 256 bytes|'<unk>'"):
        small(unknown="unk").export(tmp_path / "ranks", "tiktoken")
    assert not [*tmp_path.iterdir()]


def test_merges_that_do_not_follow_from_the_ids_are_refused():
    bpe = subword.loads(ranks(b"lo", b"ow"), pretokenizer="gpt2")
    turned = subword.BPE(bpe._plain, Merges.of(bpe.merge_table()[::-1]), bpe.options)
    with pytest.raises(ModelFileError, match="id 257, 'ow', does not follow"):
        tiktoken.write(turned)


# -- against tiktoken ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_the_ids_of_the_published_models(shared, name):
    path = shared / "golden" / "tiktoken" / f"{name}.tiktoken.gz"
    bpe = subword.load(path)
    check_encodings(bpe, *references(shared, name))
    assert tiktoken.write(bpe) == read(path)
    assert subword.loads(bpe.dumps()).dumps() == bpe.dumps()


@pytest.mark.slow
def test_the_number_of_ranks_says_how_words_are_made(shared, tmp_path):
    (tmp_path / "x").write_text(read(shared / "golden" / "tiktoken" / "cl100k_base.tiktoken.gz"))
    assert subword.load(tmp_path / "x").pretokenizer == "cl100k"


@pytest.mark.parametrize("pretokenizer", ["gpt2", "cl100k", "o200k"])
def test_tiktoken_gives_the_same_ids(pretokenizer):
    theirs = pytest.importorskip("tiktoken")
    bpe = small(pretokenizer=pretokenizer)
    rows = (row.split() for row in tiktoken.write(bpe).splitlines())
    given = {base64.b64decode(token): int(rank) for token, rank in rows}
    encoding = theirs.Encoding(
        "ours", pat_str=PATTERNS[pretokenizer], mergeable_ranks=given, special_tokens={}
    )
    for text in lines():
        assert encoding.encode_ordinary(text) == bpe.encode(text)


@pytest.mark.slow
def test_damaged_files_load_or_are_refused(tmp_path):
    small().export(tmp_path / "gpt2.tiktoken", "tiktoken")
    assert survive(tmp_path / "gpt2.tiktoken", seed=2) > 50
