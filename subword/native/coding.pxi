# The binding of learn.hpp and encode.hpp.

cdef extern from "hash.hpp" namespace "subword" nogil:
    uint64_t fnv1a(const char*, size_t)


cdef extern from "alphabet.hpp" namespace "subword" nogil:
    cdef enum class Level:
        character
        byte
    cdef enum class EndOfWord:
        none
        suffix
        separate
    cdef cppclass Style:
        Level level
        EndOfWord end_of_word
        cbool joins_unknown


cdef extern from "symbols.hpp" namespace "subword" nogil:
    cdef cppclass SymbolTable:
        int32_t add(string_view, cbool) except +
        size_t size()
        cbool has_equal()


cdef extern from "flat_array.hpp" namespace "subword" nogil:
    void prefetch_line(const void*)
    cdef cppclass FlatArray[T]:
        T* data()
        size_t size()
        void reserve(size_t) except +
        void trim()
        T& operator[](size_t)
    ctypedef FlatArray[int32_t] Ids


cdef extern from "learn.hpp" namespace "subword" nogil:
    cdef enum class TieBreak:
        largest
        largest_id
        smallest_id
        first
    cdef cppclass WordList:
        const char* bytes
        const uint64_t* offsets
        const int64_t* counts
        size_t size
    cdef cppclass LearnOptions:
        Style style
        TieBreak tie_break
        int64_t max_merges
        int64_t max_symbols
        int64_t min_frequency
        int64_t max_token_length
    cdef cppclass LearntMerges:
        vector[int32_t] left
        vector[int32_t] right
        vector[int32_t] result
        vector[int64_t] count
        vector[int64_t] applied
    cdef cppclass FrozenMerges:
        const int32_t* left
        const int32_t* right
        size_t size
    cdef cppclass SegmentedWords:
        FlatArray[int32_t] ids
        FlatArray[int64_t] ends
    cbool learn_merges "subword::learn"(
        const WordList&, SymbolTable&, const FrozenMerges&, const LearnOptions&, Progress, LearntMerges&, size_t,
        SegmentedWords&) except +


cdef extern from "encode.hpp" namespace "subword" nogil:
    cdef cppclass MergeList:
        const int32_t* left
        const int32_t* right
        const int32_t* result
        size_t size
    cdef cppclass Model:
        const SymbolTable& symbols()
        void decode(const int32_t*, size_t, FlatArray[char]&) except +
    cdef cppclass SpannedIds:
        Ids ids
        FlatArray[int64_t] starts
        FlatArray[int64_t] ends
    cdef cppclass Dropout:
        double p
        uint64_t seed
        int32_t opener
    cdef cppclass CppEncoder "subword::Encoder":
        CppEncoder(SymbolTable, const MergeList&, Style, int32_t, Scanner, size_t) except +
        const Model& model()
        void encode(string_view, LowerTable*, Ids&) except +
        size_t count(string_view, LowerTable*) except +
        void remember(const WordList&, const int32_t*, const int64_t*, const MergeList&) except +
        void encode_words(const string_view*, size_t, Ids&, int64_t*) except +
        void spans(string_view, SpannedIds&) except +
        void encode_batch(
            const string_view*, const string_view*, size_t, Dropout, size_t, Ids&, int64_t*) except +
        void encode_words(const string_view*, size_t, Dropout, uint64_t, uint64_t, Ids&, int64_t*) except +


# --- Options and symbols

cdef dict LEVELS = {"char": <int>Level.character, "byte": <int>Level.byte}
cdef dict ENDS = {None: <int>EndOfWord.none, "suffix": <int>EndOfWord.suffix, "separate": <int>EndOfWord.separate}
cdef dict TIES = {"largest": <int>TieBreak.largest, "largest_id": <int>TieBreak.largest_id,
                  "smallest_id": <int>TieBreak.smallest_id, "first": <int>TieBreak.first}


cdef int choose(dict choices, str option, value) except -1:
    if value not in choices:
        raise ValueError(f"{option} must be one of {', '.join(map(repr, choices))}, not {value!r}")
    return choices[value]


cdef Style style_of(level, end_of_word) except *:
    cdef Style style
    style.level = <Level>choose(LEVELS, "level", level)
    style.end_of_word = <EndOfWord>choose(ENDS, "end_of_word", end_of_word)
    return style


cdef string_view view(bytes text):
    return string_view(<const char*>text, len(text))


cdef int add_symbols(SymbolTable& table, symbols) except -1:
    for text, is_final in symbols:
        table.add(view(text), is_final)
    return 0


cdef flatten(words):
    """A list of bytes as (their concatenation, uint64 offsets); what is flat already is passed through."""
    if isinstance(words, tuple):
        return words
    offsets = np.zeros(len(words) + 1, dtype=np.uint64)
    np.cumsum(np.fromiter(map(len, words), dtype=np.uint64, count=len(words)), out=offsets[1:])
    return b"".join(words), offsets


# --- Learning

cdef WordList words_of(const uint8_t[::1] text, const uint64_t[::1] offsets, const int64_t[::1] counts) except *:
    cdef Py_ssize_t i, words = counts.shape[0]
    cdef WordList found
    if offsets.shape[0] != words + 1:
        raise ValueError(f"{words} counts need {words + 1} offsets, not {offsets.shape[0]}")
    for i in range(words):
        if counts[i] < 0:
            raise ValueError(f"the count of word {i} is {counts[i]}")
        if offsets[i] > offsets[i + 1]:
            raise ValueError(f"the offsets of word {i} are out of order")
    if offsets[words] > <uint64_t>text.shape[0]:
        raise ValueError(f"the last offset is {offsets[words]}, but there are only {text.shape[0]} bytes")
    found.size = words
    if words:
        found.bytes = <const char*>&text[0] if text.shape[0] else NULL
        found.offsets = &offsets[0]
        found.counts = &counts[0]
    return found


cdef int check_ids(const int32_t[::1] ids, Py_ssize_t size, symbols) except -1:
    if ids.shape[0] != size:
        raise ValueError(f"left and right must be of one length, not {size} and {ids.shape[0]}")
    for i in ids:
        if not 0 <= i < symbols:
            raise ValueError(f"a frozen merge has the id {i}, but there are {symbols} symbols")
    return 0


def learn(words, counts, symbols, level, end_of_word, tie_break, max_merges, max_symbols, min_frequency,
          max_token_length=0, progress=None, segment_first=0, frozen=((), ())):
    """Learn merges from distinct words and their counts.

    ``words`` is a list of bytes or (bytes, uint64 offsets); ``symbols`` are the base symbols (bytes, is_final) in
    the order of their ids. A unit of text without a symbol is never merged. Negative limits mean no limit.
    ``frozen`` are merges that there are already, (left, right) by rank, with their results among the symbols: they
    are applied first, and neither returned nor counted.
    Returns (left, right, result: int32 arrays, count, applied: int64 arrays), and how the merges have left the first
    ``segment_first`` words: (ids: int32, where those of each end: int64); none for one with a unit without a symbol.
    """
    text, starts = flatten(words)
    cdef const int64_t[::1] counts_view = integers(counts, np.int64)
    cdef WordList word_list = words_of(text, starts, counts_view)
    cdef LearnOptions options
    options.style = style_of(level, end_of_word)
    options.tie_break = <TieBreak>choose(TIES, "tie_break", tie_break)
    options.max_merges = max_merges
    options.max_symbols = max_symbols
    options.min_frequency = min_frequency
    options.max_token_length = max_token_length
    cdef SymbolTable table
    add_symbols(table, symbols)
    cdef const int32_t[::1] lefts = integers(frozen[0], np.int32)
    cdef const int32_t[::1] rights = integers(frozen[1], np.int32)
    check_ids(lefts, lefts.shape[0], table.size())
    check_ids(rights, lefts.shape[0], table.size())
    cdef FrozenMerges before
    before.size = lefts.shape[0]
    if before.size:
        before.left, before.right = &lefts[0], &rights[0]
    cdef _Watch observer = _Watch(progress)
    cdef Progress watcher = Progress(watch, <void*>observer)
    cdef LearntMerges learnt
    cdef SegmentedWords segmented
    cdef size_t segments = segment_first
    cdef cbool finished
    with nogil:
        finished = learn_merges(word_list, table, before, options, watcher, learnt, segments, segmented)
    if not finished:
        raise observer.error
    cdef size_t size = learnt.left.size()
    return (array_of_int32(learnt.left.data(), size), array_of_int32(learnt.right.data(), size),
            array_of_int32(learnt.result.data(), size),
            array_of_int64(learnt.count.data(), size), array_of_int64(learnt.applied.data(), size),
            array_of_int32(segmented.ids.data(), segmented.ids.size()),
            array_of_int64(segmented.ends.data(), segmented.ends.size()))


# --- Arrays and texts

cdef class _Int32Owner:
    """Memory of the engine as a buffer, so that numpy can hold it without a copy."""
    cdef Ids values

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.values.data(), self.values.size() * sizeof(int32_t), 0, flags)

    def array(self):
        self.values.trim()
        return np.frombuffer(self, dtype=np.int32) if self.values.size() else np.empty(0, dtype=np.int32)


cdef int check_further(left, right, size_t symbols) except -1:
    """Refuse merges that are not of ids known before each."""
    made = symbols + np.arange(len(left))
    if len(left) != len(right) or (np.minimum(left, right) < 0).any() or (np.maximum(left, right) >= made).any():
        raise ValueError(f"left and right of each further merge must be ids before it, of {symbols} symbols and on")
    return 0


cdef list list_of(Ids& ids):
    cdef size_t i
    return [ids[i] for i in range(ids.size())]


cdef extern from "Python.h":
    PyObject* PyTuple_GetItem(tuple, Py_ssize_t) except NULL  # which the caller must not release
    PyObject* PyList_GetItem(list, Py_ssize_t) except NULL  # the same
    Py_ssize_t PyUnicode_GetLength(object) except -1

cdef Py_ssize_t TEXTS_AHEAD = 16  # texts lie anywhere in memory, and this is all that happens to them with the GIL held


cdef class _Texts:
    """The bytes of texts, str or bytes, which are kept alive with them; or `KnownRows`, where `may_be_known`."""
    cdef object texts
    cdef vector[string_view] views
    cdef TextBatch batch

    def __cinit__(self, texts, cbool any_bytes, cbool lowercase=False, cbool may_be_known=False):
        cdef cbool are_known = may_be_known and isinstance(texts, KnownRows)
        self.texts = texts if are_known else tuple(texts)
        cdef Py_ssize_t i, size = len(self.texts)
        self.batch.size = size
        if are_known:
            self.batch.known = &(<KnownRows>texts).rows
            return
        self.views.reserve(size)
        for i in range(size):
            prefetch_line(PyTuple_GetItem(self.texts, min(i + TEXTS_AHEAD, size - 1)))
            self.views.push_back(view_of(<object>PyTuple_GetItem(self.texts, i), i, any_bytes))
        self.batch.views = self.views.data()
        self.batch.lower = LOWER if lowercase else NULL


cdef string_view view_of(text, Py_ssize_t index, cbool any_bytes) except *:
    """The UTF-8 of a str, or any bytes where those are allowed; a lone surrogate is ValueError(index, position)."""
    cdef Py_ssize_t size = 0
    if any_bytes and isinstance(text, bytes):
        return view(text)
    if not isinstance(text, str):
        allowed = "neither str nor bytes" if any_bytes else "not str"
        raise TypeError(f"text {index} is {allowed} but {type(text).__name__}")
    try:
        return string_view(PyUnicode_AsUTF8AndSize(text, &size), size)
    except UnicodeEncodeError as error:
        raise ValueError(index, error.start) from None


cdef Dropout dropout_of(double p, seed) except *:
    cdef Dropout dropout
    if not 0 <= p <= 1:
        raise ValueError(f"dropout must lie between 0 and 1, not {p}")
    dropout.p = p
    dropout.seed = seed & 0xFFFFFFFFFFFFFFFF
    return dropout


cdef size_t threads_of(n_jobs) except 0:
    if n_jobs < 1:
        raise ValueError(f"n_jobs must be at least 1, not {n_jobs}")
    return n_jobs


# --- Encoding

cdef class Encoder:
    """Texts to ids by ranked merges, and back.

    ``symbols`` are (bytes, is_final) by id; ``left``, ``right`` and ``result`` are the merges by rank, as ids.
    A character without a symbol becomes ``unk_id``, with ``join_unknown`` together with such neighbours, or its bytes
    if that id is negative. ``scanner=None`` suits words that are cut already. Texts are str, with level="byte" also bytes.
    """
    cdef unique_ptr[CppEncoder] encoder
    cdef cbool any_bytes

    def __cinit__(self, symbols, left, right, result, level, end_of_word, unk_id=-1, scanner=None, cache_words=1 << 20,
                  join_unknown=False):
        cdef const int32_t[::1] lefts = integers(left, np.int32)
        cdef const int32_t[::1] rights = integers(right, np.int32)
        cdef const int32_t[::1] results = integers(result, np.int32)
        if not lefts.shape[0] == rights.shape[0] == results.shape[0]:
            sizes = lefts.shape[0], rights.shape[0], results.shape[0]
            raise ValueError(f"left, right and result must be of one length, not {sizes}")
        cdef MergeList merges
        merges.size = lefts.shape[0]
        if merges.size:
            merges.left, merges.right, merges.result = &lefts[0], &rights[0], &results[0]
        cdef SymbolTable table
        add_symbols(table, symbols)
        cdef Style style = style_of(level, end_of_word)
        style.joins_unknown = join_unknown and unk_id >= 0
        cdef Scanner which = scanner_named((scanner or "none").encode())
        self.any_bytes = level == "byte"
        self.encoder.reset(new CppEncoder(move(table), merges, style, unk_id, which, max(0, cache_words)))

    @property
    def has_equal_symbols(self):
        """Whether two symbols are equal, of which the encoder knows the first alone."""
        return self.encoder.get().model().symbols().has_equal()

    def encode(self, text, cbool lowercase=False):
        """The ids of a text, lower-cased as by str.lower if so asked, as a list."""
        cdef string_view data = view_of(text, 0, self.any_bytes)
        cdef LowerTable* lower = LOWER if lowercase else NULL
        cdef Ids ids
        with nogil:
            self.encoder.get().encode(data, lower, ids)
        return list_of(ids)

    def count(self, text, cbool lowercase=False):
        """The number of ids of a text, lower-cased if so asked."""
        cdef string_view data = view_of(text, 0, self.any_bytes)
        cdef LowerTable* lower = LOWER if lowercase else NULL
        cdef size_t total
        with nogil:
            total = self.encoder.get().count(data, lower)
        return total

    def encode_batch(self, texts, n_jobs=1, cbool lowercase=False):
        """The ids of all texts (int32), lower-cased if so asked, and where those of each begin and end (int64 indptr)."""
        return encode_texts(self, texts, lowercase, n_jobs)

    def remember(self, words, ids, ends, left=(), right=()):
        """Put words, as for ``learn``, with the ids that it gives for them into the cache.

        ``left`` and ``right`` are further merges that the ids are made by: each has made the next id.
        """
        text, offsets = flatten(words)
        cdef const int32_t[::1] given = integers(ids, np.int32)
        cdef const int64_t[::1] stops = integers(ends, np.int64)
        cdef const int32_t[::1] lefts = integers(left, np.int32)
        cdef const int32_t[::1] rights = integers(right, np.int32)
        cdef WordList word_list = words_of(text, offsets, stops)
        cdef Py_ssize_t size = stops.shape[0]
        cdef size_t symbols = self.encoder.get().model().symbols().size()
        if np.any(np.diff(stops, prepend=0) < 0) or (stops[size - 1] if size else 0) > given.shape[0]:
            raise ValueError(f"the ends must rise from 0 to at most {given.shape[0]}, the number of ids")
        check_further(np.asarray(lefts), np.asarray(rights), symbols)
        check_range("ids", np.asarray(given), 0, symbols + lefts.shape[0])
        cdef MergeList undone
        undone.size = lefts.shape[0]
        if undone.size:
            undone.left, undone.right = &lefts[0], &rights[0]
        cdef const int32_t* first = &given[0] if given.shape[0] else NULL
        if size:
            with nogil:
                self.encoder.get().remember(word_list, first, &stops[0], undone)

    def encode_words(self, words):
        """The same for words that are cut already: they are not scanned."""
        cdef _Texts given = _Texts(words, self.any_bytes)
        cdef size_t size = given.views.size()
        cdef _Int32Owner ids = _Int32Owner()
        indptr = np.empty(size + 1, dtype=np.int64)
        cdef int64_t[::1] ends = indptr
        with nogil:
            self.encoder.get().encode_words(given.views.data(), size, ids.values, &ends[0])
        return ids.array(), indptr

    def spans(self, text):
        """The ids of a text (int32), and where each begins and ends in bytes (int64, int64)."""
        cdef string_view data = view_of(text, 0, self.any_bytes)
        cdef SpannedIds spans
        with nogil:
            self.encoder.get().spans(data, spans)
        cdef size_t size = spans.ids.size()
        return (array_of_int32(spans.ids.data(), size),
                array_of_int64(spans.starts.data(), size), array_of_int64(spans.ends.data(), size))

    def encode_batch_dropout(self, texts, originals, p, seed, n_jobs=1, opener=-1):
        """As encode_batch, but every merge is left out with probability ``p``.

        The draws are keyed by ``seed``, the hashes of ``originals``, the texts before they were lower-cased and so on,
        and by the number of the word in its text. ``opener`` is an id that comes before each word; -1 for none.
        """
        cdef _Texts given = _Texts(texts, self.any_bytes)
        cdef _Texts keys = given if originals is texts else _Texts(originals, self.any_bytes)
        cdef Dropout dropout = dropout_of(p, seed)
        cdef size_t size = given.views.size(), threads = threads_of(n_jobs)
        if keys.views.size() != size:
            raise ValueError(f"{size} texts cannot have {keys.views.size()} originals")
        dropout.opener = opener
        cdef _Int32Owner ids = _Int32Owner()
        indptr = np.empty(size + 1, dtype=np.int64)
        cdef int64_t[::1] ends = indptr
        with nogil:
            self.encoder.get().encode_batch(
                given.views.data(), keys.views.data(), size, dropout, threads, ids.values, &ends[0])
        return ids.array(), indptr

    def encode_words_dropout(self, words, p, seed, text_hash, first_position=0):
        """As encode_words, with dropout, for the words of one text whose UTF-8 has the FNV-1a hash ``text_hash``."""
        cdef _Texts given = _Texts(words, self.any_bytes)
        cdef Dropout dropout = dropout_of(p, seed)
        cdef uint64_t hashed = text_hash, position = first_position
        cdef size_t size = given.views.size()
        cdef _Int32Owner ids = _Int32Owner()
        indptr = np.empty(size + 1, dtype=np.int64)
        cdef int64_t[::1] ends = indptr
        with nogil:
            self.encoder.get().encode_words(given.views.data(), size, dropout, hashed, position, ids.values, &ends[0])
        return ids.array(), indptr

    def decode_bytes(self, ids):
        """The bytes of the symbols, with one space after each final one but the last."""
        cdef const int32_t[::1] given = integers(ids, np.int32)
        cdef size_t size = given.shape[0]
        cdef const int32_t* first = &given[0] if size else NULL
        cdef FlatArray[char] out
        with nogil:
            self.encoder.get().model().decode(first, size, out)
        return out.data()[:out.size()] if out.size() else b""


def hash_text(text):
    """The 64-bit FNV-1a hash of a text, which dropout is keyed by."""
    cdef string_view data = view_of(text, 0, True)
    return fnv1a(data.data(), data.size())
