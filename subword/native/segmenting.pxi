# The binding of text_form.hpp and vocabulary.hpp: what subword-nmt writes.

cdef extern from "text_form.hpp" namespace "subword" nogil:
    cdef cppclass TextRules:
        string separator
        vector[string] spelt
        vector[uint8_t] allowed
    cdef cppclass WordPart:
        string text
        cbool is_whole
    cdef cppclass WordParts:
        vector[WordPart]& operator[](string)
    cdef cppclass TextDropout:
        double p
        uint64_t seed
        uint64_t text_hash
        uint64_t position
    cdef cppclass WrittenWords:
        pass
    cdef cppclass CppTextForm "subword::TextForm":
        CppTextForm(const Model&, Scanner, const MergeList&, TextRules) except +
        unique_ptr[WrittenWords] take() except +
        void give_back(unique_ptr[WrittenWords])
        vector[string_view] new_words(string_view, const WrittenWords*) except +
        void write(string_view, const WordParts&, WrittenWords&, FlatArray[char]&) except +
        void write(string_view, const WordParts&, TextDropout&, WrittenWords&, FlatArray[char]&) except +

cdef extern from "vocabulary.hpp" namespace "subword" nogil:
    void append_by_count(const WordList&, FlatArray[char]&) except +


cdef class TextForm:
    """Texts with their words split, as text.

    ``encoder`` splits the words, which ``scanner`` finds; ``left``, ``right`` and ``result`` are its merges.
    ``separator`` stands behind pieces that do not end a word. ``spelt`` has the pieces by id as they look (bytes),
    if not as they are; ``allowed`` (uint8 by id) has 1 for those that may be used inside a word, 2 at its end, 3 both.
    ``isolate``, if given, gets a list of words and returns for each its parts (str, whether it stays whole), or None
    for a word that is split like any other.
    """
    cdef unique_ptr[CppTextForm] form
    cdef Encoder encoder
    cdef object isolate

    def __cinit__(self, Encoder encoder, scanner, left, right, result, separator, spelt=(), allowed=(), isolate=None):
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
        cdef TextRules rules
        rules.separator = as_string(separator)
        for piece in spelt:
            rules.spelt.push_back(<string>(<bytes>piece))
        for use in allowed:
            rules.allowed.push_back(use)
        self.encoder, self.isolate = encoder, isolate
        cdef Scanner which = scanner_named(scanner.encode())
        self.form.reset(new CppTextForm(encoder.encoder.get().model(), which, merges, move(rules)))

    def segment(self, text, dropout=None):
        """The text form of a text, as bytes.

        ``dropout`` is (share of merges left out, seed, hash of the text, words before it). Lines and the spaces at
        both ends of them are kept, between words is one space.
        """
        cdef string_view data = view_of(text, 0, True)
        cdef unique_ptr[WrittenWords] words = self.form.get().take()
        cdef WordParts parts
        cdef TextDropout drop
        cdef FlatArray[char] out
        out.reserve(data.size() + data.size() // 4)
        try:
            if self.isolate is not None:  # a random segmentation is never written as it was before
                self.find_parts(data, words.get() if dropout is None else NULL, parts)
            if dropout is None:
                with nogil:
                    self.form.get().write(data, parts, words.get()[0], out)
            else:
                share, drop.seed, drop.text_hash, drop.position = dropout
                drop.p = dropout_of(share, 0).p
                with nogil:
                    self.form.get().write(data, parts, drop, words.get()[0], out)
        finally:
            self.form.get().give_back(move(words))
        return out.data()[:out.size()] if out.size() else b""

    cdef int find_parts(self, string_view text, const WrittenWords* met, WordParts& parts) except -1:
        cdef vector[string_view] new
        cdef size_t i
        with nogil:
            new = self.form.get().new_words(text, met)
        words = [word.data()[:word.size()].decode("utf-8", "surrogateescape") for word in new]
        for word, found in zip(words, self.isolate(words), strict=True):
            if found is None:
                continue
            for part, is_whole in found:
                add_part(parts[as_string(word)], part, is_whole)
        return 0


cdef int add_part(vector[WordPart]& parts, str text, cbool is_whole) except -1:
    cdef WordPart part
    part.text = as_string(text)
    part.is_whole = is_whole
    parts.push_back(part)
    return 0


cdef string as_string(str text):
    return text.encode("utf-8", "surrogateescape")


def rows_by_count(text, offsets, counts):
    """A line ``word count`` for each word, as bytes: the most frequent first, equally frequent ones in their order.

    Word i is ``text[offsets[i]:offsets[i + 1]]`` and was seen ``counts[i]`` times.
    """
    cdef const uint8_t[::1] data = text
    cdef const uint64_t[::1] starts = integers(offsets, np.uint64)
    cdef const int64_t[::1] seen = integers(counts, np.int64)
    cdef WordList words = words_of(data, starts, seen)
    cdef FlatArray[char] out
    with nogil:
        append_by_count(words, out)
    return out.data()[:out.size()] if out.size() else b""
