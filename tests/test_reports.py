import hashlib
import io
import json
import re
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score, f1_score

from subword import SubwordError, columns, reports
from subword.reports import skeleton
from subword.tables import read_table

# -- findings --------------------------------------------------------------------------------


def table(texts, labels):
    from subword.tables import Table

    return Table("a.tsv", texts, labels, ("1", "2"))


def test_overlap_and_contradictions_are_counted():
    train = table(["low", "low", "wide"], ["pos", "neg", "neg"])
    test = table(["low", "new"], ["pos", "odd"])
    data, notes = reports.describe(train, test)
    assert data["train"]["repeated_texts"] == 1
    assert any("1 text with more than one label, such as 'low'" in note for note in notes)
    assert "1 of 2 test texts also stand in the training data" in notes
    assert any("1 test row with a label" in note and "odd 1" in note for note in notes)


def test_classes_too_few_and_too_small():
    with pytest.raises(SubwordError, match="2 rows, all with the label 'pos'"):
        reports.check_classes(table(["low", "new"], ["pos", "pos"]))
    with pytest.raises(SubwordError, match=r"3 folds need 3 rows of every label.*neg 1"):
        reports.check_classes(table(["low"] * 4, ["pos", "pos", "pos", "neg"]), 3)


# -- measures --------------------------------------------------------------------------------


def outcome(predicted):
    return reports.Outcome(np.array(predicted), np.linspace(0.5, 1, len(predicted)), 1.0)


def test_scores_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    truth, said = (random.choice(["a", "b", "c"], 200, p=[0.5, 0.3, 0.2]) for _ in "12")
    (score,), _ = reports.measure(truth, {"one": outcome(said)})
    assert score.accuracy.value == pytest.approx(accuracy_score(truth, said))
    assert score.macro_f1.value == pytest.approx(f1_score(truth, said, average="macro"))


def test_intervals_are_those_of_resampled_rows():
    truth = np.array(["a", "b"] * 200)
    said = np.where(np.arange(400) % 10 < 7, truth, "a")
    (score,), _ = reports.measure(truth, {"one": outcome(said)}, seed=1)
    random = np.random.default_rng(2)
    rows = random.integers(0, 400, (2000, 400))
    low, high = np.quantile((truth == said)[rows].mean(axis=1), (0.025, 0.975))
    assert score.accuracy.low == pytest.approx(low, abs=0.01)
    assert score.accuracy.high == pytest.approx(high, abs=0.01)


def test_the_difference_is_paired():
    truth = ["a", "b"] * 100
    worse = ["b", "b", *truth[2:]]
    _, (difference,) = reports.measure(truth, {"right": outcome(truth), "worse": outcome(worse)})
    assert difference.accuracy.value == pytest.approx(0.005)
    assert difference.accuracy.low == 0
    assert difference.accuracy.high < 0.02  # unpaired it would reach further
    assert not difference.is_clear


def test_the_same_seed_gives_the_same_intervals():
    truth, said = ["a", "b", "c"] * 111, ["a", "a", "c"] * 111
    first, again, other = (reports.measure(truth, {"x": outcome(said)}, seed=s) for s in (1, 1, 2))
    assert first == again != other


# -- report ----------------------------------------------------------------------------------


def example_report(label="pos", text="낮은 low"):
    said = np.array([label, "neg"] * 10)
    scores, differences = reports.measure(said, {"subword": outcome(said), "words": outcome(said)})
    return reports.Report(
        app="sentiment", version="1", method="5 folds", scores=scores, differences=differences,
        data={"train": {"file": "a.tsv", "rows": 20, "labels": {label: 20}, "repeated_texts": 1}},
        pieces={label: [("w@@ or@@ st", 2.0), ("too", 1.0)]}, notes=["mind this"],
        examples=[reports.Example(text, label, label, 0.9), reports.Example("x", label, "neg", 0.7)],
    )  # fmt: skip


def test_text_fits_88_columns_and_says_everything():
    text = reports.as_text(example_report("a label that is rather long " * 3, "낮은 low " * 40))
    assert max(map(columns.display_width, text.splitlines())) <= 88
    for part in ("100.00", "[worst]", "mind this", "not distinguishable from 0", "right", "wrong"):
        assert part in text


def test_control_characters_never_reach_the_terminal():
    assert "\x1b" not in reports.as_text(example_report(text="\x1b[31mlow\x07", label="a\x1b\nb"))


def test_json_has_accuracy_at_the_top():
    data = json.loads(reports.as_json(example_report()))
    assert data["accuracy"] == 1.0
    assert data["differences"][0]["systems"] == ["subword", "words"]
    assert data["notes"] == ["mind this"]


def test_examples_are_the_surest():
    picked = reports.pick_examples(list("wxyz"), list("aaaa"), outcome(list("abab")), most=1)
    assert [(x.text, x.predicted) for x in picked] == [("y", "a"), ("z", "b")]


def test_telling_words_of_two_and_of_three_classes():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts = ["low"] * 3 + ["new"] * 3 + ["wide"] * 3
    for n in (2, 3):
        model = make_pipeline(CountVectorizer(), LogisticRegression())
        model.fit(texts[: 3 * n], np.repeat(["a", "b", "c"][:n], 3))
        best = reports.telling_words(model, texts[: 3 * n], 1)
        assert [best[label][0][0] for label in "abc"[:n]] == ["low", "new", "wide"][:n]


# -- by label, and settings ------------------------------------------------------------------


def test_class_scores_are_those_of_scikit_learn():
    from sklearn.metrics import precision_recall_fscore_support

    from subword.reports.classes import class_scores

    random = np.random.default_rng(0)
    truth, said = (random.choice(["a", "b", "c"], 200, p=[0.5, 0.3, 0.2]) for _ in "12")
    found = class_scores(truth.tolist(), outcome(said))
    wanted = precision_recall_fscore_support(truth, said)
    for i, row in enumerate(found):
        assert (row.precision, row.recall, row.f1) == pytest.approx([w[i] for w in wanted[:3]])


def test_scores_of_several_labels_are_those_of_scikit_learn():
    from sklearn.preprocessing import MultiLabelBinarizer

    random = np.random.default_rng(0)
    truth, said = (random.choice(["a", "b", "a|b", "b|c"], 300).tolist() for _ in "12")
    (score,), _ = reports.measure(truth, {"one": outcome(said)}, separator="|")
    split = [[label.split("|") for label in labels] for labels in (truth, said)]
    is_label, given = (MultiLabelBinarizer(classes=list("abc")).fit_transform(x) for x in split)
    assert score.accuracy.value == pytest.approx(accuracy_score(is_label, given))
    assert score.macro_f1.value == pytest.approx(f1_score(is_label, given, average="macro"))
    assert score.micro_f1.value == pytest.approx(f1_score(is_label, given, average="micro"))
    assert score.micro_f1.low < score.micro_f1.value < score.micro_f1.high


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows the label, which is the text, if it is told to be good."""

    def __init__(self, good=False):
        self.good = good

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Oracle.met |= {len(X)}
        return self

    def predict(self, X):
        return np.array(X if self.good else [self.classes_[0]] * len(X))


def test_a_search_finds_what_is_better_on_the_rows_it_is_given():
    from subword.reports.search import round_sizes

    Oracle.met = set()
    texts = ["low", "wide"] * 1000
    search = reports.BudgetSearch(Oracle(), 9.0, {"good": (False, True)}).fit(texts, texts)
    assert search.best_params_ == {"good": True}
    assert search.predict(["wide"]).tolist() == ["wide"]
    assert [found["rows"] for found in search.rounds_] == round_sizes(2000) == [666, 2000]
    assert max(Oracle.met) == 2000


def test_a_search_without_time_changes_nothing():
    Oracle.met = set()
    search = reports.BudgetSearch(Oracle(), 0.0, {"good": (True,)}).fit(
        ["low", "wide"] * 9, ["low", "wide"] * 9
    )
    assert search.best_params_ == {}


def test_a_new_set_of_labels_must_be_likelier_than_a_known_one():
    model = reports.MultiLabelClassifier(None, None)
    model.classes_ = np.array(["a", "b"])
    model.sets_ = np.array([[True, False], [False, True]])
    model.surprise_ = 2.0  # logarithm: about 7 times as likely
    probabilities = np.array([[0.9, 0.6], [0.99, 0.99], [0.2, 0.1], [0.1, 0.2]])
    assert model.labels_of(probabilities).tolist() == ["a", "a|b", "a", "b"]
    assert (
        model.labels_of(np.tile(probabilities, (600, 1))).tolist() == ["a", "a|b", "a", "b"] * 600
    )


def test_words_with_equal_marks_and_none():
    from subword.reports.highlight import marked, segments

    assert segments("so low", []) == [("so low", 0)]
    assert marked("so low", [reports.Mark(0, 2, 0.0), reports.Mark(3, 6, 0.0)], False) == "so low"
    assert marked("so\nlow", [reports.Mark(3, 6, -1.0)], True) == "so \x1b[31;4;1mlow\x1b[0m"


def test_calibration_by_tenths():
    from subword.reports.classes import calibration, calibration_error

    sure = reports.Outcome(np.array(["a", "b", "a", "a"]), np.array([1.0, 0.55, 0.55, 0.95]), 0.0)
    bins = calibration(["a", "a", "a", "b"], sure)
    assert [(found.right, found.rows) for found in bins] == [(0.5, 2), (0.5, 2)]
    assert calibration_error(bins) == pytest.approx((0.05 * 2 + 0.475 * 2) / 4)


# -- running ---------------------------------------------------------------------------------


def test_stdin_is_answered_as_it_comes(monkeypatch):
    class Pipe(io.BytesIO):
        def read1(self, size=-1):
            return super().read1(6)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pipe("low\r\nnéw\n\nwide".encode())))
    batches = list(skeleton._stdin_lines("strict"))
    assert len(batches) > 1
    assert [text for batch in batches for text in batch] == ["low", "néw", "", "wide"]


def test_a_packing_that_is_missing_is_said_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(SubwordError, match=r"subword\[io\]"):
        skeleton.check_outputs(str(tmp_path / "report.zst"))


# -- bundled data ----------------------------------------------------------------------------


def test_the_data_readme_tells_the_truth():
    readme = reports.bundled("README.md").read_text("utf-8")
    table = re.findall(r"^\| `(\S+)` \| ([\d,]+) \| ([\d,]+) \| `(\w{64})` \|$", readme, re.M)
    folder = reports.bundled("README.md").parent
    files = {path.name for suffix in ("tsv", "model") for path in folder.glob(f"*.{suffix}")}
    assert {name for name, *_ in table} == files
    for name, rows, size, digest in table:
        content = reports.bundled(name).read_bytes()
        if name.endswith(".tsv"):
            assert content.count(b"\n") - 1 == int(rows.replace(",", ""))
        assert len(content) == int(size.replace(",", ""))
        assert hashlib.sha256(content).hexdigest() == digest


def test_bundled_reviews_are_balanced():
    reviews = read_table(reports.bundled("reviews.tsv"))
    assert reviews.labels.count("pos") == reviews.labels.count("neg") >= 300
    assert reviews.notes == []
