"""The file of an identifier: small, quick to read, checked before it is believed.

::

    subword-languages 1\\n
    {...}\\n                   JSON: names, calibration, numbers, the sizes of the sections
    merges                    the model of `subword.dumps`, xz
    low bits, high bits       the keys of the features (Elias 1974, Fano 1971)
    sizes                     how many languages each feature speaks for, deflated
    languages, weights        of all features one after another, deflated
    SHA-256                   of every byte above

The keys of n features are sorted numbers below U = 2 ** 30. The lowest log2(U / n) bits of each
are written as they are; what remains grows slowly, and is written as a bit map: a 1 for each
feature, after a 0 for each step upwards. That takes about 2 bits more than the lowest ones.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import zlib
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelFileError, SubwordError
from ..formats import loads
from ..model import BPE
from .calibration import Calibration
from .features import KEY_BITS, Keys
from .table import Bytes, Entries, WeightTable

_MAGIC = b"subword-languages 1\n"
_DIGEST = 32


class Learnt(NamedTuple):
    """What an identifier has learnt.

    Attributes
    ----------
    names : list of str
        The languages, or variants of them, by number.
    bpe : BPE
        The merges.
    table : WeightTable
        What features say.
    calibration : Calibration
        From scores to probabilities.

    """

    names: list[str]
    bpe: BPE
    table: WeightTable
    calibration: Calibration


def write(learnt: Learnt) -> bytes:
    """Return the bytes of a file; what is equal gives equal bytes."""
    entries = learnt.table.entries
    low_bits = _low_bits(len(entries.keys))
    sizes = np.diff(entries.indptr)
    sections = [
        lzma.compress(learnt.bpe.dumps().encode("utf-8", "surrogateescape")),
        *split_keys(entries.keys, low_bits),
        *map(_deflate, (sizes.astype(np.uint8), entries.languages, entries.weights)),
    ]
    about = {
        "names": learnt.names,
        "calibration": learnt.calibration._asdict(),
        "features": len(entries.keys),
        "entries": len(entries.languages),
        "sections": [*map(len, sections)],
    }
    head = json.dumps(about, ensure_ascii=False, sort_keys=True).encode()
    body = b"".join([_MAGIC, head, b"\n", *sections])
    return body + hashlib.sha256(body).digest()


def read(data: bytes, path: str | None = None) -> Learnt:
    """Read what `write` returned.

    Raises
    ------
    ModelFileError
        When it is something else, or damaged.

    """
    if not data.startswith(_MAGIC):
        raise ModelFileError("not a model of languages saved by this package", path)
    if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise ModelFileError("the checksum is wrong: the file is damaged or cut off", path)
    try:
        return _read(memoryview(data)[len(_MAGIC) : -_DIGEST])
    except (ValueError, KeyError, TypeError, LookupError, zlib.error, lzma.LZMAError) as error:
        raise ModelFileError(f"the model cannot be read: {error}", path) from error


def _read(body: memoryview) -> Learnt:
    head, _, _ = bytes(body[: 1 << 16]).partition(b"\n")
    about = json.loads(head)
    rest, sections = body[len(head) + 1 :], []
    for size in about["sections"]:
        sections.append(rest[:size])
        rest = rest[size:]
    merges, low, high, *columns = sections
    keys = join_keys(low, high, about["features"], _low_bits(about["features"]))
    sizes, languages, weights = (np.frombuffer(zlib.decompress(part), np.uint8) for part in columns)
    indptr = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=indptr[1:])
    _check(about, indptr, languages, weights)
    bpe = loads(lzma.decompress(merges).decode("utf-8", "surrogateescape"))
    table = WeightTable.pack(Entries(keys, indptr, languages, weights))
    return Learnt(about["names"], bpe, table, Calibration(**about["calibration"]))


def _check(about: dict[str, Any], indptr: Any, languages: Bytes, weights: Bytes) -> None:
    sizes = {len(languages), len(weights), int(indptr[-1]), about["entries"]}
    if len(sizes) > 1 or len(indptr) != about["features"] + 1:
        raise SubwordError("its columns are of different lengths")
    if languages.max(initial=0) >= len(about["names"]):
        raise SubwordError("a language has no name")


def _deflate(column: Bytes) -> bytes:
    """Compress numbers that have no pattern but are not equally frequent: Huffman codes alone."""
    packer = zlib.compressobj(9, strategy=zlib.Z_HUFFMAN_ONLY)
    return packer.compress(column.tobytes()) + packer.flush()


# -- sorted keys -------------------------------------------------------------------------------


def _low_bits(size: int) -> int:
    return max(0, KEY_BITS - max(1, size).bit_length())


def split_keys(keys: Keys, low_bits: int) -> tuple[bytes, bytes]:
    """Return the low bits of sorted keys, packed, and the bit map of the others.

    >>> low, high = split_keys(np.array([5, 9, 30], np.uint32), 2)
    >>> f"{low.hex()} {int(high.hex(), 16) >> 2:b}", join_keys(low, high, 3, 2).tolist()
    ('58 10101000001', [5, 9, 30])
    """
    shifts = np.arange(low_bits - 1, -1, -1, dtype=np.uint32)
    low = np.packbits((keys[:, None] >> shifts & 1).astype(np.uint8))
    places = (keys >> low_bits).astype(np.int64) + np.arange(len(keys))
    high = np.zeros(int(places[-1]) + 1 if len(places) else 0, np.uint8)
    high[places] = 1
    return low.tobytes(), np.packbits(high).tobytes()


def join_keys(low: bytes | memoryview, high: bytes | memoryview, size: int, low_bits: int) -> Keys:
    """Do the opposite of `split_keys`."""
    bits = np.unpackbits(np.frombuffer(low, np.uint8), count=size * low_bits)
    rows = np.packbits(bits.reshape(size, low_bits), axis=1)  # from the left, into whole bytes
    lows = np.zeros(size, np.uint32)
    for column in rows.T:
        lows = lows << 8 | column
    lows >>= 8 * rows.shape[1] - low_bits
    places = np.flatnonzero(np.unpackbits(np.frombuffer(high, np.uint8)))
    if len(places) != size:
        raise SubwordError("the number of keys is wrong")
    return ((places - np.arange(size)).astype(np.uint32) << low_bits | lows).astype(np.uint32)
