"""The file of an identifier: small, quick to read, checked before it is believed.

::

    subword-languages 1\\n
    {...}\\n          JSON: names, calibration, numbers of features and weights, sizes of the rest
    merges           the model of `subword.dumps`, xz
    parts            the features, in the order of their keys, in parts of about as many buckets
    SHA-256          of every byte above

A part has five columns, the last four deflated:

- the lowest 8 bits of each key, which no compression could shorten;
- what the keys above those bits add up to, as a bit map: a 1 for each feature, after a 0 for each
  step upwards (Elias 1974, Fano 1971);
- how many languages each feature speaks for;
- the languages and
- the weights, those of features with few languages first: their numbers are the most alike. Of a
  feature with several languages, each but the first is written as its distance from the one before.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ModelFileError, SubwordError
from ..formats import loads
from ..model import BPE
from .calibration import Calibration
from .features import KEY_BITS, Keys, Places
from .table import BUCKET_BITS, TAG_BITS, Bytes, Entries, WeightTable

_MAGIC = b"subword-languages 1\n"
_DIGEST = 32
_PARTS = 32  # small enough to stay in the processor's cache while they are unpacked
_LOW_BITS = 8
_PART_KEYS = 1 << KEY_BITS - _PARTS.bit_length() + 1  # from the first key of a part to the next


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


# -- writing -----------------------------------------------------------------------------------


def write(learnt: Learnt) -> bytes:
    """Return the bytes of a file; what is equal gives equal bytes."""
    entries = learnt.table.entries
    merges = lzma.compress(learnt.bpe.dumps().encode("utf-8", "surrogateescape"))
    parts = [column for part in _cut(entries) for column in write_part(part)]
    about = {
        "names": learnt.names,
        "calibration": learnt.calibration._asdict(),
        "features": len(entries.keys),
        "entries": len(entries.languages),
        "sizes": [len(merges), *map(len, parts)],
    }
    head = json.dumps(about, ensure_ascii=False, sort_keys=True).encode()
    body = b"".join([_MAGIC, head, b"\n", merges, *parts])
    return body + hashlib.sha256(body).digest()


def _cut(entries: Entries) -> Iterator[Entries]:
    """Yield the parts of a table; their keys count from the beginning of the part."""
    keys, indptr, languages, weights = entries
    bounds = np.searchsorted(keys, np.arange(_PARTS + 1, dtype=np.int64) * _PART_KEYS)
    for part in range(_PARTS):
        first, last = bounds[part : part + 2]
        begin, end = indptr[first], indptr[last]
        yield Entries(
            keys[first:last] - np.uint32(part * _PART_KEYS), indptr[first : last + 1] - begin,
            languages[begin:end], weights[begin:end],
        )  # fmt: skip


def write_part(part: Entries) -> list[bytes]:
    """Return the columns of a part."""
    sizes = np.diff(part.indptr)
    order = _by_size(part.indptr)
    steps = np.diff(part.languages, prepend=np.uint8(0))
    firsts = part.indptr[:-1][sizes > 0]
    steps[firsts] = part.languages[firsts]
    columns = sizes.astype(np.uint8), steps[order], part.weights[order]
    low = (part.keys & ((1 << _LOW_BITS) - 1)).astype(np.uint8)
    high = np.zeros((_PART_KEYS >> _LOW_BITS) + len(part.keys), np.uint8)
    high[(part.keys >> _LOW_BITS) + np.arange(len(part.keys))] = 1
    return [low.tobytes(), *map(_deflate, (np.packbits(high), *columns))]


def _by_size(indptr: Places) -> Places:
    """Return weights in the order in which they are written.

    >>> _by_size(np.array([0, 2, 3, 4])).tolist()  # two features of one language, one of two
    [2, 3, 0, 1]
    """
    sizes = np.diff(indptr).astype(np.uint8)
    order: Places = np.argsort(np.repeat(sizes, sizes), kind="stable")
    return order


def _deflate(column: Bytes) -> bytes:
    """Compress numbers that are not equally frequent but have no pattern: Huffman codes alone."""
    packer = zlib.compressobj(9, strategy=zlib.Z_HUFFMAN_ONLY)
    return packer.compress(column.tobytes()) + packer.flush()


# -- reading -----------------------------------------------------------------------------------


def read(data: bytes, path: str | None = None) -> Learnt:
    """Read what `write` returned.

    Raises
    ------
    ModelFileError
        When it is something else, or damaged.

    """
    if not data.startswith(_MAGIC):
        raise ModelFileError("not a model of languages saved by this package", path)
    whole = memoryview(data)
    if hashlib.sha256(whole[:-_DIGEST]).digest() != whole[-_DIGEST:]:
        raise ModelFileError("the checksum is wrong: the file is damaged or cut off", path)
    try:
        return _read(whole[len(_MAGIC) : -_DIGEST])
    except (ValueError, LookupError, TypeError, zlib.error, lzma.LZMAError) as error:
        raise ModelFileError(f"the model cannot be read: {error}", path) from error


def _read(body: memoryview) -> Learnt:
    head, _, _ = bytes(body[: 1 << 16]).partition(b"\n")
    about, place = json.loads(head), len(head) + 1
    sections = []
    for size in about["sizes"]:
        sections.append(body[place : place + size])
        place += size
    table = _read_table(about, sections[1:])  # first: what it frees is room for the merges
    bpe = loads(lzma.decompress(sections[0]).decode("utf-8", "surrogateescape"))
    return Learnt(about["names"], bpe, table, Calibration(**about["calibration"]))


def _read_table(about: dict[str, Any], sections: list[memoryview]) -> WeightTable:
    """Pack the table part by part, so that next to it little memory is needed."""
    starts = np.zeros((1 << BUCKET_BITS) + 1, np.uint32)
    units = np.empty(about["features"] + about["entries"], np.uint16)
    place, buckets = 0, _PART_KEYS >> TAG_BITS
    for part in range(_PARTS):
        entries = read_part(*sections[5 * part : 5 * part + 5])
        if entries.languages.max(initial=0) >= len(about["names"]):
            raise SubwordError("a language has no name")
        packed = WeightTable.pack(entries, buckets)
        units[place : place + len(packed.units)] = packed.units
        starts[part * buckets : (part + 1) * buckets + 1] = packed.starts + np.uint32(place)
        place += len(packed.units)
    if place != len(units):
        raise SubwordError(f"{len(units)} features and weights announced, {place} found")
    return WeightTable(starts, units)


def read_part(low: Any, high: Any, *columns: Any) -> Entries:
    """Read what `write_part` returned."""
    sizes, steps, weights = (np.frombuffer(zlib.decompress(part), np.uint8) for part in columns)
    keys = _join_keys(np.frombuffer(low, np.uint8), zlib.decompress(high))
    indptr = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=indptr[1:])
    if not len(sizes) == len(keys) or not len(steps) == len(weights) == indptr[-1]:
        raise SubwordError("its columns are of different lengths")
    by_size = _by_size(indptr)
    languages, in_order = np.empty_like(steps), np.empty_like(weights)
    languages[by_size], in_order[by_size] = steps, weights
    sums = np.cumsum(languages, dtype=np.int64)
    before = np.append(0, sums)[indptr[:-1]]  # the distances of earlier features
    return Entries(keys, indptr, (sums - np.repeat(before, sizes)).astype(np.uint8), in_order)


def _join_keys(low: Bytes, high: bytes) -> Keys:
    places = np.flatnonzero(np.unpackbits(np.frombuffer(high, np.uint8)))
    if len(places) != len(low):
        raise SubwordError("its columns are of different lengths")
    upper: npt.NDArray[np.int64] = places - np.arange(len(low))
    return (upper << _LOW_BITS | low).astype(np.uint32)
