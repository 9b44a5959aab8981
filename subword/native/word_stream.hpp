// WordStream: words on their way through a WordEncoder.
//
// A word is looked up 32 to 64 words after its cache slot was prefetched, so that the misses of many words overlap
// with each other and with the work of the scanner. The stream runs on across the ends of texts: short texts
// would otherwise empty it again and again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "word_encoder.hpp"

namespace subword {

template <class Sink>
class WordStream {
 public:
    // `ends`, if not null, takes the number of ids at each end of a text.
    WordStream(WordEncoder& encoder, Sink sink, int64_t* ends)
        : encoder_(encoder), sink_(sink), ends_(ends), marked_(ends) {}

    // The word stands in a text that ends at `text_end`.
    void push(const char* word, size_t length, const char* text_end) {
        WordCache::Word& place = words_[pushed_ % kRing];
        place = WordCache::word_at(word, length, text_end);
        encoder_.prefetch(place);
        if (++pushed_ % kDelay == 0) encode_until(pushed_ - kDelay);
    }

    // Until its turn comes, the place of the number of ids holds the number of words.
    void end_text() { *marked_++ = static_cast<int64_t>(pushed_); }

    // Must follow the last word.
    void finish() { encode_until(pushed_); }

 private:
    static constexpr size_t kRing = kWordsAtOnce;
    static constexpr size_t kDelay = kRing / 2;

    void encode_until(size_t limit) {
        sink_.make_room();
        note_ends();
        while (encoded_ < limit) {
            const size_t stop = ends_ < marked_ ? std::min(limit, static_cast<size_t>(*ends_)) : limit;
            for (; encoded_ < stop; ++encoded_) encoder_.encode(words_[encoded_ % kRing], sink_);
            note_ends();
        }
    }

    void note_ends() {
        for (; ends_ < marked_ && static_cast<size_t>(*ends_) == encoded_; ++ends_)
            *ends_ = static_cast<int64_t>(sink_.size());
    }

    WordEncoder& encoder_;
    Sink sink_;
    int64_t* ends_;    // the next to be written
    int64_t* marked_;  // the next to be marked
    size_t pushed_ = 0, encoded_ = 0;
    WordCache::Word words_[kRing];
};

}  // namespace subword
