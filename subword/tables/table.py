"""`read_table`: the texts and labels of a file or folder, and what is odd about them."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import CorpusError, SubwordError
from .folders import read_folder
from .rows import Row, as_text, read_rows


@dataclass(frozen=True)
class Table:
    """Texts, their labels, and what there is to say about them.

    Parameters
    ----------
    path : str
        The file.
    texts : list of str
        One per row.
    labels : list of str
        One per row; empty where no labels were asked for.
    columns : tuple of str
        The columns that were read, by name or, in a file without header, by number.
    notes : list of str
        What a reader of the data should know: empty texts, labels taken as one, ...
    separator : str or None
        What stands between the labels of a text that has several; None if none has.

    """

    path: str
    texts: list[str]
    labels: list[str]
    columns: tuple[str, ...]
    notes: list[str] = field(default_factory=list)
    separator: str | None = None

    def __len__(self) -> int:
        return len(self.texts)


def read_table(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    label: str | None = None,
    labelled: bool = True,
    header: bool | None = None,
    errors: str = "strict",
    label_names: Sequence[str] = ("label",),
    label_first: bool = False,
) -> Table:
    """Read the texts of a file, and their labels.

    The kind of file is told by its suffix (``.tsv``, ``.csv``, ``.jsonl``, ``.parquet``; ``.gz``,
    ``.xz``, ``.bz2`` and ``.zst`` may follow), else by its first line. TSV has no quoting: a tab
    ends a field, a line end a row. CSV has the usual double quotes, and a semicolon where the first
    line has no comma. White space around a label is dropped.

    In a folder each file is a text, and the folder in it where the file lies is the label, as in
    scikit-learn's `load_files`.

    Parameters
    ----------
    path : path
        The file or folder, or an address that fsspec knows.
    text, label : str, optional
        Columns, by name or by number from 1. By default those named ``text`` and ``label`` or,
        where the first line has no such names, columns 1 and 2.
    labelled : bool
        Read labels too. Without, a file that is no table is one text a line.
    header : bool, optional
        Whether the first line names the columns; by default it does if the names looked for
        stand in it.
    errors : {"strict", "replace"}
        Invalid UTF-8: an error, or U+FFFD.
    label_names : sequence of str
        What the column of labels may be called; the first name that is there counts.
    label_first : bool
        Whether column 1 has the labels and column 2 the texts where columns have no names.

    Raises
    ------
    CorpusError
        With path, line and byte: not UTF-8, not a table, a row too short, a label missing.
    SubwordError
        When a column is not there (the message lists those that are), or there are no rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "reviews.csv")
    ...     _ = path.write_text("label,text\\npos,lower\\nneg,newest widest\\n")
    ...     table = read_table(path)
    >>> table.texts, table.labels
    (['lower', 'newest widest'], ['pos', 'neg'])

    """
    name = os.fspath(path)
    if os.path.isdir(name):
        texts, labels = read_folder(name, errors, labelled)
        return Table(name, texts, labels, ("file", "folder"), _empty(texts))
    kind, rows = read_rows(name, errors, labelled)
    first = next(rows, None)
    if first is None:
        raise SubwordError(f"{name}: the file is empty")
    text = text if kind != "lines" else None
    wanted = [_Wanted("text", text, ("text",), 2 if label_first else 1)]
    if labelled:
        wanted.append(_Wanted("label", label, label_names, 1 if label_first else 2))
    header = {"jsonl": True, "parquet": True, "lines": False}.get(kind, header)
    places, has_header = _places(name, first[1], wanted, header)
    names = tuple(first[1][i].strip() if has_header else str(i + 1) for i in places)
    if not has_header:
        rows = itertools.chain([first], rows)
    columns = list(zip(*_cells(rows, places, name), strict=True))
    if not columns:
        raise SubwordError(f"{name}: there are no rows below the header")
    lines, texts, *rest = (list(column) for column in columns)
    labels, notes = _labels(name, lines, rest[0], has_header) if labelled else ([], [])
    return Table(name, texts, labels, names, notes + _empty(texts))


class _Wanted(NamedTuple):
    """A column to look for."""

    role: str
    asked: str | None
    names: Sequence[str]  # that it may have, if none was asked for
    number: int  # where it stands in a file that does not name its columns

    def likely(self) -> Sequence[str]:
        return [self.asked] if self.asked else self.names


def _places(
    path: str, first: list[str], wanted: Sequence[_Wanted], header: bool | None
) -> tuple[list[int], bool]:
    """Return the indices of the columns, and whether the first row names them."""
    columns = [name.strip() for name in first]
    if header is None:
        # Names that were asked for must be there; those we only hope for may be missing.
        asked = {column.asked for column in wanted}
        names = [name for column in wanted for name in column.likely() if not _is_number(name)]
        header = any(name in columns or name in asked for name in names)
    places = [_place(path, columns, column, header) for column in wanted]
    if len(set(places)) < len(places):
        raise SubwordError(
            f"{path}: text and label are both column {places[0] + 1}; give --text and --label"
        )
    return places, header


def _is_number(column: str) -> bool:
    return column.isascii() and column.isdigit()


def _place(path: str, columns: list[str], wanted: _Wanted, header: bool) -> int:
    likely, role = wanted.likely(), wanted.role
    if header and (there := [name for name in likely if name in columns]):
        return columns.index(there[0])
    name = likely[0] if wanted.asked or header else str(wanted.number)
    if _is_number(name) and 1 <= int(name) <= len(columns):
        return int(name) - 1
    shown = ", ".join(map(repr, columns[:20])) + (", ..." if len(columns) > 20 else "")
    what = f"the columns are {shown}" if header else f"the first row has {len(columns)}: {shown}"
    missing = " or ".join(likely) if wanted.asked or header else name
    raise SubwordError(
        f"{path}: there is no column {missing} for the {role}; {what:.300}; "
        f"choose one by name or by number from 1 with --{role}"
    )


def _cells(rows: Iterable[Row], places: list[int], path: str) -> Iterator[tuple[object, ...]]:
    needed = max(places) + 1
    for number, row in rows:
        if len(row) < needed:
            raise CorpusError(
                f"{needed} columns are needed, the row has {len(row)}: {row[0]!r:.40}", path, number
            )
        yield number, *(as_text(row[place], path, number) for place in places)


def _labels(
    path: str, lines: list[int], given: list[str], has_header: bool
) -> tuple[list[str], list[str]]:
    """Return the labels without space around them, and what is odd about them."""
    labels = [label.strip() for label in given]
    missing = [line for line, label in zip(lines, labels, strict=True) if not label]
    if missing:
        rows = f"{len(missing)} rows have" if len(missing) > 1 else "a row has"
        raise CorpusError(f"{rows} no label; label them or leave them out", path, missing[0])
    spellings = {spelling: spelling.strip() for spelling in given}
    joined = [label for label, n in Counter(spellings.values()).items() if n > 1]
    notes = [f"labels that differ only by spaces around them were taken as one: {label!r}"
             for label in joined]  # fmt: skip
    counts = Counter(labels)
    if not has_header and len(counts) > 2 and [x for x in counts if counts[x] == 1] == labels[:1]:
        notes.append(
            f"the label {labels[0]!r} stands in the first line alone; if that line is a header, "
            "name the columns with --text and --label, or say --header"
        )
    return labels, notes


def _empty(texts: list[str]) -> list[str]:
    empty = sum(not text.strip() for text in texts)
    return [
        f"{empty:,} of {len(texts):,} texts are empty; they stay in, as rows without pieces"
    ] * (empty > 0)
