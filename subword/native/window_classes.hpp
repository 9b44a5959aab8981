// The classes of all characters of a window, whatever their script, nearly without a loop over characters.
//
// Text is written in few scripts at a time, and UTF-8 keeps the characters of a script together: those that share
// all but their last byte are a row of 64 code points. Three steps, each for what the one before left:
// - Quarters of rows of two-byte characters that are all letters (Latin, Greek, Cyrillic, most of Arabic): all
//   quarters at once, by three table look-ups.
// - Han and Hangul, blocks of thousands of letters: by comparison.
// - Other rows: the classes of a row are 64 bits, which the low six bits of all bytes of the window look up at once.
//   A window seldom has more than three such rows.
// Bytes that are not UTF-8 get no class, which makes each of them a character like any punctuation.
//
// Chinese and Japanese text has many rows and long tokens: there the scalar rule is faster (begins_wide).
#pragma once

#include <array>

#include "scan_scalar.hpp"
#include "window.hpp"

namespace subword {

#ifdef SUBWORD_AVX2

// The bytes that belong to letters and to numbers, and the first bytes of white space that is not ASCII.
struct Classes {
    uint64_t letter, number, foreign_space;
};

constexpr bool all_letters(uint32_t first, uint32_t last) {
    while (first <= last && (class_of(first) & kLetter)) ++first;
    return first > last;
}

// Bit 4h + q of entry n: all characters with the lead byte 0xC0 + 16h + n and a second byte in the q-th quarter
// of 0x80..0xBF are letters.
constexpr std::array<uint8_t, 16> letter_quarters() {
    std::array<uint8_t, 16> table{};
    for (uint32_t code_point = 0x80; code_point < 0x800; code_point += 16) {
        const uint32_t lead = code_point / 64, bit = lead / 16 * 4 + code_point / 16 % 4;
        uint8_t& entry = table[lead % 16];
        if (all_letters(code_point, code_point + 15)) entry = static_cast<uint8_t>(entry | 1 << bit);
    }
    return table;
}

// Not 0 where a two-byte character begins that stands in a quarter of letters; `next` is the text one byte on.
SUBWORD_AVX2 inline __m256i in_letter_quarters(__m256i bytes, __m256i next) {
    static constexpr std::array<uint8_t, 16> kQuarters = letter_quarters();
    const __m256i quarters =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(kQuarters.data())));
    const __m256i half_of = _mm256_setr_epi64x(0, 0x0000F00F00000000, 0, 0x0000F00F00000000);     // 0xC_, 0xD_
    const __m256i quarter_of = _mm256_setr_epi64x(0, 0x0000000088442211, 0, 0x0000000088442211);  // 0x8_ to 0xB_
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    const __m256i found = _mm256_shuffle_epi8(quarters, _mm256_and_si256(bytes, nibble));
    const __m256i half = _mm256_shuffle_epi8(half_of, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble));
    const __m256i quarter = _mm256_shuffle_epi8(quarter_of, _mm256_and_si256(_mm256_srli_epi16(next, 4), nibble));
    return _mm256_and_si256(_mm256_and_si256(found, half), quarter);
}

// The lead bytes of these characters.
SUBWORD_AVX2 inline uint64_t letter_quarter_leads(const Window& window) {
    const __m256i middle = _mm256_permute2x128_si256(window.low, window.high, 0x21);
    const __m256i last = _mm256_permute2x128_si256(window.high, window.high, 0x81);
    const __m256i low = in_letter_quarters(window.low, _mm256_alignr_epi8(middle, window.low, 1));
    const __m256i high = in_letter_quarters(window.high, _mm256_alignr_epi8(last, window.high, 1));
    return Window{low, high, 64}.with_any(0xFF);
}

// The lead bytes among `leads`, of three-byte characters, that begin Han and Hangul.
SUBWORD_AVX2 inline uint64_t large_block_leads(const Window& window, uint64_t leads) {
    static_assert(all_letters(0x4E00, 0x9FFF) && all_letters(0xAC00, 0xD3FF));
    if ((leads & window.between('\xE4', '\xED')) == 0) return 0;
    const uint64_t han = window.between('\xE5', '\xE9') | (window.equal('\xE4') & window.between('\xB8', '\xBF') >> 1);
    const uint64_t hangul = window.between('\xEB', '\xEC') | (window.equal('\xEA') & window.between('\xB0', '\xBF') >> 1) |
                            (window.equal('\xED') & window.between('\x80', '\x8F') >> 1);
    return leads & (han | hangul);
}

// Whether the byte begins a character as Chinese and Japanese text has them: U+3000 to U+9FFF, or U+F000 and above
// (the wide forms).
inline bool begins_wide(char byte) { return (byte >= '\xE3' && byte <= '\xE9') || byte == '\xEF'; }

// The classes of the 64 characters from `first` on, one bit for each character.
struct Row {
    uint64_t letter, number, space;

    SUBWORD_AVX2 static Row from(uint32_t first) {
        const uint8_t* classes = kClassData[kClassBlock[first >> 7]] + (first & 0x40);
        const Window row = Window::read(reinterpret_cast<const char*>(classes), 64);
        return {row.with_any(kLetter), row.with_any(kNumber), row.with_any(kSpace)};
    }
};

// The low six bits of each byte of a window, as a place in 64 bits: which byte, and which bit there.
class LowBits {
 public:
    SUBWORD_AVX2 explicit LowBits(const Window& window)
        : low_byte_(byte_of(window.low)), high_byte_(byte_of(window.high)),
          low_bit_(bit_of(window.low)), high_bit_(bit_of(window.high)) {}

    // The bytes whose bit is set in `row`.
    SUBWORD_AVX2 uint64_t found_in(uint64_t row) const {
        const __m256i table = _mm256_set1_epi64x(static_cast<long long>(row));
        const __m256i low = _mm256_and_si256(_mm256_shuffle_epi8(table, low_byte_), low_bit_);
        const __m256i high = _mm256_and_si256(_mm256_shuffle_epi8(table, high_byte_), high_bit_);
        return Window{low, high, 64}.with_any(0xFF);
    }

 private:
    SUBWORD_AVX2 static __m256i byte_of(__m256i bytes) {
        return _mm256_and_si256(_mm256_srli_epi16(bytes, 3), _mm256_set1_epi8(7));
    }

    SUBWORD_AVX2 static __m256i bit_of(__m256i bytes) {
        const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
        return _mm256_shuffle_epi8(bits, _mm256_and_si256(bytes, _mm256_set1_epi8(7)));
    }

    __m256i low_byte_, high_byte_, low_bit_, high_bit_;
};

// All bytes of the characters of kLength bytes that begin at `leads`.
template <int kLength>
inline uint64_t whole(uint64_t leads) {
    return leads | leads << 1 | (kLength == 3 ? leads << 2 : 0);
}

// Adds the characters at `leads`, which are all of one row.
template <int kLength>
SUBWORD_AVX2 inline void add_row(Classes& classes, const LowBits& bits, const Row& row, uint64_t leads) {
    classes.letter |= whole<kLength>(leads & bits.found_in(row.letter) >> (kLength - 1));
    if (row.number) classes.number |= whole<kLength>(leads & bits.found_in(row.number) >> (kLength - 1));
    if (row.space) classes.foreign_space |= leads & bits.found_in(row.space) >> (kLength - 1);
}

SUBWORD_AVX2 inline void add_two_byte_rows(Classes& classes, const Window& window, const LowBits& bits, const char* text,
                                           uint64_t leads) {
    while (leads) {
        const char lead = text[_tzcnt_u64(leads)];
        const uint64_t same = leads & window.equal(lead);
        add_row<2>(classes, bits, Row::from((lead & 0x1F) << 6), same);
        leads &= ~same;
    }
}

SUBWORD_AVX2 inline void add_three_byte_rows(Classes& classes, const Window& window, const LowBits& bits, const char* text,
                                             uint64_t leads) {
    while (leads) {
        const char* row = text + _tzcnt_u64(leads);
        const uint64_t same = leads & window.equal(row[0]) & window.equal(row[1]) >> 1;
        const uint32_t first = (row[0] & 0x0Fu) << 12 | low_bits(row[1]) << 6;
        if (first >= 0x800) add_row<3>(classes, bits, Row::from(first), same);  // below: overlong, not UTF-8
        leads &= ~same;
    }
}

// Four-byte characters, one by one: few are letters, and text has few of them.
SUBWORD_AVX2 inline void add_four_byte(Classes& classes, const char* text, const char* end, uint64_t leads) {
    for (; leads; leads &= leads - 1) {
        const uint64_t at = _tzcnt_u64(leads);
        const Character character = character_at(text + at, end);
        const uint64_t bytes = uint64_t{0xF} << at;
        if (character.is(kLetter)) classes.letter |= bytes;
        if (character.is(kNumber)) classes.number |= bytes;
    }
}

// (Characters that reach beyond the window lie where no token is taken from.)
SUBWORD_AVX2 inline void add_foreign(Classes& classes, const Window& window, const char* text, const char* end) {
    const uint64_t follows = window.between('\x80', '\xBF') >> 1;
    const uint64_t two = window.between('\xC2', '\xDF') & follows;
    const uint64_t three = window.between('\xE0', '\xEF') & follows & follows >> 1;
    const uint64_t quarters = letter_quarter_leads(window), large = large_block_leads(window, three);
    classes.letter |= whole<2>(quarters) | whole<3>(large);
    const LowBits bits(window);
    add_two_byte_rows(classes, window, bits, text, two & ~quarters);
    add_three_byte_rows(classes, window, bits, text, three & ~large);
    add_four_byte(classes, text, end, window.between('\xF0', '\xF4'));
}

// The window holds the text at `text`, which ends at `end`.
SUBWORD_AVX2 inline Classes classify(const Window& window, const char* text, const char* end) {
    Classes classes{window.letters(), window.between('0', '9'), 0};
    if (window.non_ascii()) add_foreign(classes, window, text, end);
    return classes;
}

#endif  // SUBWORD_AVX2

}  // namespace subword
