// Model: symbols and ranked merges in the form in which encoding asks for them. Never changes once made.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alphabet.hpp"
#include "symbols.hpp"

namespace subword {

using Rank = int32_t;
constexpr Rank kNoRank = std::numeric_limits<Rank>::max();
// A pair and its rank must fit in 64 bits (MergeTable), a rank and a position in 31 (segment.hpp).
constexpr int kSymbolBits = 21, kRankBits = 22;

// From a pair of symbols to the rank of its merge. A new word asks some ten times, and a question costs what the memory
// takes to answer. So the table is small: a slot is one number. Two shortcuts stay in the processor's near caches, so
// that the table itself is seldom touched: an array for the pairs of the first 256 symbols (bytes, ASCII: a third of
// all questions), and a bit filter of 64 KB, which turns nearly all other pairs away that are no merges.
class MergeTable {
 public:
    MergeTable(size_t symbols, size_t merges) : low_ranks_(kLow * kLow, kNoRank), filter_(kFilterBits / 64, 0) {
        if (symbols > size_t{1} << kSymbolBits || merges >= size_t{1} << kRankBits)
            throw std::overflow_error("a model has at most 2^21 symbols and fewer than 2^22 merges, not " +
                                      std::to_string(symbols) + " and " + std::to_string(merges));
        size_t slots = 16;
        while (kMostFull * slots < merges) slots *= 2;
        slots_.assign(slots, kEmpty);
        results_.reserve(merges);
    }

    // Adds the merge of the next rank. Of two merges of one pair the first counts.
    void add(SymbolId left, SymbolId right, SymbolId result) {
        if (is_low(left, right)) {
            Rank& rank = low_ranks_[left * kLow + right];
            rank = std::min(rank, static_cast<Rank>(results_.size()));
        }
        const uint64_t hashed = hash(left, right);
        filter_[filter_bit(hashed) / 64] |= uint64_t{1} << filter_bit(hashed) % 64;
        uint64_t& slot = slots_[slot_of(hashed, left, right)];
        if (slot == kEmpty) slot = key(left, right) << kRankBits | results_.size();
        results_.push_back(result);
    }

    // kNoRank if the pair is not merged. kNoSymbol, an unknown unit, never is.
    Rank rank(SymbolId left, SymbolId right) const {
        if (is_low(left, right)) return low_ranks_[left * kLow + right];
        const uint64_t hashed = hash(left, right);
        if (!(filter_[filter_bit(hashed) / 64] >> filter_bit(hashed) % 64 & 1) || (left | right) < 0) return kNoRank;
        const uint64_t slot = slots_[slot_of(hashed, left, right)];
        return slot == kEmpty ? kNoRank : static_cast<Rank>(slot & kRankMask);
    }

    SymbolId result(Rank rank) const { return results_[rank]; }

 private:
    static constexpr size_t kLow = 256;
    static constexpr size_t kFilterBits = size_t{1} << 19;
    static constexpr double kMostFull = 0.8;
    static constexpr uint64_t kRankMask = (uint64_t{1} << kRankBits) - 1;
    static constexpr uint64_t kEmpty = ~uint64_t{0};  // has a rank that no merge has

    static bool is_low(SymbolId left, SymbolId right) { return static_cast<uint32_t>(left | right) < kLow; }

    static uint64_t key(SymbolId left, SymbolId right) { return static_cast<uint64_t>(left) << kSymbolBits | right; }
    static uint64_t hash(SymbolId left, SymbolId right) {
        return static_cast<uint32_t>(left) * 0x9E3779B97F4A7C15u + static_cast<uint32_t>(right) * 0xC2B2AE3D27D4EB4Fu;
    }
    static size_t filter_bit(uint64_t hash) { return hash >> 45; }

    // The slot that holds the pair, or the empty one where it belongs.
    size_t slot_of(uint64_t hash, SymbolId left, SymbolId right) const {
        const size_t mask = slots_.size() - 1;
        size_t at = (hash >> 24) & mask;
        while (slots_[at] != kEmpty && slots_[at] >> kRankBits != key(left, right)) at = (at + 1) & mask;
        return at;
    }

    std::vector<Rank> low_ranks_;
    std::vector<uint64_t> filter_;
    std::vector<uint64_t> slots_;    // key and rank; open addressing
    std::vector<SymbolId> results_;  // by rank
};

// Merges by rank, as the caller has them.
struct MergeList {
    const SymbolId* left = nullptr;
    const SymbolId* right = nullptr;
    const SymbolId* result = nullptr;
    size_t size = 0;
};

class Model {
 public:
    // `unknown_id` stands for each unit without a symbol; if it is negative, the symbols of its bytes do.
    Model(SymbolTable symbols, const MergeList& merges, Style style, SymbolId unknown_id)
        : symbols_(std::move(symbols)),
          alphabet_(symbols_, style.level),
          merges_(symbols_.size(), merges.size),
          style_(style),
          unknown_id_(unknown_id),
          marker_(symbols_.find("", true)) {
        for (size_t rank = 0; rank < merges.size; ++rank)
            add(rank, merges.left[rank], merges.right[rank], merges.result[rank]);
        for (int byte = 0; byte < 256; ++byte) {
            const char text = static_cast<char>(byte);
            byte_ids_[byte] = symbols_.find(std::string_view(&text, 1), false);
        }
        if (style.end_of_word == EndOfWord::separate) find_marker(symbols_);
        if (unknown_id >= 0 && !is_symbol(unknown_id))
            throw std::invalid_argument("unk_id " + std::to_string(unknown_id) + " is no symbol");
    }

    const SymbolTable& symbols() const { return symbols_; }
    const MergeTable& merges() const { return merges_; }
    bool is_symbol(SymbolId id) const { return id >= 0 && static_cast<size_t>(id) < symbols_.size(); }

    // Appends the initial symbols of a word; a unit without one becomes kNoSymbol.
    template <class Symbols>
    void append_initial(std::string_view word, Symbols& out) const {
        const char* end = word.data() + word.size();
        for (const char* at = word.data(); at < end;) {
            const CodePoint unit = unit_at(style_.level, at, end);
            out.push_back(alphabet_.find(unit.value, is_final(word, at + unit.length)));
            at += unit.length;
        }
        if (style_.end_of_word == EndOfWord::separate) out.push_back(marker_);
    }

    // Appends the bytes of the symbols; after each final one but the last a space.
    template <class Text>
    void decode(const SymbolId* ids, size_t size, Text& out) const {
        for (size_t i = 0; i < size; ++i) {
            if (!is_symbol(ids[i])) {
                const std::string size = std::to_string(symbols_.size());
                throw std::out_of_range("id " + std::to_string(ids[i]) + " is not among the " + size + " symbols");
            }
            const std::string_view bytes = symbols_.bytes(ids[i]);
            out.append(bytes.data(), bytes.size());
            if (symbols_.is_final(ids[i]) && i + 1 < size) out.push_back(' ');
        }
    }

    // Calls emit(id, begin, end) for each id of a segmented word, with the bytes of the word that it stands for:
    // none for a bare marker, and all of its character for each byte of an unknown one. Where unknown neighbours are
    // joined, one id stands for all of them.
    template <class Emit>
    void spell(std::string_view word, const int32_t* symbols, size_t count, Emit&& emit) const {
        size_t at = 0;
        for (size_t i = 0; i < count; ++i) {
            const bool unknown = symbols[i] < 0;
            size_t end = at + (unknown ? unit_length(word, at) : symbols_.bytes(symbols[i]).size());
            for (; unknown && style_.joins_unknown && i + 1 < count && symbols[i + 1] < 0; ++i)
                end += unit_length(word, end);
            if (unknown) {
                spell_unknown(word, at, end, emit);
            } else {
                emit(symbols[i], at, end);
            }
            at = end;
        }
    }

    // The bytes of the unit at `at`: a character, or a byte.
    size_t unit_length(std::string_view word, size_t at) const {
        return unit_at(style_.level, word.data() + at, word.data() + word.size()).length;
    }

 private:
    bool is_final(std::string_view word, const char* unit_end) const {
        return style_.end_of_word == EndOfWord::suffix && unit_end == word.data() + word.size();
    }

    template <class Emit>
    void spell_unknown(std::string_view word, size_t begin, size_t end, Emit&& emit) const {
        if (unknown_id_ >= 0) return emit(unknown_id_, begin, end);
        for (size_t i = begin; i < end; ++i) emit(known(byte_ids_[static_cast<uint8_t>(word[i])]), begin, end);
        if (is_final(word, word.data() + end)) emit(known(marker_), end, end);
    }

    void add(size_t rank, SymbolId left, SymbolId right, SymbolId result) {
        const auto complain = [rank](const char* what) {
            throw std::invalid_argument("merge " + std::to_string(rank) + what);
        };
        if (!is_symbol(left) || !is_symbol(right) || !is_symbol(result)) complain(" has an id that is no symbol");
        const std::string joined = std::string(symbols_.bytes(left)).append(symbols_.bytes(right));
        if (symbols_.bytes(result) != joined || symbols_.is_final(result) != symbols_.is_final(right))
            complain(": the result is not its left and right symbols joined");
        merges_.add(left, right, result);
    }

    static SymbolId known(SymbolId id) {
        if (id == kNoSymbol)
            throw std::invalid_argument("an unknown character: the model has no unknown id and no symbols for its bytes");
        return id;
    }

    SymbolTable symbols_;
    Alphabet alphabet_;
    MergeTable merges_;
    Style style_;
    SymbolId unknown_id_;
    SymbolId marker_;
    std::array<SymbolId, 256> byte_ids_;
};

}  // namespace subword
