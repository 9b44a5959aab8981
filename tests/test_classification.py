import json
import re

import numpy as np
import pytest
from subword.apps import classification

from subword import SubwordTextClassifier
from subword.reports.multilabel import ABOUT_PROBABILITY, MultiLabelClassifier
from subword.reports.search import BudgetSearch, round_sizes, search_notes

TEXTS = [
    f"{about} again, {n} times"
    for n in range(9)
    for about in ("the bin", "the car", "both the bin and the car")
]
LABELS = ["waste", "parking", "waste|parking"] * 9


def table(path, texts=TEXTS, labels=LABELS):
    rows = zip(texts, labels, strict=True)
    path.write_text("text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in rows))
    return path


@pytest.fixture
def single(tmp_path):
    """Return a table of texts with one label each."""
    keep = [i for i, label in enumerate(LABELS) if "|" not in label]
    return table(tmp_path / "single.tsv", [TEXTS[i] for i in keep], [LABELS[i] for i in keep])


@pytest.fixture
def several(tmp_path):
    """Return a table of texts with one or two labels."""
    return table(tmp_path / "several.tsv")


def run(capsys, *argv):
    code = classification.main([str(part) for part in argv])
    out, err = capsys.readouterr()
    return code, out, err


def report_of(capsys, *argv):
    code, out, err = run(capsys, *argv, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.slow
def test_bundled_requests_without_arguments(capsys, tmp_path):
    page = tmp_path / "report.html"
    code, out, _ = run(capsys, "--baselines", "--curve", "--html", page)
    assert code == 0
    for part in ("requests.tsv (bundled)", "8 labels", "characters 2-5, SVM", "By label", "is \\ said",
                 "Learning curve", "subword minus words 1-2, NBSVM", "Probabilities are off by"):  # fmt: skip
        assert part in out
    assert float(re.search(r"subword +([\d.]+)", out)[1]) > 55  # of eight labels
    assert page.read_text("utf-8").count("<svg") == 4


def test_a_folder_tree_is_as_good_as_a_table(single, tmp_path, capsys):
    for i, line in enumerate(single.read_text().splitlines()[1:]):
        text, label = line.split("\t")
        (tmp_path / "tree" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / label / f"{i:02}.txt").write_text(text)
    found = report_of(capsys, tmp_path / "tree", "--folds", 3)
    assert found["accuracy"] == report_of(capsys, single, "--folds", 3)["accuracy"] == 1.0


def test_class_report_and_confusions(single, capsys):
    report = report_of(capsys, single, "--folds", 3)
    assert [(x["label"], x["rows"], x["f1"]) for x in report["classes"]] == [
        ("parking", 9, 1.0),
        ("waste", 9, 1.0),
    ]
    assert report["confusion"] == {"labels": ["parking", "waste"], "counts": [[9, 0], [0, 9]]}


def test_learning_curve(single, capsys):
    curve = report_of(capsys, single, "--folds", 3, "--curve")["curve"]
    rows = [point["rows"] for point in curve]
    assert rows == sorted(rows)
    assert rows[-1] == 12
    assert set(curve[0]["accuracy"]) == {"subword", "words"}


# -- several labels --------------------------------------------------------------------------


def test_several_labels_a_text(several, capsys):
    report = report_of(capsys, several, "--folds", 3)
    assert report["data"]["train"]["labels"] == {"waste": 18, "parking": 18}
    assert report["confusion"] is None
    assert report["accuracy"] > 0.9
    assert report["scores"][0]["micro_f1"]["value"] > 0.9
    assert any("9 rows with several labels" in note for note in report["notes"])
    assert ABOUT_PROBABILITY in report["notes"]


def test_the_probability_of_several_labels_is_that_of_exactly_these():
    model = MultiLabelClassifier(None, None)
    model.classes_ = np.array(["dogs", "parking", "waste"])
    each = np.array([[0.5, 0.9, 0.8], [0.25, 0.1, 0.5]])
    found = model.probability_of(["parking|waste", "dogs"], each)
    assert found.tolist() == pytest.approx([0.5 * 0.9 * 0.8, 0.25 * 0.9 * 0.5])
    assert model.probability_of([], each[:0]).tolist() == []


def test_labels_of_a_test_file_are_told_apart_too(several, tmp_path, capsys):
    texts, labels = ["both the bin and the car", "a dog"], ["parking|waste", "dogs|waste"]
    test = table(tmp_path / "test.tsv", texts, labels)
    report = report_of(capsys, several, "--test", test, "--alone")
    assert report["data"]["test"]["labels"] == {"waste": 2, "parking": 1, "dogs": 1}
    (note,) = (note for note in report["notes"] if "always wrong" in note)
    assert note.endswith("dogs 1")


@pytest.mark.slow
def test_several_labels_are_saved_and_predicted(several, tmp_path, capsys):
    pytest.importorskip("skops")
    model = tmp_path / "m.skops"
    assert run(capsys, "train", several, "--save", model)[0] == 0
    _, out, _ = run(
        capsys, "predict", "both the bin and the car again", "--model", model, "--scores"
    )
    head, row = (line.split("\t") for line in out.splitlines())
    assert head == ["label", "probability", "parking", "waste", "text"]
    assert row[0] == "parking|waste"
    assert float(row[1]) == pytest.approx(float(row[2]) * float(row[3]), abs=1e-3)
    _, out, _ = run(capsys, "explain", "the bin again", "--model", model, "--json")
    words = {word["word"]: word["value"] for word in json.loads(out)["words"]}
    assert max(words, key=words.get) == "bin"
    assert report_of(capsys, several, "--model", model)["accuracy"] > 0.9


def test_a_label_that_every_text_has_and_one_that_a_single_one_has(tmp_path, capsys):
    pytest.importorskip("skops")
    labels = [f"all|{label}" for label in LABELS]
    labels[0] += "|rare"
    path = table(tmp_path / "a.tsv", labels=labels)
    model = tmp_path / "m.skops"
    assert run(capsys, "train", path, "--save", model)[0] == 0
    _, out, _ = run(capsys, "predict", "the car again", "--model", model)
    assert out.startswith("all|parking\t")


def test_half_a_label_is_refused(tmp_path, capsys):
    code, _, err = run(capsys, table(tmp_path / "a.tsv", ["low", "new"], ["a|", "b"]))
    assert code == 1
    assert "'a|' of row 1 has nothing on one side of '|'" in err


# -- settings --------------------------------------------------------------------------------


def test_a_budget_is_searched_within_the_training_data(single, tmp_path, capsys):
    report = report_of(capsys, single, "--folds", 2, "--budget", 0.1, "--alone")
    assert report["accuracy"] == 1.0
    assert any("search within the training data" in note for note in report["notes"])
    pytest.importorskip("skops")
    model = tmp_path / "m.skops"
    assert run(capsys, "train", single, "--budget", 0.1, "--save", model)[0] == 0
    assert run(capsys, "predict", "the bin", "--model", model)[1].startswith("waste\t")


def searched(labels, seconds=0.0):
    texts = [f"about {label}, {n} times" for n, label in enumerate(labels)]
    return BudgetSearch(SubwordTextClassifier(), seconds).fit(texts, labels)


@pytest.mark.slow
def test_rare_labels_reach_the_first_rounds_of_a_search():
    found = searched(["waste"] * 1500 + ["parking"] * 1500 + ["dogs"] * 3)
    assert [a["rows"] for a in found.rounds_] == [1001, 3003]
    order = found._order(np.array(["a"] * 3000 + ["b"] * 3), 3)
    assert set(range(3000, 3003)) < set(order[:6].tolist())
    assert sorted(order.tolist()) == list(range(3003))


@pytest.mark.parametrize(
    ("labels", "rounds"), [(["waste", "parking"] * 2, 1), (["waste", "parking", "parking"], 0)]
)
def test_a_search_of_labels_with_few_rows(labels, rounds):
    found = searched(labels)
    assert len(found.rounds_) == rounds
    assert found.best_params_ == {}
    assert found.predict(["about parking"]).tolist() == ["parking"]
    (note,) = search_notes(found)
    assert note.startswith("search within" if rounds else "no search: ")


def test_a_round_has_place_for_every_label():
    assert round_sizes(9000, smallest=1000) == [1000, 3000, 9000]
    assert round_sizes(9000, smallest=1001) == [3000, 9000]


def test_merges_from_an_unlabelled_corpus(single, tmp_path, capsys):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("the bin and the car and the bins and the cars\n" * 9)
    assert report_of(capsys, single, "--folds", 3, "--unlabelled", corpus)["accuracy"] == 1.0
    code, _, err = run(capsys, single, "--unlabelled", tmp_path / "no.txt")
    assert (code, "there is no file" in err) == (1, True)


def test_the_fast_recipe_and_what_excludes_each_other(single, several, capsys):
    report = report_of(capsys, single, "--folds", 3, "--fast", "--uncalibrated")
    assert report["accuracy"] == 1.0
    assert report["calibration"] == []
    assert {example["probability"] for example in report["examples"]} == {None}
    code, _, err = run(capsys, several, "--fast")
    assert (code, "one recipe only" in err) == (1, True)
    with pytest.raises(SystemExit):
        run(capsys, single, "--budget", "-1")
    with pytest.raises(SystemExit):
        run(capsys, "--model", "m.skops", "--curve")


def test_a_label_with_one_text(tmp_path, capsys):
    path = table(tmp_path / "a.tsv", ["low", "wide", "wider", "widest"], ["a", "b", "b", "b"])
    code, _, err = run(capsys, path)
    assert (code, "too few of: b 3, a 1" in err) == (1, True)
    code, _, err = run(capsys, path, "--leave-out-rare")
    assert (code, "no label has 5 rows" in err) == (1, True)
    code, _, err = run(capsys, path, "--leave-out-rare", "--folds", 3)
    assert (code, "all with the label 'b'" in err) == (1, True)
    pytest.importorskip("skops")
    assert run(capsys, "train", path, "--save", tmp_path / "m.skops")[0] == 0


def test_rare_labels_are_left_out_on_request(single, capsys):
    with single.open("a") as stream:
        stream.write("a dog again\tdogs\nanother dog\tdogs\na hole\troads\n")
    report = report_of(capsys, single, "--folds", 3, "--leave-out-rare", "--alone")
    assert report["data"]["train"]["labels"] == {"waste": 9, "parking": 9}
    note = "train: 2 labels with fewer than 3 rows left out, with 3 rows: dogs 2, roads 1"
    assert note in report["notes"]


# -- odd texts -------------------------------------------------------------------------------

ODD = [
    "",
    " ",
    "x",
    "404",
    "3 x 5 = 15",
    "https://a.b/c?d=1",
    "🙂🙂",
    "BIN BIN BIN!!!",
    "the\tbin",
    "é" * 5000,
]


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_odd_texts_have_an_answer_each(command, single, tmp_path, capsys):
    pytest.importorskip("skops")
    model, path = tmp_path / "m.skops", tmp_path / "odd.jsonl"
    assert run(capsys, "train", single, "--save", model)[0] == 0
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in ODD))
    code, out, _ = run(capsys, command, path, "--model", model, "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["text"] for row in rows] == ODD
    assert all(0.5 <= row["probability"] <= 1 for row in rows)


@pytest.mark.slow
def test_real_topics_through_the_app(shared, capsys):
    files = (shared / f"classification/trec_{part}.tsv.gz" for part in ("train", "test"))
    train, test = files
    report = report_of(capsys, "--train", train, "--test", test, "--alone", "--uncalibrated")
    assert report["accuracy"] > 0.88
