// Hashing of words: one function for the tables (fast, may change), one for files and seeds (FNV-1a, must not).
//
// A word of up to 16 bytes is its own key: two 64-bit numbers, zero-padded. Loading them takes one unaligned
// 16-byte read and a mask, without a branch on the length, which nobody could predict in running text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace subword {

constexpr size_t kInlineBytes = 16;

struct WordKey {
    uint64_t low;
    uint64_t high;
};

// 16 bytes from here, at kInlineBytes - length, are a mask of the first `length` bytes, whatever the byte order.
alignas(64) constexpr uint8_t kLengthMask[2 * kInlineBytes] = {
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

inline uint64_t load_8(const char* bytes) {
    uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// The key of a word of at most 16 bytes, where 16 bytes may be read.
inline WordKey load_key(const char* word, size_t length) {
    const char* mask = reinterpret_cast<const char*>(kLengthMask) + kInlineBytes - length;
    return {load_8(word) & load_8(mask), load_8(word + 8) & load_8(mask + 8)};
}

// The same where nothing may be read at or after `end`: the last words of a text are copied.
inline WordKey load_key(const char* word, size_t length, const char* end) {
    if (end - word < static_cast<ptrdiff_t>(kInlineBytes)) {
        WordKey key{0, 0};
        std::memcpy(&key, word, length);
        return key;
    }
    return load_key(word, length);
}

// Two independent multiplications, then a fold: a few cycles, and all the bits of the key reach the upper half.
inline uint64_t hash_key(WordKey key) {
    uint64_t hash = (key.low * 0x9E3779B97F4A7C15u) ^ ((key.high ^ key.high >> 29) * 0xC2B2AE3D27D4EB4Fu);
    hash ^= hash >> 32;
    return hash * 0xD6E8FEB86659FD93u;
}

inline uint64_t hash_more(uint64_t hash, const char* bytes) {
    const WordKey key = load_key(bytes, kInlineBytes);
    return hash_key({key.low ^ hash, key.high + (hash << 17 | hash >> 47)});
}

// A word of more than 16 bytes, 16 bytes at a time; the last 16 overlap those before. Kept out of the callers'
// loops, where it is rarely needed.
[[gnu::noinline]] inline uint64_t hash_long(const char* word, size_t length) {
    uint64_t hash = length;
    const char* last = word + length - kInlineBytes;
    for (; word < last; word += kInlineBytes) hash = hash_more(hash, word);
    return hash_more(hash, last);
}

// A word of any length; nothing is read at or after `end`.
inline uint64_t hash_word(const char* word, size_t length, const char* end) {
    return length > kInlineBytes ? hash_long(word, length) : hash_key(load_key(word, length, end));
}

// FNV-1a, 64 bit: the published constants, the same on every machine and in reference.py.
inline uint64_t fnv1a(const char* text, size_t size) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<uint8_t>(text[i])) * 0x100000001B3u;
    return hash;
}

// Scrambles 64 bits: the output function of SplitMix64 (Steele, Lea & Flood 2014), as in reference.py.
inline uint64_t mix_bits(uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

}  // namespace subword
