// Pairs: for each pair of symbols its count and its occurrences in the corpus.
//
// A pair's occurrences are all known when it is made: a merge makes every pair that holds its new symbol at
// once, and no later merge makes that symbol again (see learn.hpp). Counts therefore only fall, lists are
// written once, in ascending order, into one arena, and a pair too rare to be merged needs no record at all.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "flat_array.hpp"
#include "symbols.hpp"

namespace subword {

using PairId = uint32_t;
constexpr PairId kNoPair = static_cast<PairId>(-1);

struct Pair {
    Code left, right;
    int64_t count;
    uint32_t list;    // where its occurrences begin in the arena
    uint32_t length;  // how many are listed; those that a later merge has consumed are still among them

    bool is(Code other_left, Code other_right) const { return left == other_left && right == other_right; }
};

class PairTable {
 public:
    PairTable() { index_.assign_empty(1 << 12); }

    size_t size() const { return pairs_.size(); }
    Pair& operator[](PairId id) { return pairs_[id]; }
    const Pair& operator[](PairId id) const { return pairs_[id]; }

    uint32_t* occurrences(const Pair& pair) { return arena_.data() + pair.list; }
    const uint32_t* occurrences(const Pair& pair) const { return arena_.data() + pair.list; }

    void prefetch(Code left, Code right) const {
        prefetch_line(&index_.slots[index_.home(hash(left, right))]);
    }

    PairId find(Code left, Code right) const { return index_.slots[slot_of(left, right)].pair; }

    PairId find_or_add(Code left, Code right) {
        const PairId known = find(left, right);
        return known != kNoPair ? known : add(left, right, 0);
    }

    // Adds a pair that has no record yet.
    PairId add(Code left, Code right, int64_t count) {
        if (4 * (pairs_.size() + 1) > 3 * index_.slots.size()) rehash();
        const PairId id = static_cast<PairId>(pairs_.size());
        index_.slots[slot_of(left, right)] = {tag(hash(left, right)), id};
        pairs_.push_back({left, right, count, 0, 0});
        return id;
    }

    // Takes `lost` off the count of a pair, if it has a record.
    void subtract(Code left, Code right, int64_t lost) {
        const PairId id = find(left, right);
        if (id != kNoPair) pairs_[id].count -= lost;
    }

    // Sets room for the occurrences of the pair aside and returns where it begins.
    uint32_t allocate(PairId id, uint32_t length) {
        if (arena_.size() + length > UINT32_MAX) {
            throw std::overflow_error("more than 2^32 places of pairs: learn from fewer words");
        }
        pairs_[id].list = static_cast<uint32_t>(arena_.size());
        pairs_[id].length = length;
        arena_.extend(length);
        return pairs_[id].list;
    }

    uint32_t& arena(size_t index) { return arena_[index]; }

 private:
    // The upper half of the hash stands in the slot: a look-up of an absent pair seldom touches a record.
    struct Slot {
        uint32_t tag;
        PairId pair;
    };

    struct Index {
        FlatArray<Slot> slots;
        size_t mask = 0;

        size_t home(uint64_t hash) const { return (hash >> 8) & mask; }
        void assign_empty(size_t size) {
            slots.clear();
            Slot* first = slots.extend(size);
            for (size_t i = 0; i < size; ++i) first[i] = {0, kNoPair};
            mask = size - 1;
        }
    };

    static uint64_t hash(Code left, Code right) {
        uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
        key *= 0x9e3779b97f4a7c15u;
        return (key ^ (key >> 32)) * 0xd6e8feb86659fd93u;
    }
    static uint32_t tag(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

    // The slot that holds the pair, or the empty one where it belongs.
    size_t slot_of(Code left, Code right) const {
        const uint64_t hashed = hash(left, right);
        size_t slot = index_.home(hashed);
        for (;; slot = (slot + 1) & index_.mask) {
            const Slot& entry = index_.slots[slot];
            if (entry.pair == kNoPair) return slot;
            if (entry.tag == tag(hashed) && pairs_[entry.pair].is(left, right)) return slot;
        }
    }

    void rehash() {
        index_.assign_empty(2 * index_.slots.size());
        for (PairId id = 0; id < pairs_.size(); ++id) {
            const Pair& pair = pairs_[id];
            index_.slots[slot_of(pair.left, pair.right)] = {tag(hash(pair.left, pair.right)), id};
        }
    }

    FlatArray<Pair> pairs_;
    FlatArray<uint32_t> arena_;
    Index index_;
};

}  // namespace subword
