"""Damaged files of every format: they load to a model that works, or are refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SHARED
from foreign import HELD, NAMES, SAID, small, specimens, survive

import subword

GOLDEN = SHARED / "data" if (SHARED / "data").is_dir() else None


@pytest.mark.slow
def test_damaged_files_load_or_are_refused(tmp_path):
    for what, path, options in specimens(tmp_path, GOLDEN):
        refused = survive(path, seed=len(what), rounds=20, exact=False, **options)
        assert 0 < refused <= 20, what


@pytest.mark.filterwarnings("ignore:CLIP numbers the bytes")
@pytest.mark.parametrize("format", HELD)
def test_what_is_written_is_read_and_written_the_same(tmp_path, format):
    name = NAMES.get(format, "model")
    bpe = small(**HELD[format])
    for folder in ("one", "two"):
        path = Path(tmp_path, folder, name)
        path.parent.mkdir()
        bpe.export(path, format)
        bpe = subword.load(path, **SAID.get(format, {}))
    files = {path.name: path.read_bytes() for path in Path(tmp_path, "one").iterdir()}
    assert files == {path.name: path.read_bytes() for path in Path(tmp_path, "two").iterdir()}
