"""Which engine runs, and what is said when it is not the wanted one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import subword
from subword import native

MODEL = "import subword; print(subword.train({'low': 5, 'lower': 2}).fingerprint, subword.info()['engine'])"
HIDDEN = "import sys; sys.modules['subword.native._core'] = None; " + MODEL


def run(code: str, engine: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SUBWORD_ENGINE": engine}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )


def test_pure_python_gives_the_same_model():
    expected = subword.train({"low": 5, "lower": 2}).fingerprint
    assert run(MODEL, "python").stdout == f"{expected} python\n"


def test_a_missing_engine_is_said_once():
    shown = run(HIDDEN, "auto")
    assert shown.stdout.endswith(" python\n")
    assert shown.stderr.count("FallbackWarning") == 1


def test_a_missing_engine_that_was_demanded_is_an_error():
    shown = run(HIDDEN, "native")
    assert shown.returncode == 1
    assert "SubwordError: SUBWORD_ENGINE=native, but the compiled engine is missing" in shown.stderr


def test_other_words_are_refused():
    assert "must be one of auto, native, python; got 'rust'" in run(MODEL, "rust").stderr


def test_info_says_which_engine_runs():
    info = subword.info()
    assert info["engine"] == ("native" if native.core() else "python")
    assert set(info) == {"version", "engine", "unicode", "threads"}
    assert info["threads"] >= 1


@pytest.mark.parametrize(("text", "expected"), [("low", "low"), ("a\udcff", b"a\xff"), ("é", "é")])
def test_texts_are_handed_over_as_they_are(text, expected):
    assert native.as_utf8(text) == expected
