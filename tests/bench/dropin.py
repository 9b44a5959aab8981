"""The commands of subword-nmt against themselves: whole processes, start included, byte by byte."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from corpora import Corpus, Setup, head
from encoding import size_of
from harness import Row, Side

LINES = 100_000
OURS = [sys.executable, "-m", "subword"]
THEIRS = [sys.executable, "-c", "from subword_nmt.subword_nmt import main; main()"]
CODES, VOCABULARY = "{text}.codes", "{text}.vocab"  # made by ours before the clock starts
LEARN = ["learn-bpe", "-s", "10000", "-i", "{text}", "-o", "{out}"]
APPLY = ["apply-bpe", "-c", CODES, "-i", "{text}", "-o", "{out}"]
FILTER = ["--vocabulary", VOCABULARY, "--vocabulary-threshold", "50"]
GLOSSARIES = ["--glossaries", "<[a-z]+>", r"\d+", r"https?://\S+"]
COUNT = ["get-vocab", "-i", "{text}", "-o", "{out}"]
JOINT = ["learn-joint-bpe-and-vocab", "-s", "10000", "-o", "{out}", "--write-vocabulary",
         "{out}.0", "{out}.1", "-i", "{text}"]  # fmt: skip


def rows(setup: Setup) -> Iterator[Row]:
    """Yield the jobs."""
    texts = {}
    for name, corpus in (("English", setup.english), ("multilingual", setup.multilingual)):
        if corpus:
            texts[name] = cut(corpus, setup.folder / f"dropin-{name}.txt")
            yield from jobs(name, texts[name])
    if len(texts) == 2:
        first, second = texts.values()
        size = first.stat().st_size + second.stat().st_size
        yield row("learn-joint-bpe-and-vocab, both", [*JOINT, str(second)], first, (20, 50), size)


def jobs(name: str, text: Path) -> Iterator[Row]:
    """Yield the jobs of one text."""
    size = text.stat().st_size
    yield row(f"learn-bpe -s 10000, {name}", LEARN, text, (50, 100), size)
    yield row(f"apply-bpe, {name}", APPLY, text, (20, 30), size)
    yield row(f"apply-bpe, threshold 50, {name}", APPLY + FILTER, text, (20, 30), size)
    yield row(f"apply-bpe, three glossaries, {name}", APPLY + GLOSSARIES, text, (20, 30), size)
    yield row(f"get-vocab, {name}", COUNT, text, None, size)


def cut(corpus: Corpus, path: Path) -> Path:
    """Return the first lines of a text."""
    return head(corpus, path, size_of(corpus, LINES))


def row(
    title: str, command: list[str], text: Path, goal: tuple[float, float] | None, size: int
) -> Row:
    """Return a job of both programs."""
    ours, theirs = (
        Side(
            name, partial(run, [*program, *command], text, name), lines, partial(prepare, text),
            needs=name, clock="children",
        )
        for name, program in (("subword", OURS), ("subword-nmt", THEIRS))
    )  # fmt: skip
    return Row(title, ours, theirs, "every byte written", goal, size=size)


def prepare(text: Path) -> bool:
    """Make the codes and the vocabulary of a text, once."""
    codes, vocabulary = (filled(path, text) for path in (CODES, VOCABULARY))
    if not os.path.exists(vocabulary):
        segmented = f"{text}.bpe"
        for command in (
            ["learn-bpe", "-s", "10000", "-i", str(text), "-o", codes],
            ["apply-bpe", "-c", codes, "-i", str(text), "-o", segmented],
            ["get-vocab", "-i", segmented, "-o", vocabulary],
        ):
            subprocess.run([*OURS, *command], check=True, env=environment(text))
    return True


def run(command: list[str], text: Path, name: str, _: bool) -> list[str]:
    """Run a command and return the files it wrote."""
    out = f"{text}.{name}.out"
    words = [filled(word, text, out) for word in command]
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL, env=environment(text))
    return [word for word in words if word.startswith(out)]


def environment(text: Path) -> dict[str, str]:
    """Let both programs start from compiled modules, as installed ones do."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(text.parent / "compiled")}


def filled(word: str, text: Path, out: str = "") -> str:
    """Put the paths into a word of a command."""
    return word.replace("{text}", str(text)).replace("{out}", out)


def lines(paths: Iterable[str]) -> Iterator[str]:
    """Return what was written, one line each, whatever is in it."""
    for path in paths:
        with open(path, "rb") as stream:
            for line in stream:
                yield repr(line)
