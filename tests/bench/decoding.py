"""Decoding: ids of many documents back to one text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import models
from corpora import Corpus, Setup
from encoding import DOCUMENTS, size_of
from harness import Row, Side
from models import Model


def rows(setup: Setup) -> Iterator[Row]:
    """Yield the jobs."""
    if english := setup.english:
        for name, model in (("gpt2", models.gpt2(setup)), ("</w>", models.marked(setup))):
            yield from against(english, model, name)


def against(corpus: Corpus, model: Model, name: str) -> Iterator[Row]:
    """Yield one model against tokenizers and against joining in Python."""
    ours = Side("subword", decode, stripped, partial(array, corpus, model))
    listed = Side("subword", decode, stripped, partial(as_list, corpus, model))
    peer = Side("tokenizers", decode_tokenizers, stripped, partial(with_tokenizers, corpus, model),
                needs="tokenizers")  # fmt: skip
    join = Side("join", decode_by_join, stripped, partial(with_pieces, corpus, model))
    make = partial(Row, checked="the text", size=size_of(corpus))
    yield make(f"ids in an array to text, {name}", ours, peer)
    yield make(f"ids in an array to text, {name}", ours, join)
    yield make(f"ids in a list to text, {name}", listed, join)


# -- what is decoded


def encoded(corpus: Corpus, model: Model) -> tuple[Any, Any]:
    """Return the model and the ids of the first documents as one text."""
    bpe = models.load(model)
    with open(corpus.path, encoding="utf-8", newline="\n") as lines:
        text = "".join(line for _, line in zip(range(DOCUMENTS), lines, strict=False))
    return bpe, bpe.encode_batch([text.rstrip("\n")])[0]


def array(corpus: Corpus, model: Model) -> tuple[Any, Any]:
    """Return ids as an array, ours."""
    bpe, ids = encoded(corpus, model)
    bpe.decode(ids[:1])
    return bpe, ids


def as_list(corpus: Corpus, model: Model) -> tuple[Any, list[int]]:
    """Return ids as a list, ours."""
    bpe, ids = array(corpus, model)
    bpe.decode(ids[:1].tolist())
    return bpe, ids.tolist()


def with_tokenizers(corpus: Corpus, model: Model) -> tuple[Any, list[int]]:
    """Return ids for tokenizers."""
    return models.load_tokenizers(model), encoded(corpus, model)[1].tolist()


def with_pieces(corpus: Corpus, model: Model) -> tuple[list[bytes], list[int]]:
    """Return ids for joining, and what each stands for: a final piece has its space."""
    bpe, ids = encoded(corpus, model)
    return [raw + b" " * is_final for raw, is_final in bpe.symbols], ids.tolist()


# -- the sides


def decode(state: tuple[Any, Any]) -> str:
    """Decode with ours."""
    bpe, ids = state
    return bpe.decode(ids)


def decode_tokenizers(state: tuple[Any, list[int]]) -> str:
    """Decode with tokenizers."""
    tokenizer, ids = state
    return tokenizer.decode(ids, skip_special_tokens=False)


def decode_by_join(state: tuple[list[bytes], list[int]]) -> str:
    """Decode as one would without a library."""
    pieces, ids = state
    return b"".join([pieces[i] for i in ids]).decode("utf-8", "replace")


def stripped(text: str) -> list[str]:
    """Return a text without the space behind its last word."""
    return text.removesuffix(" ").split("\n")
