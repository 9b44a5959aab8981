"""Counting the words of a file."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from corpora import Setup
from harness import Row, Side


def rows(setup: Setup) -> list[Row]:
    """Return the jobs."""
    if setup.english is None:
        return []
    path, size = setup.english.path, setup.english.size
    state, words = partial(ready, path), "words, counts and order"
    counter = Side("Counter", count_with_counter, counts, partial(given, path), needs="")
    wc = Side(
        "wc -w", count_with_wc, first_number, partial(given, path), needs="", clock="children"
    )
    two, one = (
        Side(f"{n} thread", partial(count, n_jobs=n), counts, state, clock="wall") for n in (2, 1)
    )
    seen_by_wc = "the total, less words without ASCII, which wc -w leaves out"
    return [
        Row(
            "words of the English file", Side("subword", count, counts, state), counter, words,
            goal=(15, 25), size=size, peaks=True,
        ),
        Row(
            "  the same, handed over as a dict", Side("subword", count_to_dict, counts, state),
            counter, words, size=size, peaks=True,
        ),
        Row(
            "  the same, total only", Side("subword", count, total, state), wc, seen_by_wc,
            goal=(2, 4), size=size,
        ),
        Row(
            "  two threads on two cores (wall seconds)", two, one, words,
            goal=(1.6, 1.9), size=size, cores=2,
        ),
    ]  # fmt: skip


def ready(path: Path) -> Path:
    """Load the package and its engine."""
    import subword

    subword.info()
    return path


def given(path: Path) -> Path:
    """Have nothing to prepare."""
    return path


def count(path: Path, n_jobs: int = 1) -> Any:
    """Count with ours."""
    import subword

    return subword.WordCounts.from_files(path, pretokenizer="whitespace", n_jobs=n_jobs)


def count_to_dict(path: Path) -> dict[str, int]:
    """Count with ours, and have every word as a str."""
    return dict(count(path))


def count_with_counter(path: Path) -> Counter[str]:
    """Count as everybody does."""
    with open(path, encoding="utf-8") as stream:
        return Counter(stream.read().split())


def count_with_wc(path: Path) -> str:
    """Let the system count."""
    locale = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(
        ["wc", "-w", path], env=locale, capture_output=True, text=True, check=True
    )
    return done.stdout


def counts(words: Mapping[str, int]) -> Iterator[str]:
    """Return words and counts in order."""
    return (f"{word} {number}" for word, number in words.items())


def total(words: Mapping[str, int]) -> list[str]:
    """Return how many words wc -w sees in the C locale: those with a printable ASCII character."""
    seen = (n for word, n in words.items() if any("!" <= c <= "~" for c in word))
    return [str(sum(seen))]


def first_number(shown: str) -> list[str]:
    """Return the total, without the name of the file."""
    return shown.split()[:1]
