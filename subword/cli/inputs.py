"""Texts in: the lines or a column of files or of standard input, each with its place."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from ..errors import CorpusError, SubwordError, tell
from ..files import (
    check_errors,
    check_readable,
    check_writable,
    decode_blocks,
    invalid,
    open_binary,
    unpacking,
)
from ..native import is_utf8
from ..terminal import is_live

STDIN = "<stdin>"
_BOM = b"\xef\xbb\xbf"
_BLOCK = 1 << 20


class Text(NamedTuple):
    """One text of the input, the ``\\n`` behind it (the last may have none), and its place.

    The line is 0 for a field of a table.
    """

    text: str
    end: str
    path: str
    line: int

    def source(self, errors: str) -> str | bytes:
        """Return the text as models take it, as bytes for ``--errors bytes``."""
        return self.text.encode("utf-8", "surrogateescape") if errors == "bytes" else self.text


def check_files(args: argparse.Namespace) -> None:
    """Refuse what cannot be read or written before any work is done."""
    paths = [path for path in getattr(args, "files", []) if path != "-"]
    others = (getattr(args, name, None) for name in ("model", "vocabulary"))
    for path in [*paths, *filter(None, others)]:
        is_pair = path == getattr(args, "model", None) and os.path.isdir(path)
        check_readable(path, folder=is_pair)
    written = (args.output, getattr(args, "new_ids", None), *getattr(args, "vocabularies", ()))
    for path in written:
        if path not in (None, "-"):
            check_writable(path)


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
    import shutil  # both take time to load
    import tempfile

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
            for line, text in enumerate(_lines(stream, path, getattr(args, "errors", "strict")), 1):
                ended = text.endswith("\n")
                # Only the very last line may go without: two files must not share one.
                end = "\n" if ended or number < len(files) else ""
                yield Text(text[:-1] if ended else text, end, path, line)


def read_whole_lines(name: str, errors: str = "strict") -> Iterator[bytes]:
    """Yield the UTF-8 of a file in blocks that end where lines do; of a pipe as it comes."""
    path, line, offset = STDIN if name == "-" else name, 0, 0
    with unpacking(path), _open(name) as stream:
        for data in _whole_lines(stream):
            if errors == "strict":
                _check_utf8(data, path, line, offset)
            line += data.count(b"\n")
            offset += len(data)
            yield data if offset > len(data) else data.removeprefix(_BOM)


def _whole_lines(stream: IO[bytes]) -> Iterator[bytes]:
    read: Any = getattr(stream, "read1" if is_live(stream) else "read")
    held: list[bytes] = []
    while block := read(_BLOCK):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*held, block[:cut]])
            held = []
        held.append(block[cut:])
    if rest := b"".join(held):
        yield rest


def _check_utf8(data: bytes, path: str, line: int, offset: int) -> None:
    """Refuse what is no UTF-8; so many lines and bytes of the file come before."""
    try:
        if not is_utf8(data):
            data.decode()
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start) + 1
        raise CorpusError(*invalid(data[error.start], path, line, offset + error.start)) from None


def _read_column(path: str, args: argparse.Namespace) -> Iterator[Text]:
    from ..tables import read_table  # takes time to load

    options = {"text": args.column, "header": args.header, "errors": args.errors}
    try:
        with unpacking(path):
            table = read_table(path, labelled=False, **options)
    except CorpusError:
        raise
    except SubwordError as error:  # its advice is for the apps, where the option is --text
        raise SubwordError(str(error).replace("--text", "--column")) from None
    for note in table.notes:
        tell(f"{path}: {note}")
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
