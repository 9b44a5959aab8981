// WordEncoder: the ids of single words, from the cache or by segmentation. Each call has one of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "cache.hpp"
#include "dropout.hpp"
#include "flat_array.hpp"
#include "model.hpp"
#include "segment.hpp"

namespace subword {

using Ids = FlatArray<int32_t>;

constexpr size_t kWordsAtOnce = 64;

// Where ids go: into an array, or only into a sum. After make_room() append_few() needs no check for up to
// kWordsAtOnce words, whatever is appended between. It copies kRoom ids, of which `count` count: no loop, no call.
struct IdSink {
    Ids& out;

    size_t size() const { return out.size(); }
    void make_room() { out.make_room(kWordsAtOnce * WordCache::kRoom); }
    void append(const int32_t* ids, size_t count) {
        out.append(ids, count);
        make_room();
    }
    template <size_t kRoom>
    void append_few(const int32_t* ids, size_t count) {
        std::memcpy(out.end(), ids, kRoom * sizeof *ids);
        out.grow_within_room(count);
    }
};

struct CountSink {
    size_t& total;

    size_t size() const { return total; }
    void make_room() {}
    void append(const int32_t*, size_t count) { total += count; }
    template <size_t>
    void append_few(const int32_t*, size_t count) { total += count; }
};

class WordEncoder {
 public:
    WordEncoder(const Model& model, WordCache& cache) : model_(model), cache_(cache), known_(cache.view()) {}

    void prefetch(const WordCache::Word& word) const { known_.prefetch(word); }

    // The sink must have room.
    template <class Sink>
    void encode(const WordCache::Word& word, Sink sink) {
        const WordCache::Slot* slot = known_.find(word);
        if (!slot) {
            segment_new(word);
            return append_symbols(word.view(), sink);
        }
        const uint32_t count = slot->count();
        if (count <= 2) {
            sink.template append_few<2>(slot->few(), count);
        } else if (count <= WordCache::kRoom) {
            sink.template append_few<WordCache::kRoom>(slot->many(), count);
        } else {
            sink.append(slot->many(), count);
        }
    }

    template <class Sink>
    void encode(std::string_view word, double dropout, Draws draws, Sink sink) {
        segment_with_dropout(model_, word, dropout, draws, symbols_);
        append_symbols(word, sink);
    }

    // Calls emit(id, begin, end) with the bytes of the word that each id stands for.
    template <class Emit>
    void spell(const WordCache::Word& word, Emit&& emit) {
        if (const WordCache::Slot* slot = known_.find(word)) {
            model_.spell(word.view(), slot->ids(), slot->count(), emit);
        } else {
            segment_new(word);
            model_.spell(word.view(), symbols_.data(), symbols_.size(), emit);
        }
    }

 private:
    // Words with unknown units are not cached: their spans could not be told from the ids.
    void segment_new(const WordCache::Word& word) {
        segment(model_, word.view(), symbols_);
        if (!has_unknown()) cache_.insert(word, symbols_.data(), symbols_.size(), known_);
    }

    bool has_unknown() const { return std::find(symbols_.begin(), symbols_.end(), kNoSymbol) != symbols_.end(); }

    template <class Sink>
    void append_symbols(std::string_view word, Sink sink) const {
        if (!has_unknown()) return sink.append(symbols_.data(), symbols_.size());
        const auto append = [&sink](int32_t id, size_t, size_t) { sink.append(&id, 1); };
        model_.spell(word, symbols_.data(), symbols_.size(), append);
    }

    const Model& model_;
    WordCache& cache_;
    WordCache::View known_;
    Segments symbols_;
};

}  // namespace subword
