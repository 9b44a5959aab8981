// WordCache: the ids of words met before, shared by all threads.
//
// Text repeats its words, so most of encoding is one look-up a word, and that look-up one cache miss: a slot has
// 32 bytes and holds a word of up to 16 bytes together with up to two ids. Longer words and more ids lie in an
// arena. The cache is bounded: very long words are not kept, and when it is full it starts afresh, which costs
// little (the frequent words are back at once) and follows a text that changes.
//
// Looking up takes no lock. A slot is written once, its size last, and then never changes; the arena never moves;
// and a table that has been replaced lives as long as anybody looks at it. Only one thread at a time adds words.
// Others do not wait for it: a word that cannot be added just now is added when it comes again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "alphabet.hpp"
#include "flat_array.hpp"
#include "hash.hpp"
#include "memory.hpp"
#include "try_lock.hpp"

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

    // The word stands in a text that ends at `end`; nothing is read behind it.
    static Word word_at(const char* text, size_t length, const char* end) {
        if (length - 1 >= kInlineBytes) return long_word_at(text, length, end);  // or an empty one
        const WordKey key = load_key(text, length, end);
        return {key, text, static_cast<uint32_t>(length), static_cast<uint32_t>(hash_key(key) >> 32)};
    }

    class Slot {
     public:
        uint32_t count() const { return static_cast<uint32_t>(size_.load(std::memory_order_relaxed) >> 32); }

        // The ids: up to two, or more, of which at least kRoom may be read, so that a copy of few needs no loop.
        const int32_t* few() const { return few_; }
        const int32_t* many() const { return many_; }
        const int32_t* ids() const { return count() <= 2 ? few_ : many_; }

     private:
        friend class WordCache;

        uint32_t length() const { return static_cast<uint32_t>(size_.load(std::memory_order_acquire)); }

        // One branch for three comparisons. A longer or empty word never matches: no slot of its length has kNowhere there.
        bool is_short_match(const Word& word) const {
            const uint32_t length = this->length();
            return ((low_.load(std::memory_order_relaxed) ^ word.key.low) |
                    (high_.load(std::memory_order_relaxed) ^ word.key.high) | (length ^ word.length)) == 0;
        }

        bool is_match(const Word& word) const {
            if (word.length <= kInlineBytes) return is_short_match(word);
            return length() == word.length && low_.load(std::memory_order_relaxed) == word.key.low &&
                   std::memcmp(text(), word.text, word.length) == 0;
        }

        const char* text() const { return reinterpret_cast<const char*>(high_.load(std::memory_order_relaxed)); }

        uint64_t hash() const {
            const WordKey key{low_.load(std::memory_order_relaxed), high_.load(std::memory_order_relaxed)};
            return length() <= kInlineBytes ? hash_key(key) : key.low;
        }

        void copy(const Slot& other) {
            low_.store(other.low_.load(std::memory_order_relaxed), std::memory_order_relaxed);
            high_.store(other.high_.load(std::memory_order_relaxed), std::memory_order_relaxed);
            std::memcpy(few_, other.few_, sizeof few_);
            size_.store(other.size_.load(std::memory_order_relaxed), std::memory_order_release);
        }

        std::atomic<uint64_t> low_{0}, high_{0};  // the key; of a longer word its hash, and the address of its text
        union {
            int32_t few_[2] = {0, 0};
            const int32_t* many_;
        };
        std::atomic<uint64_t> size_{0};  // bytes of the word and, in the upper half, number of ids; 0 = empty slot
    };
    static_assert(sizeof(Word) == 32 && sizeof(Slot) == 32, "two to a cache line");

    // Memory for texts and ids, which stay where they are.
    class Arena {
     public:
        // Behind what is stored, kRoom ids may be read.
        template <class T>
        const T* store(const T* values, size_t count) {
            const size_t bytes = (count * sizeof(T) + 7) / 8 * 8;
            if (bytes > left_) add_chunk(bytes);
            char* place = next_;
            std::memcpy(place, values, count * sizeof(T));
            next_ += bytes;
            left_ -= bytes;
            return reinterpret_cast<const T*>(place);
        }

     private:
        static constexpr size_t kFirst = size_t{8} << 10, kLargest = size_t{4} << 20;

        void add_chunk(size_t bytes) {
            const size_t size = std::max(bytes, size_);
            FlatArray<char> chunk;
            chunk.reserve(size + kRoom * sizeof(int32_t));
            chunks_.push_back(std::move(chunk));  // if it throws, nothing was changed
            next_ = chunks_.back().data();
            left_ = size;
            size_ = std::min(2 * size_, kLargest);
        }

        std::vector<FlatArray<char>> chunks_;
        char* next_ = nullptr;
        size_t left_ = 0;
        size_t size_ = kFirst;  // of the next chunk
    };

    // The words of some time and those that were added since, kept alive; what a thread looks at.
    class View {
     public:
        void prefetch(const Word& word) const { prefetch_line(&slots_[home(word.hash)]); }

        // The slot of the word, or nullptr.
        const Slot* find(const Word& word) const {
            const Slot& first = slots_[home(word.hash)];
            if (first.is_short_match(word)) return &first;
            for (size_t at = home(word.hash);; at = (at + 1) & last_) {
                const Slot& slot = slots_[at];
                if (slot.length() == 0) return nullptr;  // looked at once: another word may be there in a moment
                if (slot.is_match(word)) return &slot;
            }
        }

     private:
        friend class WordCache;

        View() = default;
        View(size_t slots, std::shared_ptr<Arena> arena)
            : table_(std::make_shared<Table>(slots)), arena_(std::move(arena)), slots_(table_->data()), last_(slots - 1) {}

        size_t size() const { return last_ + 1; }
        size_t home(uint32_t hash) const { return hash & last_; }

        // The slot that holds the word, or the empty one where it belongs. Only for the thread that adds words.
        size_t slot_of(const Word& word) const {
            size_t at = home(word.hash);
            while (slots_[at].length() != 0 && !slots_[at].is_match(word)) at = (at + 1) & last_;
            return at;
        }

        void copy(const View& other) {
            for (const Slot& slot : *other.table_) {
                if (slot.length() == 0) continue;
                size_t at = home(static_cast<uint32_t>(slot.hash() >> 32));
                while (slots_[at].length() != 0) at = (at + 1) & last_;
                slots_[at].copy(slot);
            }
        }

        using Table = std::vector<Slot, HugePageAllocator<Slot>>;

        std::shared_ptr<Table> table_;  // open addressing, at most half full
        std::shared_ptr<Arena> arena_;
        Slot* slots_ = nullptr;
        size_t last_ = 0;
    };

    explicit WordCache(size_t max_words) : max_words_(std::min(max_words, kMostWords)) { clear(); }

    // Slots for so many words in all, within the bound.
    void expect(size_t words) {
        const TryLock::Guard guard(lock_);
        if (!guard) return;
        repair(guard);
        make_room(words);
    }

    // The present table; if it is just being changed, one without words.
    View view() {
        const TryLock::Guard guard(lock_);
        if (!guard) return View(1, nullptr);
        repair(guard);
        return present_;
    }

    // Keeps the ids of a word, unless it is too long. The view then shows the present table.
    void insert(const Word& word, const int32_t* ids, size_t count, View& view) {
        if (word.length == 0 || word.length > kLongest || max_words_ == 0) return;
        const TryLock::Guard guard(lock_);
        if (!guard) return;
        repair(guard);
        if (words_ >= max_words_) clear();
        make_room(words_ + 1);
        if (view.slots_ != present_.slots_) view = present_;
        Slot& slot = present_.slots_[present_.slot_of(word)];
        if (slot.length() != 0) return;  // by another thread
        fill(slot, word, ids, count);
        ++words_;
    }

    // Starts afresh. Not while other threads use it; views stay as they are.
    void clear() {
        present_ = View(present_.table_ ? present_.size() : kSmallest, std::make_shared<Arena>());
        words_ = 0;
    }

 private:
    static constexpr uint64_t kNowhere = static_cast<uint64_t>(-1);
    static constexpr size_t kSmallest = 64;  // slots; a power of two
    static constexpr size_t kMostWords = size_t{1} << 23;

    static Word long_word_at(const char* text, size_t length, const char* end) {
        check_word_length(length);
        const uint64_t hash = length <= kLongest ? hash_word(text, length, end) : 0;
        return {{hash, kNowhere}, text, static_cast<uint32_t>(length), static_cast<uint32_t>(hash >> 32)};
    }

    void fill(Slot& slot, const Word& word, const int32_t* ids, size_t count) {
        Arena& arena = *present_.arena_;
        const bool is_long = word.length > kInlineBytes;
        const uint64_t high = is_long ? reinterpret_cast<uintptr_t>(arena.store(word.text, word.length)) : word.key.high;
        if (count > 2) {
            slot.many_ = arena.store(ids, count);
        } else {
            std::copy(ids, ids + count, slot.few_);
        }
        slot.low_.store(word.key.low, std::memory_order_relaxed);
        slot.high_.store(high, std::memory_order_relaxed);
        slot.size_.store(uint64_t{word.length} | uint64_t{count} << 32, std::memory_order_release);
    }

    // What a thread of the process before was changing when it was forked is left alone for ever.
    void repair(const TryLock::Guard& guard) {
        if (!guard.is_inherited()) return;
        new (&present_) View(kSmallest, std::make_shared<Arena>());
        words_ = 0;
    }

    void make_room(size_t words) {
        size_t slots = present_.size();
        while (slots < 2 * std::min(words, max_words_)) slots *= 2;
        if (slots == present_.size()) return;
        View larger(slots, present_.arena_);
        larger.copy(present_);
        present_ = std::move(larger);
    }

    const size_t max_words_;
    TryLock lock_;  // of what follows
    size_t words_ = 0;
    View present_;
};

}  // namespace subword
