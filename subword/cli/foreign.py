"""The libraries of other formats, to check with, where they are installed."""

from __future__ import annotations

import io
import json
from base64 import b64decode
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from ..formats.gpt2 import file_of, open_pair
from ..formats.texts import read_text
from ..model import BPE
from ..pretokenize import PATTERNS

Rows = list[Any]  # of each line its ids, or its text form
Encode = Callable[[Sequence[str]], Rows]


class Foreign(NamedTuple):
    """A model in the library of its format.

    Attributes
    ----------
    name : str
        The library with its version.
    form : {"ids", "all ids", "text"}
        What it gives: ids, ids with special tokens honoured, or the text form of subword-nmt.
    encode : callable
        From lines to as many rows.

    """

    name: str
    form: str
    encode: Encode


def foreign(path: str, format: str | None, bpe: BPE) -> Foreign | str | None:
    """Open a model file in the library it belongs to.

    Returns
    -------
    Foreign, str or None
        In the place of the library the reason why it cannot be asked; None if there is none.

    """
    if format not in _LIBRARIES:
        return None
    from importlib import metadata  # slow to load, and all commands load this room

    package, form, opener = _LIBRARIES[format]
    try:
        module = import_module(package.replace("-", "_"))
    except ImportError:
        return f"{package} is not installed (pip install {package})"
    name = f"{package} {metadata.version(package)}"
    try:
        return Foreign(name, form, opener(module, path, bpe))
    except (Exception, SystemExit) as error:  # each library has its own; subword-nmt would end us
        reason = str(error) or type(error).__name__
        return f"{name} does not take it: {reason:.200}"


def _tokenizers(module: Any, path: str, bpe: BPE) -> Encode:
    return _encoder(module.Tokenizer.from_str(read_text(path)))


def _gpt2(module: Any, path: str, bpe: BPE) -> Encode:
    name = file_of(path)
    vocabulary, merges = open_pair(read_text(name), name)
    lines = merges.text.split("\n")
    rows = [tuple(row.split()) for row in lines if row and row[:9] != "#version:"]
    tokenizer = module.Tokenizer(module.models.BPE(vocab=json.loads(vocabulary.text), merges=rows))
    tokenizer.pre_tokenizer = module.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return _encoder(tokenizer)


def _encoder(tokenizer: Any) -> Encode:
    def encode(lines: Sequence[str]) -> Rows:
        found = tokenizer.encode_batch_fast(list(lines), add_special_tokens=False)
        return [encoding.ids for encoding in found]

    return encode


def _tiktoken(module: Any, path: str, bpe: BPE) -> Encode:
    rows = (row.split() for row in read_text(path).splitlines() if row)
    ranks = {b64decode(token): int(rank) for token, rank in rows}
    if not isinstance(bpe.pretokenizer, str):
        raise ValueError("several patterns in a row")
    pattern = PATTERNS.get(bpe.pretokenizer, bpe.pretokenizer)
    encoding = module.Encoding("checked", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda lines: list(map(encoding.encode_ordinary, lines))


def _subword_nmt(module: Any, path: str, bpe: BPE) -> Encode:
    if bpe.level == "byte":
        raise ValueError("codes of version '0.2 byte'")
    codes = import_module("subword_nmt.apply_bpe").BPE(io.StringIO(read_text(path)))
    return lambda lines: list(map(codes.process_line, lines))


def _sentencepiece(module: Any, path: str, bpe: BPE) -> Encode:
    processor = module.SentencePieceProcessor(model_file=path)
    return lambda lines: list(map(processor.encode, lines))


_LIBRARIES: dict[str, tuple[str, str, Callable[[Any, str, BPE], Encode]]] = {
    "huggingface": ("tokenizers", "all ids", _tokenizers),
    "gpt2": ("tokenizers", "ids", _gpt2),
    "tiktoken": ("tiktoken", "ids", _tiktoken),
    "subword-nmt": ("subword-nmt", "text", _subword_nmt),
    "sentencepiece": ("sentencepiece", "ids", _sentencepiece),
}
