// KnownTexts: texts met before, as the numbers of their words.
//
// A search fits and transforms the same documents for one size of a model after another, and most of the work, cutting
// them into words and looking these up, is the same each time. What is known here needs neither. A text is known by
// a hash and its length: whoever asks has to hash well.
//
// The memory is bounded: what does not fit makes the store start afresh. Rows that were found live on: the arrays they
// point into have their full size from the start (on most systems room that is not used costs nothing), never move, and
// are kept alive.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "flat_array.hpp"
#include "lower.hpp"
#include "scan.hpp"
#include "try_lock.hpp"
#include "word_table.hpp"

namespace subword {

struct TextKey {
    uint64_t hash, length;
};

// The numbers of the words of a text.
struct KnownText {
    const uint32_t* begin;
    size_t size;
};

// The words of known texts: those of a text lie together.
class KnownWords {
 public:
    KnownWords() {
        words_.reserve(kMostWords, kMostBytes);
        numbers_.reserve(kMostNumbers);
    }

    size_t size() const { return words_.size(); }
    std::string_view word(size_t number) const { return words_.word(number); }

    // Appends the words of texts and calls take(known text) for each; false if there may be too many.
    template <class Take>
    bool add(Scanner scanner, const std::string_view* texts, size_t size, const Take& take) {
        size_t bytes = 0;
        for (size_t i = 0; i < size; ++i) bytes += texts[i].size();
        if (words_.size() + bytes > kMostWords || words_.long_bytes() + bytes > kMostBytes ||
            numbers_.size() + bytes > kMostNumbers)
            return false;
        const uint32_t* begin = numbers_.end();
        sizes_.assign(size, 0);
        WordTable::Batch batch(words_, [this](size_t word) { numbers_.push_back(static_cast<uint32_t>(word)); });
        for (size_t i = 0; i < size; ++i) {
            batch.enter_text(texts[i].data() + texts[i].size());
            scan(scanner, texts[i].data(), texts[i].size(), [&](const char* word, size_t length) {
                batch.add(word, length);
                ++sizes_[i];
            });
        }
        batch.finish();
        for (size_t words : sizes_) {
            take(KnownText{begin, words});
            begin += words;
        }
        return true;
    }

 private:
    static constexpr size_t kMostNumbers = size_t{1} << 24;  // 64 MB
    static constexpr size_t kMostWords = size_t{1} << 19;    // 16 MB, and 8 MB to find them
    static constexpr size_t kMostBytes = size_t{1} << 23;    // of long words

    WordTable words_;
    FlatArray<uint32_t> numbers_;
    std::vector<size_t> sizes_;  // of the texts at hand, in words
};

// Texts that were found, and the numbers of the words they have, each once.
struct KnownRows {
    std::shared_ptr<const KnownWords> words;
    std::vector<KnownText> texts;
    std::vector<uint32_t> distinct;
    size_t word_count = 0;  // all numbers are less

    void find_distinct() {
        std::vector<uint64_t> met((word_count + 63) / 64);
        for (const KnownText& text : texts) {
            for (const uint32_t* word = text.begin; word < text.begin + text.size; ++word) {
                const uint64_t bit = uint64_t{1} << *word % 64;
                if (met[*word / 64] & bit) continue;
                met[*word / 64] |= bit;
                distinct.push_back(*word);
            }
        }
    }
};

// Texts to be lower-cased if there is a table, or known ones, which were.
struct TextBatch {
    const std::string_view* views;
    size_t size;
    LowerTable* lower;
    const KnownRows* known;  // or nullptr

    // In bytes; of known texts about as many.
    size_t size_of(size_t i) const { return known ? kBytesPerWord * known->texts[i].size : views[i].size(); }

 private:
    static constexpr size_t kBytesPerWord = 6;
};

class KnownTexts {
 public:
    enum class Added { all, too_many, not_now };

    KnownTexts(Scanner scanner, LowerTable* lower) : scanner_(scanner), lower_(lower) {}

    // Another number when texts were forgotten; no two stores ever have the same.
    uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }

    // Finds all of the texts; false if one is not known, or somebody else is at work here.
    bool find(const TextKey* keys, size_t size, KnownRows& out) {
        if (!look_up(keys, size, out)) return false;
        out.find_distinct();
        return true;
    }

    // Makes texts known. Others are forgotten if there is no room for all; if there is none for these alone, all are.
    Added add(const TextKey* keys, const std::string_view* texts, size_t size) {
        if (size > kMostTexts) return Added::too_many;
        const TryLock::Guard guard(lock_);
        if (!is_usable(guard)) return Added::not_now;
        for (int attempt = 0; attempt < 2; ++attempt) {
            content_.is_whole = false;
            if (append(keys, texts, size)) {
                content_.is_whole = true;
                return Added::all;
            }
            start_afresh();
        }
        return Added::too_many;
    }

 private:
    struct Entry {
        TextKey key;
        KnownText text;  // begins nowhere if there is none
    };

    struct Content {
        std::shared_ptr<KnownWords> words = std::make_shared<KnownWords>();
        std::vector<Entry> entries = std::vector<Entry>(kSmallest);  // open addressing, at most half full
        size_t texts = 0;
        bool is_whole = true;  // not while it is changed, nor ever after if that ended with an exception

        size_t home(const TextKey& key) const { return mix_bits(key.hash) & (entries.size() - 1); }

        // Where the text is, or belongs.
        size_t place_of(const TextKey& key) const {
            size_t at = home(key);
            for (; entries[at].text.begin; at = (at + 1) & (entries.size() - 1))
                if (entries[at].key.hash == key.hash && entries[at].key.length == key.length) break;
            return at;
        }

        bool has(const TextKey& key) const { return entries[place_of(key)].text.begin; }

        void insert(const TextKey& key, KnownText text) {
            if (2 * ++texts > entries.size()) grow();
            entries[place_of(key)] = {key, text};
        }

        void grow() {
            std::vector<Entry> old(2 * entries.size());
            old.swap(entries);
            for (const Entry& entry : old)
                if (entry.text.begin) entries[place_of(entry.key)] = entry;
        }
    };

    static constexpr size_t kAhead = 16;       // texts from prefetching to use
    static constexpr size_t kSmallest = 1024;  // entries; a power of two
    static constexpr size_t kMostTexts = size_t{1} << 19;

    // What a thread of the process before was changing when it was forked is left alone for ever.
    bool is_usable(const TryLock::Guard& guard) {
        if (!guard) return false;
        if (guard.is_inherited()) {
            new (&content_) Content();
            generation_ = next_generation();
        } else if (!content_.is_whole) {
            start_afresh();
        }
        return true;
    }

    void start_afresh() {
        content_ = Content();
        generation_ = next_generation();
    }

    static uint64_t next_generation() {
        static std::atomic<uint64_t> last{0};
        return ++last;
    }

    bool look_up(const TextKey* keys, size_t size, KnownRows& out) {
        const TryLock::Guard guard(lock_);
        if (!is_usable(guard)) return false;
        out.texts.reserve(size);
        for (size_t i = 0; i < size; ++i) {
            if (i + kAhead < size) prefetch_line(&content_.entries[content_.home(keys[i + kAhead])]);
            const Entry& entry = content_.entries[content_.place_of(keys[i])];
            if (!entry.text.begin) return false;
            out.texts.push_back(entry.text);
        }
        out.words = content_.words;
        out.word_count = content_.words->size();
        return true;
    }

    // Appends those of the texts that are new; false if there is no room.
    bool append(const TextKey* keys, const std::string_view* texts, size_t size) {
        std::vector<TextKey> new_keys;
        std::vector<std::string_view> new_texts;
        for (size_t i = 0; i < size; ++i) {
            if (content_.has(keys[i])) continue;
            new_keys.push_back(keys[i]);
            new_texts.push_back(texts[i]);
        }
        bool fits = content_.texts + new_texts.size() <= kMostTexts;
        if (!fits) return false;
        const TextKey* key = new_keys.data();
        const auto insert = [&](KnownText text) { content_.insert(*key++, text); };
        TextBlocks().run(new_texts.data(), new_texts.data() + new_texts.size(), lower_,
                         [&](const std::string_view* block, size_t count) {
                             fits = fits && content_.words->add(scanner_, block, count, insert);
                         });
        return fits;
    }

    const Scanner scanner_;
    LowerTable* const lower_;
    std::atomic<uint64_t> generation_{next_generation()};
    TryLock lock_;  // of what follows
    Content content_;
};

}  // namespace subword
