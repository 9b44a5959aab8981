// BPE-dropout (Provilkov et al. 2020): every candidate merge is left out with probability p, drawn anew at each step.
//
// At each step the candidates are tried by rank, then from left to right, with one draw each; the first that is
// kept is merged, there alone, and the next step begins. The draws of a word depend on the seed, the text of its
// document and its place there, and on nothing else: neither order, batches nor threads change them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "hash.hpp"
#include "segment.hpp"

namespace subword {

// SplitMix64, begun for one word.
class Draws {
 public:
    Draws(uint64_t seed, uint64_t text_hash, uint64_t position)
        : state_(mix_bits(mix_bits(seed + kStep) ^ text_hash) + position * kStep) {}

    // The next number in [0, 1).
    double next() {
        state_ += kStep;
        return static_cast<double>(mix_bits(state_) >> 11) * 0x1.0p-53;
    }

 private:
    static constexpr uint64_t kStep = 0x9E3779B97F4A7C15u;

    uint64_t state_;
};

// The heap holds the candidates that were not tried yet in the present step, `dropped` those that were.
inline void merge_with_dropout(Chain& chain, double p, Draws& draws) {
    const std::greater<Chain::Candidate> lowest_first;
    std::vector<Chain::Candidate> heap = chain.candidates(), dropped;
    std::make_heap(heap.begin(), heap.end(), lowest_first);
    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), lowest_first);
        const Chain::Candidate candidate = heap.back();
        heap.pop_back();
        if (!chain.is_live(candidate)) continue;
        if (draws.next() < p) {
            dropped.push_back(candidate);
            continue;
        }
        chain.merge(candidate, dropped);
        for (Chain::Candidate again : dropped) {
            heap.push_back(again);
            std::push_heap(heap.begin(), heap.end(), lowest_first);
        }
        dropped.clear();
    }
}

// Replaces `symbols` with a random segmentation of the word; p = 1 leaves the initial symbols.
inline void segment_with_dropout(const Model& model, std::string_view word, double p, Draws draws, Segments& symbols) {
    if (p <= 0) return segment(model, word, symbols);
    start_word(model, word, symbols);
    if (p >= 1) return;
    Chain chain(model.merges(), symbols.data(), symbols.size());
    merge_with_dropout(chain, p, draws);
    store(chain, symbols);
}

}  // namespace subword
