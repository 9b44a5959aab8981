"""What there is to say about the data before anything is learnt from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..columns import counted, listed, shown
from ..errors import SubwordError
from ..tables import Table


def describe(train: Table | None, test: Table | None = None) -> tuple[dict[str, Any], list[str]]:
    """Return what a report says about the data, and what is odd about it."""
    data: dict[str, Any] = {}
    notes: list[str] = []
    for role, table in (("train", train), ("test", test)):
        if table is not None:
            labels = dict(_label_counts(table).most_common())
            repeats = len(table) - len(set(table.texts))
            data[role] = {"file": table.path, "rows": len(table), "labels": labels,
                          "repeated_texts": repeats}  # fmt: skip
            found = [*table.notes, *_contradictions(table), *_alike(labels)]
            notes += [f"{role}: {note}" for note in found]
    if train is not None and test is not None:
        notes += _overlap(train, test)
    return data, notes


def with_separator(table: Table, separator: str | None) -> Table:
    """Return a table whose rows may have several labels, if any has.

    The labels of a row are put in order, and stand once each.
    """
    if not separator or not any(separator in label for label in table.labels):
        return table
    parts = [sorted({part.strip() for part in label.split(separator)}) for label in table.labels]
    bare = next((i for i, labels in enumerate(parts) if "" in labels), None)
    if bare is not None:
        raise SubwordError(
            f"{table.path}: the label {table.labels[bare]!r} of row {bare + 1} has nothing on one "
            f"side of {separator!r}, which stands between the labels of a text"
        )
    several = sum(len(labels) > 1 for labels in parts)
    note = f"{counted(several, 'row')} with several labels, told by {separator!r} between them"
    labels = [separator.join(labels) for labels in parts]
    return replace(table, labels=labels, separator=separator, notes=[*table.notes, note])


def _label_counts(table: Table) -> Counter[str]:
    if not table.separator:
        return Counter(table.labels)
    return Counter(part for label in table.labels for part in label.split(table.separator))


def _alike(labels: Iterable[str]) -> list[str]:
    """Say which labels differ by case alone; they stay apart, which may not be meant."""
    spellings: dict[str, list[str]] = {}
    for label in labels:
        spellings.setdefault(label.casefold(), []).append(label)
    return [
        f"labels that differ by case alone are different labels: {', '.join(map(repr, found))}"
        for found in spellings.values()
        if len(found) > 1
    ]


def _contradictions(table: Table) -> list[str]:
    pairs = set(zip(table.texts, table.labels, strict=True))
    several = [text for text, n in Counter(text for text, _ in pairs).items() if n > 1]
    if not several:
        return []
    number = counted(len(several), "text")
    return [f"{number} with more than one label, such as {shown(several[0], 40)!r}"]


def _overlap(train: Table, test: Table) -> list[str]:
    known, seen = set(_label_counts(train)), set(train.texts)
    unknown = Counter({label: n for label, n in _label_counts(test).items() if label not in known})
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


def without_rare(table: Table, folds: int) -> Table:
    """Return a table without the rows of labels that have fewer rows than there are folds."""
    rare = {label: n for label, n in _label_counts(table).items() if n < folds}
    if table.separator or not rare:
        return table
    kept = [i for i, label in enumerate(table.labels) if label not in rare]
    note = (
        f"{counted(len(rare), 'label')} with fewer than {folds} rows left out, with "
        f"{counted(len(table) - len(kept), 'row')}: {listed(rare)}"
    )
    texts, labels = ([column[i] for i in kept] for column in (table.texts, table.labels))
    return replace(table, texts=texts, labels=labels, notes=[*table.notes, note])


def check_classes(table: Table, folds: int | None = None) -> None:
    """Refuse to learn from one class, or from fewer rows of a class than there are folds.

    Raises
    ------
    SubwordError
        Saying what is missing.

    """
    counts = _label_counts(table)
    if not counts:
        raise SubwordError(f"{table.path}: no label has {folds} rows; take fewer folds (--folds)")
    if len(counts) < 2:
        raise SubwordError(
            f"{table.path}: {counted(len(table), 'row')}, all with the label "
            f"{shown(table.labels[0], 40)!r}; "
            "at least two different labels are needed"
        )
    scarce = {label: n for label, n in counts.items() if n < (folds or 1)}
    if scarce and not table.separator:
        hints = "".join(f"; {note}" for note in table.notes if "header" in note)
        raise SubwordError(
            f"{table.path}: {folds} folds need {folds} rows of every label, there are too few of: "
            f"{listed(scarce)}; take fewer folds (--folds), add rows, or leave these out "
            f"(--leave-out-rare){hints}"
        )
