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

class WordColumns {
 public:
    WordColumns(const std::vector<Stream>& streams, const RowOptions& options, Rows& out)
        : words_(streams), options_(options), counter_(options.columns), out_(out), cache_(kCachedWords), known_(cache_.view()) {}

    // Appends the rows of texts.
    void add(const std::string_view* texts, size_t size) {
        as_type(options_.value, [&](auto zero) { add_as<decltype(zero)>(texts, size); });
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
        words_.split(word, [this](const int32_t* begin, const int32_t* end) {
            for (; begin < end; ++begin) find_columns(begin, end);
        });
    }

    // Those of the n-grams that begin at the first of the ids.
    void find_columns(const int32_t* id, const int32_t* end) {
        Node node = *id;
        note(options_.index->piece_column(node));
        for (size_t length = 2; length <= options_.longest && ++id < end && node != kNoNode; ++length) {
            const NgramIndex::Slot& slot = options_.index->find(node, *id);
            node = slot.node;
            note(slot.column);
        }
    }

    void note(int32_t column) {
        if (column >= 0) columns_.push_back(column);
    }

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
