// Words and their counts as text, as `get-vocab` of subword-nmt writes them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "corpus.hpp"
#include "flat_array.hpp"

namespace subword {

// Appends a line "word count" for each word, the most frequent first; equally frequent ones in their order.
inline void append_by_count(const WordList& words, FlatArray<char>& out) {
    constexpr size_t kMostDigits = 20;
    std::vector<std::pair<int64_t, size_t>> order(words.size);  // (-count, place)
    for (size_t i = 0; i < words.size; ++i) order[i] = {-words.counts[i], i};
    std::sort(order.begin(), order.end());
    for (const auto& [count, place] : order) {
        out.append(words[place].data(), words[place].size());
        out.make_room(kMostDigits + 2);
        char* end = out.end();
        *end++ = ' ';
        end = std::to_chars(end, end + kMostDigits, -count).ptr;
        *end++ = '\n';
        out.grow_within_room(static_cast<size_t>(end - out.end()));
    }
}

}  // namespace subword
