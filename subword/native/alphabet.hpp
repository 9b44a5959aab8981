// Alphabet: from the units of a word (code points or bytes) to its initial symbols.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "symbols.hpp"
#include "utf8.hpp"

namespace subword {

enum class Level { character, byte };
enum class EndOfWord { none, suffix, separate };

// How a model cuts a word into initial symbols.
struct Style {
    Level level = Level::character;
    EndOfWord end_of_word = EndOfWord::none;
    bool joins_unknown = false;  // one id for unknown neighbours
};

// Positions in a word are 32-bit numbers, of which a few have a meaning of their own.
inline void check_word_length(size_t bytes) {
    if (bytes > 0xFFFFFFF0u) throw std::overflow_error("a word is longer than 4 GB; choose another pre-tokenizer");
}

// The unit at `at`, before `end`: at character level decode() says what becomes of a stray byte.
inline CodePoint unit_at(Level level, const char* at, const char* end) {
    return level == Level::byte ? CodePoint{static_cast<uint8_t>(*at), 1} : decode(at, end);
}

// Symbols by unit and finality, in two stages: pages of 256 units, made only where there are symbols.
class Alphabet {
 public:
    Alphabet(const SymbolTable& symbols, Level level) : page_of_(kUnits / kPage, 0), pages_(1, empty_page()) {
        for (SymbolId id = 0; id < static_cast<SymbolId>(symbols.size()); ++id) {
            const std::string_view bytes = symbols.bytes(id);
            if (bytes.empty()) continue;
            const CodePoint unit = unit_at(level, bytes.data(), bytes.data() + bytes.size());
            if (unit.length == bytes.size() && unit.value != kInvalid) insert(unit.value, symbols.is_final(id), id);
        }
    }

    SymbolId find(uint32_t unit, bool is_final) const {
        return pages_[page_of_[unit / kPage]][2 * (unit % kPage) + is_final];
    }

 private:
    static constexpr uint32_t kUnits = kInvalid + 256;
    static constexpr uint32_t kPage = 256;
    using Page = std::array<SymbolId, 2 * kPage>;

    static Page empty_page() {
        Page page;
        page.fill(kNoSymbol);
        return page;
    }

    void insert(uint32_t unit, bool is_final, SymbolId id) {
        uint16_t& page = page_of_[unit / kPage];
        if (page == 0) {
            page = static_cast<uint16_t>(pages_.size());
            pages_.push_back(empty_page());
        }
        SymbolId& entry = pages_[page][2 * (unit % kPage) + is_final];
        if (entry == kNoSymbol) entry = id;  // of two equal symbols the first counts
    }

    std::vector<uint16_t> page_of_;
    std::vector<Page> pages_;
};

}  // namespace subword
