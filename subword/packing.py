"""Packed files: gzip, xz, bzip2 and zstd, by the suffixes of their names."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from functools import partial
from typing import IO, Any

from .files import load_extra

_BLOCK = 1 << 20
DAMAGES = (EOFError, lzma.LZMAError, zlib.error, OSError)  # what a damaged archive raises


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


def load_zstandard() -> Any:
    """Return the package that knows ``.zst``."""
    return load_extra("zstandard", "io", "files ending in .zst")


def _open_zstandard(source: Any, mode: str) -> IO[bytes]:
    zstandard = load_zstandard()
    stream = source if hasattr(source, "read") else io.FileIO(source, mode)
    return io.BufferedReader(_Zstandard(stream, zstandard), _BLOCK)


_UNPACKERS: dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
    ".zst": _open_zstandard,
}


def unpack(packing: str, source: Any) -> IO[bytes]:
    """Open a file, given its path or a stream of it, whose name ends in this suffix."""
    stream: IO[bytes] = _UNPACKERS[packing](source, "rb")
    return stream


def _pack_zstandard(stream: IO[bytes]) -> Any:
    return load_zstandard().ZstdCompressor().stream_writer(stream, closefd=False)


_PACKERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda stream: gzip.GzipFile("", "wb", fileobj=stream, mtime=0),  # the same bytes always
    ".xz": partial(lzma.LZMAFile, mode="wb"),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".zst": _pack_zstandard,
}


def pack(packing: str, stream: IO[bytes]) -> Any:
    """Return a stream, a context manager too, that packs into another one as a suffix says."""
    return _PACKERS[packing](stream)
