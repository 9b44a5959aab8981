"""Model files: one module per format, each with `read`, `write` and `recognises`."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import ModelFileError, SubwordError
from ..files import open_binary, unpacking, write_atomic
from ..model import BPE
from . import subword_model, subword_nmt

EXPORTS = {"subword-nmt": subword_nmt.write}


def load(path: str | os.PathLike[str]) -> BPE:
    """Read a model file, whatever its format.

    Parameters
    ----------
    path : path
        Our own format, or codes of subword-nmt (versions 0.1, 0.2 and 0.2 byte), also packed
        (``.gz``, ``.xz``, ``.bz2``).

    Raises
    ------
    ModelFileError
        With path and line of what is wrong.
    CorpusError
        When a packed file is damaged.

    Examples
    --------
    >>> bpe = load("model.subword")  # doctest: +SKIP

    """
    name = os.fspath(path)
    with unpacking(name), open_binary(path) as stream:
        raw = stream.read()
    return loads(raw.decode("utf-8", "surrogateescape"), name)


def loads(text: str, path: str | None = None) -> BPE:
    """Read a model from the text of a model file; `path` is for the messages.

    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2})
    >>> loads(bpe.dumps()) == bpe
    True
    """
    text = text.removeprefix("\ufeff")
    for module in (subword_model, subword_nmt):
        if module.recognises(text):
            bpe: BPE = module.read(text, path)
            return bpe
    raise ModelFileError(
        "this is no model file: expected '#subword-model', or the codes of subword-nmt, one "
        f"merge of two symbols a line; it begins with {text[:40]!r}",
        path, 1,
    )  # fmt: skip


def dumps(bpe: BPE) -> str:
    """Return a model in our own format."""
    return subword_model.write(bpe)


def export(bpe: BPE, path: str | os.PathLike[str], format: str) -> None:
    """Write a model in the format of another tool; see `BPE.export`."""
    if format not in EXPORTS:
        raise SubwordError(f"format must be one of {', '.join(EXPORTS)}; got {format!r}")
    write_atomic(Path(path), EXPORTS[format](bpe))
