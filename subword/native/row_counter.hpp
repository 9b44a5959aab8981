// RowCounter: documents to the rows of a sparse matrix.
//
// The columns of a row must come sorted, without sorting: there is a counter for each column, a bitmap of the columns
// that were met, a bitmap of the words of that one in use, and where these are many one of the words of the second.
// Walking the set bits gives the columns in order and leaves everything clear for the next row. The counters are bytes,
// for they are touched at random, and most counts are 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flat_array.hpp"
#include "ngram_index.hpp"
#include "segment.hpp"

namespace subword {

// Columns that were met, to be walked in their order.
class ColumnSet {
 public:
    explicit ColumnSet(size_t columns)
        : met_(words(columns)), used_(words(met_.size())), top_(used_.size() > kFew ? words(used_.size()) : 0) {}

    void add(size_t column) {
        met_[column >> 6] |= uint64_t{1} << (column & 63);
        used_[column >> 12] |= uint64_t{1} << (column >> 6 & 63);
        if (!top_.empty()) top_[column >> 18] |= uint64_t{1} << (column >> 12 & 63);
    }

    // Writes the columns in their order, and clears; returns how many they are.
    size_t drain(int32_t* columns) {
        int32_t* end = columns;
        const auto visit_used = [&](size_t used) {
            clear_bits(used_[used], used * 64, [&](size_t met) {
                clear_bits(met_[met], met * 64, [&](size_t column) { *end++ = static_cast<int32_t>(column); });
            });
        };
        if (top_.empty()) {
            for (size_t used = 0; used < used_.size(); ++used) visit_used(used);
        }
        for (size_t top = 0; top < top_.size(); ++top) clear_bits(top_[top], top * 64, visit_used);
        return static_cast<size_t>(end - columns);
    }

 private:
    static constexpr size_t kFew = 16;  // words of `used_` that can as well be looked at one by one

    static size_t words(size_t bits) { return (bits + 63) / 64; }

    template <class Visit>
    static void clear_bits(uint64_t& bits, size_t first, const Visit& visit) {
        for (uint64_t left = std::exchange(bits, 0); left != 0; left &= left - 1)
            visit(first + static_cast<size_t>(lowest_bit(left)));
    }

    std::vector<uint64_t> met_, used_, top_;
};

class ColumnCounter {
 public:
    explicit ColumnCounter(size_t columns) : counts_(columns), met_(columns) {}

    void add(int32_t column) {
        const size_t at = static_cast<size_t>(column);
        if (++counts_[at] == 0) ++wraps_[column];
        met_.add(at);
    }

    // Adds the first `size` columns but those that are -1; of what follows, `known` in all, some may be next.
    void add(const int32_t* columns, size_t size, size_t known) {
        for (size_t i = 0; i < size; ++i) {
            if (i + kAhead < known && columns[i + kAhead] >= 0) prefetch_line(counts_.data() + columns[i + kAhead]);
            if (columns[i] >= 0) add(columns[i]);
        }
    }

    // Writes the columns in their order and their counts, and clears; returns how many they are.
    template <class T>
    size_t drain(int32_t* columns, T* counts) {
        const size_t size = met_.drain(columns);
        for (size_t i = 0; i < size; ++i) counts[i] = static_cast<T>(std::exchange(counts_[columns[i]], uint8_t{0}));
        if (wraps_.empty()) return size;
        for (size_t i = 0; i < size; ++i) {
            const auto wraps = wraps_.find(columns[i]);
            if (wraps == wraps_.end()) continue;
            counts[i] = static_cast<T>(static_cast<uint64_t>(counts[i]) + wraps->second * 256);
        }
        wraps_.clear();
        return size;
    }

 private:
    static constexpr size_t kAhead = 16;  // columns from prefetching to use

    std::vector<uint8_t> counts_;
    ColumnSet met_;
    std::unordered_map<int32_t, uint64_t> wraps_;  // how often a counter passed 255
};

// The types of number a matrix may be written in; others are converted afterwards.
enum class Value { int64, float32, float64 };

inline size_t bytes_of(Value value) { return value == Value::float32 ? 4 : 8; }

// Calls work(0) with a zero of that type.
template <class Work>
void as_type(Value value, const Work& work) {
    switch (value) {
        case Value::int64: return work(int64_t{});
        case Value::float32: return work(float{});
        case Value::float64: return work(double{});
    }
}

// Which columns to count, and what to write the counts as.
struct RowOptions {
    const NgramIndex* index;
    size_t columns;
    size_t shortest, longest;  // n-grams that have columns
    size_t streams;            // rows of ids that are one document
    Value value;
};

// The rows of a CSR matrix. Row i ends at ends[i].
struct Rows {
    FlatArray<char> values;
    FlatArray<int32_t> columns;
    FlatArray<int64_t> ends;

    void clear() {
        values.clear();
        columns.clear();
        ends.clear();
    }

    void append(const Rows& more) {
        const int64_t shift = static_cast<int64_t>(columns.size());
        values.append(more.values.data(), more.values.size());
        columns.append(more.columns.data(), more.columns.size());
        int64_t* end = ends.extend(more.ends.size());
        for (int64_t place : more.ends) *end++ = place + shift;
    }
};

// Appends a row of at most so many columns, which a counter hands over.
template <class T, class Counter>
void append_row(Rows& rows, size_t most, Counter& counter) {
    rows.columns.make_room(most);
    rows.values.make_room(most * sizeof(T));
    const size_t size = counter.drain(rows.columns.end(), reinterpret_cast<T*>(rows.values.end()));
    rows.columns.grow_within_room(size);
    rows.values.grow_within_room(size * sizeof(T));
    rows.ends.push_back(static_cast<int64_t>(rows.columns.size()));
}

// Appends the rows of documents, of which every `streams` are one row. columns[i] has the column of the n-gram of some
// length that begins at each place, or -1.
template <class T>
void append_rows(const Documents& documents, size_t streams, const std::vector<FlatArray<int32_t>>& columns,
                 ColumnCounter& counter, Rows& out) {
    for (size_t row = 0; row < documents.size; row += streams) {
        const size_t begin = documents.begin(row), size = documents.end(row + streams - 1) - begin;
        for (const FlatArray<int32_t>& column : columns)
            counter.add(column.data() + begin, size, column.size() - begin);
        append_row<T>(out, size * columns.size(), counter);
    }
}

class RowCounter {
 public:
    RowCounter(const RowOptions& options, Rows& out) : options_(options), counter_(options.columns), out_(out) {}

    // Appends the rows of documents; their streams must be complete.
    void add(const Documents& documents) {
        find_columns(documents);
        as_type(options_.value, [&](auto zero) {
            append_rows<decltype(zero)>(documents, options_.streams, found_, counter_, out_);
        });
    }

 private:
    // The column of the n-gram that begins at each place, for each length in turn.
    void find_columns(const Documents& documents) {
        found_.resize(options_.longest + 1 - options_.shortest);
        for (FlatArray<int32_t>& columns : found_) {
            columns.clear();
            columns.extend(documents.total());
        }
        if (options_.shortest == 1)
            std::transform(documents.ids, documents.ids + documents.total(), found_[0].data(),
                           [this](int32_t id) { return options_.index->piece_column(id); });
        if (options_.longest == 1) return;
        nodes_.clear();
        nodes_.append(documents.ids, documents.total());
        for (size_t length = 2; length <= options_.longest; ++length)
            find_longer(documents, length, length < options_.shortest ? nullptr : found_[length - options_.shortest].data());
    }

    void find_longer(const Documents& documents, size_t length, int32_t* columns) {
        if (columns) std::fill(columns, columns + nodes_.size(), -1);
        options_.index->extend(documents, length, nodes_.data(), [&](const Node* prefix, int32_t last) {
            const NgramIndex::Slot& slot = options_.index->find(*prefix, last);
            if (columns) columns[prefix - nodes_.data()] = slot.column;
            return slot.node;
        });
    }

    RowOptions options_;
    ColumnCounter counter_;
    Rows& out_;
    FlatArray<Node> nodes_;
    std::vector<FlatArray<int32_t>> found_;
};

// The columns of n-grams that were found in these documents.
struct FoundOptions {
    const NgramIndex* index;
    const int32_t* ids;  // of all documents
    size_t columns;
    std::vector<int32_t> column_of;  // by node; -1: none
    size_t streams;
    Value value;
};

// As RowCounter for the documents that n-grams were found in: nothing has to be looked up again.
class FoundCounter {
 public:
    FoundCounter(const FoundOptions& options, Rows& out) : options_(options), counter_(options.columns), out_(out) {}

    // Appends the rows of documents, which must be a part of those.
    void add(const Documents& documents) {
        const size_t first = static_cast<size_t>(documents.ids - options_.ids);
        found_.resize(options_.index->longest_found());
        find_columns(documents.ids, documents.total(), found_[0]);
        for (size_t length = 2; length <= found_.size(); ++length)
            find_columns(options_.index->found(length) + first, documents.total(), found_[length - 1]);
        as_type(options_.value, [&](auto zero) {
            append_rows<decltype(zero)>(documents, options_.streams, found_, counter_, out_);
        });
    }

 private:
    static constexpr size_t kAhead = 32;  // places from prefetching to use

    void find_columns(const Node* nodes, size_t size, FlatArray<int32_t>& columns) {
        const int32_t* const column_of = options_.column_of.data();
        columns.clear();
        int32_t* column = columns.extend(size);
        for (size_t i = 0; i < size; ++i) {
            if (i + kAhead < size && nodes[i + kAhead] != kNoNode) prefetch_line(column_of + nodes[i + kAhead]);
            *column++ = nodes[i] != kNoNode ? column_of[nodes[i]] : -1;
        }
    }

    const FoundOptions& options_;
    ColumnCounter counter_;
    Rows& out_;
    std::vector<FlatArray<int32_t>> found_;
};

}  // namespace subword
