// WordColumns: texts to rows of a matrix where n-grams stay inside words.
//
// Then the columns of a word depend on the word alone: a cache keeps them, and a text is but a look-up of its words.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cache.hpp"
#include "row_counter.hpp"
#include "stream_encoder.hpp"

namespace subword {

// Appends the columns of all n-grams in a word, whose ids these are.
inline void append_columns(const RowOptions& options, const int32_t* begin, const int32_t* end, Ids& columns) {
    const auto note = [&columns](int32_t column) {
        if (column >= 0) columns.push_back(column);
    };
    for (; begin < end; ++begin) {
        Node node = *begin;
        note(options.index->piece_column(node));
        const int32_t* id = begin + 1;
        for (size_t length = 2; length <= options.longest && id < end && node != kNoNode; ++length) {
            const NgramIndex::Slot& slot = options.index->find(node, *id++);
            node = slot.node;
            note(slot.column);
        }
    }
}

class WordColumns {
 public:
    WordColumns(const std::vector<Stream>& streams, const RowOptions& options, Rows& out)
        : words_(streams), options_(options), counter_(options.columns), out_(out), cache_(kCachedWords), known_(cache_.view()) {}

    // Appends the rows of texts, which are lower-cased if there is a table; calls check() now and then.
    template <class Check>
    void add(const std::string_view* begin, const std::string_view* end, LowerTable* lower, const Check& check) {
        blocks_.run(begin, end, lower, [&](const std::string_view* texts, size_t size) {
            check();
            as_type(options_.value, [&](auto zero) { add_as<decltype(zero)>(texts, size); });
        });
    }

 private:
    static constexpr size_t kCachedWords = size_t{1} << 20;

    template <class T>
    void add_as(const std::string_view* texts, size_t size) {
        words_.for_each_word(
            texts, size, known_, [this](const WordCache::Word& word) { count(word); },
            [this] {
                append_row<T>(out_, met_, counter_);
                met_ = 0;
            });
    }

    void count(const WordCache::Word& word) {
        if (const WordCache::Slot* slot = known_.find(word)) return count(slot->ids(), slot->count());
        find_columns(word);
        count(columns_.data(), columns_.size());
        cache_.insert(word, columns_.data(), columns_.size(), known_);
    }

    void count(const int32_t* columns, size_t size) {
        for (size_t i = 0; i < size; ++i) counter_.add(columns[i]);
        met_ += size;
    }

    void find_columns(const WordCache::Word& word) {
        columns_.clear();
        words_.split(word, [this](const int32_t* begin, const int32_t* end) { append_columns(options_, begin, end, columns_); });
    }

    TextBlocks blocks_;
    StreamEncoder words_;
    RowOptions options_;
    ColumnCounter counter_;
    Rows& out_;
    WordCache cache_;
    WordCache::View known_;
    Ids columns_;  // of the word at hand
    size_t met_ = 0;
};

}  // namespace subword
