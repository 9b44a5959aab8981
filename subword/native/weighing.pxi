# The binding of columns.hpp and weigh.hpp: the cells of a sparse matrix.

cdef extern from "columns.hpp" namespace "subword" nogil:
    void cpp_count_columns "subword::count_columns"[I](const I*, size_t, int64_t*, size_t) except +
    size_t cpp_renumber_columns "subword::renumber_columns"[T, I](
        T*, I*, I*, size_t, const I*, size_t) except +

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

ctypedef fused Count:
    int64_t
    float
    double

ctypedef fused Index:
    int32_t
    int64_t

cdef dict NORMS = {None: <int>Norm.none, "l1": <int>Norm.l1, "l2": <int>Norm.l2}


def count_columns(const Index[::1] columns, size_t width):
    """In how many cells each column is (int64)."""
    counts = np.zeros(width, dtype=np.int64)
    cdef int64_t[::1] count = counts
    cdef size_t size = columns.shape[0]
    if not size:
        return counts
    if not width:
        raise IndexError("a column beyond the last one")
    with nogil:
        cpp_count_columns(&columns[0], size, &count[0], width)
    return counts


def renumber_columns(Count[::1] values, Index[::1] columns, Index[::1] indptr, const Index[::1] numbers):
    """Give the columns of a CSR matrix new numbers, in place, and drop the cells of those that have none, -1.

    Returns how many cells are left; what stands behind them means nothing.
    """
    cdef size_t rows = indptr.shape[0] - 1, width = numbers.shape[0], size = columns.shape[0]
    if columns.shape[0] != values.shape[0]:
        raise ValueError(f"{values.shape[0]} values, but {columns.shape[0]} columns")
    check_bounds(np.asarray(indptr), values.shape[0])
    if not size:
        return 0
    if not width:
        raise IndexError("a column beyond the last one")
    with nogil:
        size = cpp_renumber_columns(&values[0], &columns[0], &indptr[0], rows, &numbers[0], width)
    return size


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
