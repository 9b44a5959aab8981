"""Plots as SVG that takes its colours from the page, so that it is right by day and by night."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from .measures import Score
from .report import Bin, Confusion, CurvePoint

_WIDTH = 640
_NAMED = 20  # classes whose names and numbers a confusion matrix has room for


def intervals_plot(scores: Sequence[Score]) -> str:
    """Return accuracies with their intervals, one line per system."""
    low, high = _nice([x for s in scores for x in (s.accuracy.low, s.accuracy.high)])
    left, line = 170, 30

    def at(value: float) -> float:
        return left + (_WIDTH - left - 30) * (value - low) / (high - low)

    parts = _vertical_grid(low, high, at, line * len(scores) + 10)
    for i, score in enumerate(scores):
        y, found = 20 + line * i, score.accuracy
        kind = "own" if i == 0 else "other"
        parts += [
            _text(left - 12, y + 4, _short(score.name, 24), "end"),
            f'<line class="{kind}" x1="{at(found.low):.1f}" x2="{at(found.high):.1f}" '
            f'y1="{y}" y2="{y}"/>',
            f'<circle class="{kind}" cx="{at(found.value):.1f}" cy="{y}" r="5">'
            f"<title>{100 * found.value:.2f} %</title></circle>",
        ]
    return _svg(parts, line * len(scores) + 34, "Accuracy with 95 % intervals")


def curve_plot(curve: Sequence[CurvePoint]) -> str:
    """Return accuracy by the number of rows learnt from, which doubles from step to step."""
    systems, rows = list(curve[0].accuracy), [point.rows for point in curve]
    bounds = [b for point in curve for x in point.accuracy.values() for b in (x.low, x.high)]
    low, high = _nice(bounds)
    left, top, height = 50, 14, 240
    first, span = math.log(rows[0]), (math.log(rows[-1] / rows[0]) or 1.0)

    def x(n: int) -> float:
        return left + (_WIDTH - left - 110) * (math.log(n) - first) / span

    def y(value: float) -> float:
        return top + height * (high - value) / (high - low)

    parts = [
        part
        for value in _ticks(low, high)
        for part in (
            f'<line class="grid" x1="{left}" x2="{_WIDTH - 110}" '
            f'y1="{y(value):.1f}" y2="{y(value):.1f}"/>',
            _text(left - 8, y(value) + 4, f"{100 * value:g}", "end"),
        )
    ]
    parts += [_text(x(n), top + height + 20, f"{n:,}", "middle") for n in rows]
    own = [point.accuracy[systems[0]] for point in curve]
    edge = [(x(n), y(v.high)) for n, v in zip(rows, own, strict=True)]
    edge += [(x(n), y(v.low)) for n, v in zip(rows[::-1], own[::-1], strict=True)]
    band = " ".join(f"{a:.1f},{b:.1f}" for a, b in edge)
    parts.append(f'<polygon class="own" points="{band}"/>')
    ends: list[float] = []
    for i, name in enumerate(systems):
        values = [point.accuracy[name].value for point in curve]
        points = " ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in zip(rows, values, strict=True))
        kind = "own" if i == 0 else "other"
        end = y(values[-1]) + 4
        end += 16 if any(abs(end - other) < 14 for other in ends) else 0
        ends.append(end)
        parts += [f'<polyline class="{kind}" points="{points}"/>',
                  _text(x(rows[-1]) + 10, end, _short(name, 14), "start")]  # fmt: skip
    return _svg(parts, top + height + 32, "Accuracy by number of training rows")


def calibration_plot(bins: Sequence[Bin]) -> str:
    """Return the share of right answers by their probability; on the diagonal all is well."""
    left, top, size = 50, 14, 240
    most = max(found.rows for found in bins)

    def x(value: float) -> float:
        return left + size * value

    def y(value: float) -> float:
        return top + size * (1 - value)

    parts = [f'<line class="grid" x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}"/>']
    for value in (0.0, 0.5, 1.0):
        parts += [_text(x(value), top + size + 20, f"{100 * value:g} %", "middle"),
                  _text(left - 8, y(value) + 4, f"{100 * value:g}", "end")]  # fmt: skip
    parts += [
        f'<circle class="own" cx="{x(b.probability):.1f}" cy="{y(b.right):.1f}" '
        f'r="{3 + 7 * math.sqrt(b.rows / most):.1f}"><title>{b.rows:,} answers, '
        f"{100 * b.probability:.1f} % sure, {100 * b.right:.1f} % right</title></circle>"
        for b in bins
    ]
    parts.append(_text(x(1) + 20, y(0.55), "up: right, across: how sure;", "start"))
    parts.append(_text(x(1) + 20, y(0.55) + 20, "on the line the two agree", "start"))
    return _svg(parts, top + size + 32, "Share of right answers by probability")


def confusion_plot(matrix: Confusion) -> str:
    """Return the confusion matrix as a heat map, each line by the share of its label."""
    names = [_short(label, 18) for label in matrix.labels]
    named = len(names) <= _NAMED
    longest = max(map(len, names)) if named else 0
    left = 20 + 8 * longest  # about as wide as so many characters
    cell = min(60.0, (_WIDTH - left - 10 - 5 * longest) / len(names))
    top = 10 + 6 * longest
    parts = []
    for i, counts in enumerate(matrix.counts):
        total = sum(counts) or 1
        y = top + i * cell
        if named:
            parts.append(_text(left - 8, y + cell / 2 + 4, names[i], "end"))
            x = left + (i + 0.5) * cell
            parts.append(
                f'<text x="{x:.1f}" y="{top - 8}" transform="rotate(-45 {x:.1f} {top - 8})">'
                f"{escape(names[i])}</text>"
            )
        for j, n in enumerate(counts):
            parts += _cell(left + j * cell, y, cell, n, n / total, i == j, named,
                           f"{matrix.labels[i]} taken for {matrix.labels[j]}: {n:,}")  # fmt: skip
    return _svg(parts, top + cell * len(names) + 10, "Confusion matrix: lines are, columns said")


def _cell(
    x: float, y: float, size: float, n: int, share: float, right: bool, named: bool, title: str
) -> list[str]:
    kind = "hit" if right else "miss"
    seen = 0.0 if not n else 0.08 + 0.92 * math.sqrt(share)
    box = f'x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}"'
    parts = [f'<rect class="{kind}" {box} fill-opacity="{seen:.2f}">'
             f"<title>{escape(title)}</title></rect>"]  # fmt: skip
    if named and n:
        tone = ' class="on"' if seen > 0.6 else ""
        parts.append(f'<text{tone} x="{x + size / 2:.1f}" y="{y + size / 2 + 4:.1f}" '
                     f'text-anchor="middle">{n:,}</text>')  # fmt: skip
    return parts


# -- parts -----------------------------------------------------------------------------------


def _svg(parts: Sequence[str], height: float, title: str) -> str:
    return (
        f'<div class="wide"><svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(title)}">' + "".join(parts) + "</svg></div>"
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _vertical_grid(low: float, high: float, at: object, height: float) -> list[str]:
    return [
        part
        for value in _ticks(low, high)
        for part in (
            f'<line class="grid" x1="{at(value):.1f}" x2="{at(value):.1f}" y1="4" y2="{height}"/>',  # type: ignore[operator]
            _text(at(value), height + 18, f"{100 * value:g} %", "middle"),  # type: ignore[operator]
        )
    ]


def _step(low: float, high: float) -> float:
    return next((s for s in (0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / s <= 6), 0.25)


def _nice(values: Sequence[float]) -> tuple[float, float]:
    """Return round bounds around values."""
    step = _step(min(values), max(values))
    low, high = math.floor(min(values) / step) * step, math.ceil(max(values) / step) * step
    return round(low, 4), round(max(high, low + step), 4)


def _ticks(low: float, high: float) -> list[float]:
    step = _step(low, high)
    return [round(low + i * step, 4) for i in range(round((high - low) / step) + 1)]
