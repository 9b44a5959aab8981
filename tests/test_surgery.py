"""Surgery: what is learnt behind frozen merges, whose ids stay, what pruning leaves."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import TOY
from hypothesis import given, settings
from hypothesis import strategies as st

import subword
from subword import SpecialTokenError, SubwordError, SubwordWarning, WordCounts
from subword.alphabet import HOLE, alphabet
from subword.model import Merges
from subword.native import core
from subword.options import Options
from subword.trainer import _learn_in_python, _learn_natively, with_results
from subword.usage import usage_of

MODES = list(
    itertools.product(
        ("char", "byte"), ("suffix", "separate", None), ("bytes", "unk"),
        ("largest", "largest_id", "smallest_id", "first"),
    )
)  # fmt: skip
words = st.dictionaries(
    st.text(alphabet="abé", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=9
)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SubwordWarning)
        yield


class Bar:
    n = 0

    def update(self, done: int = 1) -> None:
        self.n += done


def modes(level, end_of_word, unknown, tie_break):
    return {"level": level, "end_of_word": end_of_word, "unknown": unknown, "tie_break": tie_break}


# -- extend ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: "-".join(map(str, mode)))
def test_extending_on_the_same_counts_is_training_longer(mode):
    options = modes(*mode)
    whole = subword.train(TOY, 13, **options)
    for k in (0, 1, 5, 12):
        longer = subword.train(TOY, k, **options).extend(TOY, 13 - k)
        assert longer == whole  # ids and counts too
        assert longer.merge_applied.tolist() == whole.merge_applied.tolist()


@settings(max_examples=60, deadline=None)
@given(counts=words, mode=st.sampled_from(MODES), k=st.integers(0, 20), longest=st.integers(1, 9))
def test_and_so_it_is_on_any_counts(counts, mode, k, longest):
    options = modes(*mode) | {"min_frequency": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SubwordWarning)
        whole = subword.train(counts, 40, max_token_length=longest, **options)
        part = subword.train(counts, k, max_token_length=longest, **options)
        assert part.extend(counts, 40 - k, max_token_length=longest) == whole


@pytest.mark.skipif(not core(), reason="compares with the native engine")
@settings(max_examples=100, deadline=None)
@given(
    old=words, new=words, mode=st.sampled_from(MODES), longest=st.integers(0, 5),
    least=st.integers(1, 4),
)  # fmt: skip
def test_the_engines_learn_the_same_behind_frozen_merges(old, new, mode, longest, least):
    level, end_of_word, _, tie_break = mode
    options = Options(level, end_of_word, tie_break=tie_break, min_frequency=least)
    base = alphabet("abé", level, end_of_word, "bytes")
    frozen, _ = _learn_in_python(WordCounts(old).words(), base, options, (9, 9999), 0, Bar())
    symbols = with_results(base, frozen.ids)
    slow, fast = (
        engine(WordCounts(new).words(), symbols, options, (30, 9999), longest, Bar(), frozen.ids)
        for engine in (_learn_in_python, _learn_natively)
    )
    for one, other in zip(slow[0], fast[0], strict=True):
        assert one.tolist() == other.tolist()


def test_frozen_merges_are_applied_however_rare():
    bpe = subword.train({"abc": 5}, 1)  # b + c</w>
    assert bpe.merges == (("b", "c</w>"),)
    longer = bpe.extend({"abc": 1, "ab": 3, "bab": 3}, 5)
    assert longer.merges == (("b", "c</w>"), ("a", "b</w>"), ("b", "ab</w>"))
    assert longer.merge_counts.tolist() == [5, 6, 3]
    assert longer.options == bpe.options


def test_new_ids_follow_all_old_ones():
    bpe = subword.train(TOY, 4, special_tokens=["<s>", "</s>"])
    longer = bpe.extend(["жир lowest жир", "<s>жир lowest"], 9)
    assert longer.symbols[: len(bpe)] == bpe.symbols
    assert longer.vocab[: len(bpe)] == bpe.vocab
    assert longer.vocab[len(bpe) :] == (
        "ж", "и", "р", "ж</w>", "и</w>", "р</w>", "ир</w>", "жир</w>", "lowest</w>",
    )  # fmt: skip
    assert longer.merge_counts.tolist()[4:] == [3, 3, 2]
    assert longer.special_tokens == bpe.special_tokens
    text = "<s>жир lowest</s>"
    ids = longer.encode(text, allowed_special="all")
    assert ids[0] == bpe.piece_to_id("<s>")
    assert ids[-1] == bpe.piece_to_id("</s>")
    assert longer.decode(ids) == longer.decode(np.array(ids, np.int32)) == "<s> жир lowest </s>"
    assert longer._plain[bpe.piece_to_id("<s>")] == HOLE


def test_an_extended_model_is_saved_whole_and_extended_again(tmp_path):
    bpe = subword.train(TOY, 4, special_tokens=["<s>"]).extend({"жир": 4}, 1)
    bpe = bpe.add_special_tokens(["<t>"]).extend({"жиры": 4}, 3)
    bpe.save(tmp_path / "model")
    again = subword.load(tmp_path / "model")
    assert again == bpe
    assert again.vocab == bpe.vocab
    assert len(again) == len(bpe)
    assert [again.piece_to_id(token) for token in ("<s>", "<t>")] == [
        bpe.piece_to_id("<s>"), bpe.piece_to_id("<t>"),
    ]  # fmt: skip
    assert again.encode("<t>жиры<s>", allowed_special="all") == [
        bpe.piece_to_id("<t>"), bpe.piece_to_id("жиры</w>"), bpe.piece_to_id("<s>"),
    ]  # fmt: skip
    assert again.truncate(4).vocab[: len(bpe) - 5] == bpe.vocab[:-5]


def test_ids_are_the_same_in_another_process(tmp_path):
    bpe = subword.train(TOY, 4, special_tokens=["<s>"]).extend({"жир": 4, "low": 9}, 5)
    bpe.save(tmp_path / "model")
    texts = [f"low {c}жир<s> lowest {c}" for c in "aéж☃"]
    code = (
        f"import subword; bpe = subword.load({str(tmp_path / 'model')!r}); "
        f"print([bpe.encode(text, allowed_special='all') for text in {texts!r}])"
    )
    for seed in ("0", "42"):
        shown = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert shown == f"{[bpe.encode(text, allowed_special='all') for text in texts]}\n"


def test_nothing_to_learn_changes_nothing():
    bpe = subword.train(TOY, special_tokens=["<s>"])
    assert bpe.extend(TOY, 0) is bpe
    with pytest.warns(SubwordWarning, match="0 merges learnt, 5 asked for"):
        assert bpe.extend(TOY, 5) is bpe


def test_other_words_are_refused():
    bpe = subword.train(["low low"], pretokenizer="words")
    with pytest.raises(SubwordError, match="made by Splitter.*'space'.*the model splits by"):
        bpe.extend(WordCounts(TOY), 5)
    assert bpe.extend(TOY, 1).num_merges == bpe.num_merges + 1
    with pytest.raises(TypeError, match="put it in a list"):
        bpe.extend("low", 5)
    with pytest.raises(SubwordError, match="num_merges must be at least 0"):
        bpe.extend(TOY, -1)


def test_of_two_equal_symbols_learning_knows_the_one_in_texts():
    bpe = subword.train({"abab": 3}, 1, level="byte", end_of_word=None, pretokenizer="none")
    again = [bpe.merge_table()[0]._replace(left=257, result=258)]
    twice = subword.BPE([*bpe._plain, (b"a", False), (b"ab", False)], Merges.of(again), bpe.options)
    longer = twice.extend({"abab": 3, "ac": 3}, 2)
    assert [merge[:3] for merge in longer.merge_table()] == [
        (257, 98, 258), (258, 258, 259), (257, 99, 260),
    ]  # fmt: skip
    assert longer.encode("ababac") == [259, 260]


def test_models_of_other_tools_are_extended(shared):
    bpe = subword.load(shared / "golden" / "gpt2" / "vocab.bpe.gz")
    longer = bpe.extend(["bpe tokenizers tokenizers"] * 3, 2)
    assert longer.symbols[: len(bpe)] == bpe.symbols
    assert longer.merges[50_000:] == ((" token", "izers"), ("b", "pe"))
    assert longer.encode("<|endoftext|> tokenizers", allowed_special="all") == [50256, 50257]


# -- special tokens --------------------------------------------------------------------------


def test_adding_special_tokens_moves_no_id():
    bpe = subword.train(TOY, special_tokens=["<s>"])
    more = bpe.add_special_tokens(["<t>", "<s>>"])
    assert more.vocab == (*bpe.vocab, "<t>", "<s>>")
    assert more.encode("low<s>>", allowed_special="all") == [*bpe.encode("low"), len(bpe) + 1]
    assert more.encode("low<s>>") == bpe.encode("low<s>>")
    assert bpe.add_special_tokens([]) == bpe


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["<t>", "<t>"], "'<t>' is given twice"),
        ([""], "must not be empty"),
        (["<s>"], "'<s>' is a special token of this model already, id"),
        (["low</w>"], "'low</w>' is a piece of this model already, id"),
    ],
)
def test_special_tokens_that_clash_are_refused(tokens, message):
    bpe = subword.train(TOY, special_tokens=["<s>"])
    with pytest.raises(SpecialTokenError, match=message):
        bpe.add_special_tokens(tokens)
    with pytest.raises(TypeError, match="write \\['<x>'\\]"):
        bpe.add_special_tokens("<x>")


# -- prune -----------------------------------------------------------------------------------


def test_pruning_by_hand():
    bpe = subword.train(TOY, special_tokens=["<s>"])
    pruned, new_ids = bpe.prune(5)
    gone = [piece for piece, i in zip(bpe.vocab, new_ids.tolist(), strict=True) if i == -1]
    # "widest" stands 3 times, "lower" twice; low, newest and their parts stay
    assert gone == ["wi", "wid", "widest</w>", "we", "wer</w>", "lower</w>"]
    assert new_ids.dtype == np.int32
    assert [piece for piece in bpe.vocab if piece not in gone] == list(pruned.vocab)
    kept = new_ids[new_ids >= 0]
    assert kept.tolist() == list(range(len(pruned)))
    assert pruned.piece_to_id("<s>") == new_ids[bpe.piece_to_id("<s>")] == len(pruned) - 1
    assert subword.loads(pruned.dumps()) == pruned
    assert bpe.prune(0)[0] == bpe


@settings(max_examples=60, deadline=None)
@given(counts=words, mode=st.sampled_from(MODES), least=st.integers(0, 30), given=st.booleans())
def test_words_without_pruned_pieces_are_split_as_before(counts, mode, least, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SubwordWarning)
        bpe = subword.train(counts, 40, **modes(*mode))
    if not bpe.num_merges:
        return
    pruned, new_ids = bpe.prune(least, counts if given else None)
    rng = random.Random(least)
    others = {"".join(rng.choices("abé", k=rng.randint(1, 9))): 1 for _ in range(20)}
    for word in counts | others:
        ids = new_ids[bpe.encode(word)]
        if (ids >= 0).all():
            assert pruned.encode(word) == ids.tolist()
    assert [pruned.symbols[i] for i in new_ids[new_ids >= 0]] == [
        symbol for symbol, i in zip(bpe.symbols, new_ids, strict=True) if i >= 0
    ]
    parts = {i for left, right, _ in pruned._table.tolist() for i in (left, right)}
    found = usage_of(bpe, counts).frequencies(len(bpe))
    for merge in bpe.merge_table():
        stays = new_ids[merge.result] in parts or found[merge.result] >= least
        assert (new_ids[merge.result] >= 0) == stays


def test_the_training_corpus_is_known_without_counts():
    counts = WordCounts({word: i % 7 + 1 for i, word in enumerate(map(str, range(3000)))})
    bpe = subword.train(counts, 300)
    assert bpe.prune(20)[0] == bpe.prune(20, counts)[0] != bpe


def test_models_that_do_not_know_their_counts_want_some(bpe):
    loaded = subword.loads("#version: 0.2\nl o\nlo w</w>\n")
    with pytest.raises(SubwordError, match="give word counts: prune\\(min_count, counts\\)"):
        loaded.prune(2)
    assert loaded.prune(2, {"low": 2})[0] == loaded
    assert loaded.prune(2, {"lot": 2})[0].merges == (("l", "o"),)
    assert loaded.prune(2, {"xy": 2})[0].merges == ()
