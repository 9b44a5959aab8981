"""The audit: pieces and merges of no use, against all texts that there are."""

from __future__ import annotations

import itertools
import json
import random
import warnings

import pytest
from conftest import TOY

import subword
from subword import SubwordWarning
from subword.alphabet import alphabet
from subword.model import Merges
from subword.options import Options
from subword.pretokenize import Splitter
from subword.reference import Merge


def codes(*rows: str) -> subword.BPE:
    return subword.loads("\n".join(["#version: 0.2", *rows]) + "\n")


def names(bpe: subword.BPE, ids) -> list[str]:
    return [bpe.vocab[i] for i in ids]


def test_a_sound_model_has_nothing(bpe):
    found = subword.audit(bpe)
    assert (found.unreachable, found.cut, found.broken, found.duplicates, found.shadowed) == (
        (),
    ) * 5
    assert (found.unused, found.single_use) == (None, None)


def test_a_piece_whose_parts_never_meet():
    bpe = codes("b c", "a b", "ab c")  # in abc, b and c are merged first
    found = subword.audit(bpe)
    assert names(bpe, found.unreachable) == ["abc"]
    assert found.shadowed == (2,)


def test_the_second_way_to_make_a_piece_is_shadowed():
    bpe = codes("a b", "b c", "ab c", "a bc")
    found = subword.audit(bpe)
    assert (found.unreachable, found.shadowed) == ((), (3,))
    assert "a+bc" in str(found)


def test_a_piece_that_nothing_makes():
    bpe = codes("lo w", "l e")
    assert names(bpe, subword.audit(bpe).unreachable) == ["lo", "low"]


@pytest.mark.parametrize("end_of_word", [None, "suffix", "separate"])
@pytest.mark.parametrize("unknown", ["bytes", "unk"])
def test_unreachable_and_shadowed_are_what_no_text_meets(end_of_word, unknown):
    rng = random.Random(f"{end_of_word} {unknown}")
    texts = ["".join(c) for n in range(1, 8) for c in itertools.product("ab", repeat=n)]
    for _ in range(6):
        bpe = random_model(rng, end_of_word, unknown)
        met = {i for text in texts for i in bpe.encode(text)}
        steps = {step.rank for text in texts for step in bpe.trace(text)}
        found = subword.audit(bpe)
        made = set(bpe._table[:, 2].tolist())
        # a piece may be met on the way only, so steps tell, not what is left at the end
        results = {int(bpe._table[rank, 2]) for rank in steps}
        assert set(found.unreachable) == made - results
        assert not set(found.unreachable) & met
        assert set(found.shadowed) == set(range(bpe.num_merges)) - steps


def random_model(rng, end_of_word, unknown) -> subword.BPE:
    """Make 10 merges of any symbols up to 6 characters long."""
    options = Options("char", end_of_word, Splitter("space"), unknown)
    unk = [(b"<unk>", False)] * (unknown == "unk")
    symbols = unk + alphabet("ab", "char", end_of_word, unknown)
    usable = [i for i, (raw, _) in enumerate(symbols) if raw in (b"a", b"b", b"")]
    merges: dict[tuple[int, int], Merge] = {}
    while len(merges) < 10:
        left, right = rng.choice(usable), rng.choice(usable)
        joined = (symbols[left][0] + symbols[right][0], symbols[right][1])
        if symbols[left][1] or len(joined[0]) > 6 or (left, right) in merges:
            continue
        if (symbols[right][0] == b"") > (end_of_word == "separate"):
            continue
        if joined not in symbols:
            symbols.append(joined)
            usable.append(len(symbols) - 1)
        merges[left, right] = Merge(left, right, symbols.index(joined), 0, 0)
    return subword.BPE(symbols, Merges.of([*merges.values()]), options)


def test_pieces_that_the_words_cut():
    bpe = subword.train(["it's it's"], level="byte", pretokenizer="none")
    merges = Merges(bpe._table, bpe.merge_counts, bpe.merge_applied)
    other = subword.BPE(bpe._plain, merges, bpe.options._replace(splitter=Splitter("gpt2")))
    assert subword.audit(bpe).cut == ()
    cut = names(other, subword.audit(other).cut)
    assert cut
    assert all("'" in piece and piece != "'s" for piece in cut)
    lower = subword.BPE(bpe._plain, merges, bpe.options._replace(splitter=Splitter("none", True)))
    assert subword.audit(lower).cut == ()
    upper = subword.train(["IT It"] * 2, level="byte", pretokenizer="none")
    merges = Merges(upper._table, upper.merge_counts, upper.merge_applied)
    upper = subword.BPE(upper._plain, merges, lower.options)  # capitals that no text has
    assert len(subword.audit(upper).cut) == upper.num_merges


def test_broken_pieces():
    bpe = subword.train(["é☃ è☃ ê☃"] * 2, 2, level="byte", pretokenizer="gpt2")
    assert names(bpe, subword.audit(bpe).broken) == [
        piece for piece in bpe.vocab[256:] if "<0x" in piece
    ]
    assert len(subword.audit(bpe).broken) > 0


def test_duplicates():
    bpe = subword.train(TOY)
    merges = Merges(bpe._table, bpe.merge_counts, bpe.merge_applied)
    twice = subword.BPE([*bpe._plain, (b"x", False)], merges, bpe.options, ["lo", "new"])
    found = subword.audit(twice)
    assert found.duplicates == ((ord("x"), len(bpe)), (bpe.piece_to_id("lo"), len(bpe) + 1))
    assert found.unreachable == ()


def test_what_a_corpus_does_not_need():
    bpe = subword.train(TOY)
    found = subword.audit(bpe, {"low": 3, "lowest": 1, "x": 5})
    assert names(bpe, found.single_use) == ["lo", "west</w>"]
    assert "low</w>" not in names(bpe, found.unused)
    assert set(found.unused) == {
        merge.result for merge in bpe.merge_table()
    } - set(bpe.encode("low lowest"))  # fmt: skip


def test_it_is_plain_data_and_text():
    bpe = codes("b c", "a b", "ab c")
    found = subword.audit(bpe, {"abc": 1})
    data = json.loads(json.dumps(found.as_dict()))
    assert data["unreachable"] == [{"id": bpe.piece_to_id("abc"), "piece": "abc"}]
    assert data["shadowed"] == [{"rank": 2, "merge": ["ab", "c"]}]
    assert (data["ids"], data["merges"]) == (len(bpe), 3)
    assert "unreachable        1  their own merges lead elsewhere" in str(found)
    assert subword.audit(bpe).as_dict()["unused"] is None


@pytest.mark.parametrize("level", ["char", "byte"])
def test_trained_models_are_sound(level):
    counts = {"".join(random.Random(i).choices("abé", k=1 + i % 9)): 1 + i % 5 for i in range(300)}
    for end_of_word in (None, "suffix", "separate"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SubwordWarning)
            bpe = subword.train(counts, 200, level=level, end_of_word=end_of_word)
        found = subword.audit(bpe.add_special_tokens(["<s>"]).extend({"xyx": 3}, 2))
        assert (found.unreachable, found.duplicates, found.shadowed) == ((), (), ())


@pytest.mark.slow
def test_gpt2_has_pieces_that_are_no_text_and_none_out_of_reach(shared):
    bpe = subword.load(shared / "golden" / "gpt2" / "vocab.bpe.gz")
    found = subword.audit(bpe)
    assert (found.unreachable, found.cut, found.shadowed) == ((), (), ())
    assert len(found.broken) == 216
