"""The report as text of 88 columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..columns import WIDTH, aligned, counted, display_width, listed, pad, shown, wrapped
from .classes import calibration_error
from .highlight import marked
from .measures import Difference, Interval, Score
from .report import Bin, ClassScore, Confusion, CurvePoint, Example, Probe, Report, short_path

_MOST_CLASSES = 12  # whose lines the text shows in full; JSON and HTML have all
_MOST_CONFUSIONS = 6
_LABEL_WIDTH = 16
_NAME_WIDTH = 20  # of a system
_BAR_WIDTH = 30


def as_text(report: Report) -> str:
    """Return a report as text of 88 columns."""
    parts = [
        [f"{report.app.capitalize().replace('_', ' ')}: {report.method}"],
        _data(report.data),
        _scores(report.scores),
        _differences(report.differences),
        _calibration(report.calibration),
        _classes(report.classes) if len(report.classes) > 2 else [],
        _confusion(report.confusion) if report.confusion else [],
        _curve(report.curve),
        _pieces(report.pieces),
        _probe(report.probe) if report.probe else [],
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


# -- figures ---------------------------------------------------------------------------------


def _scores(scores: Sequence[Score]) -> list[str]:
    if scores[0].micro_f1:
        return _scores_of_several(scores)
    rows = [["%", "accuracy", "95 % interval", "macro-F1", "95 % interval", "seconds"]]
    for score in scores:
        figures = [cell for x in (score.accuracy, score.macro_f1) for cell in _figure(x)]
        rows.append([shown(score.name, _NAME_WIDTH), *figures, f"{score.seconds:.1f}"])
    return aligned(rows)


def _scores_of_several(scores: Sequence[Score]) -> list[str]:
    rows = [
        ["%", "all labels", "95 % interval", "micro-F1", "95 % interval", "macro-F1", "seconds"]
    ]
    for score in scores:
        figures = [cell for x in (score.accuracy, score.micro_f1) if x for cell in _figure(x)]
        macro = _figure(score.macro_f1)[0]
        rows.append([shown(score.name, _NAME_WIDTH), *figures, macro, f"{score.seconds:.0f}"])
    return aligned(rows)


def _figure(interval: Interval) -> list[str]:
    value, low, high = (f"{100 * x:.2f}" for x in asdict(interval).values())
    return [value, f"{low} to {high}"]


def _differences(differences: Sequence[Difference]) -> list[str]:
    rows = []
    for difference in differences:
        value, low, high = (f"{100 * x:+.2f}" for x in asdict(difference.accuracy).values())
        verdict = "" if difference.is_clear else "; not distinguishable from 0"
        names = " minus ".join(difference.systems)
        rows.append([f"{names}:", f"{value} points", f"({low} to {high}){verdict}"])
    return aligned(rows, sides="<") if rows else []


def _calibration(bins: Sequence[Bin]) -> list[str]:
    if not bins:
        return []
    return [f"Probabilities are off by {100 * calibration_error(bins):.1f} points on average"]


def _classes(classes: Sequence[ClassScore]) -> list[str]:
    title, picked = "By label", list(classes)
    if len(picked) > _MOST_CLASSES:
        picked = sorted(picked, key=lambda found: found.f1)[:_MOST_CLASSES]
        title = f"The {len(picked)} of {len(classes)} labels that are found worst"
    rows = [["label", "precision", "recall", "F1", "rows"]]
    for x in picked:
        figures = (f"{100 * y:.1f}" for y in (x.precision, x.recall, x.f1))
        rows.append([shown(x.label, 2 * _LABEL_WIDTH), *figures, f"{x.rows:,}"])
    return [title, *("  " + line for line in aligned(rows))]


def _confusion(matrix: Confusion) -> list[str]:
    if len(matrix.labels) > _MOST_CLASSES:
        return _common_confusions(matrix)
    width = max(4, min(10, (WIDTH - _LABEL_WIDTH - 4) // len(matrix.labels) - 2))
    rows = [["is \\ said", *(shown(label, width) for label in matrix.labels)]]
    for label, counts in zip(matrix.labels, matrix.counts, strict=True):
        rows.append([shown(label, _LABEL_WIDTH), *(f"{n:,}" if n else "." for n in counts)])
    lines = ["  " + line for line in aligned(rows)]
    fits = max(map(display_width, lines)) <= WIDTH
    return ["Confusions", *lines] if fits else _common_confusions(matrix)


def _common_confusions(matrix: Confusion) -> list[str]:
    found = [
        (n, is_label, said)
        for is_label, counts in zip(matrix.labels, matrix.counts, strict=True)
        for said, n in zip(matrix.labels, counts, strict=True)
        if n and said != is_label
    ]
    if not found:
        return []
    worst = sorted(found, key=lambda cell: -cell[0])[:_MOST_CONFUSIONS]
    rows = [[f"  {shown(a, 30)}", "taken for", shown(b, 30), f"{n:,}"] for n, a, b in worst]
    return ["Most frequent confusions", *aligned(rows, sides="<")]


def _curve(curve: Sequence[CurvePoint]) -> list[str]:
    if not curve:
        return []
    systems = list(curve[0].accuracy)
    rows = [["rows", *(f"{name} %" for name in systems), "95 % interval"]]
    for point in curve:
        own = point.accuracy[systems[0]]
        rows.append([f"{point.rows:,}", *(f"{100 * x.value:.2f}" for x in point.accuracy.values()),
                     _figure(own)[1]])  # fmt: skip
    bars = ["", *("▪" * round(_BAR_WIDTH * p.accuracy[systems[0]].value) for p in curve)]
    lines = [f"  {line}  {bar}".rstrip() for line, bar in zip(aligned(rows), bars, strict=True)]
    return ["Learning curve: accuracy on the same rows, learning from more and more", *lines]


# -- words and examples ----------------------------------------------------------------------


def _pieces(pieces: dict[str, list[tuple[str, float]]]) -> list[str]:
    if not pieces:
        return []
    labels = {label: shown(label, _LABEL_WIDTH) for label in list(pieces)[:_MOST_CLASSES]}
    width = max(map(display_width, labels.values()))
    most = 2 if len(pieces) <= 4 else 1
    lines = ["What speaks most for a label"]
    for label, name in labels.items():
        words = [f"[{as_read(piece)}]" for piece, _ in pieces[label]]
        lines += wrapped(words, "  " + pad(name, width), lines=most)
    if len(pieces) > len(labels):
        lines.append(f"  and {len(pieces) - len(labels)} more labels (--json has them)")
    return lines


def as_read(feature: str) -> str:
    """Spell the name of a feature as it stands in a text: a run of pieces joined.

    >>> as_read("low@@ est"), as_read("so low")
    ('lowest', 'so low')
    """
    return feature.replace("@@ ", "")


def _probe(probe: Probe) -> list[str]:
    lines = [line for part in probe.lines for line in textwrap.wrap(part, WIDTH - 2)]
    return [probe.title, *("  " + line for line in lines)]


def _examples(examples: Sequence[Example]) -> list[str]:
    if not examples:
        return []
    lines = _same_width(aligned(map(_verdict, examples), sides="<"))
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
    return ["  right" if is_right else "  wrong", probability(example.probability), said, truth]


def probability(value: float) -> str:
    """Spell a probability.

    >>> probability(0.51234), probability(0.99991), probability(float("nan"))
    ('0.512', '>.999', '-')
    """
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" if value < 0.9995 else ">.999"


def _same_width(lines: list[str]) -> list[str]:
    width = max(map(display_width, lines))
    return [pad(line, width) for line in lines]


def explanation_as_text(example: Example, colour: bool) -> str:
    """Return a text on one line, its label in front, its words marked."""
    words = marked(example.text, example.marks, colour)
    return f"{example.predicted}  {probability(example.probability)}  {words}\n"
