"""tokenizer.json: what is written there, what is refused, and equal ids in `tokenizers`."""

from __future__ import annotations

import json

import pytest
from foreign import lines, small

import subword
from subword import ModelFileError, SubwordWarning
from subword.formats import huggingface
from subword.pretokenize import Splitter

SPLITTERS = ["space", "whitespace", "words", "gpt2", "cl100k", "o200k", "none"]


def live(bpe: subword.BPE, path) -> object:
    """Export a model and load it there."""
    tokenizers = pytest.importorskip("tokenizers")
    bpe.export(path / "tokenizer.json", "huggingface")
    return tokenizers.Tokenizer.from_file(str(path / "tokenizer.json"))


def test_a_byte_level_model_reads_like_gpt2():
    written = json.loads(huggingface.write(small(special_tokens=["<s>"])))
    assert written["pre_tokenizer"]["use_regex"]
    assert written["decoder"]["type"] == "ByteLevel"
    assert written["model"]["vocab"]["Ġ"] == 0x20
    assert written["model"]["merges"][0] == ["Ġ", "a"]
    assert [(token["id"], token["content"]) for token in written["added_tokens"]] == [(756, "<s>")]


def test_a_suffix_model_reads_like_its_codes(bpe):
    with pytest.warns(SubwordWarning, match="vanish .* unknown='unk' or level='byte'"):
        model = json.loads(huggingface.write(bpe))["model"]
    assert model["end_of_word_suffix"] == "</w>"
    assert model["merges"][:2] == [["s", "t</w>"], ["e", "st</w>"]]
    assert [*model["vocab"]] == [*bpe.vocab]
    assert [*model["vocab"].values()] == [*range(len(bpe))]


@pytest.mark.parametrize(
    ("texts", "options", "reason"),
    [
        (["low low"], {"end_of_word": "separate"}, "format='subword-nmt'"),
        (["low low"], {"pretokenizer": "bert"}, "words, none, gpt2, cl100k, o200k, not 'bert'"),
        (["low low"], {"pretokenizer": r"\w+"}, "regular expressions are not those of the regex"),
        ({"a</w>b": 9, "a</w>c": 9, "a": 9}, {}, "both would be spelt 'a</w>'"),
        (["low low"], {"special_tokens": ["low</w>"]}, "special token 'low</w>': a symbol is spelt so"),
        ({"<unk>b": 9, "<unk>c": 9}, {}, "both would be spelt '<unk>'"),
    ],
)  # fmt: skip
def test_what_the_file_cannot_hold_is_refused(tmp_path, texts, options, reason):
    bpe = subword.train(texts, unknown="unk", **options)
    with pytest.raises(ModelFileError, match=reason):
        bpe.export(tmp_path / "tokenizer.json", "huggingface")
    assert not [*tmp_path.iterdir()]


def test_merges_out_of_order_are_refused():
    codes = subword.loads("#version: 0.2\nlo w</w>\nl o\n")
    with pytest.raises(ModelFileError, match="merge 0, 'lo \\+ w</w>', stands before"):
        huggingface.write(codes)


# -- against tokenizers --------------------------------------------------------------------


@pytest.mark.parametrize("pretokenizer", SPLITTERS)
@pytest.mark.parametrize(
    ("level", "end_of_word", "unknown"),
    [("byte", None, "bytes"), ("byte", "suffix", "bytes"), ("char", "suffix", "unk"), ("char", None, "bytes")],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:pretokenizer .* drops spaces")
def test_tokenizers_gives_the_same_ids_and_text(
    tmp_path, level, end_of_word, unknown, pretokenizer
):
    bpe = small(level=level, end_of_word=end_of_word, unknown=unknown, pretokenizer=pretokenizer)
    theirs = live(bpe, tmp_path)
    for text in lines():
        ids = bpe.encode(text)
        assert theirs.encode(text, add_special_tokens=False).ids == ids
        assert theirs.decode(ids, skip_special_tokens=False) == bpe.decode(ids)


@pytest.mark.parametrize("pretokenizer", ["space", "whitespace", "words"])
@pytest.mark.filterwarnings("ignore:characters that this model does not know")
def test_texts_of_known_characters_agree_where_others_vanish(tmp_path, pretokenizer):
    texts = lines()
    bpe = subword.train([*texts, "a é é"], 500, pretokenizer=pretokenizer)
    theirs = live(bpe, tmp_path)
    assert [theirs.encode(text).ids for text in texts] == [bpe.encode(text) for text in texts]
    assert theirs.encode("low ☃").ids == bpe.encode("low")


@pytest.mark.parametrize(
    "form", ["NFC", "NFD", "NFKC", "NFKD", "strip_accents", "squeeze", "lower"]
)
def test_normalisation_goes_along(tmp_path, form):
    rules = {"lowercase": True} if form == "lower" else {"normalization": form}
    bpe = small(special_tokens=["<s>", "<s> a"], **rules)
    theirs = live(bpe, tmp_path)
    for text in [*lines(), "Ǆé ﬁ Å ỤBER ñ\u0323  ਆਰਟੀਕਲ <s> a İ<s>"]:
        assert theirs.encode(text).ids == bpe.encode(text, allowed_special="all")
    assert Splitter("gpt2", **rules).rewrites
