"""The skeleton of an app: arguments, files in and out, errors as one line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from threadpoolctl import threadpool_limits

from .. import arguments
from ..arguments import add_errors, add_header, add_output
from ..errors import CorpusError, SubwordError
from ..files import check_writable, is_address, write_atomic
from ..tables import Table, is_file_name, read_table
from ..terminal import guarded, tell
from .html import as_html
from .report import Report, as_json
from .text import as_text

_BLOCK = 1 << 16


# -- arguments -------------------------------------------------------------------------------


def whole(smallest: int) -> Callable[[str], int]:
    """Return an argparse type: integers of at least `smallest`."""

    def integer(text: str) -> int:
        if int(text) < smallest:
            raise argparse.ArgumentTypeError(f"must be at least {smallest}, got {text}")
        return int(text)

    return integer


def seconds(text: str) -> float:
    """Read a time for argparse: a number above 0."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0, got {text}")
    return value


def add_table_arguments(parser: argparse.ArgumentParser, labelled: bool = True) -> None:
    """Add how tables are read."""
    group = parser.add_argument_group(
        "tables",
        "TSV (no quoting), CSV, JSON lines or Parquet, by suffix; .gz, .xz, .bz2 and .zst are "
        "unpacked. COLUMN is a name or a number from 1.",
    )
    group.add_argument("--text", metavar="COLUMN", help="default: 'text', without header 1")
    if labelled:
        group.add_argument("--label", metavar="COLUMN", help="default: 'label', without header 2")
    add_header(group)
    add_errors(group)


def add_output_arguments(parser: argparse.ArgumentParser, html: bool = False) -> None:
    """Add where results go."""
    group = add_output(parser, json="JSON in place of text")
    if html:
        group.add_argument("--html", metavar="FILE", help="also a page to look at, in one file")


def read(
    args: argparse.Namespace, path: str | os.PathLike[str], labelled: bool = True, **labels: Any
) -> Table:
    """Read a table as the arguments say; `labels`: what more `read_table` should know of them."""
    return read_table(
        path, text=args.text, label=getattr(args, "label", None), labelled=labelled,
        header=args.header, errors=args.errors, **labels,
    )  # fmt: skip


def text_batches(args: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the texts to label: all of a file, the lines of stdin as they come, or the argument."""
    if args.file in (None, "-"):
        yield from _stdin_lines(args.errors)
    elif is_text(args.file):
        yield [args.file]
    else:
        yield read(args, args.file, labelled=False).texts


def is_text(argument: str) -> bool:
    """Say whether an argument is a text: no file that is there, and no name of one or of stdin.

    >>> [is_text(x) for x in ("Great!", "", "I did not like it.", "reviews.tsv", "-")]
    [True, True, True, False, False]
    """
    is_file = argument == "-" or is_address(argument) or is_file_name(argument)
    return not is_file and not os.path.exists(argument)


def _stdin_lines(errors: str) -> Iterator[list[str]]:
    """Yield the lines that have come so far, again and again: somebody may wait for answers."""
    if sys.stdin is None:
        raise SubwordError("standard input is closed; name a file")
    rest, number = b"", 1
    while block := sys.stdin.buffer.read1(_BLOCK):  # type: ignore[union-attr]
        *lines, rest = (rest + block).split(b"\n")
        if lines:
            yield [_decoded(line, number + i, errors) for i, line in enumerate(lines)]
        number += len(lines)
    if rest:
        yield [_decoded(rest, number, errors)]


def _decoded(line: bytes, number: int, errors: str) -> str:
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8", errors).removesuffix("\r")
    except UnicodeDecodeError as error:
        reason = f"invalid UTF-8 at byte {error.start} of the line; --errors replace reads past it"
        raise CorpusError(reason, "<stdin>", number) from None


def check_outputs(*paths: str | None) -> None:
    """Refuse places that cannot be written to before any work is done; None is stdout."""
    for path in paths:
        if path is not None:
            check_writable(path)


# -- results ---------------------------------------------------------------------------------


def write(parts: Iterable[str], path: str | None = None) -> None:
    """Write parts as they come to stdout, or all of them or nothing to a file."""
    if path is not None:
        write_atomic(path, "".join(parts))
        return
    for part in parts:
        sys.stdout.write(part)
        sys.stdout.flush()


def publish(report: Report, args: argparse.Namespace) -> None:
    """Write a report; its notes go to stderr too where nobody would read them in it."""
    if getattr(args, "html", None):
        write_atomic(args.html, as_html(report))
    write([as_json(report) if args.json else as_text(report)], args.output)
    if args.json or args.output or not sys.stdout.isatty():
        tell(report.app, "note", report.notes)


# -- running ---------------------------------------------------------------------------------


def run(
    app: str, parser: argparse.ArgumentParser, argv: Sequence[str], commands: Sequence[str]
) -> int:
    """Run the command that the arguments name; errors of the user's become one line.

    Parameters
    ----------
    app : str
        Stands before each message.
    parser : ArgumentParser
        Made by `make_parser`.
    argv : sequence of str
        The arguments.
    commands : sequence of str
        The commands there are; the first is meant where the arguments begin with none of them.

    Returns
    -------
    int
        0 done, 1 user error. Wrong usage ends the program with 2, as argparse does.

    """
    args = parser.parse_args(_with_command(list(argv), commands))
    # Linear models of sparse text gain nothing from BLAS threads, which wait for each other.
    with threadpool_limits(1):
        return guarded(app, lambda: arguments.run(args))


def _with_command(argv: list[str], commands: Sequence[str]) -> list[str]:
    first = argv[0] if argv else ""
    return argv if first in (*commands, "-h", "--help", "--version") else [commands[0], *argv]
