"""Results out: to stdout line by line, to a file whole or not at all; and progress."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import SubwordError
from ..files import replacing, write_atomic
from ..progress import progress_bar
from ..terminal import is_live, is_terminal, shows_progress
from .inputs import Text


def write_result(path: str | None, result: str | bytes) -> None:
    """Write a result that is held whole."""
    if path not in (None, "-"):
        write_atomic(path, result)
        return
    with writer(None) as write:
        write(result.encode("utf-8", "surrogateescape") if isinstance(result, str) else result)


@contextlib.contextmanager
def writer(path: str | None) -> Iterator[Callable[[bytes], object]]:
    """Give a function that writes bytes to stdout or, whole or not at all, to a file."""
    if path in (None, "-"):
        if sys.stdout is None:
            raise SubwordError("standard output is closed; name a file with -o")
        yield _write_through if is_live(sys.stdout) else sys.stdout.buffer.write
    else:
        with replacing(path) as stream:
            yield stream.write


def _write_through(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def as_json(data: Any) -> str:
    """Return JSON for people too: an object over many lines, a list with one line an entry.

    >>> print(as_json([{"id": 0}, {"id": 1}]), end="")
    [
    {"id": 0},
    {"id": 1}
    ]
    """
    if isinstance(data, list):
        return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in data) + "\n]\n"
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def as_npy(array: Any) -> bytes:
    """Return an array as the bytes of a ``.npy`` file."""
    import numpy as np  # few commands need it

    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


def progress(texts: Iterator[Text], args: argparse.Namespace) -> Iterator[Text]:
    """Show a bar while a person waits, and neither types nor reads at the same terminal."""
    waits = bool(args.files) and (args.output or not is_terminal(sys.stdout))
    shown = bool(waits and shows_progress())
    bar: Iterator[Text] = progress_bar(texts, title=args.run.__name__, unit=" lines", shown=shown)
    return bar
