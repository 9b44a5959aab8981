"""How well languages are told apart, as text, as JSON and as a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from html import escape

from ..columns import aligned
from ..langid.evaluation import Evaluation, Share
from . import svg
from .html import bar, page, section, table
from .report import Bin

_MOST_CONFUSIONS = 20
_HEAD = ["texts", "right %", "95 % interval", "probability"]


def as_json(result: Evaluation, path: str) -> str:
    """Return an evaluation for programs."""
    return json.dumps({"file": path} | asdict(result), ensure_ascii=False, indent=1) + "\n"


def as_text(result: Evaluation, path: str) -> str:
    """Return an evaluation as text."""
    confusions = [[f"{a} as {b}", str(n)] for a, b, n in result.confusions[:_MOST_CONFUSIONS]]
    parts = [
        [f"{path}: {_size(result)}", *_headline(result)],
        _shares("language", result.languages),
        _shares("characters", result.lengths),
        _shares("probability", result.confidences),
        aligned([["most often taken", "texts"], *confusions]) if confusions else [],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def as_html(result: Evaluation, path: str) -> str:
    """Return an evaluation as a page to be looked at, sent around and printed."""
    bins = [Bin(share.probability, share.accuracy, share.rows) for share in result.confidences]
    confusions = [
        [escape(a), escape(b), f"{n:,}"] for a, b, n in result.confusions[:_MOST_CONFUSIONS]
    ]
    right, *more = _headline(result)
    taken = table(["language", "taken for", "texts"], confusions) if confusions else ""
    body = [
        f"<header><h1>Languages</h1><p>{escape(path)}: {_size(result)}</p></header>",
        f'<p class="headline"><strong>{100 * result.overall.accuracy:.1f} %</strong> right</p>',
        "".join(f"<p>{escape(line)}</p>" for line in (right, *more)),
        section("By language", _table("language", result.languages)),
        section("By number of characters", _table("characters", result.lengths)),
        section("Probabilities", svg.calibration_plot(bins) + _table("from", result.confidences)),
        section("Most often taken for others", taken),
    ]
    return page("Languages", body)


def _size(result: Evaluation) -> str:
    return f"{result.overall.rows:,} texts in {len(result.languages)} languages"


def _headline(result: Evaluation) -> list[str]:
    overall = result.overall
    pace = 1e6 * result.seconds / overall.rows
    return [
        f"{100 * overall.accuracy:.2f} % right ({_interval(overall)}), "
        f"{100 * result.mean:.2f} % as the mean over languages",
        f"{result.undetermined:,} without an answer; {pace:.1f} µs of CPU time a text",
    ]


def _shares(title: str, shares: Sequence[Share]) -> list[str]:
    rows = [
        [share.name, f"{share.rows:,}", f"{100 * share.accuracy:.2f}", _interval(share),
         f"{share.probability:.3f}"]
        for share in shares
    ]  # fmt: skip
    return aligned([[title, *_HEAD], *rows])


def _table(title: str, shares: Sequence[Share]) -> str:
    rows = [
        [escape(share.name), f"{share.rows:,}", bar(share.accuracy), _interval(share),
         f"{share.probability:.3f}"]
        for share in shares
    ]  # fmt: skip
    return table([title, *_HEAD], rows)


def _interval(share: Share) -> str:
    return f"{100 * share.low:.2f} to {100 * share.high:.2f}"
