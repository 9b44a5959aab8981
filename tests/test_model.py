"""The model: ids, text and back, offsets, special tokens, the text form."""

from __future__ import annotations

import copy
import pickle
import random
import threading

import numpy as np
import pytest
from conftest import TOY

import subword
from subword import SpecialTokenError, SubwordError
from subword.alphabet import HOLE
from subword.coder import Coder, NativeCoder
from subword.model import Merges
from subword.native import core
from subword.options import Options
from subword.pretokenize import Splitter
from subword.reference import Merge

HARD = [
    "", " ", "a  b", "naïve café 😀 😀 zzz", "ක්\u200dෂ می\u200cخواهم", "cafe\u0301 caf\u00e9",
    "︰ ŀ ŉ ﬁ ² Ａ", "a\0b", "low</w> </w> @@", "\u2028 \u0085 \ufeff", "北京 杝", "a \n\n  b",
]  # fmt: skip
MODES = [
    ("char", "suffix", "space"), ("char", "separate", "whitespace"), ("char", None, "gpt2"),
    ("byte", "suffix", "words"), ("byte", "separate", "space"), ("byte", None, "cl100k"),
    ("byte", None, "o200k"), ("char", "suffix", "gpt2"), ("byte", None, "none"),
]  # fmt: skip


def model(level, end_of_word, pretokenizer, **options) -> subword.BPE:
    texts = ["low lower newest widest naïve 北京 " * 3, "low </w> @@ @@ 😀😀 a\n\n  b\n" * 3]
    return subword.train(
        texts, level=level, end_of_word=end_of_word, pretokenizer=pretokenizer, **options
    )


@pytest.mark.parametrize("mode", MODES)
def test_nothing_is_lost(mode):
    bpe = model(*mode)
    splitter = bpe.options.splitter
    for text in HARD:
        words = splitter.words(text)
        if bpe.end_of_word is None:
            assert bpe.decode(bpe.encode(text)) == text
        else:
            assert bpe.decode(bpe.encode(text)) == " ".join(words)


@pytest.mark.parametrize("mode", MODES)
def test_all_ways_to_encode_agree(mode):
    bpe = model(*mode)
    ids, indptr = bpe.encode_batch(HARD)
    assert (ids.dtype, indptr.dtype) == (np.int32, np.int64)
    for text, start, end in zip(HARD, indptr, indptr[1:], strict=False):
        assert ids[start:end].tolist() == bpe.encode(text) == bpe.encode_with_offsets(text)[0]
        assert bpe.tokenize(text) == [bpe.vocab[i] for i in bpe.encode(text)]
        assert bpe.count(text) == len(bpe.encode(text))


@pytest.mark.parametrize("mode", MODES)
def test_offsets_are_slices_of_the_original(mode):
    bpe = model(*mode, lowercase=True, normalization="NFC")
    for text in [*HARD, "LOWER  NAI\u0308VE", "İstanbul"]:
        ids, offsets = bpe.encode_with_offsets(text)
        assert len(ids) == len(offsets)
        assert all(0 <= start <= end <= len(text) for start, end in offsets)
        assert offsets == sorted(offsets)
        for i, (start, end) in zip(ids, offsets, strict=True):
            raw = bpe.symbols[i][0]
            if raw.isascii() and raw:
                assert text[start:end].lower().startswith(raw.decode())


def test_offsets_by_hand():
    bpe = subword.train(["i ⭢ j"] * 2, 0, level="byte", pretokenizer="gpt2")
    assert bpe.encode_with_offsets("i ⭢")[1] == [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3)]
    bpe = subword.train(TOY, special_tokens=["<s>"])
    ids, offsets = bpe.encode_with_offsets("low<s> é", allowed_special="all")
    assert offsets == [(0, 3), (3, 6), (7, 8), (7, 8), (8, 8)]
    assert bpe.symbols[ids[-1]] == (b"", True)


def test_ids_by_the_rule():
    bpe = subword.train(["ab é"] * 2)
    assert bpe.vocab[:3] == ("\0", "\x01", "\x02")
    assert bpe.vocab[0xE2] == "<0xE2>"
    assert bpe.vocab[256:] == ("</w>", "é", "a</w>", "b</w>", "é</w>", "ab</w>")
    assert bpe.symbols[-1] == (b"ab", True)
    byte = subword.train(["ab"], 0, level="byte")
    assert (len(byte), byte.symbols[256 + 97]) == (512, (b"a", True))
    assert len(subword.train(["ab"], 0, level="byte", end_of_word="separate")) == 257


def test_unknown_characters_become_bytes_or_unk(bpe):
    assert bpe.tokenize("xé") == ["x", "<0xC3>", "<0xA9>", "</w>"]
    unk = subword.train(TOY, unknown="unk")
    assert unk.vocab[0] == "<unk>"
    assert unk.tokenize("low xyz low") == ["low</w>", "<unk>", "<unk>", "<unk>", "low</w>"]
    assert unk.encode_with_offsets("xé")[1] == [(0, 1), (1, 2)]
    run = subword.train(TOY, unknown="unk_run")
    assert run.merges == unk.merges
    assert subword.loads(run.dumps()) == run != unk
    assert run.tokenize("xéz lowxé xé") == ["<unk>", "lo", "w", "<unk>", "<unk>"]
    assert run.encode_with_offsets("xéz loéx")[1] == [(0, 3), (4, 6), (6, 8)]
    assert run.segment("xéz loéx") == unk.segment("xéz loéx") == "x@@ é@@ z lo@@ é@@ x"
    assert [tuple(m) for m in unk.merges] == [tuple(m) for m in bpe.merges]


def test_the_marker_and_its_literal_are_two_things():
    bpe = subword.train(["low</w> low</w> low low"])
    assert bpe.decode(bpe.encode("low</w> low")) == "low</w> low"
    assert bpe.symbols[bpe.encode("low")[0]] == (b"low", True)


def test_one_emoji_is_one_character():
    bpe = subword.train(["😀😀 😀😀"])
    assert bpe.merges == (("😀", "😀</w>"),)
    assert bpe.segment("😀😀 x😀") == "😀😀 x@@ 😀"


def test_lone_surrogates_are_refused_at_every_door(bpe):
    text = "low \ud83d"
    doors = [bpe.encode, bpe.tokenize, bpe.count, bpe.encode_with_offsets, bpe.segment]
    for door in doors:
        with pytest.raises(SubwordError, match="character 4"):
            door(text)
    with pytest.raises(SubwordError, match="document 1: lone surrogate"):
        bpe.encode_batch(["low", text])
    with pytest.raises(SubwordError, match="document 0"):
        subword.train([text])


def test_a_single_text_is_no_batch(bpe):
    with pytest.raises(TypeError, match=r"\[text\]"):
        bpe.encode_batch("low low")
    with pytest.raises(TypeError, match="document 0: expected a str, got NoneType"):
        bpe.encode_batch([None])


def test_special_tokens_are_plain_text_unless_allowed():
    bpe = subword.train(TOY, special_tokens=["<s>", "<s>>", "</s>"])
    plain = subword.train(TOY)
    text = "low <s>> </s>low"
    assert bpe.encode(text) == plain.encode(text)
    assert bpe.tokenize(text, allowed_special="all") == ["low</w>", "<s>>", "</s>", "low</w>"]
    assert bpe.tokenize("<s>>", allowed_special={"<s>"})[0] == "<s>"
    assert bpe.decode(bpe.encode(text, allowed_special="all")) == "low <s>> </s> low"
    with pytest.raises(SpecialTokenError, match="'<x>' is no special token"):
        bpe.encode(text, allowed_special={"<x>"})
    with pytest.raises(TypeError, match="all"):
        bpe.encode(text, allowed_special="<s>")


def test_unknown_ids_are_named(bpe):
    for wrong in (10**9, -1, len(bpe)):
        with pytest.raises(IndexError, match=f"id {wrong} is not"):
            bpe.decode([0, wrong])


def test_cut_characters():
    bpe = subword.train(["x"], 0, level="byte", pretokenizer="gpt2")
    ids = bpe.encode("杝")
    assert bpe.decode(ids[:2]) == "\ufffd"
    assert bpe.decode_bytes(ids[:2]) == "杝".encode()[:2]
    with pytest.raises(UnicodeDecodeError):
        bpe.decode(ids[:2], errors="strict")


@pytest.mark.parametrize("mode", MODES)
def test_the_decoder_gives_what_decode_gives(mode):
    bpe = model(*mode)
    for text in HARD:
        stream, ids = bpe.decoder(), bpe.encode(text)
        assert "".join(map(stream.push, ids)) + stream.flush() == bpe.decode(ids)
    stream = bpe.decoder()
    assert (stream.push(0xE6), stream.flush()) == ("", "\ufffd")


def test_pieces_have_ids(bpe):
    assert [bpe.piece_to_id(piece) for piece in bpe.vocab] == list(range(len(bpe)))
    with pytest.raises(SubwordError, match="no piece 'zz'"):
        bpe.piece_to_id("zz")


def test_truncating_is_learning_fewer(toy):
    for options in (
        {},
        {"end_of_word": "separate"},
        {"unknown": "unk"},
        {"special_tokens": ["<s>"]},
    ):
        bpe = subword.train(toy, **options)
        for size in (0, 1, 5, 13):
            assert bpe.truncate(size) == subword.train(toy, size, **options)
    assert bpe.truncate(99) is bpe
    for wrong in (-1, 1.5, "3", 2**63):
        with pytest.raises(SubwordError, match="num_merges must be"):
            bpe.truncate(wrong)


@pytest.mark.parametrize("huge", [2**63, 10**30])
def test_numbers_past_63_bits_are_refused_by_name(bpe, huge):
    options = ("num_merges", "vocab_size", "min_frequency", "max_token_length")
    for name in options:
        with pytest.raises(SubwordError, match=rf"{name} must be below 2\*\*63"):
            subword.train(TOY, **{name: huge})
    for call in (bpe.encode_batch, subword.WordCounts.from_texts, subword.train):
        with pytest.raises(SubwordError, match=r"n_jobs must be below 2\*\*63"):
            call(["low"], n_jobs=huge)


def test_models_are_values(bpe):
    same = subword.train(TOY)
    assert same == bpe
    assert hash(same) == hash(bpe)
    assert same.fingerprint == bpe.fingerprint != bpe.truncate(5).fingerprint
    assert copy.copy(bpe) is copy.deepcopy(bpe) is bpe
    assert pickle.loads(pickle.dumps(bpe)) == bpe
    assert bpe != "low"
    assert repr(bpe).startswith("<BPE: 13 merges, 280 ids, char level")
    with pytest.raises(ValueError, match="read-only"):
        bpe.merge_counts[0] = 1


@pytest.mark.parametrize("seed", [1.5, "3", [3]])
def test_seeds_that_are_no_integers_are_refused(bpe, seed):
    with pytest.raises(TypeError, match="seed must be an integer"):
        bpe.encode("low", dropout=0.5, seed=seed)
    with pytest.raises(TypeError, match="seed must be an integer"):
        bpe.encode_batch(["low"], dropout=0.5, seed=seed)
    assert bpe.encode("low", dropout=0.5, seed=np.int64(-3)) == bpe.encode(
        "low", dropout=0.5, seed=-3
    )


def test_dropout_depends_on_seed_text_and_word_only(bpe):
    text = "lowest newest widest lower low " * 20
    once = bpe.encode(text, dropout=0.5, seed=3)
    assert once == bpe.encode(text, dropout=0.5, seed=3) != bpe.encode(text, dropout=0.5, seed=4)
    ids, indptr = bpe.encode_batch(["x", text], dropout=0.5, seed=3)
    assert (
        ids[indptr[1] :].tolist() == once == bpe.encode_with_offsets(text, dropout=0.5, seed=3)[0]
    )
    assert bpe.decode(once) == text.strip()
    assert bpe.encode(text, dropout=0.0) == bpe.encode(text)
    assert bpe.tokenize("low", dropout=1.0) == ["l", "o", "w</w>"]
    for wrong in (1.5, -0.1):
        with pytest.raises(SubwordError, match="a number from 0 to 1"):
            bpe.encode(text, dropout=wrong)


def test_global_random_state_is_left_alone(bpe):
    random.seed(1)
    before = random.getstate()
    bpe.encode("low lower", dropout=0.5)
    assert random.getstate() == before


def test_threads_share_a_model(bpe):
    texts = [f"low{i} newest lower{i % 7}" for i in range(300)]
    expected = [bpe.encode(text) for text in texts]
    fresh, results = pickle.loads(pickle.dumps(bpe)), []
    threads = [
        threading.Thread(target=lambda: results.append([fresh.encode(text) for text in texts]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


def test_the_cache_is_bounded(bpe, monkeypatch):
    monkeypatch.setattr("subword.coder._CACHED_WORDS", 10)
    coder = subword.train(TOY)._coder
    if hasattr(coder, "_cache"):
        for i in range(100):
            coder.encode(f"low{i}")
        assert len(coder._cache) <= 10


@pytest.mark.parametrize("wrong", [[1.0], ["0"], [None], "0", np.array([0.5]), np.array([[0, 1]])])
def test_what_is_no_integer_is_no_id(bpe, wrong):
    with pytest.raises(TypeError, match="integer"):
        bpe.decode(wrong)


@pytest.mark.parametrize("wrong", [-1, 2**31, 2**32, 2**64])
def test_ids_that_there_are_not(bpe, wrong):
    arrays = [np.array([wrong])] if wrong < 2**63 else []
    for ids in ([wrong], *arrays):
        with pytest.raises(IndexError, match=str(wrong)):
            bpe.decode(ids)


def test_sizes_in_use_are_kept_and_few_of_them(bpe):
    size = bpe.num_merges
    assert bpe.truncate(2) is bpe.truncate(2)
    sizes = [*range(size)]
    models = [bpe.truncate(n) for n in sizes]
    assert [model.num_merges for model in models] == sizes
    assert bpe.truncate(size - 1) is models[-1]
    assert bpe.truncate(0) is not models[0]
    assert bpe.truncate(0) == models[0]
    assert len(bpe._truncated) <= 4


@pytest.mark.parametrize("dropout", [0.0, 0.5])
@pytest.mark.parametrize("allowed", [(), ("<s>",)])
def test_words_one_by_one_are_the_whole_text(dropout, allowed):
    bpe = subword.train({"low": 5, "lower": 2}, special_tokens=["<s>"])
    for text in ("low lower", "", "<s>low<s>  lowest <s>"):
        options = {"dropout": dropout, "seed": 3, "allowed_special": allowed}
        words = bpe.encode_by_word(text, **options)
        assert [i for word in words for i in word] == bpe.encode(text, **options)
    assert len(words) == (5 if allowed else 3)


def test_foreign_ids_of_unk_special_tokens_and_bytes():
    single = [(bytes([byte]), False) for byte in range(256)]
    symbols = [HOLE, *single, HOLE, (b"o", False), (b"l", False), (b"lo", False)]
    merges = Merges.of([Merge(259, 258, 260, 0, 0)])
    options = Options("char", None, Splitter("none"))
    bpe = subword.BPE(symbols, merges, options, ["<s>", "</s>", "<pad>"])
    assert (len(bpe), bpe.vocab[0], bpe.vocab[257], bpe.vocab[261]) == (262, "<s>", "</s>", "<pad>")
    text = "<s>loloé<pad>"
    expected = [0, 260, 260, 1 + 0xC3, 1 + 0xA9, 261]
    assert bpe.encode(text, allowed_special="all") == expected
    assert bpe.decode(np.array(expected, np.int32)) == bpe.decode(expected) == text
    assert bpe.encode("lol") == [260, 259]  # not the byte, 1 + 0x6C
    assert bpe.decode([1 + 0x6C]) == "l"
    assert bpe.piece_to_id("l") == 259
    assert subword.loads(bpe.dumps()) == bpe == pickle.loads(pickle.dumps(bpe))
    coders = (Coder, NativeCoder) if core() else (Coder,)
    for coder in coders:
        assert coder(bpe._plain, bpe._table, options).encode("lolé") == [
            260,
            259,
            1 + 0xC3,
            1 + 0xA9,
        ]
        unk = [HOLE, (b"<unk>", False), *symbols[258:]]
        made = np.array([[3, 2, 4]], np.int32)
        engine = coder(unk, made, options._replace(unknown="unk"))
        assert engine.encode("lo?l") == [4, 1, 3]
        assert engine.encode_spans("lo?l", None, 0)[1] == [(0, 2), (2, 3), (3, 4)]


def test_holes_without_special_tokens_are_refused():
    with pytest.raises(subword.SpecialTokenError, match="1 ids are left to special tokens"):
        subword.BPE([HOLE, (b"a", False)], Merges.of([]), Options("char", None))
    assert len(subword.BPE([(b"a", False), HOLE], Merges.of([]), Options("char", None))) == 1
