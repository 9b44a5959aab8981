// Columns of a sparse matrix: in how many rows each one is, and all dropped but some.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace subword {

inline size_t checked_column(int64_t column, size_t width) {
    if (static_cast<uint64_t>(column) >= width) throw std::out_of_range("a column beyond the last one");
    return static_cast<size_t>(column);
}

// Adds the number of cells in each column to `counts`.
template <class Index>
void count_columns(const Index* columns, size_t size, int64_t* counts, size_t width) {
    std::vector<Index> found(width);  // the smaller, the faster
    for (size_t i = 0; i < size; ++i) ++found[checked_column(columns[i], width)];
    for (size_t column = 0; column < width; ++column) counts[column] += found[column];
}

// Gives columns their new numbers, in place, and drops the cells of those that have none, -1. Row i has the cells
// [bounds[i], bounds[i + 1]). Returns how many cells are left.
template <class Value, class Index>
size_t renumber_columns(Value* values, Index* columns, Index* bounds, size_t rows, const Index* numbers, size_t width) {
    const auto number_of = [&](size_t cell) { return numbers[checked_column(columns[cell], width)]; };
    const size_t size = static_cast<size_t>(bounds[rows]);
    size_t at = 0;  // up to the first cell that is dropped nothing moves
    for (; at < size && number_of(at) >= 0; ++at) columns[at] = number_of(at);
    size_t out = at;
    const Index* const next_row = std::upper_bound(bounds + 1, bounds + rows + 1, static_cast<Index>(at));
    for (size_t row = static_cast<size_t>(next_row - bounds); row <= rows; ++row) {
        for (; at < static_cast<size_t>(bounds[row]); ++at) {
            columns[out] = number_of(at);
            values[out] = values[at];
            out += columns[out] >= 0;
        }
        bounds[row] = static_cast<Index>(out);
    }
    return out;
}

}  // namespace subword
