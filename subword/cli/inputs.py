"""Texts in: the lines or a column of files or of standard input, each with its place."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from typing import IO, NamedTuple

from ..errors import CorpusError, SubwordError, SubwordWarning
from ..files import check_errors, check_packing, decode_blocks, open_binary, unpacking
from ..tables import read_table
from ..terminal import is_live

STDIN = "<stdin>"
_BOM = b"\xef\xbb\xbf"


class Text(NamedTuple):
    """One text of the input, the ``\\n`` behind it (the last may have none), and its place.

    The line is 0 for a field of a table.
    """

    text: str
    end: str
    path: str
    line: int


def check_files(args: argparse.Namespace) -> None:
    """Refuse what cannot be read or written before any work is done.

    Files are not opened for that: a pipe can be opened only once.
    """
    paths = [path for path in getattr(args, "files", []) if path != "-"]
    others = (getattr(args, name, None) for name in ("model", "vocabulary"))
    for path in [*paths, *filter(None, others)]:
        is_pair = path == getattr(args, "model", None) and os.path.isdir(path)
        _check(path, os.R_OK, folder=is_pair)
    written = (args.output, getattr(args, "new_ids", None), *getattr(args, "vocabularies", ()))
    for path in written:
        if path not in (None, "-"):
            _check(os.path.dirname(path) or ".", os.W_OK, folder=True)
            if os.path.isdir(path):
                raise _os_error(errno.EISDIR, path)
            check_packing(path)


def _check(path: str, access: int, *, folder: bool) -> None:
    if stat.S_ISDIR(os.stat(path).st_mode) != folder:
        raise _os_error(errno.ENOTDIR if folder else errno.EISDIR, path)
    if not os.access(path, access):
        raise _os_error(errno.EACCES, path)


def _os_error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


def stdin() -> IO[bytes]:
    """Return standard input as bytes."""
    if sys.stdin is None:
        raise SubwordError("standard input is closed; name a file")
    return sys.stdin.buffer


@contextlib.contextmanager
def file_paths(args: argparse.Namespace) -> Iterator[list[str]]:
    """Give paths to all inputs: standard input becomes a temporary file."""
    files = args.files or ["-"]
    if "-" not in files:
        yield files
        return
    with tempfile.TemporaryDirectory() as folder:
        spool = os.path.join(folder, f"stdin.{getattr(args, 'format', None) or 'txt'}")
        with open(spool, "wb") as stream:
            shutil.copyfileobj(stdin(), stream)
        try:
            yield [spool if path == "-" else path for path in files]
        except SubwordError as error:  # people know no temporary file
            raise SubwordError(str(error).replace(spool, STDIN)) from None


def read_texts(args: argparse.Namespace) -> Iterator[Text]:
    """Yield the texts of the input: lines as soon as they are there, or those of a column."""
    if getattr(args, "column", None):
        with file_paths(args) as paths:
            for path in paths:
                yield from _read_column(path, args)
        return
    files = args.files or ["-"]
    for number, name in enumerate(files, 1):
        path = STDIN if name == "-" else name
        with unpacking(path), _open(name) as stream:
            for line, text in enumerate(_lines(stream, path, args.errors), 1):
                ended = text.endswith("\n")
                # Only the very last line may go without: two files must not share one.
                end = "\n" if ended or number < len(files) else ""
                yield Text(text[:-1] if ended else text, end, path, line)


def read_whole_lines(name: str, errors: str = "strict") -> Iterator[str]:
    """Yield the text of a file in blocks that end where lines do; of a pipe as it comes."""
    path = STDIN if name == "-" else name
    with unpacking(path), _open(name) as stream:
        held: list[str] = []
        for block in decode_blocks(stream, path, errors, live=is_live(stream)):
            cut = block.rfind("\n") + 1
            if cut:
                yield "".join([*held, block[:cut]])
                held = []
            held.append(block[cut:])
        if text := "".join(held):
            yield text


def _read_column(path: str, args: argparse.Namespace) -> Iterator[Text]:
    options = {"text": args.column, "header": args.header or None, "errors": args.errors}
    try:
        with unpacking(path):
            table = read_table(path, labelled=False, **options)
    except CorpusError:
        raise
    except SubwordError as error:  # its advice is for the apps, where the option is --text
        raise SubwordError(str(error).replace("--text", "--column")) from None
    for note in table.notes:
        warnings.warn(f"{path}: {note}", SubwordWarning, stacklevel=2)
    for text in table.texts:
        yield Text(text, "\n", path, 0)


def _open(name: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    return contextlib.nullcontext(stdin()) if name == "-" else open_binary(name)


def _lines(stream: IO[bytes], path: str, errors: str) -> Iterator[str]:
    """Yield lines with their ``\\n`` as soon as they are there; a BOM at the start is dropped."""
    handler, offset = check_errors(errors), 0
    for number, raw in enumerate(stream, 1):
        body = raw.removeprefix(_BOM) if number == 1 else raw
        try:
            yield body.decode("utf-8", handler)
        except UnicodeDecodeError:
            try:
                next(decode_blocks(io.BytesIO(raw), path))
            except CorpusError as error:  # has the place in the line
                place = offset + (error.byte or 0)
                raise CorpusError(error.reason, path, number, place) from None
        offset += len(raw)
