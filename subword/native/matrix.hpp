// From texts, or ids, to the rows of a sparse matrix in one pass.
//
// Documents go through in blocks of a size that stays in the cache: lower-cased, encoded, counted. Of several threads
// each takes a small part of the documents after another and writes rows of its own, which are put behind those of the
// parts before. So all are busy to the end, and nothing large is held twice.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hashed_rows.hpp"
#include "interrupt.hpp"
#include "known_encoder.hpp"
#include "lower.hpp"
#include "parallel.hpp"
#include "row_counter.hpp"
#include "stream_encoder.hpp"
#include "word_columns.hpp"

namespace subword {

class BlockEncoder {
 public:
    // `known` are the ids of the words of known texts.
    BlockEncoder(const std::vector<Stream>& streams, const TextBatch& texts, const std::vector<WordNumbers>& known)
        : texts_(texts), encoder_(streams) {
        if (texts.known) known_.emplace(*texts.known, known);
    }

    // Calls take(documents) for texts [begin, end), block by block.
    template <class Take>
    void run(size_t begin, size_t end, const Take& take) {
        if (known_) return known_->run(begin, end, take);
        const auto encode = [&](const std::string_view* block, size_t size) {
            ids_.clear();
            indptr_.resize(size * encoder_.streams() + 1);
            encoder_.encode(block, size, ids_, indptr_.data());
            take(Documents{ids_.data(), indptr_.data(), size * encoder_.streams()});
        };
        blocks_.run(texts_.views + begin, texts_.views + end, texts_.lower, encode);
    }

 private:
    const TextBatch& texts_;
    std::optional<KnownEncoder> known_;
    TextBlocks blocks_;
    StreamEncoder encoder_;
    Ids ids_;
    std::vector<int64_t> indptr_;
};

// The numbers of parts, for threads to take, and the rows of each, in any order, for them to bring.
class RowQueue {
 public:
    RowQueue(size_t parts, Rows& out) : out_(out), waiting_(parts) {}

    // The next part to be done; the number of parts when all are taken.
    size_t take() { return std::min(taken_.fetch_add(1, std::memory_order_relaxed), waiting_.size()); }

    size_t size() const { return waiting_.size(); }

    // Takes the rows of a part and leaves none there, but memory that was used before.
    void put(size_t part, Rows& rows) {
        const std::lock_guard<std::mutex> guard(mutex_);
        waiting_[part] = std::exchange(rows, Rows{});
        for (; put_ < waiting_.size() && waiting_[put_]; ++put_) {
            out_.append(*waiting_[put_]);
            spare_.push_back(*std::exchange(waiting_[put_], std::nullopt));
        }
        if (spare_.empty()) return;
        rows = std::move(spare_.back());
        rows.clear();
        spare_.pop_back();
    }

 private:
    Rows& out_;
    std::atomic<size_t> taken_{0};
    std::mutex mutex_;  // of what follows
    std::vector<std::optional<Rows>> waiting_;
    size_t put_ = 0;  // parts whose rows are in `out_`
    std::vector<Rows> spare_;
};

// Appends the rows of documents. work(rows, is_first_thread, for_each_part) is called in every thread and calls
// for_each_part(count) once, and so count(begin, end) for parts of the documents, whose rows it appends to its own.
template <class SizeOf, class Work>
void count_in_parts(size_t size, size_t threads, const SizeOf& size_of, Rows& out, const Work& work) {
    constexpr size_t kPartsPerThread = 16;
    if (threads == 1) return work(out, true, [&](const auto& count) { count(size_t{0}, size); });
    const std::vector<size_t> bounds = bounds_of_parts(size, threads * kPartsPerThread, size_of);
    RowQueue queue(bounds.size() - 1, out);
    run_parallel(std::min(threads, queue.size()), [&](size_t thread) {
        Rows rows;
        work(rows, thread == 0, [&](const auto& count) {
            for (size_t part = queue.take(); part < queue.size(); part = queue.take()) {
                count(bounds[part], bounds[part + 1]);
                queue.put(part, rows);
            }
        });
    });
}

// Makes room for new words.
inline void expect(const std::vector<Stream>& streams, const TextBatch& texts) {
    if (texts.known) return;  // encoding their words sees to that
    size_t bytes = 0;
    for (size_t i = 0; i < texts.size; ++i) bytes += texts.size_of(i);
    for (const Stream& stream : streams) stream.encoder->expect(bytes);
}

// A Counter takes blocks of documents and appends their rows.
template <class Counter, class Options>
void count_texts(const std::vector<Stream>& streams, const TextBatch& texts, const Options& options, size_t threads,
                 Interrupt& interrupt, Rows& out) {
    const auto size_of = [&](size_t i) { return texts.size_of(i); };
    expect(streams, texts);
    const std::vector<WordNumbers> known = ids_of_words(streams, texts.known);
    count_in_parts(texts.size, threads, size_of, out, [&](Rows& rows, bool is_first, const auto& for_each_part) {
        Counter counter(options, rows);
        BlockEncoder encoder(streams, texts, known);
        for_each_part([&](size_t begin, size_t end) {
            encoder.run(begin, end, [&](const Documents& block) {
                interrupt.check(is_first);
                counter.add(block);
            });
        });
    });
}

// The same where n-grams stay inside words.
inline void count_words(const std::vector<Stream>& streams, const TextBatch& texts, const RowOptions& options,
                        size_t threads, Interrupt& interrupt, Rows& out) {
    const auto size_of = [&](size_t i) { return texts.size_of(i); };
    const std::vector<WordNumbers> known = columns_of_words(streams, options, texts.known);
    count_in_parts(texts.size, threads, size_of, out, [&](Rows& rows, bool is_first, const auto& for_each_part) {
        const auto check = [&] { interrupt.check(is_first); };
        if (texts.known) {
            KnownColumns counter(*texts.known, known, options, rows);
            for_each_part([&](size_t begin, size_t end) { counter.add(begin, end, check); });
        } else {
            WordColumns counter(streams, options, rows);
            for_each_part([&](size_t begin, size_t end) {
                counter.add(texts.views + begin, texts.views + end, texts.lower, check);
            });
        }
    });
}

template <class Counter, class Options>
void count_ids(const Documents& documents, size_t streams, const Options& options, size_t threads,
               Interrupt& interrupt, Rows& out) {
    constexpr size_t kBlock = 16 << 10;  // ids
    const auto begin_of = [&](size_t i) { return documents.begin(i * streams); };
    const auto size_of = [&](size_t i) { return begin_of(i + 1) - begin_of(i); };
    count_in_parts(documents.size / streams, threads, size_of, out, [&](Rows& rows, bool is_first, const auto& for_each_part) {
        Counter counter(options, rows);
        for_each_part([&](size_t begin, size_t end) {
            while (begin < end) {
                interrupt.check(is_first);
                size_t stop = begin + 1;
                while (stop < end && begin_of(stop + 1) - begin_of(begin) < kBlock) ++stop;
                counter.add({documents.ids + begin_of(begin), documents.indptr + begin * streams, (stop - begin) * streams});
                begin = stop;
            }
        });
    });
}

// Appends the ids of texts and writes streams * size + 1 offsets to `indptr`. The number of threads changes nothing.
inline void encode_texts(const std::vector<Stream>& streams, const TextBatch& texts, size_t threads,
                         Interrupt& interrupt, Ids& out, int64_t* indptr) {
    const auto size_of = [&](size_t i) { return texts.size_of(i); };
    expect(streams, texts);
    const std::vector<WordNumbers> known = ids_of_words(streams, texts.known);
    const auto encode_part = [&](size_t begin, size_t end, Ids& ids, int64_t* ends) {
        BlockEncoder(streams, texts, known).run(begin, end, [&](const Documents& block) {
            interrupt.check(begin == 0);
            for (size_t i = 0; i < block.size; ++i) *ends++ = static_cast<int64_t>(ids.size() + block.end(i));
            ids.append(block.ids, block.total());
        });
    };
    encode_in_parts(texts.size, streams.size(), threads, size_of, out, indptr, encode_part);
}

}  // namespace subword
