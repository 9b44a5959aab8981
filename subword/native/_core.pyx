# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
# distutils: language = c++
"""The binding of the native engine: takes buffers, releases the GIL, calls.

The algorithms are in the headers. What both halves need stands here; `counting.pxi` binds the scanners
and the word table, `known_texts.pxi` texts that are known again, `coding.pxi` learning, encoding and decoding,
`segmenting.pxi` the text form, `matrix.pxi` rows of matrices, `weighing.pxi` their weights, `languages.pxi` language
identification.
"""

from threading import RLock
import mmap
import os

import numpy as np

from cpython.buffer cimport PyBuffer_FillInfo
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_New, PyList_SetItem
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector


cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view()
        string_view(const char*, size_t)
        const char* data()
        size_t size()


cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object, Py_ssize_t*) except NULL
    str PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    int PyBytes_AsStringAndSize(object, char**, Py_ssize_t*) except -1


cdef extern from "utf8.hpp" namespace "subword" nogil:
    const char* kUnicodeVersion
    Py_ssize_t find_invalid_utf8(const char*, size_t)


cdef extern from "scan.hpp" namespace "subword" nogil:
    cdef enum class Scanner:
        none
    Scanner scanner_named(string) except +
    cdef cppclass Spans:
        vector[int64_t] begins
        vector[int64_t] ends
    Spans find_spans(Scanner, const char*, size_t, cbool) except +
    size_t find_last_cut "subword::last_cut"(Scanner, const char*, size_t)


cdef extern from "lower.hpp" namespace "subword" nogil:
    cdef cppclass LowerCase:
        char text[4]
        uint16_t length
        uint16_t kind
    uint16_t kCased "subword::LowerCase::kCased"
    uint16_t kIgnorable "subword::LowerCase::kIgnorable"
    int kLowerBlock "subword::LowerTable::kBlock"
    cdef cppclass LowerTable:
        LowerTable(cbool (*ask)(uint32_t, LowerCase*) noexcept)


cdef extern from "progress.hpp" namespace "subword" nogil:
    cdef cppclass Progress:
        Progress()
        Progress(cbool (*callback)(void*, int64_t) noexcept, void* context)


cdef class _Watch:
    """Stands between a long computation and Python: progress, signals, and the exception either of them raised."""
    cdef object progress
    cdef object error

    def __cinit__(self, progress):
        self.progress = progress


cdef cbool watch(void* context, int64_t done) noexcept with gil:
    cdef _Watch self = <_Watch>context
    try:
        PyErr_CheckSignals()
        if self.progress is not None:
            self.progress(done)
    except BaseException as error:
        self.error = error
        return False
    return True


cdef cbool ask_lower(uint32_t first, LowerCase* block) noexcept with gil:
    """What str.lower makes of a block of characters, and how it sees them beside a capital sigma."""
    cdef str character
    cdef bytes lowered
    try:
        for i in range(kLowerBlock):
            character = chr(first + i)
            lowered = character.lower().encode("utf-8", "surrogatepass")
            if len(lowered) > sizeof(block[i].text):
                raise OverflowError(f"{character!r}.lower() has more than {sizeof(block[i].text)} bytes")
            memcpy(block[i].text, <const char*>lowered, len(lowered))
            block[i].length = len(lowered)
            if ("a" + character + "Σ").lower().endswith("ς"):
                block[i].kind = kCased if (character + "Σ").lower().endswith("ς") else kIgnorable
    except BaseException:
        return False
    return True


cdef LowerTable* LOWER = new LowerTable(ask_lower)


cdef integers(values, dtype):
    """Numbers as a contiguous array of that type. Those that are not whole or do not fit are refused, not cut."""
    given = np.asarray(values)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"expected integers that fit {dtype.__name__}, got {given.dtype}")
    array = np.ascontiguousarray(given, dtype=dtype)
    if given.dtype != dtype and (array != given).any():
        raise OverflowError(f"expected integers that fit {dtype.__name__}, got {given.min()} to {given.max()}")
    return array


cdef array_of_int32(const int32_t* values, size_t size):
    array = np.empty(size, dtype=np.int32)
    cdef int32_t[::1] out = array
    if size:
        memcpy(&out[0], values, size * sizeof(int32_t))
    return array


cdef array_of_int64(const int64_t* values, size_t size):
    array = np.empty(size, dtype=np.int64)
    cdef int64_t[::1] out = array
    if size:
        memcpy(&out[0], values, size * sizeof(int64_t))
    return array


include "counting.pxi"
include "known_texts.pxi"
include "coding.pxi"
include "segmenting.pxi"
include "matrix.pxi"
include "weighing.pxi"
include "languages.pxi"
