"""The report: plain data, as text for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..files import bundled
from .layout import WIDTH, aligned, counted, display_width, listed, pad, shown, wrapped
from .measures import Difference, Interval, Outcome, Score

_MOST_CLASSES = 12  # whose pieces the text shows; JSON has all
_LABEL_WIDTH = 16


@dataclass(frozen=True)
class Example:
    """One classified text: what it is, what was said, and how surely."""

    text: str
    label: str
    predicted: str
    probability: float


@dataclass
class Report:
    """Everything a report says.

    Parameters
    ----------
    app : str
        Its name.
    version : str
        Of this package.
    method : str
        How the systems were tested.
    data : dict
        By role ("train", "test"): file, rows, counts of labels, repeated texts.
    scores : list of Score
        The first is the app's own system.
    differences : list of Difference
        Between the first system and others.
    pieces : dict of str to list of (str, float)
        By label, the features that speak most for it and their weights.
    examples : list of Example
        Texts that were classified rightly and wrongly.
    notes : list of str
        What a reader should know.
    seconds : float
        All the time taken.

    """

    app: str
    version: str
    method: str
    data: dict[str, Any]
    scores: list[Score]
    differences: list[Difference] = field(default_factory=list)
    pieces: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    examples: list[Example] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


def telling_features(model: Any, most: int = 20) -> dict[str, list[tuple[str, float]]]:
    """Return the features with the greatest weights for each label.

    Parameters
    ----------
    model : pipeline
        A fitted vectorizer and a fitted linear classifier.
    most : int
        How many for a label.

    """
    vectorizer, classifier = model[0], model[-1]
    weights = classifier.coef_
    if len(weights) == 1:  # two classes share one row: what speaks against one is for the other
        weights = np.concatenate([-weights, weights])
    names = vectorizer.get_feature_names_out()
    best = np.argsort(-weights, axis=1, kind="stable")[:, :most]
    return {
        str(label): [(str(names[i]), float(row[i])) for i in columns if row[i] > 0]
        for label, row, columns in zip(classifier.classes_, weights, best, strict=True)
    }


def pick_examples(
    texts: Sequence[str], labels: Sequence[str], outcome: Outcome, most: int = 3
) -> list[Example]:
    """Return the surest right answers, then the surest wrong ones."""
    right = np.asarray(labels) == outcome.predicted
    surest = np.argsort(-outcome.probability, kind="stable")
    picked = [i for want in (True, False) for i in surest[right[surest] == want][:most]]
    return [
        Example(texts[i], labels[i], str(outcome.predicted[i]), float(outcome.probability[i]))
        for i in picked
    ]


def as_json(report: Report) -> str:
    """Return a report as JSON; the figures of the app's own system stand at the top."""
    own = report.scores[0]
    top = {
        "accuracy": own.accuracy.value,
        "accuracy_interval": [own.accuracy.low, own.accuracy.high],
        "macro_f1": own.macro_f1.value,
        "macro_f1_interval": [own.macro_f1.low, own.macro_f1.high],
    }
    return json.dumps(top | asdict(report), ensure_ascii=False, indent=2) + "\n"


def as_text(report: Report) -> str:
    """Return a report as text of 88 columns."""
    parts = [
        [f"{report.app.capitalize()}: {report.method}"],
        _data(report.data),
        _scores(report.scores),
        [line for difference in report.differences for line in _difference(difference)],
        _pieces(report.pieces),
        _examples(report.examples),
        [
            textwrap.fill(f"Note: {note}", WIDTH, subsequent_indent="      ")
            for note in report.notes
        ],
        [f"{report.seconds:.1f} s in all"],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _data(data: dict[str, Any]) -> list[str]:
    lines = []
    for role, about in data.items():
        rows, repeats = counted(about["rows"], "row"), about["repeated_texts"]
        labels = f"{counted(len(about['labels']), 'label')}: {listed(about['labels'])}"
        again = f", {repeats:,} with the text of an earlier row" if repeats else ""
        lines += [f"{role:<7}{short_path(about['file'])}"]
        lines += [" " * 7 + shown(line, WIDTH - 7) for line in (rows + again, labels)]
    return lines


def short_path(path: str) -> str:
    """Return a path from here if that is shorter; what comes with the package by its name."""
    if Path(path) == bundled(Path(path).name):
        return f"{Path(path).name} (bundled)"
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return min(path, relative, key=len)


def _scores(scores: Sequence[Score]) -> list[str]:
    rows = [["%", "accuracy", "95 % interval", "macro-F1", "95 % interval", "seconds"]]
    for score in scores:
        figures = [cell for x in (score.accuracy, score.macro_f1) for cell in _figure(x)]
        rows.append([score.name, *figures, f"{score.seconds:.1f}"])
    return aligned(rows)


def _figure(interval: Interval) -> list[str]:
    return [f"{100 * interval.value:.2f}", f"{100 * interval.low:.2f} to {100 * interval.high:.2f}"]


def _difference(difference: Difference) -> list[str]:
    value, low, high = (100 * x for x in asdict(difference.accuracy).values())
    verdict = "" if difference.is_clear else "; not distinguishable from 0"
    names = " minus ".join(difference.systems)
    return [f"{names}: {value:+.2f} points ({low:+.2f} to {high:+.2f}){verdict}"]


def _pieces(pieces: dict[str, list[tuple[str, float]]]) -> list[str]:
    if not pieces:
        return []
    labels = {label: shown(label, _LABEL_WIDTH) for label in list(pieces)[:_MOST_CLASSES]}
    width = max(map(display_width, labels.values()))
    lines = ["Most telling pieces and runs of pieces (the word goes on after @@)"]
    for label, name in labels.items():
        lines += wrapped([_as_read(piece) for piece, _ in pieces[label]], "  " + pad(name, width))
    if len(pieces) > len(labels):
        lines.append(f"  and {len(pieces) - len(labels)} more labels (--json has them)")
    return lines


def _as_read(feature: str) -> str:
    """Spell the name of a feature as it stands in a text: a run of pieces joined."""
    return f"[{feature.replace('@@ ', '')}]"


def _examples(examples: Sequence[Example]) -> list[str]:
    if not examples:
        return []
    lines = _same_width(aligned(map(_verdict, examples), right=False))
    return [
        "Examples: the surest right and the surest wrong answers, with their probability",
        *(
            f"{line}  {shown(example.text, WIDTH - 2 - display_width(line))}"
            for line, example in zip(lines, examples, strict=True)
        ),
    ]


def _verdict(example: Example) -> list[str]:
    said, is_right = shown(example.predicted, _LABEL_WIDTH), example.label == example.predicted
    truth = "" if is_right else f"(is {shown(example.label, _LABEL_WIDTH)})"
    surely = f"{example.probability:.3f}" if example.probability < 0.9995 else ">.999"
    return ["  right" if is_right else "  wrong", surely, said, truth]


def _same_width(lines: list[str]) -> list[str]:
    width = max(map(display_width, lines))
    return [pad(line, width) for line in lines]
