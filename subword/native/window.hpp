// Window: 64 bytes of text in two AVX2 registers, and the masks, one bit per byte, that comparisons give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define SUBWORD_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt")))
#include <immintrin.h>
#endif

namespace subword {

#ifdef SUBWORD_AVX2

inline bool has_avx2() {
    static const bool supported =  // lzcnt is older than bmi2, and GCC 10 cannot ask for it
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    return supported;
}

// 64 bytes of text; `known` of them are there, and where the text ends white space follows.
struct Window {
    __m256i low, high;
    size_t known;

    SUBWORD_AVX2 static Window load(const char* text, const char* end) {
        size_t known = static_cast<size_t>(end - text);
        if (known >= 64) return read(text, 64);
        char copy[64];
        std::memset(copy, ' ', sizeof copy);
        std::memcpy(copy, text, known);
        return read(copy, known);
    }

    SUBWORD_AVX2 static Window read(const char* text, size_t known) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)),
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32)), known};
    }

    SUBWORD_AVX2 static uint64_t bits(__m256i low, __m256i high) {
        return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
               static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32;
    }

    SUBWORD_AVX2 static __m256i in_range(__m256i bytes, char first, char last) {
        __m256i offset = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first));
        return _mm256_cmpeq_epi8(offset, _mm256_min_epu8(offset, _mm256_set1_epi8(static_cast<char>(last - first))));
    }

    SUBWORD_AVX2 uint64_t equal(char byte) const {
        __m256i wanted = _mm256_set1_epi8(byte);
        return bits(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
    }

    SUBWORD_AVX2 uint64_t between(char first, char last) const {
        return bits(in_range(low, first, last), in_range(high, first, last));
    }

    SUBWORD_AVX2 uint64_t letters() const {
        __m256i fold = _mm256_set1_epi8(0x20);
        return bits(in_range(_mm256_or_si256(low, fold), 'a', 'z'), in_range(_mm256_or_si256(high, fold), 'a', 'z'));
    }

    // The bytes in which any of the `wanted` bits is set.
    SUBWORD_AVX2 uint64_t with_any(uint8_t wanted) const {
        const __m256i mask = _mm256_set1_epi8(static_cast<char>(wanted)), zero = _mm256_setzero_si256();
        const __m256i in_low = _mm256_and_si256(low, mask), in_high = _mm256_and_si256(high, mask);
        return ~bits(_mm256_cmpeq_epi8(in_low, zero), _mm256_cmpeq_epi8(in_high, zero));
    }

    SUBWORD_AVX2 uint64_t spaces() const { return equal(' ') | between('\t', '\r'); }

    SUBWORD_AVX2 uint64_t non_ascii() const { return bits(low, high); }

    // Tokens that end before this byte are sure if the bytes in `foreign` cannot be told and the rule looks at `ahead`
    // bytes behind a token. Behind the text nothing is left to look at.
    SUBWORD_AVX2 size_t sure(uint64_t foreign, size_t ahead) const {
        if (foreign == 0 && known < 64) return known + 1;
        const size_t clean = _tzcnt_u64(foreign);
        return clean < ahead ? 0 : clean - ahead;
    }
};

#endif  // SUBWORD_AVX2

}  // namespace subword
