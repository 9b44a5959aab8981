"""Files: opened by suffix, read as UTF-8 with the place in every error, written whole or not."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import stat
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from .errors import CorpusError, SubwordError

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
PACKINGS = (".gz", ".xz", ".bz2", ".zst")  # what `packing` knows, which is loaded for them only
READ_PAST = ", or choose errors='replace'"
ERRORS = {"strict": "strict", "replace": "replace", "bytes": "surrogateescape"}


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


def packing_of(path: str | os.PathLike[str]) -> str:
    """Return the suffix that says how a file is packed; empty if it is not.

    >>> packing_of("corpus.txt.gz"), packing_of("corpus.txt")
    ('.gz', '')
    """
    suffix = os.path.splitext(path)[1]
    return suffix if suffix in PACKINGS else ""


def check_readable(path: str, *, folder: bool = False) -> None:
    """Refuse what cannot be read before any work is done: no file, or no folder where one is meant.

    It is not opened for that: a pipe can be opened only once.
    """
    if stat.S_ISDIR(os.stat(path).st_mode) != folder:
        raise _os_error(errno.ENOTDIR if folder else errno.EISDIR, path)
    if not os.access(path, os.R_OK):
        raise _os_error(errno.EACCES, path)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that `replacing` could not write, or pack, before any work is done."""
    if os.path.isdir(path):
        raise _os_error(errno.EISDIR, path)
    place = os.path.dirname(os.path.realpath(path))
    if _is_special(path):
        place = os.fspath(path)
    elif not os.path.isdir(place):
        raise _os_error(errno.ENOTDIR if os.path.exists(place) else errno.ENOENT, path)
    if not os.access(place, os.W_OK):
        raise _os_error(errno.EACCES, path)
    if packing_of(path) == ".zst":
        from .packing import load_zstandard

        load_zstandard()


def _os_error(number: int, path: str | os.PathLike[str]) -> OSError:
    return OSError(number, os.strerror(number), os.fspath(path))


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Say whether there is something that cannot be renamed over: a pipe or a terminal."""
    return os.path.exists(path) and not os.path.isfile(path)


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
    reason = f"invalid UTF-8 (byte 0x{value:02X}); repair or recode the file{READ_PAST}"
    return reason, path, line, byte


def open_binary(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a file, or an address that fsspec knows (``s3://...``), for reading.

    ``.gz``, ``.xz``, ``.bz2`` and ``.zst`` are unpacked on the way.
    """
    if os.path.isdir(path):
        raise _os_error(errno.EISDIR, path)
    place: Any = _open_address(os.fspath(path)) if is_address(path) else path
    if packing := packing_of(path):
        from .packing import unpack

        return unpack(packing, place)
    if place is not path:
        stream: IO[bytes] = place
        return stream
    return open(path, "rb")


def is_address(path: str | os.PathLike[str]) -> bool:
    """Say whether a path has a scheme (``s3://...``) and so is for fsspec."""
    return "://" in os.fspath(path)


def _open_address(address: str) -> Any:
    fsspec = load_extra("fsspec", "io", "addresses with a scheme")
    try:
        return fsspec.open(address, "rb").open()
    except FileNotFoundError:
        raise _os_error(errno.ENOENT, address) from None
    except (ImportError, ValueError) as error:  # a scheme that needs one more package, or is none
        raise SubwordError(f"{address}: {error}") from None


@contextlib.contextmanager
def unpacking(path: str) -> Iterator[None]:
    """Turn the many errors of damaged archives into `CorpusError`."""
    try:
        yield
    except Exception as error:
        from .packing import DAMAGES

        if not isinstance(error, DAMAGES) or getattr(error, "errno", None) is not None:
            raise  # the disk's fault, not the archive's
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


def decode_blocks(stream: Any, path: str, errors: str = "strict") -> Iterator[str]:
    """Do what `read_blocks` does for a stream that is open already."""
    handler = check_errors(errors)
    data, offset, lines, at_end = b"", 0, 0, False
    while not at_end:
        with unpacking(path):
            block = stream.read(_BLOCK)
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
    packing = packing_of(path)
    if _is_special(path):
        with open(path, "wb") as stream, _packed(packing, stream) as packed:
            yield packed
        return
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.urandom(6).hex()}.tmp")
    try:
        with open(temporary, "xb") as stream:
            with _packed(packing, stream) as packed:
                yield packed
            stream.flush()
            os.fsync(stream.fileno())
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode)
        os.replace(temporary, target)
    except OSError as error:
        if error.filename == str(temporary):  # people know no temporary file
            error.filename = os.fspath(path)
        raise
    finally:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(temporary)


def _packed(packing: str, stream: IO[bytes]) -> Any:
    if not packing:
        return contextlib.nullcontext(stream)
    from .packing import pack

    return pack(packing, stream)


def bundled(name: str) -> Path:
    """Return the path of a file that comes with the package.

    It stands in ``data/`` of a clone, and in ``subword/data/`` once installed.

    >>> bundled("reviews.tsv").name
    'reviews.tsv'
    """
    from pathlib import Path

    package = Path(__file__).parent
    places = [folder / "data" / name for folder in (package, package.parent)]
    return next((place for place in places if place.is_file()), places[0])
