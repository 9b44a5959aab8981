// From texts, or ids, to the rows of a sparse matrix in one pass.
//
// Documents go through in blocks of a size that stays in the cache: lower-cased, encoded, counted. Threads take
// consecutive parts of the documents and write rows of their own, which are then put one after another.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "hashed_rows.hpp"
#include "interrupt.hpp"
#include "lower.hpp"
#include "parallel.hpp"
#include "row_counter.hpp"
#include "stream_encoder.hpp"
#include "word_columns.hpp"

namespace subword {

// Texts in blocks, lower-cased.
class TextBlocks {
 public:
    // Calls take(texts, size) for texts [begin, end), block by block.
    template <class Take>
    void run(const TextBatch& texts, size_t begin, size_t end, const Take& take) {
        LoweredTexts lowered(texts.lower);
        size_t bytes = 0;
        const auto take_block = [&] {
            if (!views_.empty()) take(views_.data(), views_.size());
            views_.clear();
            bytes = 0;
        };
        for (size_t i = begin; i < end; ++i) {
            views_.push_back(lowered.add(texts.views[i], take_block));
            bytes += texts.views[i].size();
            if (bytes >= kBlock) take_block();
        }
        take_block();
    }

 private:
    static constexpr size_t kBlock = 64 << 10;  // bytes of text

    std::vector<std::string_view> views_;
};

class BlockEncoder {
 public:
    explicit BlockEncoder(const std::vector<Stream>& streams) : encoder_(streams) {}

    // Calls take(documents) for texts [begin, end), block by block.
    template <class Take>
    void run(const TextBatch& texts, size_t begin, size_t end, const Take& take) {
        blocks_.run(texts, begin, end, [&](const std::string_view* block, size_t size) {
            ids_.clear();
            indptr_.resize(size * encoder_.streams() + 1);
            encoder_.encode(block, size, ids_, indptr_.data());
            take(Documents{ids_.data(), indptr_.data(), size * encoder_.streams()});
        });
    }

 private:
    TextBlocks blocks_;
    StreamEncoder encoder_;
    Ids ids_;
    std::vector<int64_t> indptr_;
};

// Appends the rows of documents; make_rows(begin, end, rows) does a part of them.
template <class SizeOf, class MakeRows>
void count_in_parts(size_t size, size_t threads, const SizeOf& size_of, Rows& out, const MakeRows& make_rows) {
    const std::vector<size_t> bounds = bounds_of_parts(size, threads, size_of);
    std::vector<Rows> more(bounds.size());  // the first part writes into `out`
    run_parallel(bounds.size() - 1, [&](size_t part) {
        make_rows(bounds[part], bounds[part + 1], part == 0 ? out : more[part]);
    });
    for (size_t part = 1; part + 1 < bounds.size(); ++part) out.append(std::exchange(more[part], Rows{}));
}

// A Counter takes blocks of documents and appends their rows.
template <class Counter, class Options>
void count_texts(const std::vector<Stream>& streams, const TextBatch& texts, const Options& options, size_t threads,
                 Interrupt& interrupt, Rows& out) {
    const auto size_of = [&](size_t i) { return texts.views[i].size(); };
    count_in_parts(texts.size, threads, size_of, out, [&](size_t begin, size_t end, Rows& rows) {
        Counter counter(options, rows);
        BlockEncoder(streams).run(texts, begin, end, [&](const Documents& block) {
            interrupt.check(begin == 0);
            counter.add(block);
        });
    });
}

// The same where n-grams stay inside words.
inline void count_words(const std::vector<Stream>& streams, const TextBatch& texts, const RowOptions& options,
                        size_t threads, Interrupt& interrupt, Rows& out) {
    const auto size_of = [&](size_t i) { return texts.views[i].size(); };
    count_in_parts(texts.size, threads, size_of, out, [&](size_t begin, size_t end, Rows& rows) {
        WordColumns counter(streams, options, rows);
        TextBlocks().run(texts, begin, end, [&](const std::string_view* block, size_t size) {
            interrupt.check(begin == 0);
            counter.add(block, size);
        });
    });
}

template <class Counter, class Options>
void count_ids(const Documents& documents, size_t streams, const Options& options, size_t threads,
               Interrupt& interrupt, Rows& out) {
    constexpr size_t kBlock = 16 << 10;  // ids
    const auto begin_of = [&](size_t i) { return documents.begin(i * streams); };
    const auto size_of = [&](size_t i) { return begin_of(i + 1) - begin_of(i); };
    count_in_parts(documents.size / streams, threads, size_of, out, [&](size_t begin, size_t end, Rows& rows) {
        Counter counter(options, rows);
        while (begin < end) {
            interrupt.check(begin == 0);
            size_t stop = begin + 1;
            while (stop < end && begin_of(stop + 1) - begin_of(begin) < kBlock) ++stop;
            counter.add({documents.ids + begin_of(begin), documents.indptr + begin * streams, (stop - begin) * streams});
            begin = stop;
        }
    });
}

// Appends the ids of texts and writes streams * size + 1 offsets to `indptr`. The number of threads changes nothing.
inline void encode_texts(const std::vector<Stream>& streams, const TextBatch& texts, size_t threads,
                         Interrupt& interrupt, Ids& out, int64_t* indptr) {
    size_t bytes = 0;
    for (size_t i = 0; i < texts.size; ++i) bytes += texts.views[i].size();
    for (const Stream& stream : streams) stream.encoder->expect(bytes);
    const auto encode_part = [&](size_t begin, size_t end, Ids& ids, int64_t* ends) {
        BlockEncoder(streams).run(texts, begin, end, [&](const Documents& block) {
            interrupt.check(begin == 0);
            for (size_t i = 0; i < block.size; ++i) *ends++ = static_cast<int64_t>(ids.size() + block.end(i));
            ids.append(block.ids, block.total());
        });
    };
    encode_in_parts(texts.views, texts.size, streams.size(), threads, out, indptr, encode_part);
}

}  // namespace subword
