// Learning: merge the most frequent pair of symbols, again and again.
//
// The cost is O(N + P log P) for N initial symbols and P pairs. A merge walks the occurrences of its pair in
// ascending order, joins the two symbols in place and adds up, for each neighbouring symbol, how the counts
// of pairs change: in dense arrays indexed by the neighbour, so that the hash index is asked once for each
// distinct neighbour and not once for each occurrence. Every merge shortens the text, so that all walks
// together are linear in it.
//
// Why a merge never makes a symbol that already stands in the corpus. Take a stretch of a word whose two ends
// are boundaries of symbols now. They have always been, for merges only remove boundaries; so the stretch was
// merged as if it stood alone (in a run 'aaaa' too, where a boundary leaves whole pairs to its left). Equal
// stretches are therefore split equally at all times: once 'abc' has been made of 'ab' + 'c', no 'a' + 'bc' is
// found anywhere, and no pair that contains 'abc' gains occurrences later. Counts and lists only shrink.
// None of this asks why a pair was chosen: frozen merges, of a model that goes on learning, are replayed in
// their order before the first pair is chosen here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agenda.hpp"
#include "corpus.hpp"
#include "pairs.hpp"
#include "progress.hpp"
#include "symbols.hpp"

namespace subword {

struct LearnOptions {
    Style style;
    TieBreak tie_break = TieBreak::largest;
    int64_t max_merges = -1;       // negative: no limit
    int64_t max_symbols = -1;      // base symbols included; negative: no limit
    int64_t min_frequency = 2;     // a pair seen less often is not merged
    int64_t max_token_length = 0;  // in code points or bytes, the marker not counted; 0: no limit
};

// The ids of words one after another, and where those of each end.
struct SegmentedWords {
    FlatArray<SymbolId> ids;
    FlatArray<int64_t> ends;
};

// What was learnt, by rank.
struct LearntMerges {
    std::vector<SymbolId> left, right, result;
    std::vector<int64_t> count;    // of the pair when it was merged, overlapping occurrences included
    std::vector<int64_t> applied;  // how often it was applied, weighted by the frequency of the words
};

// Merges by rank that a model has already; their symbols are in the table.
struct FrozenMerges {
    const SymbolId* left = nullptr;
    const SymbolId* right = nullptr;
    size_t size = 0;
};

template <class Frequency>
class Learner {
 public:
    Learner(SymbolTable& symbols, const LearnOptions& options, Progress progress)
        : symbols_(symbols),
          options_(options),
          progress_(progress),
          min_count_(options.min_frequency > 1 ? options.min_frequency : 1),
          agenda_(symbols, pairs_, options.tie_break, min_count_) {
        resize(symbols.size() + 1);
        const SymbolId marker = symbols.find("", true);
        if (marker != kNoSymbol) shapes_[code_of(marker)].length = 0;
    }

    // False when it was asked to stop.
    bool run(const WordList& words, const FrozenMerges& frozen) {
        auto go_on = [this] { return progress_.report(merges()); };
        for (size_t i = 0; i < frozen.size; ++i) frozen_.insert(key(code_of(frozen.left[i]), code_of(frozen.right[i])));
        if (!corpus_.build(words, symbols_, options_.style, go_on) || !count_pairs() || !list_pairs()) return false;
        if (!replay(frozen)) return false;
        while (wants_more()) {
            const PairId next = agenda_.pop([this](PairId pair) { return first_occurrence(pair); });
            if (next == kNoPair) break;
            merge(next);
            if (!go_on()) return false;
        }
        return true;
    }

    LearntMerges& learnt() { return learnt_; }

    // The ids of the first words as the merges have left them; none for a word with a unit that has no symbol.
    void segments(const WordList& words, size_t first, SegmentedWords& out) const {
        Position at = 1;
        for (size_t i = 0; i < std::min(first, words.size); ++i) {
            const size_t start = out.ids.size();
            if (words.counts[i] > 0 && !append_segments(at, out.ids)) out.ids.shrink(start);
            out.ends.push_back(static_cast<int64_t>(out.ids.size()));
        }
    }

 private:
    using Text = Corpus<Frequency>;

    static constexpr uint32_t kNoList = static_cast<uint32_t>(-1);
    static constexpr size_t kAhead = 12;  // how many occurrences ahead of the walk cells are prefetched

    // How many cells a symbol spans, and how many units of text it has: the marker has a cell and no text.
    struct Shape {
        Position span;
        uint32_t length;
    };

    // What becomes of the pairs with one neighbouring symbol in the course of a merge.
    struct Change {
        int64_t gained;   // the count of its pair with the new symbol
        int64_t lost;     // what goes from its pair with the old one
        uint32_t listed;  // occurrences of the new pair
        uint32_t next;    // where in the arena the next of them is written
    };

    // The neighbours of one side: dense by symbol, and the list of those that a merge has met.
    struct Neighbours {
        std::vector<Change> changes;
        std::vector<Code> met;

        Change& at(Code neighbour) {
            Change& change = changes[neighbour];
            if (change.lost == 0 && change.gained == 0) met.push_back(neighbour);
            return change;
        }
        void add(Code neighbour, int64_t frequency) {
            Change& change = at(neighbour);
            change.gained += frequency;
            change.lost += frequency;
            ++change.listed;
        }
        void clear() {
            for (Code neighbour : met) changes[neighbour] = Change{};
            met.clear();
        }
    };

    // A place where the merge was applied; the neighbours are 0 where there is none.
    struct Application {
        Position position, previous;
        Code left, right;
    };

    int64_t merges() const { return static_cast<int64_t>(learnt_.left.size()); }

    // Moves `at` from the first cell of a word to that of the next; false if a unit has no symbol.
    bool append_segments(Position& at, FlatArray<SymbolId>& ids) const {
        bool is_known = true;
        while (corpus_[at].frequency != 0) {
            const Code code = corpus_[at].symbol;
            is_known &= code > 0;
            if (code > 0) ids.push_back(id_of(code));
            at += code > 0 ? shapes_[code].span : 1;
        }
        ++at;
        return is_known;
    }

    bool wants_more() const {
        return (options_.max_merges < 0 || merges() < options_.max_merges) &&
               (options_.max_symbols < 0 || static_cast<int64_t>(symbols_.size()) < options_.max_symbols);
    }

    // --- The pairs of initial symbols: count all of them, then list the occurrences of the frequent ones.

    template <class Visit>
    bool for_each_adjacent_pair(Visit&& visit) {
        for (size_t at = 1; at + 1 < corpus_.size(); ++at) {
            const Code left = corpus_[at].symbol, right = corpus_[at + 1].symbol;
            if (left > 0 && right > 0) visit(static_cast<Position>(at), left, right);
            if (at % (1 << 20) == 0 && !progress_.report(0)) return false;
        }
        return true;
    }

    bool count_pairs() {
        return for_each_adjacent_pair([this](Position at, Code left, Code right) {
            Pair& pair = pairs_[pairs_.find_or_add(left, right)];
            const uint64_t count = static_cast<uint64_t>(pair.count) + corpus_[at].frequency;
            if (count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
                throw std::overflow_error("the count of a pair exceeds 2^63 - 1; divide the word counts");
            pair.count = static_cast<int64_t>(count);
            ++pair.length;
        });
    }

    bool list_pairs() {
        for (PairId id = 0; id < pairs_.size(); ++id) {
            const bool wanted = is_wanted(pairs_[id].left, pairs_[id].right, pairs_[id].count);
            pairs_.allocate(id, wanted ? pairs_[id].length : 0);
            if (wanted) agenda_.push(id, pairs_[id].count);
        }
        std::vector<uint32_t> next(pairs_.size());
        for (PairId id = 0; id < pairs_.size(); ++id) next[id] = pairs_[id].list;
        return for_each_adjacent_pair([this, &next](Position at, Code left, Code right) {
            const PairId id = pairs_.find(left, right);
            if (pairs_[id].length) pairs_.arena(next[id]++) = at;
        });
    }

    // --- Merges that were learnt before, applied however rare their pairs are here.

    bool replay(const FrozenMerges& frozen) {
        for (size_t i = 0; i < frozen.size; ++i) {
            const PairId pair = pairs_.find(code_of(frozen.left[i]), code_of(frozen.right[i]));
            if (pair != kNoPair) merge(pair);
            if (!progress_.report(0)) return false;
        }
        learnt_ = LearntMerges{};
        frozen_.clear();
        return true;
    }

    static uint64_t key(Code left, Code right) {
        return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
    }

    // --- One merge.

    void merge(PairId id) {
        const Pair pair = pairs_[id];
        const Code joined = code_of(symbols_.join(id_of(pair.left), id_of(pair.right)));
        make_room_for(joined, pair);
        const int64_t applied = join_all(pair, joined);
        add_new_pairs(pair, joined);
        list_new_pairs();
        subtract_old_pairs(pair);
        pairs_[id].count = 0;
        before_.clear();
        after_.clear();
        note(pair, joined, applied);
    }

    void make_room_for(Code joined, const Pair& pair) {
        if (static_cast<size_t>(joined) >= shapes_.size()) resize(joined + 1 + joined / 2);
        const Shape left = shapes_[pair.left], right = shapes_[pair.right];
        shapes_[joined] = {left.span + right.span, left.length + right.length};
    }

    void resize(size_t codes) {
        shapes_.resize(codes, {1, 1});
        before_.changes.resize(codes);
        after_.changes.resize(codes);
    }

    // Joins the occurrences of the pair that are still there, from left to right.
    int64_t join_all(const Pair& pair, Code joined) {
        const Position left_span = shapes_[pair.left].span, right_span = shapes_[pair.right].span;
        const Position* list = pairs_.occurrences(pair);
        int64_t applied = 0;
        applications_.clear();
        for (size_t i = 0; i < pair.length; ++i) {
            if (i + kAhead < pair.length) corpus_.prefetch(list[i + kAhead]);
            const Position at = list[i], middle = at + left_span;
            if (corpus_[at].symbol != pair.left || corpus_[middle].symbol != pair.right) continue;
            join_one(pair, at, middle, middle + right_span, joined);
            applied += corpus_[at].frequency;
        }
        return applied;
    }

    void join_one(const Pair& pair, Position at, Position middle, Position end, Code joined) {
        const int64_t frequency = corpus_[at].frequency;
        const Position previous = corpus_.previous(at);
        Code left = corpus_[previous].symbol;
        const Code right = corpus_[end].symbol;
        if (left == joined) {
            correct_last(pair, joined, frequency);
            left = 0;
        } else if (left > 0) {
            before_.add(left, frequency);
        }
        if (right > 0) after_.add(right, frequency);
        corpus_.join(at, middle, end, joined);
        applications_.push_back({at, previous, left, right});
    }

    // 'abab': the last joined symbol took the 'a' that is now joined itself for its right neighbour.
    void correct_last(const Pair& pair, Code joined, int64_t frequency) {
        Change& taken_back = after_.at(pair.left);
        taken_back.gained -= frequency;
        --taken_back.listed;
        Change& instead = after_.at(joined);
        instead.gained += frequency;
        ++instead.listed;
        applications_.back().right = joined;
    }

    // Each neighbour costs two look-ups, of its new pair and of its old one: fetch all the slots first.
    void add_new_pairs(const Pair& pair, Code joined) {
        for (Code left : before_.met) {
            pairs_.prefetch(left, joined);
            pairs_.prefetch(left, pair.left);
        }
        for (Code right : after_.met) {
            pairs_.prefetch(joined, right);
            pairs_.prefetch(pair.right, right);
        }
        for (Code left : before_.met) add_pair(left, joined, before_.changes[left]);
        for (Code right : after_.met) add_pair(joined, right, after_.changes[right]);
    }

    void add_pair(Code left, Code right, Change& change) {
        change.next = kNoList;
        if (!is_wanted(left, right, change.gained)) return;
        const PairId id = pairs_.add(left, right, change.gained);
        change.next = pairs_.allocate(id, change.listed);
        agenda_.push(id, change.gained);
    }

    void list_new_pairs() {
        for (const Application& here : applications_) {
            if (here.left > 0) list(before_.changes[here.left], here.previous);
            if (here.right > 0) list(after_.changes[here.right], here.position);
        }
    }

    void list(Change& change, Position occurrence) {
        if (change.next != kNoList) pairs_.arena(change.next++) = occurrence;
    }

    void subtract_old_pairs(const Pair& pair) {
        for (Code left : before_.met) pairs_.subtract(left, pair.left, before_.changes[left].lost);
        for (Code right : after_.met) pairs_.subtract(pair.right, right, after_.changes[right].lost);
    }

    void note(const Pair& pair, Code joined, int64_t applied) {
        learnt_.left.push_back(id_of(pair.left));
        learnt_.right.push_back(id_of(pair.right));
        learnt_.result.push_back(id_of(joined));
        learnt_.count.push_back(pair.count);
        learnt_.applied.push_back(applied);
    }

    bool is_wanted(Code left, Code right, int64_t count) const {
        const int64_t length = int64_t{shapes_[left].length} + shapes_[right].length;
        if (count >= min_count_ && (options_.max_token_length <= 0 || length <= options_.max_token_length)) return true;
        return !frozen_.empty() && frozen_.count(key(left, right)) > 0;
    }

    // Where the pair first stands; the consumed occurrences before it are forgotten.
    Position first_occurrence(PairId id) {
        Pair& pair = pairs_[id];
        for (; pair.length > 1; ++pair.list, --pair.length) {
            const Position at = *pairs_.occurrences(pair);
            if (corpus_[at].symbol == pair.left && corpus_[at + shapes_[pair.left].span].symbol == pair.right) break;
        }
        return *pairs_.occurrences(pair);
    }

    SymbolTable& symbols_;
    const LearnOptions options_;
    Progress progress_;
    const int64_t min_count_;
    Text corpus_;
    PairTable pairs_;
    Agenda agenda_;
    std::vector<Shape> shapes_;  // by code
    Neighbours before_, after_;
    std::vector<Application> applications_;
    std::unordered_set<uint64_t> frozen_;  // pairs still to be replayed
    LearntMerges learnt_;
};

inline bool has_large_count(const WordList& words) {
    return std::any_of(words.counts, words.counts + words.size,
                       [](int64_t count) { return count > std::numeric_limits<uint32_t>::max(); });
}

// Learns merges behind the frozen ones, adding their symbols to `symbols`, and shows how they cut the first
// `segment_first` words; false when progress asked to stop.
inline bool learn(const WordList& words, SymbolTable& symbols, const FrozenMerges& frozen, const LearnOptions& options,
                  Progress progress, LearntMerges& learnt, size_t segment_first, SegmentedWords& segmented) {
    auto run = [&](auto&& learner) {
        const bool finished = learner.run(words, frozen);
        if (finished) learner.segments(words, segment_first, segmented);
        learnt = std::move(learner.learnt());
        return finished;
    };
    if (has_large_count(words)) return run(Learner<uint64_t>(symbols, options, progress));
    return run(Learner<uint32_t>(symbols, options, progress));
}

}  // namespace subword
