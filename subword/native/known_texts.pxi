# The binding of known_texts.hpp, and what tells texts apart.

cdef extern from "known_texts.hpp" namespace "subword" nogil:
    cdef cppclass TextKey:
        uint64_t hash
        uint64_t length
    cdef cppclass KnownText:
        pass
    cdef cppclass CppKnownRows "subword::KnownRows":
        vector[KnownText] texts
    cdef enum class Added "subword::KnownTexts::Added":
        all
        too_many
        not_now
    cdef cppclass CppKnownTexts "subword::KnownTexts":
        CppKnownTexts(Scanner, LowerTable*) except +
        uint64_t generation()
        cbool find(const TextKey*, size_t, CppKnownRows&) except +
        Added add(const TextKey*, const string_view*, size_t) except +
    cdef cppclass TextBatch:
        const string_view* views
        size_t size
        LowerTable* lower
        const CppKnownRows* known


cdef class KnownRows:
    """Texts that a `KnownTexts` knows; can be given in their place, lower-cased or not, to encoders that split alike."""
    cdef CppKnownRows rows

    def __len__(self):
        return self.rows.texts.size()


cdef class KnownTexts:
    """Texts met before, as the words they are made of, in bounded memory; see known_texts.hpp."""
    cdef unique_ptr[CppKnownTexts] texts

    def __cinit__(self, scanner, cbool lowercase):
        self.texts.reset(new CppKnownTexts(scanner_named(scanner.encode()), LOWER if lowercase else NULL))

    def find(self, list texts):
        """The texts as `KnownRows`; None if one is not known, or just now nobody can tell."""
        if len(texts) > 1 and self.find(texts[:1]) is None:  # before all are hashed
            return None
        cdef vector[TextKey] keys = keys_of(tuple(texts))
        cdef KnownRows found = KnownRows()
        cdef cbool is_known
        with nogil:
            is_known = self.texts.get().find(keys.data(), keys.size(), found.rows)
        return found if is_known else None

    def add(self, list texts):
        """Make texts known; False if there is no room for so many, None if just now nobody can add any."""
        cdef _Texts given = _Texts(texts, False)
        cdef vector[TextKey] keys = keys_of(given.texts)
        cdef Added added
        with nogil:
            added = self.texts.get().add(keys.data(), given.views.data(), keys.size())
        return None if added == Added.not_now else added == Added.all

    @property
    def generation(self):
        """Another number when texts were forgotten, and in every store."""
        return self.texts.get().generation()


cdef vector[TextKey] keys_of(tuple texts) except *:
    """What tells texts, all of them str, apart: it is the same of two once in 2**64.

    Python's hash of a str is that of its characters in memory, which with their number belong to one text alone.
    """
    cdef vector[TextKey] keys
    cdef TextKey key
    cdef Py_ssize_t i, size = len(texts)
    keys.reserve(size)
    for i in range(size):
        prefetch_line(PyTuple_GetItem(texts, min(i + TEXTS_AHEAD, size - 1)))
        text = <object>PyTuple_GetItem(texts, i)
        if type(text) is not str:
            raise TypeError(f"text {i} is not str but {type(text).__name__}")
        key.hash, key.length = <uint64_t><Py_hash_t>hash(text), PyUnicode_GetLength(text)
        keys.push_back(key)
    return keys


def fingerprint(list texts):
    """Two numbers for the hashes and the lengths of texts; None if some are other than str."""
    cdef uint64_t hashes = 0, lengths = 0
    cdef TextKey key
    try:
        for key in keys_of(tuple(texts)):
            hashes, lengths = mixed(hashes, key.hash), mixed(lengths, key.length)
    except TypeError:
        return None
    return hashes, mixed(lengths, <uint64_t>len(texts))


cdef inline uint64_t mixed(uint64_t state, uint64_t value) noexcept:
    """The next state: another one for any other value, and for any other state."""
    state = (state ^ value) * <uint64_t>0x9E3779B97F4A7C15
    return state ^ state >> 29
