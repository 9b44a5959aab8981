"""minbpe: pattern, special tokens, merges by id."""

from __future__ import annotations

from itertools import pairwise

import pytest
import regex
from foreign import lines, small

import subword
from subword import ModelFileError
from subword.formats import minbpe
from subword.pretokenize import PATTERNS

FILE = r"""minbpe v1
'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+
2
<|endoftext|> 258
<|fim|> 259
108 111
256 119
"""


def as_there(text: str, pattern: str, merges: dict[tuple[int, int], int]) -> list[int]:
    """Encode as minbpe's RegexTokenizer does: the lowest id first, all its places at once."""
    ids: list[int] = []
    for word in regex.findall(pattern, text) if pattern else [text] * bool(text):
        part = [*word.encode()]
        while pairs := [(merges[p], p) for p in pairwise(part) if p in merges]:
            new, pair = min(pairs)
            joined = [part[0]]
            for i in part[1:]:
                if joined and (joined[-1], i) == pair:
                    joined[-1] = new
                    joined.append(-1)
                else:
                    joined.append(i)
            part = [i for i in joined if i >= 0]
        ids += part
    return ids


def test_a_file_is_read_and_written_the_same():
    bpe = subword.loads(FILE)
    assert bpe.merges == (("l", "o"), ("lo", "w"))
    assert bpe.special_tokens == ("<|endoftext|>", "<|fim|>")
    assert bpe.pretokenizer == FILE.split("\n")[1]
    assert bpe.encode("low<|fim|>", allowed_special="all") == [257, 259]
    assert minbpe.write(bpe) == FILE
    assert subword.loads(FILE.replace("\n", "\r\n")) == subword.loads("\ufeff" + FILE) == bpe


@pytest.mark.filterwarnings("ignore:pretokenizer .* drops spaces")
@pytest.mark.parametrize("pretokenizer", [*PATTERNS, r"\w+|\W"])
def test_ids_are_those_of_its_algorithm(pretokenizer):
    bpe = small(pretokenizer=pretokenizer, special_tokens=["<s>"])
    text = minbpe.write(bpe)
    again = subword.loads(text)
    assert minbpe.write(again) == text
    assert again.options.splitter == bpe.options.splitter
    rows = [tuple(map(int, row.split())) for row in text.splitlines()[4:]]
    merges = {pair: i for i, pair in enumerate(rows, 256)}
    for line in lines(60):
        expected = as_there(line, text.split("\n")[1], merges)
        assert again.encode(line) == bpe.encode(line) == expected


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (("v1", "v2"), 1, "expected 'minbpe v1'"), (("'(?i:", "'(?i:("), 2, "not a pattern"),
        (("\n2\n", "\n9\n"), 3, "number of special tokens"), (("\n2\n", "\nx\n"), 3, "number of special"),
        (("<|fim|> 259", "<|fim|>"), 5, "special token and its id"),
        (("<|fim|> 259", "<|fim|> 258"), 5, "special token and its id"),
        (("<|fim|> 259", "<|fim|> 300"), 4, "must follow the last merge, from 258"),
        (("256 119", "257 119"), 7, "no byte and no earlier merge has 257"),
        (("108 111\n256 119", "108 111\n111 119\n256 119\n108 257"), 9, "two merges make the token 'low'"),
        (("256 119", "108 111"), 7, "stands twice"), (("256 119", "256"), 7, "expected two ids"),
        (("256 119", "256 -1"), 7, "expected two ids"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_line(change, line, reason):
    assert FILE.count(change[0]) == 1
    with pytest.raises(ModelFileError, match=reason) as caught:
        subword.loads(FILE.replace(*change), "m.model")
    assert (caught.value.path, caught.value.line) == ("m.model", line)


def test_a_token_that_doubles_without_end_is_refused():
    rows = [f"{i} {i}" for i in [97, *range(256, 300)]]
    with pytest.raises(ModelFileError, match="tokens of more than 64 MB"):
        subword.loads("\n".join(["minbpe v1", "", "0", *rows]))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"level": "char"}, "char level"), ({"end_of_word": "suffix"}, "end_of_word='suffix'"),
        ({"lowercase": True}, "lowercase=True"), ({"pretokenizer": r" ?\w+|\W"}, "strips its pattern"),
        ({"special_tokens": ["a b"]}, "special tokens like 'a b'"), ({"unknown": "unk"}, "ids from 0 to 255"),
    ],
)  # fmt: skip
def test_what_it_cannot_hold_is_refused(options, reason):
    with pytest.raises(ModelFileError, match=reason):
        minbpe.write(small(**options))
