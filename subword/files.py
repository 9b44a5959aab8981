"""Files: opened by suffix, read as UTF-8 with the place in every error, written whole or not."""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import importlib
import io
import lzma
import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from .errors import CorpusError, SubwordError

_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
ERRORS = {"strict": "strict", "replace": "replace", "bytes": "surrogateescape"}


class _Zstandard(io.RawIOBase):
    """A stream of zstd frames, unpacked; one that breaks off is an error, unlike in zstandard."""

    def __init__(self, source: IO[bytes], zstandard: Any) -> None:
        self._zstd = zstandard
        self._source, self._frame, self._ready = source, None, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and (packed := self._source.read(_BLOCK)):
            self._ready = self._unpack(packed)
        if not self._ready and self._frame is not None:
            raise EOFError("it ends in the middle of a frame")
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def _unpack(self, packed: bytes) -> bytes:
        found = []
        while packed:
            frame = self._frame or self._zstd.ZstdDecompressor().decompressobj()
            try:
                found.append(frame.decompress(packed))
            except self._zstd.ZstdError as error:
                raise EOFError(str(error)) from None
            self._frame, packed = (None, frame.unused_data) if frame.eof else (frame, b"")
        return b"".join(found)

    def close(self) -> None:
        self._source.close()
        super().close()


def _load_zstandard() -> Any:
    return load_extra("zstandard", "io", "files ending in .zst")


def _open_zstandard(source: Any, mode: str) -> IO[bytes]:
    zstandard = _load_zstandard()
    stream = source if hasattr(source, "read") else io.FileIO(source, mode)
    return io.BufferedReader(_Zstandard(stream, zstandard), _BLOCK)


_OPENERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
    ".zst": _open_zstandard,
}


def _pack_zstandard(stream: IO[bytes]) -> Any:
    return _load_zstandard().ZstdCompressor().stream_writer(stream, closefd=False)


PACKERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda stream: gzip.GzipFile("", "wb", fileobj=stream, mtime=0),  # the same bytes always
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".zst": _pack_zstandard,
}


def load_extra(module: str, extra: str, what: str) -> Any:
    """Import a package that only some need, or say how to get it.

    Parameters
    ----------
    module : str
        Its name.
    extra : str
        The extra of this package that brings it.
    what : str
        What needs it, in the plural.

    Raises
    ------
    SubwordError
        With the command that installs it.

    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise SubwordError(
            f"{what} need the package {package}; install it with: pip install 'subword[{extra}]'"
        ) from None


def check_errors(errors: str) -> str:
    """Return the codec's name for an ``errors=`` choice."""
    if errors not in ERRORS:
        raise SubwordError(f"errors must be one of {', '.join(ERRORS)}; got {errors!r}")
    return ERRORS[errors]


def is_compressed(path: str | os.PathLike[str]) -> bool:
    """Say whether `open_binary` unpacks the file."""
    return Path(path).suffix in _OPENERS


def check_packing(path: str | os.PathLike[str]) -> None:
    """Raise `SubwordError` if `replacing` cannot pack a file as its name says."""
    if Path(path).suffix == ".zst":
        _load_zstandard()


def byte_order_mark(path: str | os.PathLike[str]) -> int:
    """Return the length of the BOM at the start of a file, unpacked: 3, or 0 without one."""
    with open_binary(path) as stream:
        return 3 if stream.read(3) == _BOM else 0


def place_of(path: str | os.PathLike[str], byte: int) -> tuple[str, str, int, int]:
    """Return what `CorpusError` says of a byte of a file, unpacked, that is no UTF-8."""
    line = 1
    with open_binary(path) as stream:
        left = byte
        while left and (block := stream.read(min(_BLOCK, left))):
            line += block.count(b"\n")
            left -= len(block)
        value = stream.read(1)[0]
    return invalid(value, os.fspath(path), line, byte)


def invalid(value: int, path: str, line: int, byte: int) -> tuple[str, str, int, int]:
    """Return reason and place of a byte that is no UTF-8."""
    reason = (
        f"invalid UTF-8 (byte 0x{value:02X}); repair or recode the file, or choose errors='replace'"
    )
    return reason, path, line, byte


def open_binary(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file, or an address that fsspec knows (``s3://...``), for reading.

    ``.gz``, ``.xz``, ``.bz2`` and ``.zst`` are unpacked on the way.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    place: Any = _open_address(os.fspath(path)) if is_address(path) else path
    opener = _OPENERS.get(Path(path).suffix)
    if opener is None:
        opener = open if place is path else lambda stream, _: stream
    stream: IO[bytes] = opener(place, "rb")
    return stream


def is_address(path: str | os.PathLike[str]) -> bool:
    """Say whether a path has a scheme (``s3://...``) and so is for fsspec."""
    return "://" in os.fspath(path)


def _open_address(address: str) -> Any:
    fsspec = load_extra("fsspec", "io", "addresses with a scheme")
    try:
        return fsspec.open(address, "rb").open()
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), address) from None
    except (ImportError, ValueError) as error:  # a scheme that needs one more package, or is none
        raise SubwordError(f"{address}: {error}") from None


@contextlib.contextmanager
def unpacking(path: str) -> Iterator[None]:
    """Turn the many errors of damaged archives into `CorpusError`."""
    try:
        yield
    except (EOFError, lzma.LZMAError, zlib.error, OSError) as error:
        if getattr(error, "errno", None) is not None:  # the disk's fault, not the archive's
            raise
        raise CorpusError(f"the file cannot be unpacked: {error}", path) from None


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


def decode_blocks(
    stream: Any, path: str, errors: str = "strict", live: bool = False
) -> Iterator[str]:
    """Do what `read_blocks` does for a stream that is open already.

    A live one, a pipe or a terminal, is read as it comes.
    """
    handler, read = check_errors(errors), stream.read1 if live else stream.read
    data, offset, lines, at_end = b"", 0, 0, False
    while not at_end:
        with unpacking(path):
            block = read(_BLOCK)
        data, at_end = data + block, not block
        whole = len(data) if at_end else _whole_characters(data)
        try:
            text = data[:whole].decode("utf-8", handler)
        except UnicodeDecodeError as error:
            line = lines + data.count(b"\n", 0, error.start) + 1
            raise CorpusError(
                *invalid(data[error.start], path, line, offset + error.start)
            ) from None
        if not offset:
            text = text.removeprefix("\ufeff")
        lines += data.count(b"\n", 0, whole)
        offset += whole
        data = data[whole:]
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
    """Write a file whole: a reader, or a crash, meets the old file or the new one, never a mix.

    It is packed as `replacing` does.
    """
    with replacing(path) as stream:
        stream.write(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes the place of the old one when all went well.

    What is written is packed as the name says, so that `open_binary` reads it back.
    """
    target = Path(os.path.realpath(path))
    pack = PACKERS.get(Path(path).suffix, contextlib.nullcontext)
    if target.exists() and not target.is_file():  # a pipe or a terminal cannot be renamed over
        with open(target, "wb") as stream, pack(stream) as packed:
            yield packed
        return
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with open(temporary, "xb") as stream:
            with pack(stream) as packed:
                yield packed
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode)
        os.replace(temporary, target)
    except OSError as error:
        if error.filename == str(temporary):  # people know no temporary file
            error.filename = os.fspath(path)
        raise
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def bundled(name: str) -> Path:
    """Return the path of a file that comes with the package.

    It stands in ``data/`` of a clone, and in ``subword/data/`` once installed.

    >>> bundled("reviews.tsv").name
    'reviews.tsv'
    """
    package = Path(__file__).parent
    places = [folder / "data" / name for folder in (package, package.parent)]
    return next((place for place in places if place.is_file()), places[0])
