import io
import json
import pickle
import sys
import zipfile

import pytest
from subword.apps import sentiment

TEXTS = [f"{praise} film, {n} times" for n in range(6) for praise in ("a good", "an awful")]
LABELS = ["pos", "neg"] * 6


@pytest.fixture
def reviews(tmp_path):
    path = tmp_path / "reviews.tsv"
    rows = zip(TEXTS, LABELS, strict=True)
    path.write_text("".join(f"{text}\t{label}\n" for text, label in rows))
    return str(path)


@pytest.fixture
def model(reviews, tmp_path, capsys):
    pytest.importorskip("skops")
    path = str(tmp_path / "model.skops")
    assert sentiment.main(["train", reviews, "--save", path]) == 0
    capsys.readouterr()
    return path


def run(capsys, *argv):
    code = sentiment.main([str(part) for part in argv])
    out, err = capsys.readouterr()
    return code, out, err


def refused(capsys, *argv):
    """Return the error of a run that wrote nothing but one line to stderr."""
    code, out, err = run(capsys, *argv)
    assert (code, out) == (1, "")
    errors = [line for line in err.splitlines() if line.startswith("sentiment: error: ")]
    assert err.splitlines()[-1:] == errors
    return errors[0]


@pytest.mark.slow
def test_bundled_reviews_without_arguments(capsys):
    code, out, _ = run(capsys)
    assert code == 0
    for part in ("reviews.tsv (bundled)", "Negation", "pos 800", "macro-F1", "subword", "words", "majority", "points",
                 "What speaks most", "right", "wrong"):  # fmt: skip
        assert part in out


def test_evaluate_reports_accuracy_as_json(reviews, capsys):
    code, out, _ = run(capsys, reviews, "--json", "--folds", 3)
    report = json.loads(out)
    assert code == 0
    assert report["accuracy"] == 1.0
    assert [score["name"] for score in report["scores"]] == ["subword", "words", "majority"]
    assert set(report["pieces"]) == {"pos", "neg"}


def test_the_same_seed_gives_the_same_report(reviews, capsys):
    def figures():
        report = json.loads(run(capsys, reviews, "--json", "--seed", 3)[1])
        del report["seconds"]
        for score in report["scores"]:
            del score["seconds"]
        return report

    assert figures() == figures()


def test_train_and_test_files(reviews, tmp_path, capsys):
    test = tmp_path / "test.csv"
    test.write_text('label,text\npos,a good one\nneg,an awful one\nmeh,"a good film, 0 times"\n')
    code, out, err = run(capsys, "evaluate", "--train", reviews, "--test", test)
    assert code == 0
    assert "test" in out
    assert "1 of 3 test texts also stand in the training data" in err
    assert "meh 1" in err


def test_any_number_of_labels(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    rows = [{"text": f"{word} {n}", "label": label}
            for n in range(4) for label, word in enumerate(["low", "newest", "widest"])]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, _ = run(capsys, path, "--folds", 2, "--json")
    assert code == 0
    assert set(json.loads(out)["pieces"]) == {"0", "1", "2"}


def test_report_goes_to_a_file(reviews, tmp_path, capsys):
    path = tmp_path / "report.txt"
    assert run(capsys, reviews, "-o", path)[:2] == (0, "")
    assert path.read_text().startswith("Sentiment: 5-fold")


def test_predict_file_and_json(model, tmp_path, capsys):
    texts = tmp_path / "new.txt"
    texts.write_text("a good day\nan awful day\n")
    code, out, _ = run(capsys, "predict", "--model", model, texts)
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert [(row[0], row[2]) for row in rows] == [("pos", "a good day"), ("neg", "an awful day")]
    assert all(0.5 < float(row[1]) <= 1 for row in rows)
    _, out, _ = run(capsys, "predict", "--model", model, texts, "--json")
    assert [json.loads(line)["label"] for line in out.splitlines()] == ["pos", "neg"]


def test_predict_lines_of_stdin(model, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a good day\n\nan awful day")))
    code, out, _ = run(capsys, "predict", "--model", model)
    assert code == 0
    assert [line.split("\t")[0] for line in out.splitlines()][::2] == ["pos", "neg"]
    assert len(out.splitlines()) == 3


@pytest.mark.parametrize("text", ["Awful!", "", " ", "awful/good", "5.5", "awful.gif"])
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_text_of_one_word_or_none_is_a_text(model, capsys, command, text):
    code, out, _ = run(capsys, command, text, "--model", model, "--json")
    assert (code, json.loads(out)["text"]) == (0, text)


@pytest.mark.parametrize(
    "name", ["no.tsv", "no.CSV", "my reviews.jsonl.gz", "no.txt", "no.bz2", "no.zst"]
)
@pytest.mark.parametrize("argv", [["predict", "--scores"], ["explain"]])
def test_a_file_that_is_not_there_is_no_text_and_no_head_is_written(model, capsys, argv, name):
    if name.endswith(".zst"):
        pytest.importorskip("zstandard")  # without it that is the error
    assert "No such file" in refused(capsys, *argv, name, "--model", model)


def test_a_file_of_any_name_is_read(model, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Great!").write_text("an awful day\n")
    assert run(capsys, "predict", "Great!", "--model", model)[1].endswith("\tan awful day\n")


def test_predict_writes_one_row_per_text(model, tmp_path, capsys):
    table = tmp_path / "new.csv"
    table.write_text('text\n"a good\n\tday"\n')
    assert run(capsys, "predict", "--model", model, table)[1].count("\n") == 1


def test_predict_takes_the_column_the_model_was_trained_on(tmp_path, capsys):
    pytest.importorskip("skops")
    table, model = tmp_path / "a.csv", tmp_path / "m.skops"
    rows = zip(TEXTS, LABELS, strict=True)
    table.write_text("id,review,stars\n" + "".join(f'7,"{text}",{label}\n' for text, label in rows))
    names = ("--text", "review", "--label", "stars")
    assert run(capsys, "train", table, *names, "--save", model)[0] == 0
    _, out, _ = run(capsys, "predict", "--model", model, table)
    assert [line.split("\t")[2] for line in out.splitlines()] == TEXTS


def test_a_saved_model_is_evaluated_as_it_is(model, reviews, capsys):
    code, out, _ = run(capsys, "evaluate", reviews, "--model", model, "--json")
    assert code == 0
    assert json.loads(out)["accuracy"] == 1.0


def rewritten(model, path, **changes):
    with zipfile.ZipFile(model) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "subword.json":
                data = json.dumps(json.loads(data) | changes).encode()
            new.writestr(name, data)
    return path


def test_a_model_of_another_version_says_so(model, tmp_path, capsys, reviews):
    old = rewritten(model, tmp_path / "old.skops", version="0.0.1")
    code, _, err = run(capsys, "predict", reviews, "--model", old)
    assert code == 0
    assert "saved by subword 0.0.1" in err


def test_what_is_no_model_is_refused(model, tmp_path, capsys, reviews):
    other = rewritten(model, tmp_path / "other.skops", app="language_id")
    assert "a model of 'language_id'" in refused(capsys, "predict", reviews, "--model", other)
    pickled = tmp_path / "p.skops"
    pickled.write_bytes(pickle.dumps({"app": "sentiment"}))
    assert "not a model" in refused(capsys, "predict", reviews, "--model", pickled)
    cut = tmp_path / "cut.skops"
    with zipfile.ZipFile(model) as old, zipfile.ZipFile(cut, "w") as new:
        new.writestr("subword.json", old.read("subword.json"))
    assert "cannot be read" in refused(capsys, "predict", reviews, "--model", cut)


def test_strange_types_are_not_made(tmp_path, capsys, reviews):
    pytest.importorskip("skops")
    from subword.reports import save_model

    path = tmp_path / "strange.skops"
    save_model(path, Stranger(), {"app": "sentiment"})
    assert "not trusted" in refused(capsys, "predict", reviews, "--model", path)


class Stranger:
    pass


def test_a_missing_skops_is_named(monkeypatch, reviews, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    error = refused(capsys, "train", reviews, "--save", tmp_path / "m.skops")
    assert "pip install 'subword[apps]'" in error


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"low\tpos\nnew\tpos\n", "at least two different labels"),
        (b"low\tpos\nnew\tneg\n", "5 folds need 5 rows"),
        (b"low\xff\tpos\n", "byte 3: invalid UTF-8"),
        (b"\x89PNG\r\n\x1a\n\0\0", "byte 0: invalid UTF-8"),
        (b"\t1\n \t2\n" * 5, "document"),
        (
            b"text\tstars\nlow\t1\n",
            "no column label for the label; the columns are 'text', 'stars'",
        ),
    ],
)
def test_bad_data_is_one_line_and_leaves_no_file(content, message, tmp_path, capsys):
    path, result = tmp_path / "a.tsv", tmp_path / "result.txt"
    path.write_bytes(content)
    assert message in refused(capsys, path, "-o", result)
    assert not result.exists()


def test_bad_paths(reviews, tmp_path, capsys):
    assert "No such file" in refused(capsys, tmp_path / "missing.tsv")
    assert "lies in no folder of its label" in refused(capsys, tmp_path)
    assert "r.txt: No such file" in refused(capsys, reviews, "-o", tmp_path / "no" / "r.txt")
    assert ".skops" in refused(capsys, "train", reviews, "--save", tmp_path / "m.pkl")


@pytest.mark.parametrize(
    "argv",
    [["--folds", "1"], ["--nothing"], ["a", "--train", "b"], ["--model", "m", "--train", "b"]],
)
def test_wrong_usage_exits_with_2(argv, capsys):
    with pytest.raises(SystemExit) as caught:
        sentiment.main(argv)
    assert caught.value.code == 2


# -- why -------------------------------------------------------------------------------------


def test_explain_marks_words_with_signs_in_a_pipe(model, capsys):
    code, out, _ = run(capsys, "explain", "an awful film", "--model", model)
    assert code == 0
    assert "speaks for the label" in out
    assert "[++awful]" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_explain_marks_words_in_colours_at_a_terminal(
    model, capsys, monkeypatch, no_color, coloured
):
    monkeypatch.setattr("subword.terminal.is_terminal", lambda stream: stream is sys.stdout)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_color)
    _, out, _ = run(capsys, "explain", "an awful \x1b[5mfilm", "--model", model)
    assert ("\x1b[32;1mawful\x1b[0m" in out) is coloured
    assert "\x1b[5m" not in out


def test_explain_as_json_and_as_a_page(model, tmp_path, capsys):
    page, text = tmp_path / "e.html", "An awful <b>film</b>, 🙂"
    _, out, _ = run(capsys, "explain", text, "--model", model, "--json", "--html", page)
    found = json.loads(out)
    assert found["label"] == "neg"
    assert all(text[word["start"] : word["end"]] == word["word"] for word in found["words"])
    assert {word["word"] for word in found["words"] if word["value"] > 0.1} == {"An", "awful"}
    assert '<mark class="for s2">awful</mark>' in page.read_text("utf-8")
    assert "<b>film" not in page.read_text("utf-8")


def test_scores_of_all_labels(model, capsys):
    _, out, _ = run(capsys, "predict", "an awful film", "--model", model, "--scores", "--json")
    found = json.loads(out)
    assert sum(found["scores"].values()) == pytest.approx(1)
    assert max(found["scores"], key=found["scores"].get) == found["label"] == "neg"


# -- negation --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bundled_model():
    from subword.reports import bundled
    from subword.tables import read_table

    table = read_table(bundled("reviews.tsv"))
    return sentiment.system().fit(table.texts, table.labels), table.texts


def test_negation_is_looked_into_and_beats_chance(bundled_model):
    figures = sentiment.negation(*bundled_model).figures
    assert figures["pairs"] == 102
    assert figures["both_right"] >= 45  # without the mark on negated words: 11
    assert figures["moved"] >= 70


def test_some_pairs_are_shown_right_and_wrong(bundled_model):
    examples = sentiment.negation(*bundled_model).examples
    right = [example.label == example.predicted for example in examples]
    pairs = [a and b for a, b in zip(right[::2], right[1::2], strict=True)]
    assert pairs == [True, True, False, False]
    assert [x.label for x in examples[::2]] != [x.label for x in examples[1::2]]
    assert all(example.marks for example in examples)


def test_each_negation_moves_the_score(bundled_model):
    model, _ = bundled_model
    pairs = [("a good film", "not a good film"), ("I liked it", "I didn’t like it")]
    for plain, negated in pairs:
        first, second = model.decision_function([plain, negated])
        assert first > second
    assert model.decision_function(["not bad acting"]) > model.decision_function(["bad acting"])
    straight, curly = model.decision_function(["I didn't like it", "I didn’t like it"])
    assert straight == curly


def test_negation_is_not_asked_where_it_means_nothing(bundled_model):
    model, texts = bundled_model
    assert sentiment.negation(model, ["좋아요", "별로"] * 50) is None
    stars = sentiment.system().fit(["the best", "the worst", "so so"] * 3, ["5", "1", "3"] * 3)
    assert sentiment.negation(stars, texts) is None
