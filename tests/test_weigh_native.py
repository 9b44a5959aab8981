"""Cells of matrices by the compiled engine: weights, bit for bit those of scikit-learn, and columns."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from subword.ngrams import take_columns

core = pytest.importorskip("subword.native._core")


@pytest.mark.parametrize("norm", [None, "l1", "l2"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("idf_kind", [None, np.float32, np.float64])
def test_weights_are_those_of_scikit_learn(norm, index, kind, idf_kind):
    rng = np.random.default_rng(0)
    X = sp.random_array((60, 30), density=0.2, format="csr", rng=rng, dtype=kind)
    X.data[:] = rng.integers(-9, 10, X.nnz)  # zeros, too: rows whose norm is 0
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    idf = None if idf_kind is None else (1 + rng.random(30)).astype(idf_kind)
    expected = X.copy()
    if idf is not None:
        expected.data *= idf[X.indices]
    if norm:
        expected = normalize(expected, norm=norm)
    core.weigh(X.data, X.indices, X.indptr, idf, norm)
    assert X.data.tolist() == expected.data.tolist()


@pytest.mark.parametrize(
    ("indices", "indptr", "idf", "norm", "error"),
    [
        ([0, 2], [0, 2], [1.0, 1.0], "l2", IndexError),
        ([0, -1], [0, 2], [1.0, 1.0], "l2", IndexError),
        ([0, 1], [0, 2], [], "l2", IndexError),
        ([0], [0, 2], None, "l2", ValueError),
        ([0, 1], [0, 3], None, "l2", ValueError),
        ([0, 1], [0, 2], None, "max", ValueError),
    ],
)
def test_weights_of_what_is_no_matrix_are_refused(indices, indptr, idf, norm, error):
    with pytest.raises(error):
        core.weigh(np.ones(2), np.array(indices, np.int32), np.array(indptr, np.int32), idf, norm)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [np.int64, np.float32, np.float64])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_columns_are_counted_and_numbered_anew(index, kind, share):
    rng = np.random.default_rng(5)
    X = sp.csr_array(rng.poisson(0.4, (60, 30)).astype(kind))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    assert core.count_columns(X.indices, 30).tolist() == (X.toarray() > 0).sum(axis=0).tolist()
    kept = np.flatnonzero(rng.random(30) < share)
    numbers = np.full(30, -1, index)
    numbers[kept] = np.arange(len(kept))
    expected = take_columns(X, kept)
    size = core.renumber_columns(X.data, X.indices, X.indptr, numbers)
    assert size == expected.nnz
    assert X.data[:size].tolist() == expected.data.tolist()
    assert X.indices[:size].tolist() == expected.indices.tolist()
    assert X.indptr.tolist() == expected.indptr.tolist()


@pytest.mark.parametrize("columns", [[0, 2], [-1, 0]])
@pytest.mark.parametrize("width", [0, 2])
def test_columns_that_do_not_exist_are_refused(columns, width):
    places, indptr = np.array(columns, np.int32), np.array([0, 2], np.int32)
    with pytest.raises(IndexError, match="beyond the last"):
        core.count_columns(places, width)
    with pytest.raises(IndexError, match="beyond the last"):
        core.renumber_columns(np.ones(2), places, indptr, np.zeros(width, np.int32))
    with pytest.raises(ValueError, match="3 values, but 2 columns"):
        core.renumber_columns(np.ones(3), places, indptr, np.zeros(2, np.int32))
