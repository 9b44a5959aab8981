// HashCounter: documents to rows of a matrix whose columns are hashes of the names of n-grams.
//
// The hash is scikit-learn's: MurmurHash3 (x86, 32 bits, seed 0; Austin Appleby) of the name in UTF-8, its absolute
// value modulo the number of columns, its sign the sign of the count. The name of an n-gram is that of its pieces,
// joined by one space. So columns follow from what is spelt, never from the ids of a model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "row_counter.hpp"

namespace subword {

inline uint32_t rotate_left(uint32_t value, int bits) { return value << bits | value >> (32 - bits); }

inline int32_t murmur3(const char* text, size_t size) {
    constexpr uint32_t kFirst = 0xCC9E2D51, kSecond = 0x1B873593;
    uint32_t hash = 0;
    const char* const blocks_end = text + size / 4 * 4;
    for (; text < blocks_end; text += 4) {
        uint32_t block;
        std::memcpy(&block, text, 4);
        hash = rotate_left(hash ^ rotate_left(block * kFirst, 15) * kSecond, 13) * 5 + 0xE6546B64;
    }
    uint32_t rest = 0;
    for (size_t i = size % 4; i-- > 0;) rest = rest << 8 | static_cast<uint8_t>(text[i]);
    hash ^= rotate_left(rest * kFirst, 15) * kSecond;
    hash ^= static_cast<uint32_t>(size);
    hash = (hash ^ hash >> 16) * 0x85EBCA6B;
    hash = (hash ^ hash >> 13) * 0xC2B2AE35;
    return static_cast<int32_t>(hash ^ hash >> 16);
}

struct HashOptions {
    const std::vector<std::string>* names;  // of pieces
    int32_t first_opener;
    std::vector<Lengths> ranges;  // one for each stream
    size_t columns;
    bool alternate_sign;
    Value value;
};

// As ColumnCounter, for counts that may be negative; columns whose counts cancel out are kept. Where only a few
// columns can occur, they are counted at their places among these, so that the counters stay in the near caches.
class SignedCounter {
 public:
    explicit SignedCounter(size_t columns) : counts_(columns), met_(columns) {}
    explicit SignedCounter(std::vector<int32_t> few) : few_(std::move(few)), counts_(few_.size()), met_(few_.size()) {}

    void add(size_t place, int32_t count) {
        counts_[place] += count;
        met_.add(place);
    }

    template <class T>
    size_t drain(int32_t* columns, T* counts) {
        const size_t size = met_.drain(columns);
        for (size_t i = 0; i < size; ++i) {
            int32_t& column = columns[i];
            counts[i] = static_cast<T>(std::exchange(counts_[column], 0));
            if (!few_.empty()) column = few_[column];
        }
        return size;
    }

 private:
    std::vector<int32_t> few_;  // sorted; empty: all
    std::vector<int32_t> counts_;
    ColumnSet met_;
};

class HashCounter {
 public:
    HashCounter(const HashOptions& options, Rows& out) : options_(options), counter_(size_t{0}), out_(out) {
        for (const std::string& name : *options.names) pieces_.push_back(cell_of(murmur3(name.data(), name.size())));
        const auto is_short = [](const Lengths& range) { return range.longest == 1; };
        const bool only_pieces = std::all_of(options.ranges.begin(), options.ranges.end(), is_short);
        counter_ = only_pieces ? SignedCounter(number_columns()) : SignedCounter(options.columns);
    }

    // Appends the rows of documents; their streams must be complete.
    void add(const Documents& documents) {
        as_type(options_.value, [&](auto zero) { add_as<decltype(zero)>(documents); });
    }

 private:
    // Where an n-gram counts, and the sign of its counts.
    struct Cell {
        int32_t place, sign;
    };

    Cell cell_of(int32_t hash) const {
        // the absolute value of -2^31 is 2^31, which unsigned numbers have
        const uint32_t size = hash < 0 ? 0u - static_cast<uint32_t>(hash) : static_cast<uint32_t>(hash);
        return {static_cast<int32_t>(size % options_.columns), options_.alternate_sign && hash < 0 ? -1 : 1};
    }

    // Turns the columns of pieces into places among these, and returns them.
    std::vector<int32_t> number_columns() {
        std::vector<int32_t> columns;
        for (const Cell& piece : pieces_) columns.push_back(piece.place);
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        for (Cell& piece : pieces_)
            piece.place = static_cast<int32_t>(std::lower_bound(columns.begin(), columns.end(), piece.place) - columns.begin());
        return columns;
    }

    template <class T>
    void add_as(const Documents& documents) {
        const size_t streams = options_.ranges.size();
        for (size_t row = 0; row < documents.size; row += streams) {
            met_ = 0;
            for (size_t i = 0; i < streams; ++i)
                count(documents.ids + documents.begin(row + i), documents.ids + documents.end(row + i),
                      options_.ranges[i]);
            if (met_ > static_cast<size_t>(INT32_MAX)) throw std::overflow_error("more than 2^31 - 1 n-grams in a text");
            append_row<T>(out_, met_, counter_);
        }
    }

    void count(const int32_t* begin, const int32_t* end, const Lengths& range) {
        for (; begin < end; ++begin) {
            if (range.shortest == 1 && *begin < options_.first_opener) note(pieces_[static_cast<size_t>(*begin)]);
            if (range.longest > 1) count_longer(begin, end, range);
        }
    }

    // Those of two pieces and more that begin there.
    void count_longer(const int32_t* begin, const int32_t* end, const Lengths& range) {
        spelt_ = name(*begin);
        size_t length = 1;
        for (const int32_t* id = begin + 1; id < end && *id < options_.first_opener && length < range.longest; ++id) {
            spelt_ += ' ';
            spelt_ += name(*id);
            if (++length >= range.shortest) note(cell_of(murmur3(spelt_.data(), spelt_.size())));
        }
    }

    const std::string& name(int32_t id) const { return (*options_.names)[static_cast<size_t>(id)]; }

    void note(const Cell& cell) {
        counter_.add(static_cast<size_t>(cell.place), cell.sign);
        ++met_;
    }

    const HashOptions& options_;
    SignedCounter counter_;
    Rows& out_;
    std::vector<Cell> pieces_;
    std::string spelt_;
    size_t met_ = 0;  // in the document at hand
};

}  // namespace subword
