# The binding of weigh.hpp: the cells of a sparse matrix.

cdef extern from "weigh.hpp" namespace "subword" nogil:
    cdef enum class Norm:
        none
        l1
        l2
    void cpp_weigh "subword::weigh"[T, I](
        T*, const I*, const I*, size_t, const double*, size_t, Norm) except +


ctypedef fused Weight:
    float
    double

ctypedef fused Index:
    int32_t
    int64_t

cdef dict NORMS = {None: <int>Norm.none, "l1": <int>Norm.l1, "l2": <int>Norm.l2}


def weigh(Weight[::1] values, const Index[::1] columns, const Index[::1] indptr, idf, norm):
    """Multiply the values of a CSR matrix by the ``idf`` of their columns, if any, and make the norm of each row 1."""
    cdef const double[::1] weights = np.zeros(0) if idf is None else np.ascontiguousarray(idf, np.float64)
    cdef Norm which = <Norm>choose(NORMS, "norm", norm)
    cdef const double* first = NULL
    if columns.shape[0] != values.shape[0]:
        raise ValueError(f"{values.shape[0]} values, but {columns.shape[0]} columns")
    check_bounds(np.asarray(indptr), values.shape[0])
    if not values.shape[0]:
        return
    if idf is not None:
        if not weights.shape[0]:
            raise IndexError("a column without an idf")
        first = &weights[0]
    with nogil:
        cpp_weigh(&values[0], &columns[0], &indptr[0], indptr.shape[0] - 1, first, weights.shape[0], which)
