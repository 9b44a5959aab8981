// From texts, or ids, to the rows of a sparse matrix in one pass.
//
// Documents go through in blocks of a size that stays in the cache: lower-cased, encoded, counted. Threads take
// consecutive parts of the documents and write rows of their own, which are then put one after another.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "encode.hpp"
#include "parallel.hpp"
#include "row_counter.hpp"

namespace subword {

// TextBatch that are lower-cased, if so asked, in their ASCII letters; the others have been by the caller.
struct TextBatch {
    const std::string_view* views;
    size_t size;
    bool lowercase;
};

// Bounds of at most `parts` consecutive ranges of [0, size) with about the same sum of sizes.
template <class SizeOf>
std::vector<size_t> bounds_of_parts(size_t size, size_t parts, const SizeOf& size_of) {
    size_t total = 0, seen = 0;
    for (size_t i = 0; i < size; ++i) total += size_of(i) + 1;
    std::vector<size_t> bounds{0};
    for (size_t i = 0; i < size && bounds.size() < parts; ++i) {
        seen += size_of(i) + 1;
        if (seen >= total / parts * bounds.size()) bounds.push_back(i + 1);
    }
    if (bounds.back() < size) bounds.push_back(size);
    return bounds;
}

class BlockEncoder {
 public:
    explicit BlockEncoder(const Encoder& encoder) : encoder_(encoder) {}

    // Calls take(documents) for texts [begin, end), block by block.
    template <class Take>
    void run(const TextBatch& texts, size_t begin, size_t end, const Take& take) {
        while (begin < end) {
            size_t stop = begin, bytes = 0;
            while (stop < end && bytes < kBlock) bytes += texts.views[stop++].size();
            const std::string_view* views = texts.lowercase ? lower(texts.views + begin, stop - begin, bytes)
                                                            : texts.views + begin;
            ids_.clear();
            indptr_.resize(stop - begin + 1);
            encoder_.encode_batch(views, stop - begin, 1, ids_, indptr_.data());
            take(Documents{ids_.data(), indptr_.data(), stop - begin});
            begin = stop;
        }
    }

 private:
    static constexpr size_t kBlock = 64 << 10;  // bytes of text

    const std::string_view* lower(const std::string_view* texts, size_t size, size_t bytes) {
        lowered_.clear();
        lowered_.reserve(bytes);
        views_.clear();
        for (size_t i = 0; i < size; ++i) {
            const char* text = texts[i].data();
            const size_t length = texts[i].size();  // a loop over the view itself would read it anew at each byte
            char* out = lowered_.extend(length);
            for (size_t j = 0; j < length; ++j) out[j] = lower(text[j]);
            views_.emplace_back(out, length);
        }
        return views_.data();
    }

    static char lower(char c) { return static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 'a' - 'A' : 0)); }

    const Encoder& encoder_;
    FlatArray<char> lowered_;
    std::vector<std::string_view> views_;
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

inline void count_texts(const Encoder& encoder, const TextBatch& texts, const RowOptions& options, size_t threads,
                        Rows& out) {
    const auto size_of = [&](size_t i) { return texts.views[i].size(); };
    count_in_parts(texts.size, threads, size_of, out, [&](size_t begin, size_t end, Rows& rows) {
        RowCounter counter(options, rows);
        BlockEncoder(encoder).run(texts, begin, end, [&](const Documents& block) { counter.add(block); });
    });
}

inline void count_ids(const Documents& documents, const RowOptions& options, size_t threads, Rows& out) {
    constexpr size_t kBlock = 16 << 10;  // ids
    const auto size_of = [&](size_t i) { return documents.end(i) - documents.begin(i); };
    count_in_parts(documents.size, threads, size_of, out, [&](size_t begin, size_t end, Rows& rows) {
        RowCounter counter(options, rows);
        while (begin < end) {
            size_t stop = begin + 1;
            while (stop < end && documents.end(stop) - documents.begin(begin) < kBlock) ++stop;
            counter.add({documents.ids + documents.begin(begin), documents.indptr + begin, stop - begin});
            begin = stop;
        }
    });
}

// Appends the ids of texts and writes size + 1 offsets to `indptr`.
inline void encode_texts(const Encoder& encoder, const TextBatch& texts, size_t threads, Ids& out, int64_t* indptr) {
    const auto size_of = [&](size_t i) { return texts.views[i].size(); };
    const std::vector<size_t> bounds = bounds_of_parts(texts.size, threads, size_of);
    std::vector<Ids> parts(bounds.size());
    run_parallel(bounds.size() - 1, [&](size_t part) {
        Ids& ids = part == 0 ? out : parts[part];
        int64_t* end = indptr + 1 + bounds[part];
        BlockEncoder(encoder).run(texts, bounds[part], bounds[part + 1], [&](const Documents& block) {
            for (size_t i = 0; i < block.size; ++i) *end++ = static_cast<int64_t>(ids.size() + block.end(i));
            ids.append(block.ids, block.total());
        });
    });
    indptr[0] = 0;
    for (size_t part = 1; part + 1 < bounds.size(); ++part) {
        for (size_t i = bounds[part]; i < bounds[part + 1]; ++i) indptr[i + 1] += static_cast<int64_t>(out.size());
        out.append(parts[part].data(), parts[part].size());
    }
}

}  // namespace subword
