"""Files: opened by suffix, read as UTF-8 with the place in every error, written whole or not."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from .errors import CorpusError, SubwordError

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
ERRORS = {"strict": "strict", "replace": "replace", "bytes": "surrogateescape"}


def check_errors(errors: str) -> str:
    """Return the codec's name for an ``errors=`` choice."""
    if errors not in ERRORS:
        raise SubwordError(f"errors must be one of {', '.join(ERRORS)}; got {errors!r}")
    return ERRORS[errors]


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Say whether `open_binary` unpacks the file."""
    return Path(path).suffix in _OPENERS


def open_binary(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file for reading; ``.gz``, ``.xz`` and ``.bz2`` are unpacked on the way."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{os.fspath(path)} is a directory, a file is needed")
    opener = _OPENERS.get(Path(path).suffix, open)
    stream: IO[bytes] = opener(path, "rb")
    return stream


def _read(stream: IO[bytes], path: str) -> bytes:
    try:
        return stream.read(_BLOCK)
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise CorpusError(f"the file cannot be unpacked: {error}", path) from error


def read_blocks(path: str | os.PathLike[str], errors: str = "strict") -> Iterator[str]:
    """Read a text file as UTF-8 in blocks of about 1 MB; a BOM at its start is dropped.

    Raises
    ------
    CorpusError
        With path, line and byte where the file is not UTF-8 (``errors="strict"``). ``"replace"``
        puts U+FFFD there, ``"bytes"`` keeps the bytes as lone surrogates (PEP 383).

    """
    with open_binary(path) as stream:
        yield from decode_blocks(stream, os.fspath(path), errors)


def decode_blocks(stream: IO[bytes], path: str, errors: str = "strict") -> Iterator[str]:
    """Do what `read_blocks` does for a stream that is open already."""
    handler, offset, lines = check_errors(errors), 0, 0
    data = _read(stream, path)
    if data.startswith(_BOM):
        data, offset = data[3:], 3
    while data:
        block = _read(stream, path)
        whole = _whole_characters(data) if block else len(data)
        try:
            text = data[:whole].decode("utf-8", handler)
        except UnicodeDecodeError as error:
            line = lines + data.count(b"\n", 0, error.start) + 1
            raise CorpusError(
                f"invalid UTF-8 (byte 0x{data[error.start]:02X}); repair or recode the file, or "
                "choose errors='replace'",
                path, line, offset + error.start,
            ) from None  # fmt: skip
        lines += data.count(b"\n", 0, whole)
        offset += whole
        data = data[whole:] + block
        if text:
            yield text


def _whole_characters(data: bytes) -> int:
    """Return the length of `data` without a character cut off at its end."""
    for back in range(1, min(4, len(data)) + 1):
        lead = data[-back]
        if lead >= 0xC0:  # the last lead byte: does it ask for more bytes than there are?
            wanted = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return len(data) - back if wanted > back else len(data)
        if lead < 0x80:
            break
    return len(data)


def read_lines(path: str | os.PathLike[str], errors: str = "strict") -> Iterator[str]:
    """Read the lines of a text file, without their ``\\n``; no other character ends a line."""
    rest = ""
    for block in read_blocks(path, errors):
        *lines, rest = (rest + block).split("\n")
        yield from lines
    if rest:
        yield rest


def write_atomic(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file whole: a reader, or a crash, meets the old file or the new one, never a mix."""
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a pipe or a terminal cannot be renamed over
        target.write_bytes(raw)
        return
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with open(temporary, "xb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode)
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
