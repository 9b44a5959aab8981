"""The rows of a file: TSV, CSV, JSON lines, Parquet, plain lines; also packed, also remote."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import CorpusError, SubwordError
from ..files import PACKINGS, load_extra, open_binary, packing_of, read_lines

_SUFFIXES = {
    ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_LONGEST_FIELD = 2**31 - 1

Row = tuple[int, list[Any]]  # the line it begins in, its cells


def read_rows(path: str, errors: str, labelled: bool) -> tuple[str, Iterator[Row]]:
    """Return the kind of file and its rows; those of JSON lines and Parquet begin with the keys."""
    if _SUFFIXES.get(_suffix(path)) == "parquet":
        return "parquet", _parquet_rows(path)
    lines = _lines(path, errors)
    first = next(lines, None)
    if first is None:
        raise SubwordError(f"{path}: the file is empty")
    lines = itertools.chain([first] if first[1] else [], lines)
    kind = _SUFFIXES.get(_suffix(path)) or _guess(first[1], path, labelled)
    if kind == "csv":
        semicolons = ";" in first[1] and "," not in first[1]
        return kind, _csv_rows(lines, path, ";" if semicolons else ",")
    if kind == "jsonl":
        return kind, _jsonl_rows(lines, path)
    if kind == "tsv":
        return kind, ((number, line.split("\t")) for number, line in lines if line)
    return kind, ((number, [line]) for number, line in lines)


def is_file_name(name: str) -> bool:
    """Say whether a name ends like those of files that are read here, plain or packed.

    >>> is_file_name("reviews.tab.zst"), is_file_name("notes.txt"), is_file_name("It was good.")
    (True, True, False)
    """
    return name.lower().endswith((".txt", *_SUFFIXES, *PACKINGS))


def _suffix(path: str) -> str:
    return Path(path.removesuffix(packing_of(path))).suffix.lower()


def _guess(first: str, path: str, labelled: bool) -> str:
    if first.startswith("{"):
        return "jsonl"
    if "\t" in first:
        return "tsv"
    if not labelled:
        return "lines"
    raise CorpusError(
        "no table: the line has no tab and is no JSON object; name the file .tsv, .csv, .jsonl or "
        ".parquet",
        path,
        1,
    )


def _lines(path: str, errors: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(read_lines(path, errors), 1):
        if "\0" in line:
            raise CorpusError("a zero byte: this is not a text file in UTF-8", path, number)
        yield number, line.removesuffix("\r")


def _csv_rows(lines: Iterable[tuple[int, str]], path: str, delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(_LONGEST_FIELD)  # the 128 kB of the default are a short book chapter
    reader = csv.reader((line + "\n" for _, line in lines), delimiter=delimiter, strict=True)
    start = 1
    try:
        for row in reader:
            if row:
                yield start, row
            start = reader.line_num + 1
    except csv.Error as error:
        raise CorpusError(f"not CSV: {error}", path, start) from None


def _jsonl_rows(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Row]:
    keys: list[str] = []
    for number, line in lines:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise CorpusError(f"not JSON: {error}", path, number) from None
        if not isinstance(record, dict):
            raise CorpusError(f"expected a JSON object, got {line!r:.60}", path, number)
        if not keys:
            keys = list(record)
            yield 0, keys
        yield number, [record.get(key) for key in keys]


def _parquet_rows(path: str) -> Iterator[Row]:
    parquet = load_extra("pyarrow.parquet", "io", "Parquet files")
    with open_binary(path) as stream:
        try:
            file = parquet.ParquetFile(stream)
            yield 0, file.schema_arrow.names
            rows = (
                row
                for batch in file.iter_batches()
                for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)
            )
            yield from ((number, [*row]) for number, row in enumerate(rows, 1))
        except (OSError, ValueError) as error:  # what pyarrow raises is either
            raise CorpusError(f"not Parquet: {error}", path) from None


def as_text(value: object, path: str, line: int) -> str:
    """Return a cell as a text: numbers as JSON spells them, dates as ISO does, null as nothing."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, dict, bytes)):
        raise CorpusError(f"expected a text or a number, got {value!r:.60}", path, line)
    if value is None or value != value:  # NaN, with which pandas says the same
        return ""
    return json.dumps(value) if isinstance(value, (bool, int, float)) else str(value)
