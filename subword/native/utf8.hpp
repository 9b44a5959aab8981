// UTF-8: one code point at a time, and the check of a whole buffer.
//
// Text reaches the scanners either checked or (byte level) as it is. decode() therefore accepts anything:
// a byte that starts no well-formed sequence is one character with the value kInvalid. As lead bytes are
// never continuation bytes, decoding that way finds the same characters from whatever boundary it starts.
//
// What is done for every character is forced inline: left to itself the compiler calls it in some of the scanners'
// loops, which makes them several times slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "unicode_table.hpp"

namespace subword {

constexpr uint32_t kInvalid = 0x110000;  // one past the last code point; its class is 0

struct CodePoint {
    uint32_t value;
    uint32_t length;  // in bytes
};

constexpr CodePoint kInvalidByte{kInvalid, 1};

inline bool is_continuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

inline uint32_t low_bits(char byte) { return static_cast<uint8_t>(byte) & 0x3F; }

// The sequence of `length` bytes at `text`, whose lead byte carries `lead_bits`; `smallest` rules out overlong forms.
[[gnu::always_inline]] inline CodePoint decode_sequence(const char* text, uint32_t length, uint32_t lead_bits, uint32_t smallest) {
    uint32_t value = lead_bits;
    for (uint32_t i = 1; i < length; ++i) {
        if (!is_continuation(text[i])) return kInvalidByte;
        value = value << 6 | low_bits(text[i]);
    }
    bool surrogate = value - 0xD800 < 0x800;
    return value < smallest || value >= kInvalid || surrogate ? kInvalidByte : CodePoint{value, length};
}

// The character at `text`; `text < end` must hold.
[[gnu::always_inline]] inline CodePoint decode(const char* text, const char* end) {
    uint8_t lead = static_cast<uint8_t>(*text);
    if (lead < 0x80) return {lead, 1};
    size_t left = static_cast<size_t>(end - text);
    if (lead < 0xE0) return lead < 0xC2 || left < 2 ? kInvalidByte : decode_sequence(text, 2, lead & 0x1F, 0x80);
    if (lead < 0xF0) return left < 3 ? kInvalidByte : decode_sequence(text, 3, lead & 0x0F, 0x800);
    return lead > 0xF4 || left < 4 ? kInvalidByte : decode_sequence(text, 4, lead & 0x07, 0x10000);
}

// The character that ends at `text`; `begin < text` must hold.
inline CodePoint decode_before(const char* begin, const char* text) {
    const char* lead = text - 1;
    while (lead > begin && text - lead < 4 && is_continuation(*lead)) --lead;
    CodePoint character = decode(lead, text);
    return character.length == text - lead ? character : kInvalidByte;
}

[[gnu::always_inline]] constexpr uint8_t class_of(uint32_t code_point) {
    return kClassData[kClassBlock[code_point >> 7]][code_point & 0x7F];
}

// The length of the ASCII text at `text`, rounded down to whole blocks of 64 bytes (the loop vectorises).
inline size_t ascii_blocks(const char* text, size_t size) {
    size_t done = 0;
    for (; done + 64 <= size; done += 64) {
        uint64_t words[8], any = 0;
        std::memcpy(words, text + done, 64);
        for (uint64_t word : words) any |= word;
        if (any & 0x8080808080808080u) break;
    }
    return done;
}

// The offset of the first byte that is not part of well-formed UTF-8, or -1. It is where Python's decoder stops, too.
inline ptrdiff_t find_invalid_utf8(const char* text, size_t size) {
    const char* end = text + size;
    for (const char* p = text; p < end;) {
        p += ascii_blocks(p, static_cast<size_t>(end - p));
        for (const char* stop = end - p < 64 ? end : p + 64; p < stop;) {
            CodePoint character = decode(p, end);
            if (character.value == kInvalid) return p - text;
            p += character.length;
        }
    }
    return -1;
}

}  // namespace subword
