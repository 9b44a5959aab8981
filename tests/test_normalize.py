"""Normalisation and where its characters come from."""

from __future__ import annotations

import random
import unicodedata

import pytest

from subword import SubwordError
from subword.normalize import STEPS, align, check_normalization, normalize


def test_nothing_happens_by_default():
    text = "︰ ŀ ŉ ﬁ ² Ａ e\u0301"
    assert normalize(text, ()) == text


def test_steps_apply_in_order():
    assert (
        normalize("  Cafe\u0301 \t Ａ", ("NFKC", "squeeze", "strip_accents"), lowercase=True)
        == " cafe a"
    )


def test_unknown_names_list_the_known():
    with pytest.raises(SubwordError, match="NFC, NFD"):
        check_normalization("nfc")


@pytest.mark.parametrize("step", STEPS)
def test_alignment_gives_the_normalised_text_and_slices_of_the_original(step):
    rng = random.Random(step)
    for _ in range(200):
        text = "".join(rng.choices("aÉe\u0301ﬁ²각\u1100\u1161\u11a8İΣ \t\u0323q", k=10))
        result, starts, ends = align(text, (step,), lowercase=rng.random() < 0.5)
        assert len(result) == len(starts) == len(ends)
        assert all(0 <= a < b <= len(text) for a, b in zip(starts, ends, strict=True))
        assert starts == sorted(starts)
        covered = {i for a, b in zip(starts, ends, strict=True) for i in range(a, b)}
        if step.startswith("NF"):
            assert covered == set(range(len(text)))


def test_decomposed_hangul_maps_to_its_syllable():
    text = unicodedata.normalize("NFD", "각a")
    assert align(text, ("NFC",), False) == ("각a", [0, 3], [3, 4])


def test_lower_case_that_grows_shares_its_place():
    assert align("İx", (), True) == ("i̇x", [0, 0, 1], [1, 1, 2])
