// The words of a corpus and how often each occurs, in the order of first appearance.
//
// Counting is bound by waiting for memory, not by scanning. Hence:
// - Words lie densely in that order, 32 bytes each: up to 16 bytes of text stand in the record itself, longer
//   text in an arena. Frequent words appear early, so the records that are touched most share few pages.
// - An open-addressing index of 8 bytes per slot, {hash tag, word}, finds them. It is rebuilt in word order, so
//   the frequent words keep their first place and are found at once.
// - A Batch sends words through three stages: hash, index slot, record. Each stage prefetches what the next one,
//   dozens of words later, will look at, so the waits overlap with one another and with scanning.
// - The large arrays use huge pages, and the records grow without being copied.
// Memory is set by the distinct words alone.
//
// Tried and slower: 32-byte slots without an index (one wait instead of two, but twice the memory and its page
// faults), an index filled to 3/4, hashing batches of words after scanning instead of along with it.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "flat_array.hpp"
#include "hash.hpp"
#include "memory.hpp"

namespace subword {

// Adds to a count; neither is negative.
inline void add_count(int64_t& count, int64_t more) {
    if (count > std::numeric_limits<int64_t>::max() - more) throw std::overflow_error("a count exceeds 2^63 - 1");
    count += more;
}

class WordTable {
 public:
    WordTable() {
        words_.push_back({{0, 0}, 0, kNoWord, 0});
        rebuild_index(kSmallest);
    }

    // Room for so many words, and bytes of those that do not stand in their records. None moves until it is used up.
    void reserve(size_t words, size_t long_bytes) {
        words_.reserve(words + 1);
        arena_.reserve(long_bytes);
    }

    size_t size() const { return words_.size() - 1; }
    size_t long_bytes() const { return arena_.size(); }

    // Word number `i` in order of first appearance; the view lasts until the next word is added.
    std::string_view word(size_t i) const { return text_of(words_[i + 1]); }
    int64_t count(size_t i) const { return words_[i + 1].count; }

    // The length of all words together.
    size_t bytes() const {
        size_t sum = 0;
        for (size_t i = 0; i < size(); ++i) sum += word(i).size();
        return sum;
    }

    int64_t total() const {
        int64_t sum = 0;
        for (const Word& word : words_) add_count(sum, word.count);
        return sum;
    }

    // Writes word i to bytes[offsets[i], offsets[i + 1]) and its count to counts[i], for all words.
    void flatten(char* bytes, uint64_t* offsets, int64_t* counts) const {
        offsets[0] = 0;
        for (size_t i = 0; i < size(); ++i) {
            const std::string_view text = word(i);
            text.copy(bytes + offsets[i], text.size());
            offsets[i + 1] = offsets[i] + text.size();
            counts[i] = count(i);
        }
    }

    void add(const char* text, size_t length, int64_t count) {
        Probe probe;
        set_probe(probe, text, length, text + length);
        add_count(find_or_append(probe).count, count);
    }

    // Words that are new here follow in the order they have there.
    void merge(const WordTable& other) {
        const size_t words = other.words_.size();
        for (size_t i = 1; i < words; ++i) {
            if (i + 2 * kAhead < words) prefetch_line(&index_[home(other.words_[i + 2 * kAhead].tag)]);
            if (i + kAhead < words) prefetch_line(&words_[index_[home(other.words_[i + kAhead].tag)].word]);
            const Probe probe = other.probe_of(other.words_[i]);
            const int64_t count = other.words_[i].count;
            add_count(find_or_append(probe).count, count);
        }
    }

    // Adds one to the count of a word.
    struct AddOne {
        WordTable& table;

        void operator()(size_t word) const { add_count(table.words_[word + 1].count, 1); }
    };

    template <class Take>
    class Batch;

 private:
    // Text of up to 16 bytes: `key`. Longer text: key.low = its length, key.high = its place in the arena.
    struct Word {
        WordKey key;
        int64_t count;
        uint32_t length;  // kLong for longer text
        uint32_t tag;     // the upper half of the hash
    };

    // A word that is looked for. `key` as in Word, but key.high of longer text is a place no word has.
    struct Probe {
        WordKey key;
        const char* text;
        uint32_t length;
        uint32_t tag;
    };

    struct Slot {
        uint32_t tag;
        uint32_t word;  // its place in words_, 0 = empty
    };

    static constexpr uint64_t kNowhere = std::numeric_limits<uint64_t>::max();
    static constexpr uint32_t kLong = kInlineBytes + 1;
    static constexpr uint32_t kNoWord = kInlineBytes + 2;
    static constexpr size_t kSmallest = 1024;  // slots; always a power of two
    static constexpr size_t kAhead = 16;       // how many words ahead of merge() the records are prefetched, and twice as many the index

    // Field by field into its place: a copy of a whole Probe would wait for the stores of its parts.
    static void set_probe(Probe& probe, const char* text, size_t length, const char* text_end) {
        uint64_t hash;
        if (length <= kInlineBytes) {
            const WordKey key = load_key(text, length, text_end);
            hash = hash_key(key);
            probe.key.low = key.low;
            probe.key.high = key.high;
            probe.length = static_cast<uint32_t>(length);
        } else {
            hash = hash_long(text, length);
            probe.key.low = length;
            probe.key.high = kNowhere;
            probe.length = kLong;
        }
        probe.text = text;
        probe.tag = static_cast<uint32_t>(hash >> 32);
    }

    Probe probe_of(const Word& word) const {
        return {{word.key.low, word.length == kLong ? kNowhere : word.key.high}, text_of(word).data(), word.length, word.tag};
    }

    std::string_view text_of(const Word& word) const {
        if (word.length != kLong) return {reinterpret_cast<const char*>(&word.key), word.length};
        return {arena_.data() + word.key.high, static_cast<size_t>(word.key.low)};
    }

    // One branch for three comparisons; false for long text.
    static bool is_short_match(const Word& word, const Probe& probe) {
        return ((word.key.low ^ probe.key.low) | (word.key.high ^ probe.key.high) | (word.length ^ probe.length)) == 0;
    }

    bool is_match(const Word& word, const Probe& probe) const {
        if (probe.length != kLong) return is_short_match(word, probe);
        return word.length == kLong && word.key.low == probe.key.low &&
               std::memcmp(arena_.data() + word.key.high, probe.text, static_cast<size_t>(probe.key.low)) == 0;
    }

    size_t home(uint32_t tag) const { return tag >> shift_; }
    size_t after(size_t slot) const { return (slot + 1) & (index_.size() - 1); }

    [[gnu::noinline]] Word& find_or_append(const Probe& probe) {
        size_t at = home(probe.tag);
        for (; index_[at].word != 0; at = after(at)) {
            Word& word = words_[index_[at].word];
            if (index_[at].tag == probe.tag && is_match(word, probe)) return word;
        }
        append(probe);
        index_[at] = {probe.tag, static_cast<uint32_t>(size())};
        if (words_.size() > index_.size() / 2) rebuild_index(index_.size() * 2);
        return words_[size()];
    }

    void append(const Probe& probe) {
        if (words_.size() == std::numeric_limits<uint32_t>::max()) throw std::length_error("more than 2^32 - 2 distinct words");
        words_.make_room(1);
        WordKey key = probe.key;
        if (probe.length == kLong) {
            key.high = arena_.size();
            arena_.append(probe.text, static_cast<size_t>(key.low));
        }
        words_.push_back({key, 0, probe.length, probe.tag});
    }

    void rebuild_index(size_t slots) {
        Index().swap(index_);  // never two at a time
        index_.resize(slots);
        shift_ = 32;
        for (; slots > 1; slots /= 2) --shift_;
        for (size_t i = 1; i < words_.size(); ++i) {
            size_t at = home(words_[i].tag);
            while (index_[at].word != 0) at = after(at);
            index_[at] = {words_[i].tag, static_cast<uint32_t>(i)};
        }
    }

    using Index = std::vector<Slot, HugePageAllocator<Slot>>;

    Index index_;            // at most half full
    FlatArray<Word> words_;  // the first is no word and matches none
    FlatArray<char> arena_;
    uint32_t shift_ = 0;  // the home of a tag are its upper bits
};

// Looks up words one by one, adds those that are new, and hands take(word) the number of each in their order, with
// a delay: finish() must follow the last one, and until then the texts must stay.
template <class Take>
class WordTable::Batch {
 public:
    Batch(WordTable& table, Take take) : table_(table), take_(take) {}

    // The next words stand in a text that ends at `end`; nothing is read behind it.
    void enter_text(const char* end) { text_end_ = end; }

    void add(const char* text, size_t length) {
        Probe& probe = probes_[added_ % kRing];
        set_probe(probe, text, length, text_end_);
        prefetch_line(&table_.index_[table_.home(probe.tag)]);
        if (++added_ % kStage == 0) {
            guess_until(added_ - kStage);
            take_until(added_ - 2 * kStage);
        }
    }

    void finish() {
        guess_until(added_);
        take_until(added_);
    }

 private:
    static constexpr size_t kStage = 32;  // words between two stages
    static constexpr size_t kRing = 4 * kStage;

    // Finds words that may be meant: that of the first slot if the tag is right, otherwise that of the second,
    // without a branch. They stay what they are when the table grows in the meantime.
    void guess_until(size_t end) {
        const Slot* index = table_.index_.data();
        const Word* words = table_.words_.data();
        const size_t last = table_.index_.size() - 1;
        size_t i = guessed_;
        for (; i < end; ++i) {
            const uint32_t tag = probes_[i % kRing].tag;
            const size_t at = table_.home(tag);
            const size_t skip = index[at].tag != tag;
            const uint32_t guess = index[(at + skip) & last].word;
            guesses_[i % kRing] = guess;
            prefetch_line(&words[guess]);
        }
        guessed_ = i;
    }

    void take_until(size_t end) {
        size_t i = taken_;
        for (; i < end; ++i) {
            const Probe& probe = probes_[i % kRing];
            const Word* word = &table_.words_[guesses_[i % kRing]];
            if (!is_short_match(*word, probe)) word = &table_.find_or_append(probe);
            take_(static_cast<size_t>(word - table_.words_.data()) - 1);
        }
        taken_ = i;
    }

    WordTable& table_;
    Take take_;
    const char* text_end_ = nullptr;
    size_t added_ = 2 * kStage, guessed_ = added_, taken_ = added_;  // words so far; begun so that no stage lies before 0
    Probe probes_[kRing];
    uint32_t guesses_[kRing];
};

}  // namespace subword
