"""Documents to sparse matrices, beside scikit-learn's vectorizers and a hand-made one."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import models
from corpora import Corpus, Setup, documents, labelled, table_path
from encoding import DOCUMENTS, size_of
from harness import Row, Side
from models import Model

MERGES = 8000
TFIDF, HASHING = "TfidfVectorizer", "HashingVectorizer"
EQUAL = "names and every number, with the peer's counting of our pieces"
Make = Callable[[], Any]
Texts = Callable[[], list[str]]
State = tuple[Any, list[str]]


class Data(NamedTuple):
    """Documents to measure on, and their bytes."""

    name: str
    texts: Texts
    size: int = 0
    lacks: str = ""


def rows(setup: Setup) -> Iterator[Row]:
    """Yield the jobs."""
    lines = [short(setup.english)] if setup.english else []
    for data in lines:
        yield from transforms(data)
    long = [
        reviews("reviews", "movie_reviews.tsv.gz", setup),
        reviews("IMDB", "imdb_train.tsv.xz", setup),
    ]
    for data in [*lines, *long]:
        yield from counting(data)
    for data in lines:
        yield characters(data)
        yield from by_hand(data, models.gpt2(setup))
        yield two_threads(data)


def short(corpus: Corpus) -> Data:
    """Return the short documents."""
    texts = partial(documents, corpus.path, DOCUMENTS)
    return Data("lines", texts, size_of(corpus))


def reviews(name: str, table: str, setup: Setup) -> Data:
    """Return reviews of the shared data."""
    lacks = "" if table_path(f"sentiment/{table}").is_file() else f"{table} is not here"
    return Data(name, partial(first_column, f"sentiment/{table}", setup.limit), 0, lacks)


def first_column(name: str, limit: int) -> list[str]:
    """Return the texts of a table."""
    return labelled(name, limit)[0]


# -- the jobs ----------------------------------------------------------------------------------


def transforms(data: Data) -> Iterator[Row]:
    """Yield unigrams with a fitted vectorizer, ours as loaded: nothing of the texts is cached."""
    counts, weights, hashed = (
        partial(ours, f"Subword{kind}Vectorizer", num_merges=MERGES)
        for kind in ("", "Tfidf", "Hashing")
    )
    for title, make, kind in (
        ("counts", counts, "CountVectorizer"), ("tf-idf", weights, TFIDF),
        ("counts", counts, HASHING), ("hashed", hashed, HASHING),
    ):  # fmt: skip
        peer = partial(theirs, kind)
        yield row(f"transform, {title}", data, make, kind, peer, transform, kind,
                  prepare=loaded, goal=(8, 14))  # fmt: skip


def counting(data: Data) -> Iterator[Row]:
    """Yield learning and counting, and bigrams with a given model, names asked for."""
    kind, pair = "CountVectorizer", {"ngram_range": (1, 2)}
    # 25,000 reviews are where memory matters.
    share = (1.0, 0.6) if data.name == "IMDB" else None
    learning = partial(ours, "SubwordVectorizer", num_merges=MERGES)
    yield row(f"fit_transform, {MERGES:,} merges learnt", data, learning, kind,
              partial(theirs, kind), fit_transform, kind, goal=(3, 6), share=share)  # fmt: skip
    yield row("fit_transform, (1, 2)-grams, names", data,
              partial(with_model, **pair), kind, partial(theirs, kind, **pair), fit_and_name, kind,
              prepare=given, goal=(10, 20), share=share)  # fmt: skip


def characters(data: Data) -> Row:
    """Return the vectorizer that people take for subwords otherwise."""
    kind = TFIDF
    peer = partial(theirs, kind, analyzer="char_wb", ngram_range=(2, 5))
    learning = partial(ours, "SubwordTfidfVectorizer", num_merges=MERGES)
    return row("tf-idf, fit_transform, merges learnt", data, learning, "char_wb (2, 5)", peer,
               fit_transform, kind, goal=(25, 60))  # fmt: skip


def by_hand(data: Data, model: Model) -> Iterator[Row]:
    """Yield GPT-2's pieces, which gigatoken and some lines of scipy count, too."""
    for title, mine, hand, start, goal in (
        ("GPT-2's pieces, fit_transform", fit_transform, fit_by_hand, fresh, (2, 4)),
        ("GPT-2's pieces, transform", transform, transform_by_hand, loaded, (1.5, 2.5)),
    ):
        make = partial(with_model, path=model.path)
        first = Side("subword", mine, named_counts, partial(start, make, data.texts))
        ready = partial(handmade, model, data.texts, mine is transform)
        second = Side("gigatoken + scipy", hand, named_by_hand, ready, needs="gigatoken")
        yield Row(f"{data.name}: {title}", first, second, "every name and count", goal,
                  size=data.size)  # fmt: skip


def two_threads(data: Data) -> Row:
    """Wall seconds of two threads on two cores, and of one there."""
    two, one = (
        Side(f"{n} thread", transform, matrix, partial(loaded, make, data.texts), clock="wall")
        for n, make in (
            (n, partial(ours, "SubwordVectorizer", num_merges=MERGES, n_jobs=n)) for n in (2, 1)
        )
    )
    title = f"{data.name}: transform, two threads (wall s)"
    return Row(title, two, one, "every number", (1.6, 1.9), size=data.size, cores=2)


def row(
    title: str, data: Data, make: Make, peer: str, make_peer: Make, run: Callable[[State], Any],
    kind: str, prepare: Callable[..., State] | None = None, **options: Any,
) -> Row:  # fmt: skip
    """Return a job that both sides do alike; `kind` counts our pieces to compare with."""
    prepare = prepare or fresh
    mine = Side("subword", run, matrix, partial(prepare, make, data.texts))
    other = Side(
        peer, run, partial(reference, kind, prepare, make), partial(prepare, make_peer, data.texts),
        needs="scikit-learn",
    )  # fmt: skip
    return Row(f"{data.name}: {title}", mine, other, EQUAL, size=data.size, lacks=data.lacks,
               peaks=True, **options)  # fmt: skip


# -- what they start from ----------------------------------------------------------------------


def ours(kind: str, **options: Any) -> Any:
    """Return one of our estimators."""
    import subword

    return getattr(subword, kind)(**options)


def theirs(kind: str, **options: Any) -> Any:
    """Return one of scikit-learn's vectorizers."""
    from sklearn.feature_extraction import text

    return getattr(text, kind)(**options)


def with_model(path: Any = None, **options: Any) -> Any:
    """Return our vectorizer with a model that is ready; without a path `given` learns one."""
    bpe = None if path is None else models.load(models.Model(path, path))
    return ours("SubwordVectorizer", bpe=bpe, **options)


def fresh(make: Make, texts: Texts) -> State:
    """Have nothing fitted."""
    return make(), texts()


def loaded(make: Make, texts: Texts) -> State:
    """Have a vectorizer that was fitted and stored; an empty text makes it ready."""
    found = texts()
    estimator = pickle.loads(pickle.dumps(make().fit(found)))
    estimator.transform([""] if "bpe" in estimator.get_params() else found[:1])
    return estimator, found


def given(make: Make, texts: Texts) -> State:
    """Have a model learnt, for the vectorizer that takes one."""
    estimator, found = make(), texts()
    if "bpe" in estimator.get_params():
        bpe = pickle.loads(
            pickle.dumps(ours("SubwordVectorizer", num_merges=MERGES).fit(found).bpe_)
        )
        bpe.encode("")
        estimator.set_params(bpe=bpe)
    return estimator, found


# -- what is timed -----------------------------------------------------------------------------


def transform(state: State) -> Any:
    """Transform."""
    estimator, texts = state
    return *state, estimator.transform(texts)


def fit_transform(state: State) -> Any:
    """Fit and transform."""
    estimator, texts = state
    return *state, estimator.fit_transform(texts)


def fit_and_name(state: State) -> Any:
    """Fit and transform, and ask for the names, which scikit-learn makes in any case."""
    estimator, texts = state
    X = estimator.fit_transform(texts)
    return estimator, texts, X, estimator.vocabulary_


# -- their answers -----------------------------------------------------------------------------


def matrix(found: Any) -> Iterator[str]:
    """Return the names of the columns, and the numbers row by row."""
    estimator, _, X = found[:3]
    X.sort_indices()
    if hasattr(estimator, "get_feature_names_out"):
        yield from map(repr, estimator.get_feature_names_out().tolist())
    for start, end in pairwise(X.indptr.tolist()):
        yield f"{X.indices[start:end].tolist()} {X.data[start:end].tolist()}"


def reference(kind: str, prepare: Callable[..., State], make: Make, found: Any) -> Iterator[str]:
    """Count the pieces that our vectorizer splits texts into with scikit-learn's vectorizer.

    Its tf-idf adds up in the order of the columns only if they are sorted first, as ours are.
    """
    texts = found[1]
    mine = prepare(make, lambda: texts)[0].fit(texts)
    splits = ours("SubwordVectorizer", bpe=mine.bpe_, ngram_range=mine.ngram_range).fit(texts)
    counts = kind if "n_features" in mine.get_params() else "CountVectorizer"
    peer = theirs(counts, analyzer=splits.build_analyzer())
    X = peer.fit_transform(texts)
    X.sort_indices()
    return matrix(
        (peer, texts, theirs("TfidfTransformer").fit_transform(X) if kind == TFIDF else X)
    )


def named_counts(found: Any) -> Iterator[str]:
    """Return the names and counts of each row."""
    estimator, _, X = found
    return cells(estimator.get_feature_names_out(), X)


def cells(names: Sequence[str], X: Any) -> Iterator[str]:
    """Return the cells of each row in the order of the names."""
    for start, end in pairwise(X.indptr.tolist()):
        columns = X.indices[start:end]
        yield repr(sorted(zip(names[columns].tolist(), X.data[start:end].tolist(), strict=True)))


# -- by hand -----------------------------------------------------------------------------------


def handmade(model: Model, texts: Texts, is_fitted: bool) -> Any:
    """Load gigatoken; the columns are known if it is fitted."""
    tokenizer, found = models.load_gigatoken(model), texts()
    column = None
    if is_fitted:
        column = fit_by_hand((model, tokenizer, found, None))[1]
        tokenizer = models.load_gigatoken(model)
    return model, tokenizer, found, column


def ragged(tokenizer: Any, texts: list[str]) -> tuple[Any, Any]:
    """Return the ids of all documents, and where each begins, without a copy."""
    import numpy as np

    layout = tokenizer.encode_batch(texts, parallel=False).layout
    return np.asarray(layout.content.data), np.asarray(layout.offsets.data)


def fit_by_hand(state: Any) -> Any:
    """Encode, number the ids that occur, count."""
    import numpy as np

    model, tokenizer, texts, _ = state
    ids, indptr = ragged(tokenizer, texts)
    seen = np.bincount(ids) > 0
    column = np.where(seen, np.cumsum(seen) - 1, -1)
    return model, column, csr(column[ids], indptr, int(seen.sum()))


def transform_by_hand(state: Any) -> Any:
    """Encode, look up the columns, count."""
    model, tokenizer, texts, column = state
    ids, indptr = ragged(tokenizer, texts)
    return model, column, csr(column[ids], indptr, int(column.max()) + 1)


def csr(columns: Any, indptr: Any, width: int) -> Any:
    """Sum up ones; all columns are known here, since fit and transform see the same texts."""
    import numpy as np
    import scipy.sparse as sp

    X = sp.csr_matrix((np.ones(len(columns), np.int64), columns, indptr), (len(indptr) - 1, width))
    X.sum_duplicates()
    return X


def named_by_hand(found: Any) -> Iterator[str]:
    """Return the names and counts of each row, with our names of the ids."""
    import numpy as np

    from subword.alphabet import feature_names

    model, column, X = found
    bpe = models.load(model)
    special = range(len(bpe) - len(bpe.special_tokens), len(bpe))
    names = np.array(feature_names(bpe.symbols, False, [*special]), object)
    return cells(names[np.flatnonzero(column >= 0)], X)
