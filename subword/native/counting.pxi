# The binding of scan.hpp, word_table.hpp and count.hpp.

cdef extern from "count.hpp" namespace "subword" nogil:
    cdef cppclass NativeTable "subword::WordTable":
        size_t size()
        size_t bytes()
        string_view word(size_t)
        int64_t count(size_t)
        int64_t total() except +
        void add(const char*, size_t, int64_t) except +
        void merge(const NativeTable&) except +
        void flatten(char*, uint64_t*, int64_t*)
    cdef cppclass CountOptions:
        Scanner scanner
        LowerTable* lower
        size_t threads
        cbool check_utf8
        cbool drop_pages
    cdef cppclass TextCounter:
        TextCounter(const vector[string_view]&, const CountOptions&, Progress)
        cbool run(NativeTable&) except +
        size_t invalid_text()
    vector[string_view] cut_into_pieces(Scanner, string_view) except +


# --- Scanning

def unicode_version():
    """The version of Unicode that the scanners follow."""
    return (<bytes>kUnicodeVersion).decode()


cdef Scanner scanner_of(str name) except *:
    return scanner_named(name.encode())


cdef string_view bytes_of(const uint8_t[::1] buffer) noexcept:
    return string_view(<const char*>&buffer[0], buffer.shape[0]) if buffer.shape[0] else string_view()


cdef as_bytes(buffer):
    """Any contiguous buffer as one of bytes."""
    if isinstance(buffer, str):
        raise TypeError("expected bytes, not str: use .encode()")
    return memoryview(buffer).cast("B")


def validate_utf8(buffer):
    """The offset of the first byte that is not UTF-8, -1 if there is none."""
    cdef const uint8_t[::1] data = as_bytes(buffer)
    cdef string_view text = bytes_of(data)
    cdef Py_ssize_t invalid
    with nogil:
        invalid = find_invalid_utf8(text.data(), text.size())
    return invalid


cdef Spans spans_of(str scanner, string_view text, cbool simd) except *:
    cdef Scanner which = scanner_of(scanner)
    cdef Spans found
    with nogil:
        found = find_spans(which, text.data(), text.size(), simd)
    return found


def spans(str scanner not None, bytes text, simd=True):
    """Where the words of the text begin and end: two int64 arrays of byte offsets."""
    cdef Spans found = spans_of(scanner, view_of(text, 0, True), simd)
    return array_of_int64(found.begins.data(), found.begins.size()), array_of_int64(found.ends.data(), found.ends.size())


def scan(str scanner not None, text, simd=True):
    """The words of the text, as it is: list of str or list of bytes."""
    cdef string_view utf8 = view_of(text, 0, True)
    cdef Spans found = spans_of(scanner, utf8, simd)
    cdef cbool is_text = isinstance(text, str)
    cdef list words = PyList_New(found.begins.size())
    cdef size_t i
    cdef const char* word
    for i in range(found.begins.size()):
        word = utf8.data() + found.begins[i]
        set_item(words, i, decode(word, found.ends[i] - found.begins[i]) if is_text else word[:found.ends[i] - found.begins[i]])
    return words


cdef inline str decode(const char* text, Py_ssize_t size):
    return PyUnicode_DecodeUTF8(text, size, "surrogateescape")


cdef inline int set_item(list items, Py_ssize_t i, item) except -1:
    Py_INCREF(item)  # PyList_SetItem takes a reference
    return PyList_SetItem(items, i, item)


def last_cut(str scanner not None, buffer):
    """The last place in the text where scanning it in two parts gives the words of the whole; 0 if there is none."""
    cdef const uint8_t[::1] data = as_bytes(buffer)
    return find_last_cut(scanner_of(scanner), bytes_of(data).data(), data.shape[0])


# --- Counting

cdef Py_ssize_t STREAM_BLOCK = 8 << 20


cdef class WordTable:
    """The words that a scanner finds and how often each occurs, in order of first appearance.

    Texts are lower-cased first, as by str.lower, if so asked. If counting stops half-way (invalid UTF-8, an interrupt, an overflow), what was counted before stays counted.
    ``progress``, wherever it is taken, is called a few times a second with the number of bytes done;
    it may read the table but not change it.
    """
    cdef NativeTable table
    cdef Scanner scanner
    cdef LowerTable* lower
    cdef object lock
    cdef cbool counting

    def __cinit__(self, str scanner not None, cbool lowercase=False):
        self.scanner = scanner_of(scanner)
        self.lower = LOWER if lowercase else NULL
        self.lock = RLock()

    def __len__(self):
        with self.lock:
            return self.table.size()

    def add_buffer(self, buffer, n_jobs=1, *, progress=None):
        """Count the words of one text: UTF-8, or at byte level any bytes."""
        cdef const uint8_t[::1] data = as_bytes(buffer)
        self._add_text(bytes_of(data), n_jobs, progress)

    def add_file(self, path, offset=0, n_jobs=1, *, validate=True, progress=None):
        """Count the words of a file from ``offset`` on; returns the number of bytes read.

        What is not UTF-8 raises ValueError(its offset in the file).
        """
        with open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:  # empty, or a pipe or device, which cannot be mapped
                file.read(offset)
                return self.add_stream(file, offset, n_jobs, validate=validate, progress=progress)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                return self._add_mapped(memoryview(mapped)[offset:], offset, n_jobs, validate, progress)

    def add_stream(self, file, offset=0, n_jobs=1, *, validate=True, progress=None):
        """Count the words of what a binary file object still holds, in blocks; returns the number of bytes read.

        The offset in ValueError(offset), as the argument of ``progress``, counts from ``offset`` on.
        """
        start = offset
        text = b""
        while block := file.read(max(STREAM_BLOCK, len(text))):  # doubles while no place to cut is found
            text += block
            cut = find_last_cut(self.scanner, text, len(text))
            self._add_block(text[:cut], offset, n_jobs, validate, progress)
            offset += cut
            text = text[cut:]
            PyErr_CheckSignals()  # a block takes too little time for it to be done there
            if progress is not None:
                progress(offset)
        self._add_block(text, offset, n_jobs, validate, progress)
        return offset + len(text) - start

    def add_texts(self, texts, n_jobs=1, *, validate=False, progress=None):
        """Count the words of a sequence of str or bytes, each a text of its own.

        A lone surrogate, or with ``validate`` bytes that are not UTF-8, raises ValueError(index, position).
        """
        cdef _Texts given = _Texts(texts, True)
        cdef Py_ssize_t invalid = self._count(given.views, n_jobs, progress, validate, False)
        if invalid >= 0:
            raise ValueError(invalid, find_invalid_utf8(given.views[invalid].data(), given.views[invalid].size()))

    def add_words(self, words, counts):
        """Add to the counts of words: str or bytes, and their counts as int64, none of them negative."""
        cdef const int64_t[::1] more = integers(counts, np.int64)
        cdef string_view word
        cdef Py_ssize_t i
        if len(words) != more.shape[0]:
            raise ValueError(f"{len(words)} words, but {more.shape[0]} counts")
        with self.lock:
            self._check_idle()
            for i in range(more.shape[0]):
                word = view_of(words[i], i, True)
                if more[i] < 0 or word.size() == 0:
                    raise ValueError(f"word {i}, {words[i]!r}, has the count {more[i]}: words must not be empty "
                                     "and counts not negative")
                if more[i]:
                    self.table.add(word.data(), word.size(), more[i])

    def merge(self, WordTable other not None):
        """Add the counts of another table; its new words follow in their order."""
        cdef WordTable first, second
        first, second = sorted((self, other), key=id)  # two threads that merge crosswise do not block each other
        with first.lock, second.lock:
            self._check_idle()
            with nogil:
                self.table.merge(other.table)

    def words(self):
        """The words in order of first appearance. Bytes that are not UTF-8 become surrogate escapes."""
        cdef list words
        cdef string_view word
        cdef size_t i
        with self.lock:
            words = PyList_New(self.table.size())
            for i in range(self.table.size()):
                word = self.table.word(i)
                set_item(words, i, decode(word.data(), word.size()))
        return words

    def counts(self):
        """The counts, in the order of the words."""
        return self.flat()[2]

    def flat(self):
        """Word i is ``bytes[offsets[i]:offsets[i + 1]]`` and was seen ``counts[i]`` times: three arrays."""
        cdef uint8_t[::1] text
        cdef uint64_t[::1] starts
        cdef int64_t[::1] seen
        with self.lock:
            arrays = (np.empty(self.table.bytes(), np.uint8), np.empty(self.table.size() + 1, np.uint64),
                      np.empty(self.table.size(), np.int64))
            text, starts, seen = arrays
            self.table.flatten(<char*>&text[0] if text.shape[0] else NULL, &starts[0],
                               &seen[0] if seen.shape[0] else NULL)
        return arrays

    def total(self):
        """The number of words counted."""
        with self.lock:
            return self.table.total()

    cdef _add_mapped(self, const uint8_t[::1] data, offset, n_jobs, validate, progress):
        cdef Py_ssize_t invalid = self._add_text(bytes_of(data), n_jobs, progress, validate, True)
        if invalid >= 0:
            raise ValueError(offset + invalid)
        return data.shape[0]

    cdef _add_block(self, bytes block, offset, n_jobs, validate, progress):
        report = None if progress is None else lambda done: progress(offset + done)
        cdef Py_ssize_t invalid = self._add_text(view(block), n_jobs, report, validate)
        if invalid >= 0:
            raise ValueError(offset + invalid)

    cdef Py_ssize_t _add_text(self, string_view text, n_jobs, progress, validate=False, mapped=False) except -2:
        """Returns the offset of the first byte that is not UTF-8, or -1."""
        cdef vector[string_view] pieces = cut_into_pieces(self.scanner, text)
        cdef Py_ssize_t invalid = self._count(pieces, n_jobs, progress, validate, mapped)
        if invalid < 0:
            return -1
        return pieces[invalid].data() - text.data() + find_invalid_utf8(pieces[invalid].data(), pieces[invalid].size())

    cdef int _check_idle(self) except -1:
        """Words on their way into the table would be lost if a progress callback changed it."""
        if self.counting:
            raise RuntimeError("a progress callback must not change the table that is being counted into")
        return 0

    cdef Py_ssize_t _count(self, const vector[string_view]& texts, n_jobs, progress, validate, mapped) except -2:
        """Returns the index of the first text that is not UTF-8, or -1."""
        cdef CountOptions options
        options.scanner = self.scanner
        options.lower = self.lower
        options.threads = max(1, n_jobs)
        options.check_utf8 = validate
        options.drop_pages = mapped
        cdef _Watch observer = _Watch(progress)
        cdef TextCounter* counter = new TextCounter(texts, options, Progress(watch, <void*>observer))
        cdef cbool finished = False
        try:
            with self.lock:
                self._check_idle()
                self.counting = True
                try:
                    with nogil:
                        finished = counter.run(self.table)
                finally:
                    self.counting = False
            if observer.error is not None:
                raise observer.error
            return -1 if finished else <Py_ssize_t>counter.invalid_text()
        finally:
            del counter
