# The binding of matrix.hpp: documents to the rows of a sparse matrix.

cdef extern from "matrix.hpp" namespace "subword" nogil:
    cdef cppclass Interrupt:
        Interrupt(Progress)
    cdef cppclass Stream:
        const CppEncoder* encoder
        int32_t first_id
        int32_t opener
        const CppEncoder* larger
        MergeList further
    cdef cppclass Lengths:
        size_t shortest
        size_t longest
    cdef cppclass Documents:
        const int32_t* ids
        const int64_t* indptr
        size_t size
    cdef cppclass NgramCount:
        int64_t total
        int32_t documents
    cdef cppclass NgramCounts:
        size_t size()
        NgramCount& operator[](size_t)
    cdef cppclass CppNgramIndex "subword::NgramIndex":
        CppNgramIndex(size_t, size_t) except +
        size_t pieces()
        size_t size()
        int32_t add(const int32_t*, size_t) except +
        void forget_places()
        int32_t look_up(const int32_t*, size_t)
        void set_columns(const int32_t*, size_t)
        size_t length(int32_t)
        int32_t* spell(int32_t, size_t, int32_t*)
        void add_documents(const Documents&, const vector[Lengths]&, int64_t, NgramCounts&, Interrupt&) except +
    void cpp_order_ngrams "subword::order_ngrams"(
        const int32_t*, const int64_t*, size_t, size_t, const int32_t*, size_t, int32_t*) except +
    cdef enum class Value:
        int64
        float32
        float64
    cdef cppclass RowOptions:
        const CppNgramIndex* index
        size_t columns
        size_t shortest
        size_t longest
        size_t streams
        Value value
    cdef cppclass Rows:
        FlatArray[char] values
        Ids columns
        FlatArray[int64_t] ends
    cdef cppclass FoundOptions:
        const CppNgramIndex* index
        const int32_t* ids
        size_t columns
        vector[int32_t] column_of
        size_t streams
        Value value
    void cpp_count_found "subword::count_ids<subword::FoundCounter>"(
        const Documents&, size_t, const FoundOptions&, size_t, Interrupt&, Rows&) except +
    cdef cppclass HashOptions:
        const vector[string]* names
        int32_t first_opener
        vector[Lengths] ranges
        size_t columns
        cbool alternate_sign
        Value value
    void cpp_count_texts "subword::count_texts<subword::RowCounter>"(
        const vector[Stream]&, const TextBatch&, const RowOptions&, size_t, Interrupt&, Rows&) except +
    void cpp_count_words "subword::count_words"(
        const vector[Stream]&, const TextBatch&, const RowOptions&, size_t, Interrupt&, Rows&) except +
    void cpp_count_ids "subword::count_ids<subword::RowCounter>"(
        const Documents&, size_t, const RowOptions&, size_t, Interrupt&, Rows&) except +
    void cpp_hash_texts "subword::count_texts<subword::HashCounter>"(
        const vector[Stream]&, const TextBatch&, const HashOptions&, size_t, Interrupt&, Rows&) except +
    void cpp_hash_ids "subword::count_ids<subword::HashCounter>"(
        const Documents&, size_t, const HashOptions&, size_t, Interrupt&, Rows&) except +
    void cpp_encode_texts "subword::encode_texts"(
        const vector[Stream]&, const TextBatch&, size_t, Interrupt&, Ids&, int64_t*) except +

cdef extern from "names.hpp" namespace "subword" nogil:
    cbool append_symbol(string&, string_view)
    cbool all_differ(vector[uint64_t]&)
    void cpp_rank_names "subword::rank_names"(const string_view*, size_t, int32_t*) except +


cdef class _Patience:
    """Lets Ctrl-C end a long computation: a context in which Stopped becomes what the signal raised."""
    cdef _Watch observer
    cdef unique_ptr[Interrupt] interrupt

    def __cinit__(self):
        self.observer = _Watch(None)
        self.interrupt.reset(new Interrupt(Progress(watch, <void*>self.observer)))

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is RuntimeError and self.observer.error is not None:
            raise self.observer.error from None


cdef dict VALUES = {"int64": <int>Value.int64, "float32": <int>Value.float32, "float64": <int>Value.float64}


# --- Texts


def are_texts(documents):
    """Whether it is a list of nothing but str without lone surrogates, so that no document has to be looked at."""
    cdef Py_ssize_t i, last, length
    if type(documents) is not list:
        return False
    last = len(<list>documents) - 1
    try:
        for i in range(last + 1):
            prefetch_line(PyList_GetItem(documents, min(i + TEXTS_AHEAD, last)))
            text = <object>PyList_GetItem(documents, i)
            if type(text) is not str:
                return False
            PyUnicode_AsUTF8AndSize(text, &length)
    except UnicodeEncodeError:
        return False
    return True


cdef class _Streams:
    """The encoders of the streams of a document, kept alive: (encoder, first id, opener or -1, larger), or one encoder.

    ``larger`` is None, or the encoder of a model with more merges and the left and right sides of those: they make the
    ids behind those of the model. Known texts are encoded by it, and the ids taken apart.
    """
    cdef list held, arrays
    cdef vector[Stream] streams
    cdef cbool any_bytes, within_words

    def __cinit__(self, streams):
        self.within_words = True
        self.held = [(streams, 0, -1, None)] if isinstance(streams, Encoder) else list(streams)
        self.arrays = []
        for encoder, first_id, opener, larger in self.held:
            self.add(encoder, first_id, opener, larger)
        if self.streams.empty():
            raise ValueError("there must be at least one stream")

    cdef int add(self, Encoder encoder, int32_t first_id, int32_t opener, tuple larger) except -1:
        cdef Stream stream
        cdef const int32_t[::1] left, right
        stream.encoder, stream.first_id, stream.opener = encoder.encoder.get(), first_id, opener
        stream.larger = NULL
        if larger is not None:
            stream.larger = (<Encoder?>larger[0]).encoder.get()
            left, right = integers(larger[1], np.int32), integers(larger[2], np.int32)
            symbols = encoder.encoder.get().model().symbols().size()
            if stream.larger.model().symbols().size() != symbols + left.shape[0]:
                raise ValueError(f"{left.shape[0]} more merges must make all that the larger model has more")
            check_further(np.asarray(left), np.asarray(right), symbols)
            self.arrays.append((left, right))
            stream.further.size = left.shape[0]
            if left.shape[0]:
                stream.further.left, stream.further.right = &left[0], &right[0]
        self.streams.push_back(stream)
        self.within_words &= opener >= 0
        self.any_bytes = encoder.any_bytes
        return 0


def encode_texts(streams, texts, cbool lowercase, n_jobs=1):
    """The ids of texts (int32), lower-cased as by str.lower if so asked, and where those of each begin (int64).

    ``streams`` is an Encoder, or a list as `_Streams` takes it for as many rows a text.
    """
    cdef _Streams models = _Streams(streams)
    cdef _Texts given = _Texts(texts, models.any_bytes, lowercase, True)
    cdef size_t threads = threads_of(n_jobs)
    cdef _Int32Owner ids = _Int32Owner()
    indptr = np.empty(given.batch.size * models.streams.size() + 1, dtype=np.int64)
    cdef int64_t[::1] ends = indptr
    cdef _Patience patience
    with _Patience() as patience:
        with nogil:
            cpp_encode_texts(models.streams, given.batch, threads, patience.interrupt.get()[0], ids.values, &ends[0])
    return ids.array(), indptr


# --- Rows

cdef class _ByteOwner:
    """As _Int32Owner, for values of any type."""
    cdef FlatArray[char] values

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.values.data(), self.values.size(), 0, flags)

    def array(self, dtype):
        self.values.trim()
        return np.frombuffer(self, dtype=dtype) if self.values.size() else np.empty(0, dtype=dtype)


cdef arrays_of(Rows& rows, dtype):
    """The matrix in CSR form: (data, int32 indices, int64 indptr)."""
    cdef _ByteOwner values = _ByteOwner()
    cdef _Int32Owner columns = _Int32Owner()
    values.values = move(rows.values)
    columns.values = move(rows.columns)
    indptr = np.empty(rows.ends.size() + 1, dtype=np.int64)
    indptr[0] = 0
    cdef int64_t[::1] ends = indptr[1:]
    if rows.ends.size():
        memcpy(&ends[0], rows.ends.data(), rows.ends.size() * sizeof(int64_t))
    return values.array(dtype), columns.array(), indptr


cdef class _Documents:
    """Ids of documents, one after another, and where each begins; checked and kept alive."""
    cdef const int32_t[::1] ids
    cdef const int64_t[::1] indptr
    cdef Documents documents

    def __cinit__(self, ids, indptr, size_t pieces, size_t streams):
        self.ids = integers(ids, np.int32)
        self.indptr = integers(indptr, np.int64)
        check_range("ids", np.asarray(self.ids), 0, pieces)
        check_bounds(np.asarray(self.indptr), self.ids.shape[0])
        self.documents.ids = &self.ids[0] if self.ids.shape[0] else NULL
        self.documents.indptr = &self.indptr[0]
        self.documents.size = self.indptr.shape[0] - 1
        if self.documents.size % streams:
            raise ValueError(f"{self.documents.size} rows are no whole documents of {streams} streams")


cdef int check_range(str what, values, int64_t first, int64_t stop) except -1:
    if len(values) and not first <= values.min() <= values.max() < stop:
        raise ValueError(f"{what} must lie in [{first}, {stop}), these reach from {values.min()} to {values.max()}")
    return 0


cdef int check_bounds(indptr, Py_ssize_t total) except -1:
    if not len(indptr) or indptr[0] != 0 or indptr[len(indptr) - 1] != total or (np.diff(indptr) < 0).any():
        raise ValueError(f"indptr must rise from 0 to the number of ids, {total}")
    return 0


cdef starts_of(sizes, Py_ssize_t total):
    """Where n-grams of these sizes begin, spelt one after another, and the end."""
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    check_bounds(starts, total)
    return starts


cdef vector[Lengths] lengths_of(ranges) except *:
    cdef vector[Lengths] lengths
    cdef Lengths length
    for length.shortest, length.longest in ranges:
        lengths.push_back(length)
    return lengths


cdef class NgramIndex:
    """n-grams of pieces, all ids less than ``pieces``.

    It is used in one of two ways: to find the n-grams of documents, or to count given ones.
    """
    cdef unique_ptr[CppNgramIndex] index
    cdef RowOptions options
    cdef Py_ssize_t found_ids  # -1: where n-grams were found is not known

    def __cinit__(self, size_t pieces, size_t streams=1, size_t openers=0):
        if not streams or openers > pieces:
            raise ValueError(f"{streams} streams and {openers} openers among {pieces} pieces cannot be")
        self.index.reset(new CppNgramIndex(pieces, openers))
        self.options.streams = streams
        self.found_ids = -1

    def find(self, ids, indptr, ranges, int64_t min_documents=1):
        """Find the n-grams of documents; ``ranges`` has their shortest and longest length for each stream.

        None is looked for that contains one in fewer than ``min_documents`` documents. They are numbered by length,
        those of one piece by their id. Returns for each the number of documents with it and how often it occurs, two
        int64 arrays; both are 0 for what only begins others.
        """
        cdef _Documents given = _Documents(ids, indptr, self.index.get().pieces(), self.options.streams)
        cdef vector[Lengths] lengths = lengths_of(ranges)
        if lengths.size() != self.options.streams:
            raise ValueError(f"{self.options.streams} streams need as many ranges, not {lengths.size()}")
        cdef NgramCounts counts
        self.index.get().forget_places()
        cdef _Patience patience
        with _Patience() as patience:
            with nogil:
                self.index.get().add_documents(
                    given.documents, lengths, min_documents, counts, patience.interrupt.get()[0])
        self.found_ids = given.ids.shape[0]
        frequencies, totals = np.empty(counts.size(), np.int64), np.empty(counts.size(), np.int64)
        cdef int64_t[::1] frequency = frequencies, total = totals
        cdef size_t i
        for i in range(counts.size()):
            frequency[i] = counts[i].documents
            total[i] = counts[i].total
        return frequencies, totals

    def count_found(self, ids, indptr, numbers, dtype="int64", n_jobs=1):
        """Count n-grams, one a column, in the documents they were found in, once: this forgets where they were.

        Returns the same as ``count``, without looking up what ``find`` has found.
        """
        cdef const int32_t[::1] nodes = integers(numbers, np.int32)
        check_range("numbers", np.asarray(nodes), 0, self.index.get().size())
        cdef _Documents given = _Documents(ids, indptr, self.index.get().pieces(), self.options.streams)
        cdef FoundOptions options
        cdef Py_ssize_t i
        options.index = self.index.get()
        options.ids = given.documents.ids
        options.streams = self.options.streams
        options.value = <Value>choose(VALUES, "dtype", np.dtype(dtype).name)
        options.columns = nodes.shape[0]
        options.column_of.resize(self.index.get().size(), -1)
        for i in range(nodes.shape[0]):
            options.column_of[nodes[i]] = i
        cdef size_t threads = threads_of(n_jobs)
        cdef Rows rows
        cdef _Patience patience
        if given.ids.shape[0] != self.found_ids:
            raise ValueError(f"n-grams were found in {self.found_ids} ids, not in {given.ids.shape[0]}")
        with _Patience() as patience:
            with nogil:
                cpp_count_found(given.documents, options.streams, options, threads, patience.interrupt.get()[0], rows)
        self.index.get().forget_places()
        self.found_ids = -1
        return arrays_of(rows, dtype)

    def spell(self, numbers):
        """The pieces of n-grams, one after another, and how many each has: two int32 arrays."""
        cdef const int32_t[::1] nodes = integers(numbers, np.int32)
        check_range("numbers", np.asarray(nodes), 0, self.index.get().size())
        sizes = np.empty(nodes.shape[0], dtype=np.int32)
        cdef int32_t[::1] size = sizes
        cdef Py_ssize_t i
        for i in range(size.shape[0]):
            size[i] = self.index.get().length(nodes[i])
        flat = np.empty(sizes.sum(dtype=np.int64), dtype=np.int32)
        cdef int32_t[::1] pieces = flat
        cdef int32_t* out = &pieces[0] if pieces.shape[0] else NULL
        for i in range(nodes.shape[0]):
            out = self.index.get().spell(nodes[i], size[i], out)
        return flat, sizes

    def add(self, flat, sizes):
        """Add n-grams, spelt as by ``spell``, and return their numbers (int32); one without pieces has none, -1."""
        return self.numbers_of(flat, sizes, True)

    def look_up(self, flat, sizes):
        """The numbers (int32) of n-grams, spelt as by ``spell``; -1 where there is none."""
        return self.numbers_of(flat, sizes, False)

    cdef numbers_of(self, flat, sizes, cbool adding):
        cdef const int32_t[::1] pieces = integers(flat, np.int32)
        cdef const int64_t[::1] starts = starts_of(sizes, pieces.shape[0])
        check_range("pieces", np.asarray(pieces), 0, self.index.get().pieces())
        numbers = np.full(starts.shape[0] - 1, -1, dtype=np.int32)
        cdef int32_t[::1] nodes = numbers
        cdef Py_ssize_t i
        for i in range(nodes.shape[0]):
            if starts[i] == starts[i + 1]:
                continue
            if adding:
                nodes[i] = self.index.get().add(&pieces[starts[i]], starts[i + 1] - starts[i])
            else:
                nodes[i] = self.index.get().look_up(&pieces[starts[i]], starts[i + 1] - starts[i])
        return numbers

    def set_columns(self, numbers, size_t shortest, size_t longest):
        """Count these n-grams, one a column, of which none has fewer or more pieces than said; -1 never occurs."""
        cdef const int32_t[::1] nodes = integers(numbers, np.int32)
        check_range("numbers", np.asarray(nodes), -1, self.index.get().size())
        self.options.index = self.index.get()
        self.options.columns = nodes.shape[0]
        self.options.shortest = shortest if shortest else 1
        self.options.longest = max(self.options.shortest, longest)
        if nodes.shape[0]:
            self.index.get().set_columns(&nodes[0], nodes.shape[0])

    cdef RowOptions options_for(self, dtype) except *:
        cdef RowOptions options = self.options
        if options.index == NULL:
            raise ValueError("set_columns first: no n-gram has a column yet")
        options.value = <Value>choose(VALUES, "dtype", np.dtype(dtype).name)
        return options

    def count(self, ids, indptr, dtype="int64", n_jobs=1):
        """Count in documents: (data, int32 indices, int64 indptr) of a CSR matrix with sorted indices."""
        cdef RowOptions options = self.options_for(dtype)
        cdef _Documents given = _Documents(ids, indptr, self.index.get().pieces(), options.streams)
        cdef size_t threads = threads_of(n_jobs)
        cdef Rows rows
        cdef _Patience patience
        with _Patience() as patience:
            with nogil:
                cpp_count_ids(given.documents, options.streams, options, threads, patience.interrupt.get()[0], rows)
        return arrays_of(rows, dtype)

    def count_texts(self, streams, texts, cbool lowercase, dtype="int64", n_jobs=1):
        """The same for texts, which are lower-cased as by str.lower if so asked, and encoded as by ``encode_texts``."""
        cdef RowOptions options = self.options_for(dtype)
        cdef _Streams models = _Streams(streams)
        if models.streams.size() != options.streams:
            raise ValueError(f"this index has {options.streams} streams, not {models.streams.size()}")
        cdef _Texts given = _Texts(texts, models.any_bytes, lowercase, True)
        cdef size_t threads = threads_of(n_jobs)
        cdef Rows rows
        cdef _Patience patience
        with _Patience() as patience:
            with nogil:
                # Single pieces stay inside words, too, and known words need not become ids first.
                if models.within_words or (given.batch.known != NULL and options.longest == 1):
                    cpp_count_words(models.streams, given.batch, options, threads, patience.interrupt.get()[0], rows)
                else:
                    cpp_count_texts(models.streams, given.batch, options, threads, patience.interrupt.get()[0], rows)
        return arrays_of(rows, dtype)


cdef class NgramHasher:
    """Counts n-grams in columns by the hashes of their names.

    ``names`` are those of the pieces by id, of which the last ``openers`` open words; ``ranges`` has the shortest and
    longest length for each stream.
    """
    cdef vector[string] names
    cdef HashOptions options

    def __cinit__(self, names, ranges, size_t openers, size_t columns, cbool alternate_sign):
        for name in names:
            self.names.push_back(name.encode())
        if not 1 <= columns < 1 << 31 or not ranges or openers > self.names.size():
            raise ValueError(f"{columns} columns, {len(ranges)} streams and {openers} openers cannot be")
        self.options.names = &self.names
        self.options.first_opener = self.names.size() - openers
        self.options.ranges = lengths_of(ranges)
        self.options.columns = columns
        self.options.alternate_sign = alternate_sign

    def count(self, ids, indptr, dtype="int64", n_jobs=1):
        """Count in documents: (data, int32 indices, int64 indptr) of a CSR matrix with sorted indices."""
        cdef size_t streams = self.options.ranges.size(), threads = threads_of(n_jobs)
        cdef HashOptions options = self.options
        options.value = <Value>choose(VALUES, "dtype", np.dtype(dtype).name)
        cdef _Documents given = _Documents(ids, indptr, self.names.size(), streams)
        cdef Rows rows
        cdef _Patience patience
        with _Patience() as patience:
            with nogil:
                cpp_hash_ids(given.documents, streams, options, threads, patience.interrupt.get()[0], rows)
        return arrays_of(rows, dtype)

    def count_texts(self, streams, texts, cbool lowercase, dtype="int64", n_jobs=1):
        """The same for texts, which are lower-cased as by str.lower if so asked, and encoded as by ``encode_texts``."""
        cdef HashOptions options = self.options
        options.value = <Value>choose(VALUES, "dtype", np.dtype(dtype).name)
        cdef _Streams models = _Streams(streams)
        if models.streams.size() != options.ranges.size():
            raise ValueError(f"this hasher has {options.ranges.size()} streams, not {models.streams.size()}")
        cdef _Texts given = _Texts(texts, models.any_bytes, lowercase, True)
        cdef size_t threads = threads_of(n_jobs)
        cdef Rows rows
        cdef _Patience patience
        with _Patience() as patience:
            with nogil:
                cpp_hash_texts(models.streams, given.batch, options, threads, patience.interrupt.get()[0], rows)
        return arrays_of(rows, dtype)


def join_names(flat, sizes, names):
    """The names of n-grams, spelt as by ``NgramIndex.spell``: those of their pieces, joined by one space."""
    cdef const int32_t[::1] pieces = integers(flat, np.int32)
    cdef const int64_t[::1] starts = starts_of(sizes, pieces.shape[0])
    check_range("pieces", np.asarray(pieces), 0, len(names))
    cdef _Texts given = _Texts(names, False)
    cdef list joined = PyList_New(starts.shape[0] - 1)
    cdef string name
    cdef Py_ssize_t i
    cdef int64_t at
    for i in range(starts.shape[0] - 1):
        name.clear()
        for at in range(starts[i], starts[i + 1]):
            if at > starts[i]:
                name.push_back(<char>32)
            name.append(given.views[pieces[at]].data(), given.views[pieces[at]].size())
        set_item(joined, i, PyUnicode_DecodeUTF8(name.data(), name.size(), NULL))
    return joined


def name_symbols(symbols, cbool marked, whole, spell):
    """The names of symbols (bytes, is_final) as features, and whether all differ for sure.

    ``spell(symbol, marked)`` is called where escapes may be needed. Those at ``whole`` are named as if not marked.
    """
    cdef string name
    cdef list names = []
    cdef vector[uint64_t] hashes
    cdef cbool is_marked
    for i, symbol in enumerate(symbols):
        raw, is_final = symbol
        is_marked = marked and i not in whole
        name.clear()
        if append_symbol(name, view(raw)):
            if is_marked and not is_final:
                name.append(b"@@", 2)
            names.append(PyUnicode_DecodeUTF8(name.data(), name.size(), NULL))
        else:
            spelt = spell(symbol, is_marked)
            names.append(spelt)
            name = spelt.encode()
        hashes.push_back(fnv1a(name.data(), name.size()))
    return names, all_differ(hashes)


def rank_names(names):
    """The place of each name in the order of all (int32), which must be different."""
    cdef _Texts given = _Texts(names, False)
    ranks = np.empty(given.views.size(), dtype=np.int32)
    cdef int32_t[::1] rank = ranks
    if given.views.size():
        cpp_rank_names(given.views.data(), given.views.size(), &rank[0])
    return ranks


def order_ngrams(flat, sizes, ranks):
    """The order (int32) of n-grams, spelt as by ``NgramIndex.spell``, by the ranks of their pieces."""
    cdef const int32_t[::1] pieces = integers(flat, np.int32)
    cdef const int32_t[::1] rank = integers(ranks, np.int32)
    cdef const int64_t[::1] starts = starts_of(sizes, pieces.shape[0])
    check_range("pieces", np.asarray(pieces), 0, rank.shape[0])
    check_range("ranks", np.asarray(rank), 0, rank.shape[0])
    order = np.empty(starts.shape[0] - 1, dtype=np.int32)
    cdef int32_t[::1] out = order
    cdef size_t longest = np.max(sizes, initial=0)
    if longest:
        with nogil:
            cpp_order_ngrams(&pieces[0], &starts[0], out.shape[0], longest, &rank[0], rank.shape[0], &out[0])
        return order
    return np.arange(len(order), dtype=np.int32)
