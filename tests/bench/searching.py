"""Ten sizes of one model in a grid search, against a single size: what vectorizing costs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from corpora import Setup
from harness import Row, Side
from vectorizing import Texts, ours, reviews, short

SIZES = (250, 500, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000)
FOLDS = 5
GOAL = (0.5, 0.77)  # ten sizes take at most 2 times, 1.3 times as long


def rows(setup: Setup) -> Iterator[Row]:
    """Yield the jobs."""
    lines = [short(setup.english)] if setup.english else []
    for data in [*lines, reviews("reviews", "movie_reviews.tsv.gz", setup)]:
        for title, prepare in (("learnt in each fold", split), ("given model", modelled)):
            ten, one = (
                Side(f"{len(sizes)} sizes", partial(search, sizes), digests,
                     partial(prepare, data.texts))
                for sizes in (SIZES, SIZES[-1:])
            )  # fmt: skip
            checked = f"the matrices of {SIZES[-1]:,} merges"
            title = f"{data.name}: {title}, {FOLDS} folds"
            yield Row(title, ten, one, checked, GOAL, lacks=data.lacks)


def split(texts: Texts) -> tuple[None, list[Any]]:
    """Return the folds, and no model."""
    from sklearn.model_selection import KFold

    found = texts()
    return None, [
        ([found[i] for i in train], [found[i] for i in test])
        for train, test in KFold(FOLDS).split(found)
    ]


def modelled(texts: Texts) -> tuple[Any, list[Any]]:
    """Return a model learnt from all the texts, and the folds."""
    learnt = ours("SubwordVectorizer", num_merges=SIZES[-1]).fit(texts()).bpe_
    return learnt, split(texts)[1]


def search(sizes: tuple[int, ...], state: tuple[Any, list[Any]]) -> list[Any]:
    """Vectorize both parts of each fold for each size, as a grid search does; keep the last."""
    bpe, folds = state
    last = []
    for size in sizes:
        last = [vectorize(bpe, size, *fold) for fold in folds]
    return last


def vectorize(bpe: Any, size: int, train: list[str], test: list[str]) -> tuple[Any, Any]:
    """Return the matrices of a fold."""
    vectorizer = ours("SubwordTfidfVectorizer", bpe=bpe, num_merges=size)
    return vectorizer.fit_transform(train), vectorizer.transform(test)


def digests(found: list[Any]) -> Iterator[str]:
    """Return a hash of each matrix."""
    digest: Callable[[Any], str] = lambda array: hashlib.sha256(array.tobytes()).hexdigest()  # noqa: E731
    for pair in found:
        for X in pair:
            yield f"{X.shape} {digest(X.data)} {digest(X.indices)} {digest(X.indptr)}"
