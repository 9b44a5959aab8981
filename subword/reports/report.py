"""The report as plain data, and as JSON for programs; `text` and `html` are for people."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..files import bundled
from .highlight import Mark, marks_of
from .measures import Difference, Interval, Outcome, Score


@dataclass(frozen=True)
class Example:
    """One classified text: what it is, what was said, how surely, and what each word did to it."""

    text: str
    label: str
    predicted: str
    probability: float
    marks: list[Mark] = field(default_factory=list)


@dataclass(frozen=True)
class ClassScore:
    """How well one label was found: of `rows` that have it and `said` that were given it."""

    label: str
    precision: float
    recall: float
    f1: float
    rows: int
    said: int


@dataclass(frozen=True)
class Confusion:
    """How often the text of a label (line) was given another (column)."""

    labels: list[str]
    counts: list[list[int]]


@dataclass(frozen=True)
class Bin:
    """Answers of about the same probability: its mean, and the share that was right."""

    probability: float
    right: float
    rows: int


@dataclass(frozen=True)
class CurvePoint:
    """The accuracy of each system when it has learnt from so many rows."""

    rows: int
    accuracy: dict[str, Interval]


@dataclass(frozen=True)
class Probe:
    """What an app asked its system beside the data: a title, figures by name, examples."""

    title: str
    lines: list[str]
    figures: dict[str, int]
    examples: list[Example] = field(default_factory=list)


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
    classes : list of ClassScore
        Of the first system, by label.
    confusion : Confusion, optional
        Of the first system; None where texts have several labels.
    calibration : list of Bin
        Of the first system's probabilities.
    curve : list of CurvePoint
        The learning curve.
    pieces : dict of str to list of (str, float)
        By label, the words or features that speak most for it, and how much.
    probe : Probe, optional
        What the app asked its system beside the data.
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
    classes: list[ClassScore] = field(default_factory=list)
    confusion: Confusion | None = None
    calibration: list[Bin] = field(default_factory=list)
    curve: list[CurvePoint] = field(default_factory=list)
    pieces: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    probe: Probe | None = None
    examples: list[Example] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0


def pick_examples(
    texts: Sequence[str], labels: Sequence[str], outcome: Outcome, most: int = 3, model: Any = None
) -> list[Example]:
    """Return the surest right answers, then the surest wrong ones.

    With a model, which has not seen the texts, what each word did is shown as well.
    """
    right = np.asarray(labels) == outcome.predicted
    surest = np.argsort(-outcome.probability, kind="stable")
    picked = [i for want in (True, False) for i in surest[right[surest] == want][:most]]
    return [
        Example(
            texts[i],
            labels[i],
            str(outcome.predicted[i]),
            float(outcome.probability[i]),
            marks_of(model, texts[i], str(outcome.predicted[i])) if model else [],
        )
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
    data = without_nan(top | asdict(report))
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def without_nan(value: Any) -> Any:
    """Put None for NaN, which JSON does not have."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def short_path(path: str) -> str:
    """Return a path from here if that is shorter; what comes with the package by its name."""
    if Path(path) == bundled(Path(path).name):
        return f"{Path(path).name} (bundled)"
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return min(path, relative, key=len)
