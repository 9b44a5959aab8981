"""Model files: one module per format, each with `read`, `write` and `recognises`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ..errors import ModelFileError, SubwordError
from ..model import BPE
from ..pretokenize import Rules
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

# Asked in this order. Files of the first say themselves how texts become words, those of the others
# do not: they can be told.
SELF_CONTAINED: tuple[Any, ...] = (
    subword_model, huggingface, sentencepiece, youtokentome, minbpe,
)  # fmt: skip
TOLD_WORDS: tuple[Any, ...] = (clip, gpt1, gpt2, tiktoken, fastbpe, subword_nmt)

EXPORTS: dict[str, Callable[[BPE], Any]] = {
    "subword-nmt": subword_nmt.write,
    "fastbpe": fastbpe.write,
    "huggingface": huggingface.write,
    "gpt2": gpt2.write,
    "gpt1": gpt1.write,
    "clip": clip.write,
    "tiktoken": tiktoken.write,
    "minbpe": minbpe.write,
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
    name = gpt2.file_of(os.fspath(path))
    return _read(read_text(name), name, pretokenizer)


def loads(text: str, path: str | None = None, *, pretokenizer: Rules | None = None) -> BPE:
    """Read a model from the text of a model file; `path` is for the messages.

    >>> import subword
    >>> bpe = subword.train({"low": 5, "lower": 2})
    >>> loads(bpe.dumps()) == bpe
    True
    """
    return _read(text.removeprefix("\ufeff"), path, pretokenizer)


def _read(text: str, path: str | None, pretokenizer: Rules | None) -> BPE:
    """Read a model from a text that has no BOM any more."""
    _check_surrogates(text, path)
    for module in SELF_CONTAINED:
        if module.recognises(text):
            return _with_own_words(module.read(text, path), pretokenizer)
    for module in TOLD_WORDS:
        if module.recognises(text, path):
            bpe: BPE = module.read(text, path, pretokenizer)
            return bpe
    raise ModelFileError(
        "this is no model file: expected '#subword-model', a tokenizer.json, the codes of "
        "subword-nmt or fastBPE (one merge of two symbols a line), one of the two files of GPT-2 "
        "or GPT-1, CLIP's merges, ranks of tiktoken, or a model of minbpe, SentencePiece or "
        f"YouTokenToMe; it begins with {text[:40]!r}",
        path, 1,
    )  # fmt: skip


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
