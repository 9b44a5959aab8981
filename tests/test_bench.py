"""The benchmark's harness on tiny data; no time is asserted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent / "bench" / "bench.py"


def run(*args, **options):
    command = [sys.executable, str(BENCH), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", **options)


@pytest.fixture
def harness(monkeypatch):
    monkeypatch.syspath_prepend(BENCH.parent)
    import harness

    return harness


@pytest.fixture
def toy_file(tmp_path):
    path = tmp_path / "toy.txt"
    path.write_text("low lower newest widest\nlow — low\n" * 20, encoding="utf-8")
    return path


def upper(text):
    return text.upper()


def side(harness, name, text="low", **options):
    return harness.Side(name, upper, str.split, text.__str__, needs="", **options)


def test_counting_is_equal_and_measured(toy_file):
    shown = run("count", "--english", toy_file, "--runs", 1, "--only", "Counter", "--json")
    assert shown.returncode == 0, shown.stderr
    report = json.loads(shown.stdout)
    rows = report["tasks"]["count"]
    assert [row["peer"] for row in rows] == ["Counter", "Counter"]
    assert all(row["problem"] is None and len(row["ours_seconds"]) == 1 for row in rows)
    assert report["texts"]["english"]["lines"] == 40
    assert report["machine"]["versions"]["regex"]


def test_missing_data_is_an_error(tmp_path):
    shown = run("count", "--english", tmp_path / "none.txt")
    assert (shown.returncode, shown.stderr.count("\n")) == (1, 1)
    assert "none.txt" in shown.stderr


def test_a_difference_leaves_no_times(harness, tmp_path):
    row = harness.Row(
        "job", side(harness, "a", "low lower"), side(harness, "b", "low lowest"), "words"
    )
    result = harness.measure(row, 3, [], tmp_path)
    assert "line 2: ours 'LOWER\\n', theirs 'LOWEST\\n'" in result.problem
    assert not result.ours + result.peer


def test_both_sides_run_as_often(harness, tmp_path):
    row = harness.Row("job", side(harness, "a"), side(harness, "b", warm=True), "words")
    result = harness.measure(row, 2, [], tmp_path)
    assert (result.problem, len(result.ours), len(result.peer), len(result.ratios)) == ("", 2, 2, 2)
    assert all(run.peak > 1 for run in result.ours)


def test_a_side_that_raises_is_named(harness, tmp_path):
    broken = harness.Side("broken", len, str.split, needs="")
    result = harness.measure(
        harness.Row("job", side(harness, "a"), broken, "words"), 1, [], tmp_path
    )
    assert result.problem.startswith("FAILED: broken: TypeError")


def test_peers_that_are_not_installed_are_named(harness, tmp_path):
    absent = harness.Side("absent", len, str.split, needs="no-such-tool")
    result = harness.measure(
        harness.Row("job", side(harness, "a"), absent, "words"), 1, [], tmp_path
    )
    assert result.problem == "skipped: no-such-tool is not installed"


@pytest.mark.slow
def test_languages_are_measured(shared):
    script = str(BENCH.with_name("languages.py"))
    options = ["--tools", "subword", "--lines", "1", "--runs", "1", "--json"]
    shown = subprocess.run([sys.executable, script, *options], capture_output=True, text=True)
    figures = json.loads(shown.stdout)
    assert [figure["kind"] for figure in figures] == ["sentences", "word_pairs", "single_words"]
    assert all(0.6 < figure["accuracy"] <= 1 for figure in figures)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "only"),
    [("vectorize", "TfidfVectorizer"), ("vectorize", "pieces, transform"), ("grid", "lines: given"),
     ("store", "clone")],
)  # fmt: skip
def test_matrices_are_equal_and_measured(toy_file, task, only):
    shown = run(task, "--english", toy_file, "--runs", 1, "--only", only, "--json", "--limit-mb", 1)
    assert shown.returncode == 0, shown.stderr
    (row,) = json.loads(shown.stdout)["tasks"][task]
    assert row["problem"] in (None, "skipped: gigatoken is not installed")


def test_a_row_without_its_data_is_named(harness, tmp_path):
    row = harness.Row("job", side(harness, "a"), side(harness, "b"), "words", lacks="no reviews")
    assert harness.measure(row, 1, [], tmp_path).problem == "skipped: no reviews"


def test_a_share_of_memory_is_judged(harness):
    import table

    row = harness.Row("job", side(harness, "a"), side(harness, "b"), "words", share=(1.0, 0.6))
    result = harness.Result(row, "", [harness.Run(1, 80.0)], [harness.Run(1, 100.0)])
    assert table.shares(result, row.share) == (
        "80 MB", "", "100 MB", "0.80x", "", "<1x", "<0.6x", "must"
    )  # fmt: skip
    assert table.data(result)["share"] == (1.0, 0.6)
