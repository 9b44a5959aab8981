"""Cloning and storing fitted estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from corpora import Setup, documents
from harness import Row, Side
from vectorizing import ours, theirs

MERGES, FEATURES, DOCUMENTS = 30_000, 50_000, 100_000
Pipe = Callable[[], Any]


def rows(setup: Setup) -> Iterator[Row]:
    """Yield the jobs."""
    if setup.english is None:
        return
    texts = partial(documents, setup.english.path, DOCUMENTS)
    mine = partial(ours, "SubwordTfidfVectorizer", num_merges=MERGES, ngram_range=(1, 2),
                   max_features=FEATURES)  # fmt: skip
    words = partial(theirs, "TfidfVectorizer", max_features=FEATURES)
    ours_, other = (
        Side(name, store, alike, partial(pipeline, make, texts), needs="skops")
        for name, make in (("subword", mine), ("TfidfVectorizer", words))
    )
    title = f"skops: dump and load, {MERGES:,} merges, {FEATURES:,} features"
    yield Row(title, ours_, other, "predictions before and after", seconds=(1.0, 0.5))
    model = Side("subword", copy, what_is_cloned, partial(with_model, texts))
    names = Side("CountVectorizer", copy, what_is_cloned, partial(with_names, texts))
    title = f"clone with a given model of {MERGES:,} merges"
    yield Row(title, model, names, "the clone is not fitted", seconds=(0.010, 0.001))


def pipeline(make: Pipe, texts: Callable[[], list[str]]) -> Any:
    """Fit a pipeline; its labels only have to be learnable."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline

    found = texts()
    pipe = make_pipeline(make(), SGDClassifier(max_iter=2, tol=None, random_state=0))
    return pipe.fit(found, [len(text) % 2 for text in found]), found[:1000]


def store(state: Any) -> Any:
    """Dump and load; only our own class has to be trusted, which is checked here as users do."""
    from skops import io

    pipe, texts = state
    data = io.dumps(pipe)
    return pipe, io.loads(data, trusted=io.get_untrusted_types(data=data)), texts


def alike(found: Any) -> list[str]:
    """Say whether the pipeline is the same as before."""
    before, after, texts = found
    return [str(before.predict(texts).tolist() == after.predict(texts).tolist())]


def with_model(texts: Callable[[], list[str]]) -> Any:
    """Return our vectorizer with a model."""
    bpe = ours("SubwordVectorizer", num_merges=MERGES).fit(texts()).bpe_
    return ours("SubwordVectorizer", bpe=bpe)


def with_names(texts: Callable[[], list[str]]) -> Any:
    """Return scikit-learn's with as many names."""
    names = theirs("CountVectorizer", max_features=MERGES).fit(texts()).vocabulary_
    return theirs("CountVectorizer", vocabulary=names)


def copy(estimator: Any) -> Any:
    """Clone."""
    from sklearn.base import clone

    return clone(estimator)


def what_is_cloned(estimator: Any) -> list[str]:
    """Say whether anything is learnt."""
    return [str([name for name in vars(estimator) if name.endswith("_")])]
