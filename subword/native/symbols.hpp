// Symbols: what merges join. A symbol is (bytes, is_final), interned: equal symbols have one id.
//
// 'ab' + 'c' and 'a' + 'bc' are therefore the same symbol, and a literal "</w>" in a text can never be
// mistaken for the end-of-word marker, because the marker is a flag and not part of the bytes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hash.hpp"

namespace subword {

using SymbolId = int32_t;
constexpr SymbolId kNoSymbol = -1;
// A symbol as training stores it, id + 1, so that 0 can mean none.
using Code = int32_t;
inline Code code_of(SymbolId id) { return id + 1; }
inline SymbolId id_of(Code code) { return code - 1; }

constexpr std::string_view kEndOfWord = "</w>";

class SymbolTable {
 public:
    SymbolTable() : slots_(1024, kNoSymbol) {}

    size_t size() const { return end_.size(); }
    bool is_final(SymbolId id) const { return is_final_[id]; }

    // The symbol as the `largest` tie rule compares it: with "</w>" at the end of a final one.
    std::string_view spelling(SymbolId id) const {
        const size_t begin = id == 0 ? 0 : end_[id - 1];
        return {text_.data() + begin, end_[id] - begin};
    }

    std::string_view bytes(SymbolId id) const {
        std::string_view spelt = spelling(id);
        if (is_final_[id]) spelt.remove_suffix(kEndOfWord.size());
        return spelt;
    }

    // Whether two symbols are equal, holes left aside, which have no bytes and are not final.
    bool has_equal() const { return has_equal_; }

    // Gives the symbol the next id. Of two equal symbols `find` knows the first.
    SymbolId add(std::string_view bytes, bool is_final) {
        if (2 * (size() + 1) > slots_.size()) rehash();
        const SymbolId id = static_cast<SymbolId>(size());
        SymbolId& slot = slots_[slot_of(bytes, is_final)];
        has_equal_ |= slot != kNoSymbol && (is_final || !bytes.empty());
        if (slot == kNoSymbol) slot = id;
        text_.append(bytes);
        if (is_final) text_.append(kEndOfWord);
        end_.push_back(text_.size());
        is_final_.push_back(is_final);
        return id;
    }

    SymbolId find(std::string_view bytes, bool is_final) const { return slots_[slot_of(bytes, is_final)]; }

    // The id of left + right, a new one when the symbol does not exist yet.
    SymbolId join(SymbolId left, SymbolId right) {
        std::string joined(bytes(left));
        joined.append(bytes(right));
        const SymbolId known = find(joined, is_final(right));
        return known != kNoSymbol ? known : add(joined, is_final(right));
    }

    // Orders symbols as the `largest` tie rule does: by spelling, then the literal before the marked one.
    int compare(SymbolId a, SymbolId b) const {
        if (a == b) return 0;
        const int order = spelling(a).compare(spelling(b));
        return order != 0 ? order : static_cast<int>(is_final_[a]) - static_cast<int>(is_final_[b]);
    }

 private:
    // The slot that holds the symbol, or the empty one where it belongs.
    size_t slot_of(std::string_view bytes, bool is_final) const {
        const uint64_t hash = fnv1a(bytes.data(), bytes.size()) * 0x9e3779b97f4a7c15u + is_final;
        const size_t mask = slots_.size() - 1;
        size_t slot = (hash ^ (hash >> 32)) & mask;
        while (slots_[slot] != kNoSymbol && !equals(slots_[slot], bytes, is_final)) slot = (slot + 1) & mask;
        return slot;
    }

    bool equals(SymbolId id, std::string_view other, bool other_is_final) const {
        return is_final(id) == other_is_final && bytes(id) == other;
    }

    void rehash() {
        slots_.assign(2 * slots_.size(), kNoSymbol);
        for (SymbolId id = 0; id < static_cast<SymbolId>(size()); ++id) {
            SymbolId& slot = slots_[slot_of(bytes(id), is_final(id))];
            if (slot == kNoSymbol) slot = id;
        }
    }

    std::string text_;                // all spellings, back to back
    std::vector<size_t> end_;         // end of each spelling in text_
    std::vector<uint8_t> is_final_;
    std::vector<SymbolId> slots_;     // open addressing, at most half full
    bool has_equal_ = false;
};

// The bare end-of-word marker, which end_of_word='separate' cannot do without.
inline SymbolId find_marker(const SymbolTable& symbols) {
    const SymbolId marker = symbols.find("", true);
    if (marker == kNoSymbol)
        throw std::invalid_argument("end_of_word='separate' needs the marker (b'', True) among the symbols");
    return marker;
}

}  // namespace subword
