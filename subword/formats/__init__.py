"""Model files: one module per format, each with `read`, `write` and `recognises`.

A module is loaded when a file begins like its format, or is to be written.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from importlib import import_module
from typing import Any

from ..errors import ModelFileError, SubwordError
from ..model import BPE
from ..pretokenize import Rules
from .texts import read_text, write_texts

# How files begin, at the least; asked in this order. Those of the first say themselves how texts
# become words, those of the others do not: they can be told.
SELF_CONTAINED = {
    "subword_model": "#subword-model",
    "huggingface": r"\s*\{",
    "sentencepiece": r"\n",
    "youtokentome": "[0-9]",
    "minbpe": "minbpe",
}
TOLD_WORDS = {
    "clip": r'"?[\w.]*bpe_simple_vocab',
    "gpt1": "",
    "gpt2": "",
    "tiktoken": "(?!#version)",
    "fastbpe": "(?!#version)",
    "subword_nmt": "",
}

EXPORTS = {
    "subword-nmt": "subword_nmt",
    "fastbpe": "fastbpe",
    "huggingface": "huggingface",
    "gpt2": "gpt2",
    "gpt1": "gpt1",
    "clip": "clip",
    "tiktoken": "tiktoken",
    "minbpe": "minbpe",
}


def load(path: str | os.PathLike[str], *, pretokenizer: Rules | None = None) -> BPE:
    """Read a model file, whatever its format.

    Parameters
    ----------
    path : path
        Our own format; ``tokenizer.json`` of Hugging Face; codes of subword-nmt (versions 0.1,
        0.2 and 0.2 byte) or fastBPE; either of the two files of GPT-2 or GPT-1 (``vocab.json``
        and ``merges.txt``, or OpenAI's names; the other must lie beside it) or their
        folder; CLIP's merges; ranks of tiktoken; models of minbpe, SentencePiece (BPE) and
        YouTokenToMe. Also packed (``.gz``, ``.xz``, ``.bz2``, ``.zst``). The content tells which;
        ids are those of the file.
    pretokenizer : str, optional
        How texts become words, a name or a pattern, for formats that do not store it: codes,
        the files of GPT-2, GPT-1 and CLIP, ranks. The default is what the format's own tool does;
        only a rank file of tiktoken that is none of the known ones has no default.

    Raises
    ------
    ModelFileError
        With path and line of what is wrong, or of what has no equal here.
    CorpusError
        When a packed file is damaged.

    Warns
    -----
    SubwordWarning
        When some texts get other ids here than in the tool the file is from.

    Examples
    --------
    >>> bpe = load("model.subword")  # doctest: +SKIP
    >>> bpe = load("ranks.tiktoken", pretokenizer="cl100k")  # doctest: +SKIP

    """
    name = os.fspath(path)
    if os.path.isdir(name):
        name = _module("gpt2").file_of(name)
    return _read(read_text(name), name, pretokenizer)


def loads(text: str, path: str | None = None, *, pretokenizer: Rules | None = None) -> BPE:
    """Read a model from the text of a model file; `path` is for the messages.

    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2})
    >>> loads(bpe.dumps()) == bpe
    True
    """
    return _read(text.removeprefix("\ufeff"), path, pretokenizer)


@lru_cache(maxsize=2)
def unpack(text: str) -> BPE:
    """Read a model, or take the one that was read from the same text: searches copy it per task."""
    return loads(text)


def _read(text: str, path: str | None, pretokenizer: Rules | None) -> BPE:
    """Read a model from a text that has no BOM any more."""
    _check_surrogates(text, path)
    name = format_of(text, path)
    if name in SELF_CONTAINED:
        return _with_own_words(_module(name).read(text, path), pretokenizer)
    bpe: BPE = _module(name).read(text, path, pretokenizer)
    return bpe


def format_of(text: str, path: str | None = None) -> str:
    """Return the name of the module that reads a text.

    >>> format_of("#version: 0.2\\nl o\\n")
    'subword_nmt'
    """
    for name, start in SELF_CONTAINED.items():
        if re.match(start, text) and _module(name).recognises(text):
            return name
    for name, start in TOLD_WORDS.items():
        if re.match(start, text) and _module(name).recognises(text, path):
            return name
    raise ModelFileError(
        "this is no model file of a format that subword.load knows; it begins with "
        f"{text[:40]!r}",
        path, 1,
    )  # fmt: skip


def _module(name: str) -> Any:
    return import_module(f".{name}", __name__)


def __getattr__(name: str) -> Any:
    if name not in (*SELF_CONTAINED, *TOLD_WORDS):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _module(name)


def _check_surrogates(text: str, path: str | None) -> None:
    """Refuse what no file holds: lone surrogates, but for those that are bytes."""
    try:
        text.isascii() or text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ModelFileError(f"lone surrogate {text[error.start]!r}", path, line) from None


def _with_own_words(bpe: BPE, pretokenizer: Rules | None) -> BPE:
    if pretokenizer not in (None, bpe.pretokenizer):
        raise SubwordError(
            f"this model says itself how texts become words, by {bpe.pretokenizer!r}; "
            f"pretokenizer={pretokenizer!r} is for formats that do not store it: leave it out"
        )
    return bpe


def dumps(bpe: BPE) -> str:
    """Return a model in our own format."""
    text: str = _module("subword_model").write(bpe)
    return text


def export(bpe: BPE, path: str | os.PathLike[str], format: str) -> None:
    """Write a model in the format of another tool; see `BPE.export`."""
    if format not in EXPORTS:
        raise SubwordError(f"format must be one of {', '.join(EXPORTS)}; got {format!r}")
    written = _module(EXPORTS[format]).write(bpe)
    if isinstance(written, str):
        write_texts({path: written})
    else:
        write_texts(dict(zip(_module("gpt2").pair_of(path), written, strict=True)))
