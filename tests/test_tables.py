import bz2
import datetime
import gzip
import sys

import pytest

from subword import CorpusError, SubwordError
from subword.tables import read_table

TSV = "text\tlabel\nlow\tpos\nnewest\tneg\n"


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parquet(path, columns):
    arrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(arrow.table(columns), path)
    return path


def test_parquet_has_names_and_values_of_any_kind(tmp_path):
    path = parquet(tmp_path / "a.parquet", {"id": [1, 2], "text": ["low", None], "label": [5, 1]})
    table = read_table(path)
    assert (table.texts, table.labels) == (["low", ""], ["5", "1"])
    with pytest.raises(SubwordError, match="no column mark .*'id', 'text', 'label'"):
        read_table(path, label="mark")


def test_parquet_of_other_types(tmp_path):
    columns = {
        "text": ["low", "new"],
        "label": [datetime.date(2020, 1, 31), datetime.date(2021, 1, 1)],
    }
    assert read_table(parquet(tmp_path / "a.parquet", columns)).labels[0] == "2020-01-31"
    path = parquet(tmp_path / "b.parquet", {"text": ["low", "new"], "label": [1.5, float("nan")]})
    with pytest.raises(CorpusError, match="line 2: a row has no label"):
        read_table(path)
    with pytest.raises(CorpusError, match="line 1: expected a text or a number, got b'low'"):
        read_table(parquet(tmp_path / "c.parquet", {"text": [b"low"], "label": [1]}))


def test_what_is_no_parquet_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(CorpusError, match="not Parquet"):
        read_table(put(tmp_path / "a.parquet", b"low\tpos\n" * 9))


def test_zstandard_in_frames(tmp_path):
    compress = pytest.importorskip("zstandard").ZstdCompressor().compress
    head, tail = TSV[:9].encode(), TSV[9:].encode()
    table = read_table(put(tmp_path / "a.tsv.zst", compress(head) + compress(tail)))
    assert table.labels == ["pos", "neg"]


def test_zstandard_that_breaks_off_is_refused(tmp_path):
    packed = pytest.importorskip("zstandard").ZstdCompressor().compress(TSV.encode() * 99)
    with pytest.raises(CorpusError, match="cannot be unpacked: it ends in the middle"):
        read_table(put(tmp_path / "a.tsv.zst", packed[:-5]))
    with pytest.raises(CorpusError, match="cannot be unpacked"):
        read_table(put(tmp_path / "b.tsv.zst", b"low"))


@pytest.mark.parametrize(
    ("name", "module", "package"),
    [("a.tsv.zst", "zstandard", "zstandard"), ("a.parquet", "pyarrow.parquet", "pyarrow")],
)
def test_a_missing_extra_is_named(tmp_path, monkeypatch, name, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SubwordError, match=rf"package {package}; .*'subword\[io\]'"):
        read_table(put(tmp_path / name, b"low"))


def test_an_address_needs_fsspec(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(SubwordError, match=r"package fsspec; .*'subword\[io\]'"):
        read_table("s3://bucket/a.tsv")


def test_addresses_are_read_and_unpacked():
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://subword/a.tsv.gz", "wb") as stream:
        stream.write(gzip.compress(TSV.encode()))
    assert read_table("memory://subword/a.tsv.gz").texts == ["low", "newest"]
    with pytest.raises(SubwordError, match="nowhere"):
        read_table("nowhere://a.tsv")
    with pytest.raises(FileNotFoundError):
        read_table("memory://subword/missing.tsv")


# -- folders ---------------------------------------------------------------------------------


def test_a_folder_is_read_as_load_files_does(tmp_path):
    from sklearn.datasets import load_files

    for name, text in [("pos/b.txt", "low"), ("pos/a.txt", "lo\nwer"), ("neg/x/1", "newest")]:
        put(tmp_path / name, text)
    put(tmp_path / ".git/config", b"\xff")
    table = read_table(tmp_path)
    assert table.texts == ["newest", "lo\nwer", "low"]
    assert table.labels == ["neg", "pos", "pos"]
    (tmp_path / "neg/x/1").unlink()  # which load_files does not find
    (tmp_path / "neg/x").rmdir()
    (tmp_path / ".git/config").unlink()
    (tmp_path / ".git").rmdir()
    put(tmp_path / "neg/1", "newest")
    theirs = load_files(tmp_path, encoding="utf-8", shuffle=False)
    names = [theirs.target_names[i] for i in theirs.target]
    assert sorted(zip(theirs.data, names, strict=True)) == sorted(
        zip(table.texts, table.labels, strict=True)
    )


def test_packed_files_in_folders(tmp_path):
    put(tmp_path / "pos/a.txt.bz2", bz2.compress(b"low"))
    assert read_table(tmp_path).texts == ["low"]


def test_folders_that_are_none_of_texts(tmp_path):
    with pytest.raises(SubwordError, match="no files in this folder"):
        read_table(tmp_path)
    put(tmp_path / "pos/a.png", b"\x89PNG\xff")
    with pytest.raises(CorpusError, match=r"a\.png, line 1, byte 0: invalid UTF-8"):
        read_table(tmp_path)
    put(tmp_path / "loose.txt", "low")
    with pytest.raises(SubwordError, match=r"'loose\.txt' lies in no folder of its label"):
        read_table(tmp_path)


def test_texts_to_label_may_lie_anywhere(tmp_path):
    put(tmp_path / "loose.txt", "low")
    put(tmp_path / "deep/er.txt", "newest")
    table = read_table(tmp_path, labelled=False)
    assert (table.texts, table.labels) == (["newest", "low"], [])
