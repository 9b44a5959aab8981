"""The texts: found or given, unpacked, cut, and described by size and hash."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SHARED = Path(os.environ.get("SUBWORD_SHARED", Path(__file__).parents[3] / "shared"))
# Files of the shared data, and whether they are tables: then the text is the last column.
SOURCES = {
    "english": [("corpora/en.txt.xz", False)],
    "multilingual": [("langid/train.tsv.xz", True), ("corpora/multi_extra.tsv.xz", True)],
}
OPENERS = {".gz": gzip.open, ".xz": lzma.open}


class NoDataError(Exception):
    """Neither the shared data nor a file was given."""


@dataclass(frozen=True)
class Corpus:
    """A text file, one document a line; `symbols` is the number of characters, final ones apart."""

    path: Path
    origin: str
    size: int
    lines: int
    sha256: str
    symbols: int


@dataclass(frozen=True)
class Setup:
    """What the tasks get: the texts that are there, a folder to write in, the number of merges."""

    folder: Path
    english: Corpus | None = None
    multilingual: Corpus | None = None
    merges: int = 32_000
    limit: int = 0  # bytes of a text, 0 for whole ones

    def described(self) -> dict[str, Any]:
        """Return the texts as plain data."""
        texts = {"english": self.english, "multilingual": self.multilingual}
        return {
            name: asdict(text) | {"path": str(text.path)} for name, text in texts.items() if text
        }


def make_setup(folder: Path, given: Mapping[str, Path | None], limit: int) -> Setup:
    """Find or unpack the texts that are named, each cut to `limit` bytes (0: whole)."""
    texts = {name: find(folder, name, path, limit) for name, path in given.items()}
    if given and not any(texts.values()):
        raise NoDataError(
            f"no texts: {SHARED / 'data'} is not there; set SUBWORD_SHARED to the folder of the "
            "measurement data, or give files by --english FILE and --multilingual FILE"
        )
    return Setup(folder, limit=limit, **texts)


def find(folder: Path, name: str, given: Path | None, limit: int) -> Corpus | None:
    """Return a text, copied to the folder; None when no file is given and the data is not there."""
    files = [(SHARED / "data" / part, is_table) for part, is_table in SOURCES[name]]
    if given:
        files = [(given, False)]
        if not given.is_file():
            raise NoDataError(f"there is no file {given}")
    if not all(path.is_file() for path, _ in files):
        return None
    origin = " + ".join(path.name for path, _ in files) + " in file order"
    return write(folder / f"{name}.txt", read(files), limit, origin)


def read(parts: Iterable[tuple[Path, bool]]) -> Iterator[str]:
    """Yield the lines of files, of tables their last column."""
    for path, is_table in parts:
        opener: Any = OPENERS.get(path.suffix, open)
        with opener(path, "rt", encoding="utf-8", newline="\n") as stream:
            yield from (line.rpartition("\t")[2] if is_table else line for line in stream)


def write(path: Path, lines: Iterable[str], limit: int, origin: str) -> Corpus:
    """Write lines up to a limit and describe the file; nothing of it stays in memory."""
    size = count = 0
    characters: set[str] = set()
    finals: set[str] = set()
    digest = hashlib.sha256()
    with open(path, "wb") as out:
        for line in lines:
            raw = line.encode()
            if limit and size + len(raw) > limit:
                break
            out.write(raw)
            digest.update(raw)
            size, count = size + len(raw), count + 1
            characters.update(line)
            finals.update(word[-1] for word in line.split())
    symbols = sum(not c.isspace() for c in characters) + len(finals)
    return Corpus(path, origin, size, count, digest.hexdigest(), symbols)


def head(corpus: Corpus, path: Path, limit: int) -> Path:
    """Write the first bytes of a text, without the words that subword-nmt would cut differently.

    It takes Unicode spaces inside words for boundaries in one place and not in the other.
    """
    size = 0
    with open(corpus.path, encoding="utf-8", newline="\n") as lines, open(path, "wb") as out:
        for line in lines:
            words = line.rstrip("\r\n").split(" ")
            raw = (" ".join(word for word in words if len(word.split()) < 2) + "\n").encode()
            if size + len(raw) > limit:
                break
            out.write(raw)
            size += len(raw)
    return path


def documents(path: Path, number: int | None = None) -> list[str]:
    """Return the first lines of a file."""
    return path.read_text(encoding="utf-8").split("\n")[:number]


def table_path(name: str) -> Path:
    """Return where a table of the shared data is, here or not."""
    return SHARED / "data" / name


def labelled(name: str, limit: int = 0) -> tuple[list[str], list[str]]:
    """Return texts and labels, the first columns of a table of the shared data.

    Tables are sorted by label here and there, so a limit takes every second, third, ... row.
    """
    path = table_path(name)
    with OPENERS[path.suffix](path, "rt", encoding="utf-8", newline="\n") as stream:
        rows = [line.rstrip("\n").split("\t")[:2] for line in stream]
    size = sum(len(text.encode()) for text, _ in rows)
    step = -(-size // limit) if limit else 1
    texts, labels = zip(*rows[::step], strict=True)
    return [*texts], [*labels]
