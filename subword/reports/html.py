"""The report as one HTML file that needs nothing else: no script, no font, no picture from afar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Any

from . import svg
from .classes import calibration_error
from .highlight import segments
from .measures import Interval
from .report import ClassScore, Example, Probe, Report, short_path
from .text import as_read, probability

_MOST_CHARACTERS = 1200  # of an example
_MOST_LABELS = 40  # named in the table of the data
_LEGEND = (
    '<p class="legend">Marked are words that speak <mark class="for s1">for</mark> and <mark '
    'class="for s2">strongly for</mark> the answer, <mark class="against s1">against</mark> and '
    '<mark class="against s2">strongly against</mark> it.</p>'
)


def as_html(report: Report) -> str:
    """Return a report as a page to be looked at, sent around and printed."""
    own = report.scores[0]
    name = report.app.capitalize().replace("_", " ")
    what = "all labels right" if own.micro_f1 else "accuracy"
    body = [
        f"<header><h1>{escape(name)}</h1><p>{escape(report.method)}</p></header>",
        '<p class="headline"><strong>'
        f"{100 * own.accuracy.value:.1f} %</strong> {what} <small>95 % interval "
        f"{100 * own.accuracy.low:.1f} to {100 * own.accuracy.high:.1f}</small></p>",
        section("Data", _data(report.data)),
        section("Systems", _scores(report) + _intervals(report)),
        section("By label", _classes(report.classes)),
        section("Confusions", _confusion(report)),
        section("Learning curve", _curve(report)),
        section("Probabilities", _calibration(report)),
        section("What speaks most for a label", _pieces(report.pieces)),
        _probe(report.probe),
        section("The surest right and the surest wrong answers", _examples(report.examples)),
        section("Notes", _list(report.notes)),
        f"<footer>subword {escape(report.version)}, {report.seconds:.1f} s</footer>",
    ]
    return page(name, body)


def explanations_as_html(app: str, examples: Sequence[Example]) -> str:
    """Return texts with the words marked that speak for and against their label."""
    body = [f"<header><h1>{escape(app.capitalize())}</h1></header>",
            section("Which words decided", _examples(examples))]  # fmt: skip
    return page(app.capitalize(), body)


def page(title: str, body: Iterable[str]) -> str:
    """Return a whole page around parts."""
    style = resources.files(__package__).joinpath("page.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body>\n</html>\n"
    )


def section(title: str, content: str) -> str:
    """Return a part of a page; nothing without content."""
    return f"<section><h2>{escape(title)}</h2>\n{content}</section>" if content else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "figures") -> str:
    """Return a table; cells are HTML already."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    return (f'<div class="wide"><table class="{kind}"><thead><tr>{top}</tr></thead>\n'
            f"<tbody>{body}</tbody></table></div>\n")  # fmt: skip


def _list(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>" if items else ""


# -- figures ---------------------------------------------------------------------------------


def _data(data: dict[str, Any]) -> str:
    rows = []
    for role, about in data.items():
        labels = list(about["labels"].items())
        names = ", ".join(f"{escape(label)} {n:,}" for label, n in labels[:_MOST_LABELS])
        more = f" and {len(labels) - _MOST_LABELS} more" if len(labels) > _MOST_LABELS else ""
        rows.append([role, escape(short_path(about["file"])), f"{about['rows']:,}",
                     f"{about['repeated_texts']:,}", names + more])  # fmt: skip
    return table(["", "file", "rows", "texts again", "labels"], rows, "words")


def _scores(report: Report) -> str:
    gains = {difference.systems[1]: difference for difference in report.differences}
    several = report.scores[0].micro_f1 is not None
    head = ["system", "all labels right" if several else "accuracy", "macro-F1",
            *(["micro-F1"] if several else []), "subword is better by", "seconds"]  # fmt: skip
    rows = []
    for score in report.scores:
        figures = [x for x in (score.accuracy, score.macro_f1, score.micro_f1) if x]
        gain = gains.get(score.name)
        unclear = "" if gain is None or gain.is_clear else " <em>unclear</em>"
        better = _points(gain.accuracy) + unclear if gain else ""
        rows.append([escape(score.name), *map(_figure, figures), better, f"{score.seconds:.1f}"])
    return table(head, rows)


def _intervals(report: Report) -> str:
    """Return a plot of those that learn; how far behind the majority is shows in the table."""
    return svg.intervals_plot([score for score in report.scores if score.name != "majority"])


def _figure(x: Interval) -> str:
    return f"<b>{100 * x.value:.2f}</b> <small>{100 * x.low:.2f} to {100 * x.high:.2f}</small>"


def _points(x: Interval) -> str:
    return f"<b>{100 * x.value:+.2f}</b> <small>{100 * x.low:+.2f} to {100 * x.high:+.2f}</small>"


def _classes(classes: Sequence[ClassScore]) -> str:
    rows = [
        [escape(x.label), *(bar(y) for y in (x.precision, x.recall, x.f1)), f"{x.rows:,}"]
        for x in classes
    ]
    return table(["label", "precision", "recall", "F1", "rows"], rows) if classes else ""


def bar(share: float) -> str:
    """Return a share in %, drawn as well."""
    return f'<span class="bar" style="--share:{share:.3f}">{100 * share:.1f}</span>'


def _confusion(report: Report) -> str:
    if not report.confusion:
        return ""
    legend = '<p class="legend">Lines: what texts are; columns: what was said.</p>'
    return legend + svg.confusion_plot(report.confusion)


def _curve(report: Report) -> str:
    if not report.curve:
        return ""
    legend = (
        '<p class="legend">Accuracy in % on the same texts, by the number of texts learnt from; '
        "the band is the 95 % interval.</p>"
    )
    return legend + svg.curve_plot(report.curve)


def _calibration(report: Report) -> str:
    if not report.calibration:
        return ""
    off = 100 * calibration_error(report.calibration)
    return f"<p>They are off by {off:.1f} points on average.</p>" + svg.calibration_plot(
        report.calibration
    )


# -- words and examples ----------------------------------------------------------------------


def _pieces(pieces: dict[str, list[tuple[str, float]]]) -> str:
    rows = [
        [escape(label), " ".join(f"<code>{escape(as_read(word))}</code>" for word, _ in found)]
        for label, found in pieces.items()
    ]
    return table(["label", "words, and pairs of words"], rows, "words") if rows else ""


def _probe(probe: Probe | None) -> str:
    if probe is None:
        return ""
    lines = "".join(f"<p>{escape(line)}</p>" for line in probe.lines)
    return section(probe.title, lines + _examples(probe.examples))


def _examples(examples: Sequence[Example]) -> str:
    explained = any(example.marks for example in examples)
    return (_LEGEND if explained else "") + "".join(map(_example, examples))


def _example(example: Example) -> str:
    truth = verdict = ""
    if example.label and example.label == example.predicted:
        verdict = '<span class="right">right</span> '
    elif example.label:
        verdict, truth = '<span class="wrong">wrong</span> ', f" (is {escape(example.label)})"
    sure = f" <small>{escape(probability(example.probability))}</small>"
    return (
        f'<div class="example"><p>{verdict}<b>{escape(example.predicted)}</b>{truth}{sure}</p>'
        f'<blockquote dir="auto">{_marked(example)}</blockquote></div>\n'
    )


def _marked(example: Example) -> str:
    parts, left = [], _MOST_CHARACTERS
    for text, strength in segments(example.text, example.marks):
        seen = escape(_printable(text[:left]))
        kind = f"{'for' if strength > 0 else 'against'} s{abs(strength)}"
        parts.append(f'<mark class="{kind}">{seen}</mark>' if strength else seen)
        left -= len(text)
        if left <= 0:
            return "".join(parts) + " …"
    return "".join(parts)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
