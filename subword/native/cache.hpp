// WordCache: the ids of words met before, for one thread.
//
// Text repeats its words, so most of encoding is one look-up a word, and that look-up one cache miss: a slot has
// 32 bytes and holds a word of up to 16 bytes together with up to two ids. Longer words and more ids lie in
// arenas. The cache is bounded: very long words are not kept, and when it is full it starts afresh, which costs
// little (the frequent words are back at once) and follows a text that changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "alphabet.hpp"
#include "flat_array.hpp"
#include "hash.hpp"
#include "memory.hpp"

namespace subword {

class WordCache {
 public:
    static constexpr size_t kLongest = 128;  // bytes of a word that is kept
    static constexpr size_t kRoom = 8;

    // A word to look up.
    struct Word {
        WordKey key;  // of a longer word: its hash, and kNowhere
        const char* text;
        uint32_t length;
        uint32_t hash;

        std::string_view view() const { return {text, length}; }
    };

    struct Slot {
        WordKey key;      // of a longer word: its hash, and where it stands in the arena of text
        int32_t ids[2];   // of a word of more ids: where they stand in the arena of ids
        uint32_t length;  // of the word; 0 = empty slot
        uint32_t count;   // of the ids
    };
    static_assert(sizeof(Word) == 32 && sizeof(Slot) == 32, "two to a cache line");

    explicit WordCache(size_t max_words) : max_words_(std::min(max_words, kMostWords)), slots_(kSmallest) {}

    // Slots for so many words in all, within the bound.
    void make_room(size_t words) {
        size_t size = slots_.size();
        while (size < 2 * std::min(words, max_words_)) size *= 2;
        if (size != slots_.size()) resize(size);
    }

    // The word stands in a text that ends at `end`; nothing is read behind it.
    static Word word_at(const char* text, size_t length, const char* end) {
        if (length - 1 >= kInlineBytes) return long_word_at(text, length, end);  // or an empty one
        const WordKey key = load_key(text, length, end);
        return {key, text, static_cast<uint32_t>(length), static_cast<uint32_t>(hash_key(key) >> 32)};
    }

    void prefetch(const Word& word) const { prefetch_line(&slots_[home(word.hash)]); }

    // The slot of the word, or nullptr.
    const Slot* find(const Word& word) const {
        const Slot& first = slots_[home(word.hash)];
        if (is_short_match(first, word)) return &first;
        const Slot& slot = slots_[slot_of(word)];
        return slot.length != 0 ? &slot : nullptr;
    }

    // Of more than two ids, at least kRoom may be read, so that a copy of few needs no loop.
    const int32_t* ids(const Slot& slot) const { return slot.count <= 2 ? slot.ids : ids_.data() + slot.ids[0]; }

    // Keeps the ids of a word that is not in the cache, unless it is too long.
    void insert(const Word& word, const int32_t* ids, size_t count) {
        if (word.length == 0 || word.length > kLongest || max_words_ == 0) return;
        if (words_ >= max_words_) clear();
        make_room(words_ + 1);
        texts_.make_room(word.length);
        ids_.make_room(count + kRoom);  // whatever can fail has been done
        Slot& slot = slots_[slot_of(word)];
        slot = {word.key, {0, 0}, word.length, static_cast<uint32_t>(count)};
        if (word.length > kInlineBytes) {
            slot.key.high = texts_.size();
            texts_.append(word.text, word.length);
        }
        if (count > 2) {
            slot.ids[0] = static_cast<int32_t>(ids_.size());
            ids_.append(ids, count);
        } else {
            std::copy(ids, ids + count, slot.ids);
        }
        ++words_;
    }

    // Starts afresh.
    void clear() {
        slots_.assign(slots_.size(), Slot{});
        texts_.clear();
        ids_.clear();
        words_ = 0;
    }

 private:
    static constexpr uint64_t kNowhere = static_cast<uint64_t>(-1);
    static constexpr size_t kSmallest = 1024;              // slots; a power of two
    static constexpr size_t kMostWords = size_t{1} << 23;  // then places in the arena of ids fit in 31 bits

    size_t home(uint32_t hash) const { return hash & (slots_.size() - 1); }

    static Word long_word_at(const char* text, size_t length, const char* end) {
        check_word_length(length);
        const uint64_t hash = length <= kLongest ? hash_word(text, length, end) : 0;
        return {{hash, kNowhere}, text, static_cast<uint32_t>(length), static_cast<uint32_t>(hash >> 32)};
    }

    // One branch for three comparisons. A longer or empty word never matches, for no slot has kNowhere in its key.
    static bool is_short_match(const Slot& slot, const Word& word) {
        return ((slot.key.low ^ word.key.low) | (slot.key.high ^ word.key.high) | (slot.length ^ word.length)) == 0;
    }

    bool equals(const Slot& slot, const Word& word) const {
        if (word.length <= kInlineBytes) return is_short_match(slot, word);
        return slot.length == word.length && slot.key.low == word.key.low &&
               std::memcmp(texts_.data() + slot.key.high, word.text, word.length) == 0;
    }

    // The slot that holds the word, or the empty one where it belongs.
    size_t slot_of(const Word& word) const {
        size_t at = home(word.hash);
        while (slots_[at].length != 0 && !equals(slots_[at], word)) at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    void resize(size_t size) {
        decltype(slots_) old(size);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.length == 0) continue;
            const uint64_t hash = slot.length <= kInlineBytes ? hash_key(slot.key) : slot.key.low;
            size_t at = home(static_cast<uint32_t>(hash >> 32));
            while (slots_[at].length != 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }

    const size_t max_words_;
    size_t words_ = 0;
    std::vector<Slot, HugePageAllocator<Slot>> slots_;  // open addressing, at most half full
    FlatArray<char> texts_;
    FlatArray<int32_t> ids_;
};

}  // namespace subword
