import bz2
import datetime
import gzip
import json
import re
import sys

import pytest

from subword import CorpusError, SubwordError
from subword.tables import read_table

ROWS = [("low, lower", "pos"), ("newest", "neg"), ('the "widest"', "pos")]
WRITTEN = {
    "a.tsv": "text\tlabel\nlow, lower\tpos\nnewest\tneg\nthe \"widest\"\tpos\n",
    "bare.tsv": "low, lower\tpos\r\nnewest\tneg\r\nthe \"widest\"\tpos\r\n",
    "a.csv": 'label,text\npos,"low, lower"\nneg,newest\npos,"the ""widest"""\n',
    "semicolon.csv": 'text;label\n"low, lower";pos\nnewest;neg\n"the ""widest""";pos\n',
    "a.jsonl": "".join(json.dumps({"id": 1, "label": b, "text": a}) + "\n" for a, b in ROWS),
    "a.txt": "low, lower\tpos\nnewest\tneg\nthe \"widest\"\tpos\n",
}  # fmt: skip
TSV = "text\tlabel\nlow\tpos\nnewest\tneg\n"


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parquet(path, columns):
    arrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(arrow.table(columns), path)
    return path


# -- text files ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITTEN)
def test_every_kind_of_table_gives_the_same_rows(tmp_path, name):
    table = read_table(put(tmp_path / name, WRITTEN[name]))
    assert list(zip(table.texts, table.labels, strict=True)) == ROWS
    assert table.notes == []


@pytest.mark.parametrize(("suffix", "module"), [("gz", "gzip"), ("xz", "lzma"), ("bz2", "bz2")])
def test_compressed_tables(tmp_path, suffix, module):
    packed = __import__(module).compress(WRITTEN["a.csv"].encode())
    assert len(read_table(put(tmp_path / f"a.csv.{suffix}", packed))) == 3


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ({"text": "review", "label": "stars"}, ("review", "stars")),
        ({"text": "2", "label": "stars"}, ("review", "stars")),
        ({"text": "2", "label": "3", "header": True}, ("review", "stars")),
    ],
)
def test_columns_by_name_and_by_number(tmp_path, options, columns):
    path = put(tmp_path / "a.csv", "id,review,stars\n1,low,5\n2,newest,1\n")
    table = read_table(path, **options)
    assert (table.texts, table.labels, table.columns) == (["low", "newest"], ["5", "1"], columns)


def test_no_header_makes_the_first_line_a_row(tmp_path):
    path = put(tmp_path / "a.tsv", WRITTEN["a.tsv"])
    assert read_table(path, header=False).texts[0] == "text"


def test_missing_column_lists_those_there_are(tmp_path):
    path = put(tmp_path / "a.csv", "id,review,stars\n1,low,5\n")
    with pytest.raises(SubwordError, match=r"no column mark .*'id', 'review', 'stars'.*--label"):
        read_table(path, text="review", label="mark")
    with pytest.raises(SubwordError, match=r"no column 9 .*--label"):
        read_table(path, label="9")
    with pytest.raises(SubwordError, match="both column 1"):
        read_table(path, label="1")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"low\tpos\nnew\xff\tneg\n", "line 2, byte 11: invalid UTF-8"),
        ("a.tsv", b"low\0\tpos\n", "line 1: a zero byte: this is not a text file"),
        ("a.tsv", b"low\tpos\nnewest\n", "line 2: 2 columns are needed, the row has 1"),
        ("a.tsv", b"low\tpos\nnewest\t \n", "line 2: a row has no label"),
        ("a.tsv", b"", "the file is empty"),
        ("a.txt", b"", "the file is empty"),
        ("a.tsv", b"text\tlabel\n", "no rows below the header"),
        ("a.txt", b"low newest\n", "line 1: no table"),
        ("a.csv", b'text,label\n"low,pos\n', "line 2: not CSV"),
        ("a.jsonl", b'{"text": "low", "label": 1}\n[]\n', "line 2: expected a JSON object"),
        ("a.jsonl", b'{"text": ["low"], "label": 1}\n', "line 1: expected a text or a number"),
        ("a.tsv.gz", b"low\tpos\n", "cannot be unpacked"),
    ],
)
def test_bad_tables_are_refused_with_their_place(tmp_path, name, content, message):
    with pytest.raises(SubwordError, match=re.escape(message)):
        read_table(put(tmp_path / name, content))


def test_invalid_utf8_can_be_replaced(tmp_path):
    path = put(tmp_path / "a.tsv", b"new\xff\tneg\n")
    assert read_table(path, errors="replace").texts == ["new\ufffd"]
    with pytest.raises(CorpusError) as caught:
        read_table(path)
    assert (caught.value.line, caught.value.byte) == (1, 3)


def test_json_values_become_labels_as_they_are_spelt(tmp_path):
    rows = '{"text": "low", "label": 1}\n{"text": 404, "label": true}\n{"label": "x"}\n'
    table = read_table(put(tmp_path / "a.jsonl", rows))
    assert (table.texts, table.labels) == (["low", "404", ""], ["1", "true", "x"])


def test_odd_rows_are_noted(tmp_path):
    table = read_table(put(tmp_path / "a.tsv", "low\tpos\n \tpos \nnewest\tneg\n"))
    assert table.labels == ["pos", "pos", "neg"]
    assert [note for note in table.notes if "taken as one: 'pos'" in note]
    assert [note for note in table.notes if note.startswith("1 of 3 texts are empty")]


def test_a_header_taken_for_a_row_is_noted(tmp_path):
    table = read_table(put(tmp_path / "a.tsv", "review\tstars\n" + "low\tpos\nwide\tneg\n" * 2))
    assert "is a header" in table.notes[0]


def test_lines_without_labels(tmp_path):
    table = read_table(put(tmp_path / "a.txt", "low\n\nnewest"), labelled=False)
    assert (table.texts, table.labels) == (["low", "", "newest"], [])


def test_semicolons_divide_only_where_the_header_has_no_comma_but_them(tmp_path):
    path = put(tmp_path / "a.csv", 'text\n"low, lower"\nnew;est\n')
    assert read_table(path, labelled=False).texts == ["low, lower", "new;est"]


def test_shared_tables_can_be_read(shared):
    assert len(read_table(shared / "sentiment/customer_reviews.tsv.gz")) == 3771


# -- Parquet, Zstandard, addresses ---------------------------------------------------------------


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
