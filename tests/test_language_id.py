"""The language identification app: what a person sees."""

from __future__ import annotations

import io
import json
import sys

import pytest
from subword.apps import language_id

from subword.files import bundled

ROWS = [
    ("en", "the wine and the cheese"),
    ("de", "der Wein und der Käse"),
    ("fr", "le vin et le fromage"),
] * 2


@pytest.fixture
def labelled(tmp_path):
    path = tmp_path / "labelled.tsv"
    path.write_text("".join(f"{language}\t{text}\n" for language, text in ROWS), encoding="utf-8")
    return str(path)


def run(capsys, *argv):
    code = language_id.main([*map(str, argv)])
    out, err = capsys.readouterr()
    return code, out, err


def test_texts_as_arguments(capsys):
    code, out, err = run(capsys, "Ein gut gekühlter\nWein", "404")
    assert (code, err) == (0, "")
    first, second = (line.split("\t") for line in out.splitlines())
    assert (first[0], first[2]) == ("de", "Ein gut gekühlter Wein")
    assert float(first[1]) > 0.9
    assert second == ["und", "0.0133", "404"]


def test_files_and_standard_input(capsys, monkeypatch, tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("This is English\nDies ist deutsch\n", encoding="utf-8")
    code, out, _ = run(capsys, path, "--json")
    assert code == 0
    assert [json.loads(line)["language"] for line in out.splitlines()] == ["en", "de"]
    stream = io.TextIOWrapper(io.BytesIO("Ceci est du français\n".encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert run(capsys)[1].startswith("fr\t")


@pytest.mark.parametrize(
    "name",
    ["a.txt", "a.tsv", "a.tab", "a.csv", "a.jsonl", "a.ndjson", "a.gz", "a.txt.xz", "a.BZ2"],
)
def test_a_file_that_is_not_there_is_not_taken_for_a_text(name, capsys):
    code, out, err = run(capsys, name)
    assert (code, out) == (1, "")
    assert err == f"language_id: error: {name}: No such file or directory\n"


@pytest.mark.parametrize(
    ("name", "package"),
    [("a.zst", "zstandard"), ("a.parquet", "pyarrow"), ("a.pq", "pyarrow")],
)
def test_nor_is_one_that_needs_a_package(name, package, capsys):
    pytest.importorskip(package)
    code, out, err = run(capsys, name)
    assert (code, out) == (1, "")
    assert "No such file or directory" in err


def test_a_folder_is_read_and_not_taken_for_a_text(tmp_path, capsys):
    folder = tmp_path / "letters to read"
    (folder / "x").mkdir(parents=True)
    (folder / "x" / "1.txt").write_text("Dies ist ein deutscher Text", encoding="utf-8")
    code, out, _ = run(capsys, folder)
    assert (code, out.split("\t")[::2]) == (0, ["de", "Dies ist ein deutscher Text\n"])
    (tmp_path / "empty").mkdir()
    code, out, err = run(capsys, tmp_path / "empty")
    assert (code, out) == (1, "")
    assert err.startswith("language_id: error: ")


def test_spans(capsys):
    text = "The show must go on, sagte sie gestern zu ihrem Mann."
    code, out, _ = run(capsys, "--spans", text)
    assert code == 0
    rows = [line.split("\t") for line in out.splitlines()]
    assert [(row[3], row[4]) for row in rows] == [
        ("en", "The show must go on"), ("de", "sagte sie gestern zu ihrem Mann"),
    ]  # fmt: skip
    assert all(text[int(row[1]) : int(row[2])] == row[4] for row in rows)
    record = json.loads(run(capsys, "--spans", "--json", text)[1])
    assert [span["language"] for span in record["spans"]] == ["en", "de"]


def test_restricted_languages_and_confidence(capsys):
    assert run(capsys, "Elle", "--languages", "en,zh")[1].split("\t")[0] in ("en", "zh", "und")
    assert run(capsys, "ok", "--min-confidence", "0.99")[1].startswith("und\t")
    code, _, err = run(capsys, "ok", "--languages", "en,xx")
    assert code == 1
    assert "languages that were not learnt: xx" in err


def test_evaluate(labelled, capsys):
    code, out, _ = run(capsys, "evaluate", labelled)
    assert code == 0
    for part in (
        "6 texts in 3 languages",
        "100.00 % right",
        "characters",
        "probability",
        "95 % interval",
    ):
        assert part in out
    report = json.loads(run(capsys, "evaluate", labelled, "--json")[1])
    assert report["mean"] == 1.0
    assert [share["name"] for share in report["languages"]] == ["de", "en", "fr"]


def test_evaluate_by_named_columns_and_unknown_languages(tmp_path, capsys):
    path = tmp_path / "named.csv"
    path.write_text("text,language\nthe wine and the cheese,en\nlow lower,xx\n", encoding="utf-8")
    code, out, err = run(capsys, "evaluate", path, "--label", "language")
    assert code == 0
    assert "xx as" in out
    assert "does not know xx" in err
    code, _, err = run(capsys, "evaluate", path, "--label", "lang")
    assert code == 1
    assert "there is no column lang for the label" in err


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("x.jsonl", ['{{"text": "{1}", "lang": "{0}"}}']),
        ("x.jsonl", ['{{"id": 1, "language": "{0}", "text": "{1}"}}']),
        ("x.tsv", ["text\tlabel", "{1}\t{0}"]),
        ("x.tsv", ["language\ttext", "{0}\t{1}"]),
        ("x.csv", ["id,text,lang", "1,{1},{0}"]),
        ("x.tsv", ["{0}\t{1}"]),
    ],
)
def test_columns_are_found_by_their_names(name, lines, tmp_path, capsys):
    path = tmp_path / name
    *header, line = lines
    path.write_text("\n".join([*header, *(line.format(*row) for row in ROWS)]), encoding="utf-8")
    code, out, err = run(capsys, "evaluate", path, "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["mean"] == 1.0
    assert [(share["name"], share["rows"]) for share in report["languages"]] == [
        ("de", 2), ("en", 2), ("fr", 2),
    ]  # fmt: skip


def test_columns_of_parquet_are_found_by_their_names(tmp_path, capsys):
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    languages, texts = map(list, zip(*ROWS))
    parquet.write_table(arrow.table({"text": texts, "language": languages}), tmp_path / "x.pq")
    assert json.loads(run(capsys, "evaluate", tmp_path / "x.pq", "--json")[1])["mean"] == 1.0


def test_a_file_with_other_names_is_not_guessed_at(tmp_path, capsys):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "the wine", "code": "en"}\n', encoding="utf-8")
    code, _, err = run(capsys, "evaluate", path)
    assert code == 1
    assert "no column label or language or lang for the label; the columns are" in err


def test_the_header_of_the_bundled_table_is_no_row(capsys):
    code, out, _ = run(capsys, "evaluate", bundled("languages.tsv"), "--json")
    report = json.loads(out)
    assert (code, report["overall"]["rows"], report["mean"]) == (0, 23, 1.0)


@pytest.mark.parametrize("which", [("--label", "2"), ("--text", "1")])
def test_one_column_by_number_leaves_the_other(which, tmp_path, capsys):
    path = tmp_path / "x.tsv"
    path.write_text("".join(f"{b}\t{a}\n" for a, b in ROWS), encoding="utf-8")
    assert json.loads(run(capsys, "evaluate", path, "--json", *which)[1])["mean"] == 1.0


def test_train_and_use_a_model(labelled, tmp_path, capsys):
    pytest.importorskip("skops")
    path = tmp_path / "mine.skops"
    code, out, _ = run(capsys, "train", labelled, "--save", path)
    assert code == 0
    assert out == f"{path}: learnt 3 languages from 6 rows\n"
    code, out, _ = run(capsys, "--model", path, "le fromage", "der Käse")
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()] == ["fr", "de"]
    assert run(capsys, "train", labelled, "--save", tmp_path / "mine.pickle")[0] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"en\tthe\n\xff\xfe\n", "invalid UTF-8"),
        (b"\x00\x01\x02", "this is not a text file"),
        (b"en\n", "no table"),
        (b"en\tthe\nde\n", "2 columns are needed"),
        (b"en\tthe\nen\tand\n", "at least 2 languages"),
    ],
)
def test_bad_files_are_one_line(content, message, tmp_path, capsys):
    pytest.importorskip("skops")
    path, model = tmp_path / "bad.txt", tmp_path / "mine.skops"
    path.write_bytes(content)
    code, out, err = run(capsys, "train", path, "--save", model)
    assert (code, out) == (1, "")
    assert message in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("language_id: error: ")
    assert not model.exists()


def test_an_evaluation_as_a_page(tmp_path, capsys):
    path, page = tmp_path / "<b>.tsv", tmp_path / "page.html"
    path.write_text("".join(f"{language}\t{text}\n" for language, text in ROWS), encoding="utf-8")
    assert run(capsys, "evaluate", path, "--html", page)[0] == 0
    found = page.read_text(encoding="utf-8")
    assert "<strong>100.0 %</strong> right" in found
    assert all(f"<td>{language}</td>" in found for language, _ in ROWS)
    assert "&lt;b&gt;.tsv" in found
    assert "<b>.tsv" not in found
    assert "By number of characters" in found
    assert "<svg" in found
