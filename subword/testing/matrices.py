"""Checks of what vectorizers return: the form of the matrix, its type, the names of its columns."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context, get_config

from .harness import (
    TEXTS,
    check,
    claim,
    dense,
    fit,
    import_pandas,
    names_columns,
    only_if,
    same,
)


def _matrix(estimator: Any, fitted: Any) -> Any:
    """Return what a vectorizer makes of the texts."""
    only_if(hasattr(fitted, "transform"), "it does not transform")
    return fitted.transform(TEXTS)


@check
def check_sparse_form(estimator: Any) -> None:
    """Sparse output is CSR with sorted indices, without duplicates, in int32."""
    X = _matrix(estimator, fit(estimator))
    only_if(sp.issparse(X), "its output is dense")
    claim(X.format == "csr", f"the format is {X.format}")
    rows = [X.indices[start:end] for start, end in pairwise(X.indptr.tolist())]
    claim(all((np.diff(row) > 0).all() for row in rows), "indices are not sorted and unique")
    claim(X.indices.dtype == X.indptr.dtype == np.int32, f"indices are {X.indices.dtype}")


@check
def check_sparse_interface(estimator: Any) -> None:
    """scikit-learn's setting decides between sparse matrices and sparse arrays."""
    only_if("sparse_interface" in get_config(), "this scikit-learn has no such setting")
    only_if(sp.issparse(_matrix(estimator, fit(estimator))), "its output is dense")
    for interface, kind in (("spmatrix", sp.spmatrix), ("sparray", sp.sparray)):
        with config_context(sparse_interface=interface):
            X = _matrix(estimator, fit(estimator))
        claim(isinstance(X, kind), f"sparse_interface={interface!r} gives {type(X).__name__}")


@check
def check_dtype(estimator: Any) -> None:
    """The matrix has the type that the parameter `dtype` asks for."""
    only_if("dtype" in estimator.get_params(deep=False), "there is no parameter dtype")
    for dtype in (np.float32, np.float64):
        X = _matrix(estimator, fit(estimator.set_params(dtype=dtype)))
        claim(X.dtype == dtype, f"dtype={dtype.__name__} gives {X.dtype}")


@check
def check_feature_names(estimator: Any) -> None:
    """Names are str, all different, one for each column."""
    only_if(names_columns(estimator), "it names no columns")
    fitted = fit(estimator)
    names, width = fitted.get_feature_names_out(), _matrix(estimator, fitted).shape[1]
    claim(names.dtype == object, f"names are an array of {names.dtype}, not of objects")
    claim(all(isinstance(name, str) for name in names), "some names are not str")
    claim(len(names) == width, f"{len(names)} names for {width} columns")
    claim(len({*names}) == width, "two columns have the same name")


@check
def check_inverse_transform(estimator: Any) -> None:
    """`inverse_transform` names the columns of each row that are not zero."""
    only_if(hasattr(estimator, "inverse_transform"), "there is no inverse_transform")
    fitted = fit(estimator)
    X, names = _matrix(estimator, fitted), fitted.get_feature_names_out()
    found = fitted.inverse_transform(X)
    claim(len(found) == X.shape[0], f"{X.shape[0]} rows give {len(found)}")
    for row, shown in zip(dense(X), found, strict=True):
        claim({*shown} == {*names[row != 0]}, "names and columns that are not zero differ")


@check
def check_set_output(estimator: Any) -> None:
    """With output set to pandas: a frame with the names, the plain result, or `ValueError`."""
    pandas = import_pandas()
    only_if(pandas, "pandas is not installed")
    expected = _matrix(estimator, fit(estimator))
    with config_context(transform_output="pandas"):
        try:
            found = _matrix(estimator, fit(estimator))
        except ValueError as error:
            claim("sparse" in str(error), f"the error says nothing of sparse output: {error}")
            return
    if isinstance(found, pandas.DataFrame):
        claim([*found.columns] == [*fit(estimator).get_feature_names_out()], "names differ")
    same(found, expected, "pandas output has other values")
