// Chain: the symbols of a long word as a linked list, with the rank of the pair that begins at each of them.
//
// Positions never move, so a heap may hold them: an entry {rank, position} is live as long as the pair at that
// position still has that rank. A pair never returns to a position once it is gone, because symbols only grow.
#pragma once

#include <cstdint>
#include <vector>

#include "model.hpp"

namespace subword {

class Chain {
 public:
    using Position = uint32_t;

    // Rank and position in one number: heaps of these give the lowest rank first, and of equal ranks the leftmost.
    using Candidate = uint64_t;
    static Rank rank_of(Candidate candidate) { return static_cast<Rank>(candidate >> 32); }
    static Position position_of(Candidate candidate) { return static_cast<Position>(candidate); }

    Chain(const MergeTable& merges, const SymbolId* symbols, size_t size) : merges_(merges), links_(size) {
        for (size_t i = 0; i < size; ++i) {
            const Position at = static_cast<Position>(i);
            links_[i] = {symbols[i], i + 1 < size ? merges.rank(symbols[i], symbols[i + 1]) : kNoRank, at - 1, at + 1};
        }
    }

    std::vector<Candidate> candidates() const {
        std::vector<Candidate> all;
        for (Position at = 0; at < links_.size(); ++at) add_candidate(at, all);
        return all;
    }

    bool is_live(Candidate candidate) const { return links_[position_of(candidate)].rank == rank_of(candidate); }

    // Merges the pair at the candidate's position, and appends the pairs that this makes to `made`.
    void merge(Candidate candidate, std::vector<Candidate>& made) {
        const Position at = position_of(candidate);
        Link& left = links_[at];
        Link& right = links_[left.next];
        left.symbol = merges_.result(left.rank);
        left.next = right.next;
        right.rank = kNoRank;
        if (left.next < links_.size()) links_[left.next].previous = at;
        update_rank(at, made);
        if (left.previous < at) update_rank(left.previous, made);
    }

    // Calls visit(symbol) from left to right.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (Position at = 0; at < links_.size(); at = links_[at].next) visit(links_[at].symbol);
    }

 private:
    struct Link {
        SymbolId symbol;
        Rank rank;
        Position previous, next;  // previous of the first is 2^32 - 1, next of the last is the size
    };

    void update_rank(Position at, std::vector<Candidate>& made) {
        Link& link = links_[at];
        link.rank = link.next < links_.size() ? merges_.rank(link.symbol, links_[link.next].symbol) : kNoRank;
        add_candidate(at, made);
    }

    void add_candidate(Position at, std::vector<Candidate>& out) const {
        const Rank rank = links_[at].rank;
        if (rank != kNoRank) out.push_back(static_cast<Candidate>(rank) << 32 | at);
    }

    const MergeTable& merges_;
    std::vector<Link> links_;
};

}  // namespace subword
