# The binding of language_scorer.hpp: texts to how much they speak for each language.

cdef extern from "language_scorer.hpp" namespace "subword" nogil:
    cdef cppclass WeightTable:
        const uint32_t* starts
        const uint16_t* units
    cdef cppclass CppLanguageScorer "subword::LanguageScorer":
        CppLanguageScorer(const CppEncoder&, WeightTable, size_t) except +
        void score(const string_view*, size_t, size_t, int64_t*, int64_t*) except +


cdef class LanguageScorer:
    """Sums of the weights that the features of texts have in a table, a column for each language.

    ``starts`` and ``units`` are the table (see langid/table.py), which is used where it stands.
    """
    cdef Encoder encoder
    cdef const uint32_t[::1] starts
    cdef const uint16_t[::1] units
    cdef size_t languages
    cdef unique_ptr[CppLanguageScorer] scorer

    def __cinit__(self, Encoder encoder not None, starts, units, size_t languages):
        self.encoder, self.starts, self.units, self.languages = encoder, starts, units, languages
        check_weights(self.starts, self.units, languages)
        cdef WeightTable table
        table.starts = &self.starts[0]
        table.units = &self.units[0] if self.units.shape[0] else NULL
        self.scorer.reset(new CppLanguageScorer(encoder.encoder.get()[0], table, languages))

    def score(self, texts, n_jobs=1):
        """The sums of each text (int64, one row each), and how many of its features are known (int64)."""
        cdef _Texts given = _Texts(texts, False)
        cdef size_t size = given.views.size(), threads = threads_of(n_jobs)
        sums, known = np.zeros((size, self.languages), np.int64), np.zeros(size, np.int64)
        cdef int64_t[:, ::1] sums_view = sums
        cdef int64_t[::1] known_view = known
        if size and self.languages:
            with nogil:
                self.scorer.get().score(given.views.data(), size, threads, &sums_view[0, 0], &known_view[0])
        return sums, known


cdef int check_weights(const uint32_t[::1] starts, const uint16_t[::1] units, size_t languages) except -1:
    """Raise ValueError for a table that would be read beyond its end, or sums beyond theirs."""
    cdef Py_ssize_t i, size = units.shape[0], buckets = starts.shape[0] - 1
    if buckets != 1 << 18:
        raise ValueError(f"a table has {1 << 18} buckets and their end, not {starts.shape[0]} numbers")
    if starts[0] != 0 or starts[buckets] != <size_t>size:
        raise ValueError(f"the buckets must reach from 0 to {size}, not from {starts[0]} to {starts[buckets]}")
    for i in range(buckets):
        if starts[i] > starts[i + 1]:
            raise ValueError(f"bucket {i} ends before it begins")
    for i in range(size):
        if units[i] < 1 << 15 and <size_t>(units[i] >> 7) >= languages:
            raise ValueError(f"a language numbered {units[i] >> 7} among {languages}")
    return 0
