"""How well texts are classified: `python tests/bench/accuracy.py [data set ...]`.

`SubwordTextClassifier` as it comes, beside what people use: words by tf-idf with logistic
regression, word (1,2)-grams with NBSVM or, by tf-idf, with a linear SVM, characters (2,5) with a
linear SVM. Every system splits words alike; `--plain` takes scikit-learn's own splitting instead.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets._twenty_newsgroups import (
    strip_newsgroup_footer,
    strip_newsgroup_header,
    strip_newsgroup_quoting,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from subword import NBSVMClassifier, SubwordTextClassifier
from subword.pretokenize import Splitter

SHARED = Path(os.environ.get("SUBWORD_SHARED", Path(__file__).parents[3] / "shared")) / "data"
OPENERS = {".gz": gzip.open, ".xz": lzma.open}


# -- data --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """Texts with labels, and which are learnt from and tested on, split by split."""

    texts: list[str]
    labels: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]


def rows(name: str) -> Iterator[list[str]]:
    """Yield the rows of a table of the shared data."""
    path = SHARED / name
    with OPENERS[path.suffix](path, "rt", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            yield line.rstrip("\n").split("\t")


def given(name: str, packed: str = "gz") -> Task:
    """Return a task whose test part is a file of its own."""
    parts = [[row[:2] for row in rows(f"{name}_{part}.tsv.{packed}")] for part in ("train", "test")]
    return parted(*parts)


def parted(train: list[list[str]], test: list[list[str]]) -> Task:
    """Return a task of two lists of (text, label)."""
    texts, labels = zip(*train, *test, strict=True)
    places = np.arange(len(texts))
    return Task([*texts], np.array(labels), [(places[: len(train)], places[len(train) :])])


def folded(name: str, folds: int) -> Task:
    """Return a task of stratified folds."""
    texts, labels = zip(*rows(name), strict=True)
    y = np.array(labels)
    splits = StratifiedKFold(folds, shuffle=True, random_state=0).split(texts, y)
    return Task([*texts], y, [*splits])


def cut(name: str) -> Task:
    """Return a task of which a random fifth is tested on."""
    texts, labels = zip(*rows(name), strict=True)
    y = np.array(labels)
    splits = StratifiedShuffleSplit(1, test_size=0.2, random_state=0).split(texts, y)
    return Task([*texts], y, [*splits])


def movie_reviews() -> Task:
    """Return the task with the usual ten folds: hundreds of the number in the third column."""
    texts, labels, numbers = zip(*rows("sentiment/movie_reviews.tsv.gz"), strict=True)
    folds = np.array([int(number[2]) for number in numbers])
    splits = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(10)]
    return Task([*texts], np.array(labels), splits)


def newsgroups() -> Task:
    """Return the task without headers, footers and quotes, as scikit-learn removes them."""

    def read(part: str) -> list[list[str]]:
        name = f"classification/20news_bydate_{part}.jsonl.xz"
        posts = (json.loads(row[0]) for row in rows(name))
        return [[stripped(post["text"]), post["label"]] for post in posts]

    return parted(read("train"), read("test"))


def stripped(text: str) -> str:
    """Return what its author wrote."""
    return strip_newsgroup_footer(strip_newsgroup_quoting(strip_newsgroup_header(text)))


TASKS: dict[str, Callable[[], Task]] = {
    "sst2": partial(given, "sentiment/sst2"),
    "polarity": partial(folded, "sentiment/sentence_polarity.tsv.gz", 5),
    "imdb": partial(given, "sentiment/imdb", "xz"),
    "movie_reviews": movie_reviews,
    "korean": partial(given, "sentiment/ko_movie"),
    "zh_hotel": partial(cut, "sentiment/zh_hotel.tsv.gz"),
    "trec": partial(given, "classification/trec"),
    "banking77": partial(given, "classification/banking77"),
    "newsgroups": newsgroups,
    "r8": partial(given, "classification/reuters_r8"),
    "sms": partial(cut, "classification/sms_spam.tsv.gz"),
}
LONG = ("imdb", "movie_reviews", "newsgroups")  # character n-grams take minutes and gigabytes


# -- systems -----------------------------------------------------------------------------------


def word_ngrams(text: str) -> list[str]:
    """Return words and pairs of them."""
    words = split(text)
    return words + [f"{a} {b}" for a, b in pairwise(words)]


split = Splitter("words", lowercase=True).words


def baselines(plain: bool) -> dict[str, Callable[[], Pipeline]]:
    """Return the systems to compare with."""
    one, two = ({}, {"ngram_range": (1, 2)}) if plain else (
        {"analyzer": split}, {"analyzer": word_ngrams})  # fmt: skip
    tfidf = partial(TfidfVectorizer, sublinear_tf=not plain)
    logistic = LogisticRegression(max_iter=1000, C=1.0 if plain else 10.0)
    return {
        "word LR": lambda: make_pipeline(tfidf(**one), logistic),
        "word (1,2) NBSVM": lambda: make_pipeline(
            CountVectorizer(binary=True, **two), NBSVMClassifier()
        ),
        "word (1,2) SVC": lambda: make_pipeline(tfidf(**two), LinearSVC(random_state=0)),
        "char_wb (2,5) SVC": lambda: make_pipeline(
            tfidf(analyzer="char_wb", ngram_range=(2, 5)), LinearSVC(random_state=0)
        ),
    }


def systems(plain: bool) -> dict[str, Callable[[], Any]]:
    """Return all systems by name, ours last."""
    ours = {
        "default": SubwordTextClassifier,
        "fast": partial(SubwordTextClassifier, fast=True),
    }
    return {**baselines(plain), **ours}


# -- measuring ---------------------------------------------------------------------------------


@dataclass
class Score:
    """What a system reached on a data set.

    `gain` is the paired difference to the best of the baselines, in points like `accuracy`; what
    ends in `_error` is one standard error over the texts tested.
    """

    data: str
    system: str
    accuracy: float
    error: float
    tested: int
    seconds: float
    best_baseline: str = ""
    gain: float | None = None
    gain_error: float | None = None


def hits(make: Callable[[], Any], task: Task) -> np.ndarray:
    """Return which texts are labelled right when they are tested."""
    right = []
    for train, test in task.splits:
        model = make().fit([task.texts[i] for i in train], task.labels[train])
        right.append(model.predict([task.texts[i] for i in test]) == task.labels[test])
    return np.concatenate(right)


def percent(values: np.ndarray) -> tuple[float, float]:
    """Return the mean in per cent, and its standard error."""
    return 100 * float(values.mean()), 100 * float(values.std() / np.sqrt(len(values)))


def measure(name: str, chosen: Sequence[str], plain: bool) -> Iterator[Score]:
    """Yield the scores of systems on a data set; ours are compared with the best before them."""
    task = TASKS[name]()
    known: dict[str, np.ndarray] = {}
    for system, make in systems(plain).items():
        if system not in chosen or (system.startswith("char") and name in LONG):
            continue
        start = time.process_time()
        right = hits(make, task)
        score = Score(name, system, *percent(right), len(right), time.process_time() - start)
        if system in baselines(plain):
            known[system] = right
        elif known:
            score.best_baseline = max(known, key=lambda other: known[other].sum())
            differences = right.astype(float) - known[score.best_baseline]
            score.gain, score.gain_error = percent(differences)
        yield score


def line(score: Score) -> str:
    """Return a score as a line of the table."""
    gain = "" if score.gain is None else f"{score.gain:+7.2f} ± {score.gain_error:.2f}"
    shown = f"{score.data:14} {score.system:18} {score.accuracy:6.2f} ± {score.error:.2f}"
    return f"{shown} {gain:>17} {score.best_baseline:18} {score.seconds:7.1f}".rstrip()


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what is asked for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "data", nargs="*", metavar="data", help=f"{', '.join(TASKS)} (default: all)"
    )
    parser.add_argument("--systems", nargs="+", default=[*systems(False)], metavar="NAME",
                        help=", ".join(map(repr, systems(False))))  # fmt: skip
    parser.add_argument("--plain", action="store_true", help="baselines as scikit-learn has them")
    parser.add_argument("--json", action="store_true", help="print data instead of a table")
    args = parser.parse_args(argv)
    for kind, given_names, there in (
        ("data set", args.data, TASKS),
        ("system", args.systems, systems(False)),
    ):
        if wrong := [name for name in given_names if name not in there]:
            parser.error(f"no {kind} {wrong[0]!r}; choose from {', '.join(there)}")
    if not SHARED.is_dir():
        print(f"accuracy: no data: {SHARED} is not there; set SUBWORD_SHARED", file=sys.stderr)
        return 1
    if not args.json:
        print(f"{'data':14} {'system':18} {'accuracy':>13} {'gain over':>17} {'':18} {'CPU s':>7}")
    scores = []
    for name in args.data or TASKS:
        for score in measure(name, args.systems, args.plain):
            scores.append(asdict(score))
            if not args.json:
                print(line(score), flush=True)
    if args.json:
        print(json.dumps(scores, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
