"""Model files: one module per format, each with `read`, `write` and `recognises`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..errors import ModelFileError, SubwordError
from ..model import BPE, Merges
from ..pretokenize import Splitter
from . import (
    clip,
    fastbpe,
    gpt1,
    gpt2,
    huggingface,
    minbpe,
    sentencepiece,
    subword_model,
    subword_nmt,
    tiktoken,
    youtokentome,
)  # fmt: skip
from .texts import read_text, write_texts

EXPORTS: dict[str, Callable[[BPE], Any]] = {
    "subword-nmt": subword_nmt.write,
    "gpt2": gpt2.write,
    "tiktoken": tiktoken.write,
    "huggingface": huggingface.write,
    "fastbpe": fastbpe.write,
    "clip": clip.write,
    "minbpe": minbpe.write,
    "gpt1": gpt1.write,
}


def load(path: str | os.PathLike[str], *, pretokenizer: str | None = None) -> BPE:
    """Read a model file, whatever its format.

    Parameters
    ----------
    path : path
        Our own format; codes of subword-nmt (versions 0.1, 0.2 and 0.2 byte); either of GPT-2's
        two files (``vocab.json`` and ``merges.txt``, or ``encoder.json`` and ``vocab.bpe``; the
        other must lie beside it); ranks of tiktoken. Also packed (``.gz``, ``.xz``, ``.bz2``).
    pretokenizer : str, optional
        How texts become words, a name or a pattern, for formats that do not store it: all but
        our own. The default is what the format's own tool does; only a rank file of tiktoken
        that is none of the known ones has no default.

    Raises
    ------
    ModelFileError
        With path and line of what is wrong.
    CorpusError
        When a packed file is damaged.

    Examples
    --------
    >>> bpe = load("model.subword")  # doctest: +SKIP
    >>> bpe = load("ranks.tiktoken", pretokenizer="cl100k")  # doctest: +SKIP

    """
    name = os.fspath(path)
    return loads(read_text(name), name, pretokenizer=pretokenizer)


def loads(text: str, path: str | None = None, *, pretokenizer: str | None = None) -> BPE:
    """Read a model from the text of a model file; `path` is for the messages.

    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2})
    >>> loads(bpe.dumps()) == bpe
    True
    """
    text = text.removeprefix("\ufeff")
    if subword_model.recognises(text):
        return _with_own_words(subword_model.read(text, path), pretokenizer)
    if huggingface.recognises(text):
        return _with_own_words(huggingface.read(text, path), pretokenizer)
    if text.startswith("\n") and sentencepiece.recognises(raw := _bytes(text)):
        return _with_own_words(sentencepiece.read(raw, path), pretokenizer)
    if youtokentome.recognises(text):
        return _with_own_words(youtokentome.read(text, path), pretokenizer)
    if minbpe.recognises(text):
        return _with_own_words(minbpe.read(text, path), pretokenizer)
    if clip.recognises(text):
        return clip.read(text, path, pretokenizer)
    if gpt1.recognises(text, path):
        return gpt1.read(text, path, pretokenizer)
    if gpt2.recognises(text, path):
        return gpt2.read(text, path, pretokenizer)
    if tiktoken.recognises(text):
        return tiktoken.read(text, path, pretokenizer)
    if fastbpe.recognises(text):
        return _with_words(fastbpe.read(text, path), pretokenizer)
    if subword_nmt.recognises(text):
        return _with_words(subword_nmt.read(text, path), pretokenizer)
    raise ModelFileError(
        "this is no model file: expected '#subword-model', the codes of subword-nmt (one merge of "
        "two symbols a line), one of GPT-2's two files, or the ranks of tiktoken; it begins with "
        f"{text[:40]!r}",
        path, 1,
    )  # fmt: skip


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _with_own_words(bpe: BPE, pretokenizer: str | None) -> BPE:
    if pretokenizer not in (None, bpe.pretokenizer):
        raise SubwordError(
            f"this model says itself how texts become words, by {bpe.pretokenizer!r}; "
            f"pretokenizer={pretokenizer!r} is for formats that do not store it: leave it out"
        )
    return bpe


def _with_words(bpe: BPE, pretokenizer: str | None) -> BPE:
    if pretokenizer is None:
        return bpe
    merges = Merges(bpe._table, bpe.merge_counts, bpe.merge_applied)
    return BPE(bpe._plain, merges, bpe.options._replace(splitter=Splitter(pretokenizer)))


def dumps(bpe: BPE) -> str:
    """Return a model in our own format."""
    return subword_model.write(bpe)


def export(bpe: BPE, path: str | os.PathLike[str], format: str) -> None:
    """Write a model in the format of another tool; see `BPE.export`."""
    if format not in EXPORTS:
        raise SubwordError(f"format must be one of {', '.join(EXPORTS)}; got {format!r}")
    written = EXPORTS[format](bpe)
    if isinstance(written, str):
        write_texts({path: written})
    else:
        write_texts(dict(zip(gpt2.pair_of(path), written, strict=True)))
