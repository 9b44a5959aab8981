// Segmenting a word: the merge of the lowest rank first, all its occurrences from left to right, until none is left.
//
// A short word is scanned for its lowest rank again and again: quadratic in theory, but the ranks fit in a few
// vector registers, and nothing is faster up to some 48 symbols. Longer words use a heap over a linked list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "chain.hpp"
#include "flat_array.hpp"
#include "model.hpp"

namespace subword {

// The symbols of a word in order; kNoSymbol is a unit that has none.
using Segments = FlatArray<SymbolId>;

constexpr size_t kScanLimit = 48;

#if defined(__GNUC__) || defined(__clang__)
inline int lowest_bit(uint64_t bits) { return __builtin_ctzll(bits); }
inline int highest_bit(uint64_t bits) { return 63 - __builtin_clzll(bits); }
#else
inline int lowest_bit(uint64_t bits) {
    int bit = 0;
    while (!(bits >> bit & 1)) ++bit;
    return bit;
}
inline int highest_bit(uint64_t bits) {
    int bit = 63;
    while (!(bits >> bit & 1)) --bit;
    return bit;
}
#endif

inline void start_word(const Model& model, std::string_view word, Segments& symbols) {
    check_word_length(word.size());
    symbols.clear();
    model.append_initial(word, symbols);
}

// The pairs of a short word, in place: a pair is {rank, position} in one number, so that one minimum gives the
// lowest rank and its leftmost occurrence. Symbols stay where they are, and a bit mask tells which are left.
class RankScan {
 public:
    RankScan(const MergeTable& merges, Segments& symbols)
        : merges_(merges), symbols_(symbols.data()), size_(symbols.size()), alive_((uint64_t{1} << size_) - 1) {
        for (size_t i = 0; i + 1 < size_; ++i) update(i, i + 1);
        if (size_ > 0) pairs_[size_ - 1] = kNoPair;
    }

    // Merges until nothing is left to merge; returns the number of symbols.
    size_t run() {
        for (int32_t pair = lowest(); pair != kNoPair; pair = lowest()) {
            const Rank rank = pair >> kPositionBits;
            // A pair of lower rank that a merge makes has to wait for the other occurrences of this one.
            if (merge(pair & kPositionMask) < rank) merge_all(rank);
        }
        return compact();
    }

 private:
    static constexpr int kPositionBits = 6;
    static constexpr int32_t kPositionMask = (1 << kPositionBits) - 1;
    static constexpr int32_t kNoPair = std::numeric_limits<int32_t>::max();
    static_assert(kScanLimit < 64, "positions are bits of a mask");

    // (Vector instructions would read the pairs that were just written one by one, and stall.)
    int32_t lowest() const {
        int32_t best = kNoPair;
        for (uint64_t left = alive_; left; left &= left - 1) best = std::min(best, pairs_[lowest_bit(left)]);
        return best;
    }

    // Merges the pair at `at`; returns the lower rank of the two pairs that this makes.
    Rank merge(size_t at) {
        const size_t next = following(at);
        symbols_[at] = merges_.result(pairs_[at] >> kPositionBits);
        pairs_[at] = pairs_[next] = kNoPair;
        alive_ &= ~(uint64_t{1} << next);
        Rank made = kNoRank;
        if (alive_ >> at >> 1) made = update(at, following(at));
        const uint64_t before = alive_ & ((uint64_t{1} << at) - 1);
        if (before) made = std::min(made, update(highest_bit(before), at));
        return made;
    }

    void merge_all(Rank rank) {
        for (size_t at = 0; at < size_; ++at)
            if (pairs_[at] >> kPositionBits == rank && pairs_[at] != kNoPair) merge(at);
    }

    Rank update(size_t at, size_t next) {
        const Rank rank = merges_.rank(symbols_[at], symbols_[next]);
        pairs_[at] = rank == kNoRank ? kNoPair : rank << kPositionBits | static_cast<int32_t>(at);
        return rank;
    }

    // The symbol that is left after the one at `at`; there must be one.
    size_t following(size_t at) const { return at + 1 + lowest_bit(alive_ >> at >> 1); }

    size_t compact() {
        size_t size = 0;
        for (uint64_t left = alive_; left; left &= left - 1) symbols_[size++] = symbols_[lowest_bit(left)];
        return size;
    }

    const MergeTable& merges_;
    SymbolId* symbols_;
    size_t size_;
    uint64_t alive_;
    int32_t pairs_[kScanLimit];
};

inline void store(const Chain& chain, Segments& symbols) {
    symbols.clear();
    chain.for_each([&symbols](SymbolId symbol) { symbols.push_back(symbol); });
}

// Merges in the order of the heap. What a merge makes waits until all the occurrences of the present rank are done.
inline void merge_by_heap(Chain& chain) {
    const std::greater<Chain::Candidate> lowest_first;
    std::vector<Chain::Candidate> heap = chain.candidates(), made;
    std::make_heap(heap.begin(), heap.end(), lowest_first);
    while (!heap.empty()) {
        const Rank rank = Chain::rank_of(heap.front());
        while (!heap.empty() && Chain::rank_of(heap.front()) == rank) {
            std::pop_heap(heap.begin(), heap.end(), lowest_first);
            if (chain.is_live(heap.back())) chain.merge(heap.back(), made);
            heap.pop_back();
        }
        for (Chain::Candidate candidate : made) {
            if (!chain.is_live(candidate)) continue;
            heap.push_back(candidate);
            std::push_heap(heap.begin(), heap.end(), lowest_first);
        }
        made.clear();
    }
}

// Replaces `symbols` with the segmentation of the word.
inline void segment(const Model& model, std::string_view word, Segments& symbols) {
    start_word(model, word, symbols);
    if (symbols.size() <= kScanLimit) return symbols.shrink(RankScan(model.merges(), symbols).run());
    Chain chain(model.merges(), symbols.data(), symbols.size());
    merge_by_heap(chain);
    store(chain, symbols);
}

}  // namespace subword
