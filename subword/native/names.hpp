// Names of features: those of symbols, whether they all differ, and their order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "hash.hpp"
#include "utf8.hpp"

namespace subword {

// Appends a byte that is no UTF-8 as it is spelt in names.
inline void append_byte(std::string& name, char byte) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    name += "<0x";
    name += kDigits[static_cast<uint8_t>(byte) >> 4];
    name += kDigits[static_cast<uint8_t>(byte) & 15];
    name += '>';
}

// Appends the bytes of a symbol as they are spelt in names; false where they may need more than what is done here.
inline bool append_symbol(std::string& name, std::string_view symbol) {
    const char* const end = symbol.data() + symbol.size();
    for (const char* text = symbol.data(); text < end;) {
        const CodePoint c = decode(text, end);
        if (c.value == kInvalid) {
            append_byte(name, *text);
        } else if (c.value == ' ') {
            name += "\\s";
        } else if (c.value < ' ' || c.value == '\\' || c.value == '<' || c.value == '@' ||
                   (c.value >= 0x7F && c.value <= 0xA0) || (class_of(c.value) & kSpace)) {
            return false;
        } else {
            name.append(text, c.length);
        }
        text += c.length;
    }
    return !symbol.empty();
}

// Says whether names differ, given the hash of each, which it sorts; those of one hash are taken for the same.
inline bool all_differ(std::vector<uint64_t>& hashes) {
    std::sort(hashes.begin(), hashes.end());
    return std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end();
}

// Eight bytes of a name as a number, in the order of the names.
inline uint64_t bytes_from(std::string_view name, size_t first) {
    unsigned char bytes[8] = {};
    if (first < name.size()) std::memcpy(bytes, name.data() + first, std::min<size_t>(8, name.size() - first));
    uint64_t number = 0;
    for (unsigned char byte : bytes) number = number << 8 | byte;
    return number;
}

// Writes the place of each name in the order of all: that of their bytes, which in UTF-8 is that of the code points.
inline void rank_names(const std::string_view* names, size_t size, int32_t* ranks) {
    struct Name {
        uint64_t head, next;  // its first bytes, so that most comparisons need no more
        int32_t id;
    };
    std::vector<Name> order(size);
    for (size_t i = 0; i < size; ++i)
        order[i] = {bytes_from(names[i], 0), bytes_from(names[i], 8), static_cast<int32_t>(i)};
    std::sort(order.begin(), order.end(), [names](const Name& a, const Name& b) {
        if (a.head != b.head) return a.head < b.head;
        return a.next != b.next ? a.next < b.next : names[a.id] < names[b.id];
    });
    for (size_t i = 0; i < size; ++i) ranks[order[i].id] = static_cast<int32_t>(i);
}

}  // namespace subword
