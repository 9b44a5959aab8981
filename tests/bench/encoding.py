"""Encoding: many short documents, one long text, words without end."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import models
from corpora import Corpus, Setup, documents, head
from harness import Row, Side
from models import Model

DOCUMENTS = 100_000
IDS = "every id of every document"
Texts = Callable[[], list[str]]
State = tuple[Any, list[str]]


class Tool(NamedTuple):
    """How a tool encodes: load a model, run over texts, show the result as lines."""

    name: str
    load: Callable[[Model], Any]
    run: Callable[[State], Any]
    answer: Callable[[Any], Iterable[str]]


def rows(setup: Setup) -> Iterator[Row]:
    """Yield the jobs."""
    if english := setup.english:
        marked, gpt2 = models.marked(setup), models.gpt2(setup)
        lines, size = partial(documents, english.path, DOCUMENTS), size_of(english)
        yield row(
            "short documents, </w>, cold", TOKENIZERS, marked, lines, goal=(15, 30), size=size
        )
        yield from against_gigatoken(setup, gpt2)
        yield row("short documents, gpt2, cold", TIKTOKEN, gpt2, lines, size=size)
        yield segmenting(english, marked, setup.folder)
        yield from long_words(gpt2)
        yield two_threads(marked, partial(documents, english.path), english.size)


def row(
    title: str, peer: Tool, model: Model, texts: Texts, warm: bool = False, **options: Any
) -> Row:
    """Return a job: cold is a fresh process, warm the second call on."""
    ours, theirs = (
        Side(
            tool.name, tool.run, tool.answer, partial(prepare, tool, model, texts, warm),
            needs=tool.name, warm=warm,
        )
        for tool in (OURS, peer)
    )  # fmt: skip
    return Row(title, ours, theirs, IDS, **options)


def against_gigatoken(setup: Setup, model: Model) -> Iterator[Row]:
    """Yield byte level, GPT-2's words."""
    english, other = setup.english, setup.multilingual
    lines = partial(documents, english.path, DOCUMENTS)
    jobs = [
        ("short documents", lines, size_of(english), (1.0, 1.5), (1.0, 2.0)),
        ("one long string", partial(whole, english.path), english.size, (0.9, 1.3), (0.9, 1.2)),
    ]
    if other:
        lines = partial(documents, other.path)
        jobs.append(("multilingual documents", lines, other.size, (1.2, 1.5), (1.3, 1.8)))
    for title, texts, size, cold, warm in jobs:
        yield row(f"{title}, gpt2, cold", GIGATOKEN, model, texts, goal=cold, size=size)
        yield row(f"{title}, gpt2, warm", GIGATOKEN, model, texts, True, goal=warm, size=size)


def segmenting(corpus: Corpus, model: Model, folder: Path) -> Row:
    """The text form with @@."""
    texts = partial(documents, head(corpus, folder / "segment.txt", corpus.size), 20_000)
    ours, theirs = (
        Side(name, run, list, partial(both, load, model, texts), needs=name)
        for name, load, run in (
            ("subword", models.load, segment),
            ("subword-nmt", models.load_subword_nmt, segment_subword_nmt),
        )
    )
    return Row("segment 20,000 lines", ours, theirs, "every line", size=size_of(corpus, 20_000))


def long_words(model: Model) -> Iterator[Row]:
    """Yield words of a megabyte, where careless code is quadratic."""
    for name, make in (("of a", one_letter), ("of random letters", random_letters)):
        yield row(
            f"1 MB {name}, one word", TIKTOKEN, model, make,
            seconds=(0.5, 0.2), size=1_000_000, peer_runs=1,
        )  # fmt: skip


def two_threads(model: Model, texts: Texts, size: int) -> Row:
    """Wall seconds of two threads on two cores, and of one there."""
    state = partial(both, models.load, model, texts)
    two, one = (
        Side(f"{n} thread", partial(encode, n_jobs=n), flat_ids, state, clock="wall")
        for n in (2, 1)
    )
    title = "all documents, two threads on two cores (wall s)"
    return Row(title, two, one, IDS, goal=(1.6, 1.9), size=size, cores=2)


# -- what is encoded


def size_of(corpus: Corpus, number: int = DOCUMENTS) -> int:
    """Return the bytes of the first lines."""
    with open(corpus.path, "rb") as lines:
        return sum(len(line) for _, line in zip(range(number), lines, strict=False))


def whole(path: Path) -> list[str]:
    """Return a text as one document."""
    return [path.read_text(encoding="utf-8")]


def one_letter() -> list[str]:
    """Return a word of one letter."""
    return ["a" * 1_000_000]


def random_letters() -> list[str]:
    """Return a word of random letters."""
    return ["".join(random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=1_000_000))]


def both(load: Callable[[Model], Any], model: Model, texts: Texts) -> State:
    """Load the model and the texts."""
    return load(model), texts()


def prepare(tool: Tool, model: Model, texts: Texts, warm: bool) -> State:
    """The same, with the caches filled by a first call if that is wanted."""
    state = both(tool.load, model, texts)
    if warm:
        tool.run(state)
    return state


# -- the sides


def encode(state: State, n_jobs: int = 1) -> Any:
    """Encode with ours: ids and where each document's begin."""
    bpe, texts = state
    return bpe.encode_batch(texts, n_jobs=n_jobs)


def encode_tokenizers(state: State) -> Any:
    """Encode with tokenizers: a list of its objects."""
    tokenizer, texts = state
    return tokenizer.encode_batch_fast(texts, add_special_tokens=False)


def encode_gigatoken(state: State) -> Any:
    """Encode with gigatoken: arrays, one of them or ragged."""
    tokenizer, texts = state
    if len(texts) == 1:
        return [tokenizer.encode(texts[0])]
    return tokenizer.encode_batch(texts, parallel=False)


def encode_tiktoken(state: State) -> list[list[int]]:
    """Encode with tiktoken: lists."""
    encoding, texts = state
    return [encoding.encode_ordinary(text) for text in texts]


def segment(state: State) -> list[str]:
    """Segment with ours."""
    bpe, texts = state
    return [bpe.segment(text) for text in texts]


def segment_subword_nmt(state: State) -> list[str]:
    """Segment with subword-nmt."""
    bpe, texts = state
    return [bpe.process_line(text) for text in texts]


# -- their answers


def id_lines(found: Iterable[list[int]]) -> Iterator[str]:
    """Return the ids, one document a line."""
    return (" ".join(map(str, ids)) for ids in found)


def flat_ids(found: Any) -> Iterator[str]:
    """Return those of flat arrays."""
    ids, ends = found
    return id_lines(ids[start:end].tolist() for start, end in pairwise(ends.tolist()))


def ids_tokenizers(found: Iterable[Any]) -> Iterator[str]:
    """Return those of tokenizers."""
    return id_lines(encoding.ids for encoding in found)


def ids_gigatoken(found: Any) -> Iterator[str]:
    """Return those of gigatoken."""
    return id_lines(ids.tolist() for ids in found)


OURS = Tool("subword", models.load, encode, flat_ids)
TOKENIZERS = Tool("tokenizers", models.load_tokenizers, encode_tokenizers, ids_tokenizers)
GIGATOKEN = Tool("gigatoken", models.load_gigatoken, encode_gigatoken, ids_gigatoken)
TIKTOKEN = Tool("tiktoken", models.load_tiktoken, encode_tiktoken, id_lines)
