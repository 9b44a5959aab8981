"""Results as a table for people and as data for machines."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from harness import Result, Row, median_peak, median_seconds

# Heading and width; the first two are text, the rest figures.
COLUMNS = (
    ("", 48), ("against", 18), ("ours", 9), ("MB/s", 6), ("theirs", 9), ("ratio", 8),
    ("min..max", 12), ("must", 7), ("aim", 7), ("", 7), ("peak MB", 11),
)  # fmt: skip


def heading(task: str) -> str:
    """Return the line above the rows of a task."""
    line = fit((task, *(name for name, _ in COLUMNS[1:])))
    return f"\n{line}\n{'-' * len(line)}"


def lines(result: Result) -> list[str]:
    """Return the lines of a row: its figures, its limit of memory, what was checked."""
    row, peer = result.row, result.row.peer.name
    if result.problem:
        return [fit((row.title, peer)), f"    {result.problem}"]
    shown = [fit((row.title, peer, *figures(result)))]
    if row.memory:
        shown.append(fit(("  its peak of memory", peer, *peaks(result, row.memory))))
    if row.share:
        shown.append(fit(("  its peak of memory", peer, *shares(result, row.share))))
    return [*shown, f"    equal: {row.checked}"]


def peaks(result: Result, limits: tuple[float, float]) -> tuple[str, ...]:
    """Return the columns of a limit of memory."""
    ours, theirs = median_peak(result.ours), median_peak(result.peer)
    shown = [f"{megabytes:.0f} MB" for megabytes in (ours, theirs, *limits)]
    must, aim = limits
    return shown[0], "", shown[1], "", "", *shown[2:], verdict(-ours, (-must, -aim))


def shares(result: Result, limits: tuple[float, float]) -> tuple[str, ...]:
    """Return the columns of a limit of memory that is a share of the peer's."""
    ours, theirs = median_peak(result.ours), median_peak(result.peer)
    shown = [f"{megabytes:.0f} MB" for megabytes in (ours, theirs)]
    share, (must, aim) = ours / theirs, limits
    last = f"<{must:g}x", f"<{aim:g}x", verdict(-share, (-must, -aim))
    return shown[0], "", shown[1], f"{share:.2f}x", "", *last


def figures(result: Result) -> tuple[str, ...]:
    """Return the columns behind title and peer."""
    row, ours, ratios = result.row, median_seconds(result.ours), result.ratios
    speed = f"{row.size / ours / 1e6:.0f}" if row.size and ours else ""
    theirs, ratio = seconds(median_seconds(result.peer)), f"{statistics.median(ratios):.2f}x"
    spread = f"{min(ratios):.3g}..{max(ratios):.3g}" if len(ratios) > 1 else ""
    memory = "/".join(f"{median_peak(runs):.0f}" for runs in (result.ours, result.peer))
    last = memory if row.peaks else ""
    return seconds(ours), speed, theirs, ratio, spread, *goals(row), reached(result), last


def goals(row: Row) -> tuple[str, str]:
    """Return must and aim."""
    if row.goal:
        return f"{row.goal[0]:g}x", f"{row.goal[1]:g}x"
    return (f"<{row.seconds[0]:g} s", f"<{row.seconds[1]:g} s") if row.seconds else ("", "")


def reached(result: Result) -> str:
    """Say which goal of speed was reached."""
    row = result.row
    if row.goal:
        return verdict(statistics.median(result.ratios), row.goal)
    if row.seconds:
        return verdict(-median_seconds(result.ours), (-row.seconds[0], -row.seconds[1]))
    return ""


def verdict(value: float, limits: tuple[float, float]) -> str:
    """Return "aim", "must" or "BELOW"."""
    must, aim = limits
    return "aim" if value >= aim else "must" if value >= must else "BELOW"


def seconds(value: float) -> str:
    """Format seconds with three digits that count."""
    return f"{value:.{3 if value < 1 else 2 if value < 10 else 1}f} s"


def fit(cells: tuple[str, ...]) -> str:
    """Align cells: the first two to the left, figures to the right."""
    shown = [
        cell.ljust(width) if i < 2 else cell.rjust(width)
        for i, (cell, (_, width)) in enumerate(zip(cells, COLUMNS, strict=False))
    ]
    return " ".join(shown).rstrip()


def preface(
    machine: dict[str, Any], texts: dict[str, dict[str, Any]], left_out: Sequence[str]
) -> str:
    """Return machine, versions and texts as lines."""
    versions = machine["versions"]
    place = f"{machine['cpu']}, {machine['cores']} cores, pinned on {machine['pinned']}"
    tools = ", ".join(f"{name} {number}" for name, number in versions.items() if number)
    rows = [
        f"{place}; {machine['kernel']}; {machine['python']}",
        f"subword {machine['subword']}, {machine['engine']} engine; {tools}",
    ]
    if absent := [name for name, number in versions.items() if not number]:
        rows.append(f"not installed, rows skipped: {', '.join(absent)}")
    for name, text in texts.items():
        size = f"{text['size'] / 1e6:.1f} MB, {text['lines']:,} lines"
        rows.append(f"{name}: {size}, sha256 {text['sha256'][:16]}, {text['origin']}")
    rows += [f"{name}: the text is not here, its rows are left out" for name in left_out]
    return "\n".join(rows)


def data(result: Result) -> dict[str, Any]:
    """Return a result as plain data."""
    row = result.row
    kept = ("title", "checked", "goal", "seconds", "memory", "share", "size", "cores")
    return {name: getattr(row, name) for name in kept} | {
        "peer": row.peer.name,
        "problem": result.problem or None,
        "ours_seconds": [run.seconds for run in result.ours],
        "peer_seconds": [run.seconds for run in result.peer],
        "ours_peak_mb": [run.peak for run in result.ours],
        "peer_peak_mb": [run.peak for run in result.peer],
        "ratio": statistics.median(result.ratios) if not result.problem else None,
        "reached": None if result.problem else reached(result) or None,
    }
