"""The script that makes the model of languages: the parts that can be checked by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from subword.data import make_languages as make


def test_serbian_in_cyrillic():
    assert make.to_cyrillic("ljubav njena džep đak") == "љубав њена џеп ђак"
    assert make.variant("sr", ["река", "и", "tv"]) == make.CYRILLIC
    assert make.variant("sr", ["reka", "i", "тв"]) == make.LATIN
    assert make.variant("ru", ["река"]) == "ru"


def test_yoruba_as_it_is_written_on_the_web():
    spelt = make.without_tones(Counter({"ọ̀nà": 1.0}))
    assert spelt == {"ọ̀nà": 0.5, "ọna": 0.25, "ona": 0.25}


def test_sources_are_damped_before_they_are_added():
    counts = Counter({"low": 32, "new": 1, "rare": 1})
    assert dict(make.damped(counts, 2)) == pytest.approx({"low": 0.8, "new": 0.2})
    sources = {"en": {"texts": Counter({"low": 1}), "django": counts}}
    blended = make.blend(sources)["en"]
    assert blended["low"] == pytest.approx(1 + 0.03 * 4 / 6)
    assert blended["rare"] == pytest.approx(0.03 / 6)


def test_samples_hold_every_kind_for_every_language():
    lines = [("en", f"several ordinary words number{i}x") for i in range(9)] + [("sr", "reka")]
    found = make.samples(lines, most=5)
    assert {kind: len(rows) for kind, rows in found.items()} == {
        "sentences": 5,
        "pairs": 5,
        "words": 4,
    }
    assert {language for rows in found.values() for language, _ in rows} == {"en"}
    assert make.long_words("zh", "我们都是人类") == ["我们", "人类"]
