"""Damaged files of every format: they load to a model that works, or are refused with a reason."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from conftest import SHARED
from damage import SAID, specimens, survive
from foreign import HELD, NAMES, small

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


@pytest.mark.filterwarnings("ignore:CLIP numbers the bytes")
@pytest.mark.parametrize("format", ["subword", *HELD])
def test_line_ends_marks_and_packing_do_not_matter(tmp_path, format):
    path = tmp_path / NAMES.get(format, "model")
    if format == "subword":
        subword.train(["low\r\n low\r\n lower"] * 2, 6, pretokenizer="gpt2").save(path)
    else:
        small(**HELD[format]).export(path, format)
    bpe = subword.load(path, **SAID.get(format, {}))
    for change in (_crlf, _marked):
        for file in sorted(tmp_path.iterdir()):
            good = file.read_bytes()
            file.write_bytes(change(good))
            assert subword.load(file, **SAID.get(format, {})) == bpe
            file.write_bytes(good)
    for file in sorted(tmp_path.iterdir()):
        file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert subword.load(f"{path}.gz", **SAID.get(format, {})) == bpe


def _crlf(raw: bytes) -> bytes:
    return raw.replace(b"\n", b"\r\n")


def _marked(raw: bytes) -> bytes:
    return b"\xef\xbb\xbf" + raw


@pytest.mark.parametrize(
    "text", ["", "\n", "\0", "#version: 0.3\n", "minbpe v2\n", "#subword-model 9\n", "{", "{}"]
)
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "model"
    path.write_text(text)
    with pytest.raises(subword.ModelFileError) as caught:
        subword.load(path)
    assert caught.value.path == str(path)
