"""What there is to say about the data before anything is learnt from it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..errors import SubwordError
from ..tables import Table
from .layout import counted, listed, shown


def describe(train: Table | None, test: Table | None = None) -> tuple[dict[str, Any], list[str]]:
    """Return what a report says about the data, and what is odd about it."""
    data: dict[str, Any] = {}
    notes: list[str] = []
    for role, table in (("train", train), ("test", test)):
        if table is not None:
            labels = dict(Counter(table.labels).most_common())
            repeats = len(table) - len(set(table.texts))
            data[role] = {"file": table.path, "rows": len(table), "labels": labels,
                          "repeated_texts": repeats}  # fmt: skip
            notes += [f"{role}: {note}" for note in [*table.notes, *_contradictions(table)]]
    if train is not None and test is not None:
        notes += _overlap(train, test)
    return data, notes


def _contradictions(table: Table) -> list[str]:
    pairs = set(zip(table.texts, table.labels, strict=True))
    several = [text for text, n in Counter(text for text, _ in pairs).items() if n > 1]
    if not several:
        return []
    number = counted(len(several), "text")
    return [f"{number} with more than one label, such as {shown(several[0], 40)!r}"]


def _overlap(train: Table, test: Table) -> list[str]:
    known, seen = set(train.labels), set(train.texts)
    unknown = Counter(label for label in test.labels if label not in known)
    shared = sum(text in seen for text in test.texts)
    notes = []
    if shared:
        notes.append(f"{shared:,} of {len(test):,} test texts also stand in the training data")
    if unknown:
        notes.append(
            f"{counted(unknown.total(), 'test row')} with a label that is not in the training "
            f"data, and so always wrong: {listed(unknown)}"
        )
    return notes


def check_classes(table: Table, folds: int | None = None) -> None:
    """Refuse to learn from one class, or from fewer rows of a class than there are folds.

    Raises
    ------
    SubwordError
        Saying what is missing.

    """
    counts = Counter(table.labels)
    if len(counts) < 2:
        raise SubwordError(
            f"{table.path}: {counted(len(table), 'row')}, all with the label "
            f"{shown(table.labels[0], 40)!r}; "
            "at least two different labels are needed"
        )
    scarce = {label: n for label, n in counts.items() if n < (folds or 1)}
    if scarce:
        hints = "".join(f"; {note}" for note in table.notes if "header" in note)
        raise SubwordError(
            f"{table.path}: {folds} folds need {folds} rows of every label, there are too few of: "
            f"{listed(scarce)}; take fewer folds (--folds), add rows, or leave these out{hints}"
        )
