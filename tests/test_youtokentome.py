"""YouTokenToMe: characters and merges by their numbers."""

from __future__ import annotations

import pytest

import subword
from subword import ModelFileError

# ▁ l o w, then lo, low, ▁low; <PAD> 0, <UNK> 1, <BOS> 2, <EOS> 3
FILE = "4 3\n111 6\n9601 4\n108 5\n119 7\n5 6 8\n8 7 9\n4 9 10\n1 0 2 3\n"


def load(text: str) -> subword.BPE:
    return subword.loads(text, "m.yttm")


def test_a_model_is_read():
    bpe = subword.loads(FILE)
    assert bpe.merges == (("l", "o"), ("lo", "w"), (" ", "low"))
    assert bpe.encode(" low\t▁lowlx ") == [10, 10, 5, 1]
    assert bpe.encode("lxyz xl") == [4, 5, 1, 4, 1, 5]
    assert bpe.decode([10, 9, 10]) == " lowlow low"
    assert bpe.special_tokens == ("<PAD>", "<BOS>", "<EOS>")
    assert bpe.encode("<EOS>", allowed_special="all") == [3]
    assert bpe.piece_to_id("<unk>") == 1
    assert (
        load(FILE.replace("\n", "\r\n"))
        == load("\ufeff" + FILE[:-1])
        == bpe
        == subword.loads(bpe.dumps())
    )


def test_tokens_that_double_without_end_are_refused():
    rows = ["97 0", *(f"{i} {i} {i + 1}" for i in range(40)), "41 -1 -1 -1"]
    with pytest.raises(ModelFileError, match="tokens of more than 64 MB"):
        load("\n".join(["1 40", *rows]))


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (("4 3\n", "4 4\n"), 1, "4 merges announced, but 9 lines"), (("108 5", "108 6"), 4, "id 6 is negative or"),
        (("5 6 8", "5 6"), 6, "expected 3 numbers"), (("8 7 9", "11 7 9"), 7, "no earlier merge has this id"),
        (("4 9 10", "4 1 10"), 8, "no earlier merge has this id"), (("8 7 9", "0 7 9"), 7, "no earlier merge has this id"), (("4 9 10", "4 9 11"), 9, "no line gives the id 10"),
        (("4 9 10", "4 9 -1"), 8, "negative"), (("111 6", "55296 6"), 2, "no character"), (("111 6", "x 6"), None, None),
        (("1 0 2 3", "1 0 2 4"), 3, "stands twice"), (("4 9 10", "8 7 10"), 9, "two ids stand for the same text"),
        (("1 0 2 3", "-1 0 2 3"), 9, "id -1 is negative"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_line(change, line, reason):
    assert FILE.count(change[0]) == 1
    with pytest.raises(ModelFileError, match=reason) as caught:
        load(FILE.replace(*change))
    assert line is None or caught.value.line == line
