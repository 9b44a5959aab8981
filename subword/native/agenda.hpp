// Agenda: which pair is merged next.
//
// A lazy max-heap by count: a pair is pushed when it is made, and one that is popped with a count that has
// fallen since is pushed again with the true one. Counts only fall, so no entry is ever too low. Ties are
// settled only where they matter: the pairs of the highest count move to a second heap ordered by the tie
// rule, whose keys are 64-bit numbers, so that the strings of `largest` are compared only when the first
// eight bytes are equal. For `first` a key may be too early, as occurrences are consumed, but never too late:
// it is checked when popped, in the same way as the count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pairs.hpp"
#include "symbols.hpp"

namespace subword {

enum class TieBreak { largest, largest_id, smallest_id, first };

class Agenda {
 public:
    Agenda(const SymbolTable& symbols, const PairTable& pairs, TieBreak tie_break, int64_t min_count)
            : symbols_(symbols), pairs_(pairs), tie_break_(tie_break), min_count_(min_count) {}

    // A pair with fewer than `min_count` occurrences is left out.
    void push(PairId pair, int64_t count) {
        if (count < min_count_) return;
        by_count_.push_back({count, pair});
        std::push_heap(by_count_.begin(), by_count_.end());
    }

    // Takes the next pair to merge, or kNoPair. `first_occurrence(pair)` is its present place in the corpus.
    template <class FirstOccurrence>
    PairId pop(FirstOccurrence&& first_occurrence) {
        for (;;) {
            gather_ties(first_occurrence);
            if (ties_.empty()) return kNoPair;
            const Tie top = pop_tie();
            const Pair& pair = pairs_[top.pair];
            if (pair.count != tied_count_) {
                push(top.pair, pair.count);
                continue;
            }
            const uint64_t key = tie_key(top.pair, first_occurrence);
            if (key == top.key) return top.pair;
            push_tie({key, top.pair});
        }
    }

 private:
    struct Entry {
        int64_t count;
        PairId pair;
        bool operator<(const Entry& other) const { return count < other.count; }
    };
    struct Tie {
        uint64_t key;  // the greatest goes first
        PairId pair;
    };

    // Moves the pairs of the highest count to the heap of ties.
    template <class FirstOccurrence>
    void gather_ties(FirstOccurrence&& first_occurrence) {
        while (!by_count_.empty() && (ties_.empty() || by_count_.front().count >= tied_count_)) {
            std::pop_heap(by_count_.begin(), by_count_.end());
            const Entry top = by_count_.back();
            by_count_.pop_back();
            const int64_t count = pairs_[top.pair].count;
            if (count != top.count) {
                push(top.pair, count);
                continue;
            }
            tied_count_ = count;
            push_tie({tie_key(top.pair, first_occurrence), top.pair});
        }
    }

    template <class FirstOccurrence>
    uint64_t tie_key(PairId id, FirstOccurrence&& first_occurrence) const {
        const Pair& pair = pairs_[id];
        const uint64_t ids = static_cast<uint64_t>(pair.left) << 32 | static_cast<uint32_t>(pair.right);
        switch (tie_break_) {
            case TieBreak::largest: return prefix(id_of(pair.left));
            case TieBreak::largest_id: return ids;
            case TieBreak::smallest_id: return ~ids;
            default: return ~static_cast<uint64_t>(first_occurrence(id));
        }
    }

    // The first eight bytes as a big-endian number orders as the strings do, as far as it goes.
    uint64_t prefix(SymbolId symbol) const {
        const std::string_view spelling = symbols_.spelling(symbol);
        uint64_t value = 0;
        for (size_t i = 0; i < 8; ++i) value = value << 8 | (i < spelling.size() ? static_cast<uint8_t>(spelling[i]) : 0);
        return value;
    }

    bool before(const Tie& a, const Tie& b) const {
        if (a.key != b.key) return a.key > b.key;
        if (tie_break_ != TieBreak::largest) return false;
        const Pair& p = pairs_[a.pair];
        const Pair& q = pairs_[b.pair];
        const int order = symbols_.compare(id_of(p.left), id_of(q.left));
        return (order != 0 ? order : symbols_.compare(id_of(p.right), id_of(q.right))) > 0;
    }

    auto heap_order() const {
        return [this](const Tie& a, const Tie& b) { return before(b, a); };
    }

    void push_tie(Tie tie) {
        ties_.push_back(tie);
        std::push_heap(ties_.begin(), ties_.end(), heap_order());
    }

    Tie pop_tie() {
        std::pop_heap(ties_.begin(), ties_.end(), heap_order());
        const Tie top = ties_.back();
        ties_.pop_back();
        return top;
    }

    const SymbolTable& symbols_;
    const PairTable& pairs_;
    const TieBreak tie_break_;
    const int64_t min_count_;
    std::vector<Entry> by_count_;
    std::vector<Tie> ties_;
    int64_t tied_count_ = 0;
};

}  // namespace subword
