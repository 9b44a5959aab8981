"""`NBSVMClassifier` beside the few lines of numpy and scikit-learn it is made from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpora import Setup, labelled, table_path
from harness import Row, Side
from vectorizing import ours

C, ALPHA, BETA, TOLERANCE, ROUNDS = 0.1, 1.0, 0.25, 1e-2, 1000
DATA = {
    "IMDB, 2 classes": "sentiment/imdb_{}.tsv.xz",
    "TREC, 6 classes": "classification/trec_{}.tsv.gz",
}


def rows(setup: Setup) -> Iterator[Row]:
    """Yield learning, then using, on (1, 2)-grams of pieces."""
    for name, path in DATA.items():
        lacks = "" if table_path(path.format("train")).is_file() else f"{path} is not here"
        for title, mine, other, learnt in (
            ("fit", fit, fit_by_hand, False),
            ("predict", predict, predict_by_hand, True),
        ):
            ready = partial(prepared, path, setup.limit)
            ours_, hand = (
                Side(tool, run, labels, partial(after, ready, learn if learnt else None))
                for tool, run, learn in (
                    ("subword", mine, fit), ("numpy + LinearSVC", other, fit_by_hand)
                )
            )  # fmt: skip
            checked = "every label predicted for the test part"
            yield Row(f"{name}: {title}", ours_, hand, checked, lacks=lacks)


def prepared(path: str, limit: int) -> Any:
    """Count the pieces of both parts."""
    texts, labels = labelled(path.format("train"), limit)
    vectorizer = ours("SubwordVectorizer", num_merges=8000, ngram_range=(1, 2), min_df=2)
    X = vectorizer.fit_transform(texts)
    return X, labels, vectorizer.transform(labelled(path.format("test"), limit)[0])


def after(ready: Any, learn: Any) -> Any:
    """Return the data, and the model in front if it is learnt."""
    state = (None, *ready())
    return learn(state) if learn else state


def labels(found: Any) -> Any:
    """Return the labels predicted, or predict them."""
    if isinstance(found[0], list):
        return found[0]
    run = predict_by_hand if isinstance(found[0], dict) else predict
    return run(found)[0]


def fit(state: Any) -> Any:
    """Learn with ours."""
    _, X, y, test = state
    model = ours("NBSVMClassifier", C=C, alpha=ALPHA, beta=BETA, tol=TOLERANCE, max_iter=ROUNDS)
    return model.fit(X, y), X, y, test


def predict(state: Any) -> Any:
    """Predict with ours."""
    model, _, _, test = state
    return (model.predict(test).tolist(),)


def fit_by_hand(state: Any) -> Any:
    """Learn each class against the others, of two the greater one."""
    import numpy as np

    _, X, y, test = state
    X, y = binary(X), np.array(y)
    classes = np.unique(y)
    told = classes[1:] if len(classes) == 2 else classes
    lines = [line_by_hand(X, y == label) for label in told]
    return {"classes": classes, "lines": lines}, X, y, test


def line_by_hand(X: Any, positive: Any) -> tuple[Any, Any, float]:
    """Follow Wang & Manning (2012): ratios, a linear SVM on scaled rows, weights drawn together."""
    import numpy as np
    from sklearn.svm import LinearSVC

    p = ALPHA + np.asarray(X[positive].sum(axis=0)).ravel()
    q = ALPHA + np.asarray(X[~positive].sum(axis=0)).ravel()
    r = np.log((p / p.sum()) / (q / q.sum()))
    svm = LinearSVC(C=C, tol=TOLERANCE, max_iter=ROUNDS, random_state=0)
    svm.fit(X.multiply(r).tocsr(), positive)
    w = svm.coef_[0]
    return r, BETA * w + (1 - BETA) * np.abs(w).mean(), BETA * svm.intercept_[0]


def predict_by_hand(state: Any) -> Any:
    """Predict the class of the highest score."""
    import numpy as np

    model, _, _, test = state
    test = binary(test)
    scores = np.column_stack([test @ (r * w) + b for r, w, b in model["lines"]])
    best = scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(int)
    return (model["classes"][best].tolist(),)


def binary(X: Any) -> Any:
    """Return ones for counts."""
    ones = X.astype(float)
    ones.data[:] = 1
    return ones
