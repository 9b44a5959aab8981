// Weights of the cells of a sparse matrix: idf of the columns, then rows of norm 1, as scikit-learn computes them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace subword {

enum class Norm { none, l1, l2 };

// Row i has the cells [bounds[i], bounds[i + 1]). `idf` may be nullptr. Sums are added up from left to right.
template <class Value, class Index>
void weigh(Value* values, const Index* columns, const Index* bounds, size_t rows, const double* idf, size_t width, Norm norm) {
    for (size_t row = 0; row < rows; ++row) {
        const Index begin = bounds[row], end = bounds[row + 1];
        double sum = 0;
        for (Index i = begin; i < end; ++i) {
            if (idf) {
                if (static_cast<size_t>(columns[i]) >= width) throw std::out_of_range("a column without an idf");
                values[i] = static_cast<Value>(values[i] * idf[columns[i]]);
            }
            const Value square = values[i] * values[i];
            sum += norm == Norm::l2 ? square : std::fabs(values[i]);
        }
        if (norm == Norm::none || sum == 0) continue;
        if (norm == Norm::l2) sum = std::sqrt(sum);
        for (Index i = begin; i < end; ++i) values[i] = static_cast<Value>(values[i] / sum);
    }
}

}  // namespace subword
