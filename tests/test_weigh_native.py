"""Weights by the compiled engine: bit for bit those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize

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
