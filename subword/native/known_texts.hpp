// KnownTexts: texts met before, as the numbers of their words.
//
// A search fits and transforms the same documents for one size of a model after another, and most of the work, cutting
// them into words and looking these up, is the same each time. What is known here needs neither. A text is known by
// a hash and its length: whoever asks has to hash well.
//
// The memory is bounded: what does not fit makes the store start afresh. Rows that were found live on: the arrays they
// point into have their full size from the start (room that is not used costs nothing), never move, and are kept alive.
#pragma once

#include <cstdint>
#include <memory>
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
    static constexpr size_t kMostNumbers = size_t{1} << 24;
    static constexpr size_t kMostWords = size_t{1} << 20;
    static constexpr size_t kMostBytes = size_t{1} << 25;  // of long words

    WordTable words_;
    FlatArray<uint32_t> numbers_;
    std::vector<size_t> sizes_;  // of the texts at hand, in words
};

// Texts that were found, and how many words there were to number then.
struct KnownRows {
    std::shared_ptr<const KnownWords> words;
    size_t word_count = 0;
    std::vector<KnownText> texts;
};

// Texts to be lower-cased if there is a table, or known ones, which were.
struct TextBatch {
    const std::string_view* views;
    size_t size;
    LowerTable* lower;
    const KnownRows* known;  // or nullptr

    // In bytes, or in words.
    size_t size_of(size_t i) const { return known ? known->texts[i].size : views[i].size(); }
};

class KnownTexts {
 public:
    KnownTexts(Scanner scanner, LowerTable* lower) : scanner_(scanner), lower_(lower) { start_afresh(); }

    // Finds all of the texts; false if one is not known, if that is no gain, for all words of the store are encoded
    // first, or if somebody else is at work here.
    bool find(const TextKey* keys, size_t size, KnownRows& out) {
        const TryLock::Guard guard(lock_);
        if (!is_usable(guard)) return false;
        out.texts.clear();
        out.texts.reserve(size);
        for (size_t i = 0; i < size; ++i) {
            if (i + kAhead < size) prefetch_line(&entries_[home(keys[i + kAhead])]);
            const Entry& entry = entries_[place_of(keys[i])];
            if (!entry.text.begin) return false;
            out.texts.push_back(entry.text);
        }
        out.words = words_;
        out.word_count = words_->size();
        size_t words = 0;
        for (const KnownText& text : out.texts) words += text.size;
        return words > out.word_count;
    }

    // Makes the texts known; false if there is no room for them, or somebody else is at work here.
    bool add(const TextKey* keys, const std::string_view* texts, size_t size) {
        const TryLock::Guard guard(lock_);
        if (!is_usable(guard)) return false;
        std::vector<TextKey> new_keys;
        std::vector<std::string_view> new_texts;
        for (size_t i = 0; i < size; ++i) {
            if (entries_[place_of(keys[i])].text.begin) continue;
            new_keys.push_back(keys[i]);
            new_texts.push_back(texts[i]);
        }
        if (append(new_keys.data(), new_texts.data(), new_texts.size())) return true;
        start_afresh();
        return false;
    }

 private:
    struct Entry {
        TextKey key;
        KnownText text;  // begins nowhere if there is none
    };

    static constexpr size_t kAhead = 16;  // texts from prefetching to use
    static constexpr size_t kSmallest = 1024;  // entries; a power of two
    static constexpr size_t kMostTexts = size_t{1} << 20;

    bool is_usable(const TryLock::Guard& guard) {
        if (guard && guard.is_inherited()) start_afresh();
        return static_cast<bool>(guard);
    }

    void start_afresh() {
        words_ = std::make_shared<KnownWords>();
        entries_.assign(kSmallest, Entry{});
        texts_ = 0;
    }

    bool append(const TextKey* key, const std::string_view* texts, size_t size) {
        bool fits = texts_ + size <= kMostTexts;
        TextBlocks().run(texts, texts + size, lower_, [&](const std::string_view* block, size_t size) {
            fits = fits && words_->add(scanner_, block, size, [&](KnownText text) { insert(*key++, text); });
        });
        return fits;
    }

    void insert(const TextKey& key, KnownText text) {
        if (2 * ++texts_ > entries_.size()) grow();
        entries_[place_of(key)] = {key, text};
    }

    void grow() {
        std::vector<Entry> old(2 * entries_.size());
        old.swap(entries_);
        for (const Entry& entry : old)
            if (entry.text.begin) entries_[place_of(entry.key)] = entry;
    }

    size_t home(const TextKey& key) const { return mix_bits(key.hash) & (entries_.size() - 1); }

    // Where the text is, or belongs.
    size_t place_of(const TextKey& key) const {
        size_t at = home(key);
        for (; entries_[at].text.begin; at = (at + 1) & (entries_.size() - 1))
            if (entries_[at].key.hash == key.hash && entries_[at].key.length == key.length) break;
        return at;
    }

    const Scanner scanner_;
    LowerTable* const lower_;
    TryLock lock_;  // of what follows
    std::shared_ptr<KnownWords> words_;
    std::vector<Entry> entries_;  // open addressing, at most half full
    size_t texts_ = 0;
};

}  // namespace subword
