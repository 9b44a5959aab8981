// StreamEncoder: the pieces of texts by several models side by side, each a stream, from one look-up a word.
//
// The models split texts into the same words: they are sizes of one model. A document becomes one row of ids for
// each stream. In every stream an id may open the words. A cache of its own keeps what a word becomes in all streams,
// so that text that repeats its words costs no more than with one model. One per thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cache.hpp"
#include "encode.hpp"
#include "scan.hpp"

namespace subword {

struct Stream {
    const Encoder* encoder;
    int32_t first_id;       // ids of the encoder begin there
    int32_t opener;         // the id before each word; -1: none
    const Encoder* larger;  // or nullptr: the encoder of a model that has all merges of this one, and then
    MergeList further;      // these
};

class StreamEncoder {
 public:
    explicit StreamEncoder(const std::vector<Stream>& streams)
        : streams_(streams), cache_(kCachedWords), known_(cache_.view()), rows_(streams.size()) {}

    size_t streams() const { return streams_.size(); }

    // Appends the ids of texts and writes streams() * size + 1 offsets to `indptr`.
    void encode(const std::string_view* texts, size_t size, Ids& out, int64_t* indptr) {
        if (is_plain()) return streams_[0].encoder->encode_batch(texts, size, out, indptr);
        *indptr++ = static_cast<int64_t>(out.size());
        for_each_word(
            texts, size, known_, [this](const WordCache::Word& word) { append(word); },
            [&] {
                for (Ids& row : rows_) {
                    out.append(row.data(), row.size());
                    row.clear();
                    *indptr++ = static_cast<int64_t>(out.size());
                }
            });
    }

    // Calls take(word) for the words of texts, each some time after its place in the cache was prefetched, and
    // end_text().
    template <class Take, class EndText>
    void for_each_word(const std::string_view* texts, size_t size, const WordCache::View& known, const Take& take,
                       const EndText& end_text) {
        find_words(texts, size);
        size_t word = 0;
        for (size_t end : ends_) {
            for (; word < end; ++word) {
                if (word + kAhead < words_.size()) known.prefetch(words_[word + kAhead]);
                take(words_[word]);
            }
            end_text();
        }
    }

    // Calls take(begin, end) with the ids of a word in each stream.
    template <class Take>
    void split(const WordCache::Word& word, const Take& take) {
        const std::string_view text = word.view();
        for (const Stream& stream : streams_) {
            made_.clear();
            if (stream.opener >= 0) made_.push_back(stream.opener);
            const size_t begin = made_.size();
            int64_t ends[2];
            stream.encoder->encode_words(&text, 1, made_, ends);
            for (int32_t* id = made_.data() + begin; id < made_.end(); ++id) *id += stream.first_id;
            take(made_.begin(), made_.end());
        }
    }

 private:
    static constexpr size_t kAhead = 16;  // words from prefetching to use
    static constexpr size_t kCachedWords = size_t{1} << 20;

    // The encoder alone does the same.
    bool is_plain() const { return streams_.size() == 1 && streams_[0].first_id == 0 && streams_[0].opener < 0; }

    void find_words(const std::string_view* texts, size_t size) {
        words_.clear();
        ends_.clear();
        for (const std::string_view* text = texts; text < texts + size; ++text) {
            const char* text_end = text->data() + text->size();
            scan(streams_[0].encoder->scanner(), text->data(), text->size(), [&](const char* word, size_t length) {
                words_.push_back(WordCache::word_at(word, length, text_end));
            });
            ends_.push_back(words_.size());
        }
    }

    // What is kept of a word: where its ids end in all streams but the last, then the ids of all.
    void append(const WordCache::Word& word) {
        if (const WordCache::Slot* slot = known_.find(word)) return append(slot->ids(), slot->count());
        kept_.clear();
        kept_.extend(streams_.size() - 1);
        size_t stream = 0;
        split(word, [&](const int32_t* begin, const int32_t* end) {
            kept_.append(begin, static_cast<size_t>(end - begin));
            if (++stream < streams_.size()) kept_[stream - 1] = static_cast<int32_t>(kept_.size());
        });
        append(kept_.data(), kept_.size());
        cache_.insert(word, kept_.data(), kept_.size(), known_);
    }

    void append(const int32_t* kept, size_t size) {
        const size_t last = rows_.size() - 1;
        size_t begin = last;
        for (size_t i = 0; i <= last; ++i) {
            const size_t end = i < last ? static_cast<size_t>(kept[i]) : size;
            rows_[i].append(kept + begin, end - begin);
            begin = end;
        }
    }

    std::vector<Stream> streams_;
    WordCache cache_;
    WordCache::View known_;
    std::vector<WordCache::Word> words_;  // of the texts at hand
    std::vector<size_t> ends_;            // of texts, in words
    std::vector<Ids> rows_;               // of the document at hand
    Ids made_;                            // of the word at hand, in one stream
    Ids kept_;
};

}  // namespace subword
