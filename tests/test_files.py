"""Reading in blocks, writing whole or not."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys

import pytest

import subword
from subword import CorpusError, SubwordError, files


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress), (".bz2", bz2.compress)],
)
def test_files_are_unpacked_by_suffix(tmp_path, suffix, pack):
    path = tmp_path / f"text{suffix}"
    path.write_bytes(pack("lów\n".encode()))
    assert "".join(files.read_blocks(path)) == "lów\n"


PACKED = [".gz", ".xz", ".bz2", ".zst"]


@pytest.mark.parametrize("suffix", PACKED)
def test_what_is_written_packed_is_read_back(tmp_path, suffix):
    if suffix == ".zst":
        pytest.importorskip("zstandard")
    path, again = tmp_path / f"text{suffix}", tmp_path / f"again{suffix}"
    for target in (path, again):
        files.write_atomic(target, "lów\n" * 9)
    assert "".join(files.read_blocks(path)) == "lów\n" * 9
    assert path.read_bytes() == again.read_bytes() != ("lów\n" * 9).encode()
    bpe, counts = subword.train({"low": 5, "lower": 2}), subword.WordCounts({"low": 5})
    bpe.save(path)
    assert subword.load(path) == bpe
    counts.save(path)
    assert subword.WordCounts.load(path) == counts


def test_without_zstandard_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(SubwordError, match=r"subword\[io\]"):
        files.write_atomic(tmp_path / "text.zst", "low")
    assert not os.listdir(tmp_path)


def test_characters_are_whole_wherever_a_block_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_BLOCK", 3)
    path = tmp_path / "text"
    text = "aé北😀\n" * 5
    path.write_text(text, encoding="utf-8")
    assert "".join(files.read_blocks(path)) == text


def test_a_bom_is_dropped_at_the_start_only(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("\ufefflow \ufefflow".encode())
    assert "".join(files.read_blocks(path)) == "low \ufefflow"


@pytest.mark.parametrize("block", [2, 1 << 20])
def test_invalid_utf8_names_file_line_and_byte(tmp_path, monkeypatch, block):
    monkeypatch.setattr(files, "_BLOCK", block)
    path = tmp_path / "text"
    path.write_bytes(b"low\nlow \xff\xfe low\n")
    with pytest.raises(CorpusError, match="line 2, byte 8: invalid UTF-8") as caught:
        list(files.read_blocks(path))
    assert (caught.value.path, caught.value.line, caught.value.byte) == (str(path), 2, 8)


def test_a_character_cut_at_the_end_is_invalid(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"low\xe2\x82")
    with pytest.raises(CorpusError, match="byte 3"):
        list(files.read_blocks(path))


def test_errors_choose_what_to_do(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a\xffb")
    assert "".join(files.read_blocks(path, "replace")) == "a\ufffdb"
    assert "".join(files.read_blocks(path, "bytes")) == "a\udcffb"
    with pytest.raises(SubwordError, match="strict, replace, bytes"):
        list(files.read_blocks(path, "ignore"))


def test_only_newline_ends_a_line(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("a\u2028b\nc\u0085d\r\n\ne".encode())
    assert list(files.read_lines(path)) == ["a\u2028b", "c\u0085d\r", "", "e"]


def test_a_broken_archive_is_said_to_be_one(tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"low" * 1000)[:-9])
    with pytest.raises(CorpusError, match="cannot be unpacked"):
        list(files.read_blocks(path))


def test_wrong_paths_are_the_usual_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        list(files.read_blocks(tmp_path / "missing"))
    with pytest.raises(IsADirectoryError):
        list(files.read_blocks(tmp_path))
    with pytest.raises(FileNotFoundError) as caught:
        files.write_atomic(tmp_path / "missing" / "model", "new")
    assert caught.value.filename == str(tmp_path / "missing" / "model")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("missing/model", FileNotFoundError),
        ("file/model", NotADirectoryError),
        (".", IsADirectoryError),
    ],
)
def test_what_cannot_be_written_is_said_before_in_the_same_words(tmp_path, name, error):
    path = tmp_path / name
    (tmp_path / "file").write_text("low")
    for write in (files.check_writable, lambda path: files.write_atomic(path, "new")):
        with pytest.raises(error) as caught:
            write(path)
        assert caught.value.filename == str(path)


def test_writing_leaves_the_old_file_or_the_new_one(tmp_path, monkeypatch):
    path = tmp_path / "model"
    files.write_atomic(path, "old")
    os.chmod(path, 0o640)
    files.write_atomic(path, "new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)

    def broken(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="disk full"):
        files.write_atomic(path, "newer")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["model"]
