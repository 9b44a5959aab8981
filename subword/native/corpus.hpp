// Corpus: the training words as one flat array of cells {symbol, frequency}.
//
// Words stand back to back with an empty cell between them. A symbol that spans k start positions sits in the
// first of its cells, and the last of them holds -k: the next symbol begins k cells on, and the one before is
// found by a look at the cell to the left. There is no linked list and no list of words to walk again, and one
// word of 5 MB costs what many short ones do. The frequency stands beside the symbol, so that a merge touches
// one place in memory for each occurrence.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "alphabet.hpp"
#include "flat_array.hpp"

namespace subword {

// Distinct words as flat arrays: word i is bytes[offsets[i], offsets[i + 1]) and was seen counts[i] times.
struct WordList {
    const char* bytes = nullptr;
    const uint64_t* offsets = nullptr;
    const int64_t* counts = nullptr;
    size_t size = 0;

    std::string_view operator[](size_t index) const {
        return {bytes + offsets[index], static_cast<size_t>(offsets[index + 1] - offsets[index])};
    }
};

using Position = uint32_t;  // index of a cell

// Frequency is uint32_t, or uint64_t where a word was seen 2^32 times or more.
template <class Frequency>
class Corpus {
 public:
    struct Cell {
        Code symbol;  // 0 where no symbol begins, -k in the last cell of a symbol of k cells
        Frequency frequency;
    };

    // Asks go_on() now and then; false when the answer was no.
    template <class GoOn>
    bool build(const WordList& words, const SymbolTable& symbols, Style style, GoOn&& go_on) {
        const Alphabet alphabet(symbols, style.level);
        if (style.end_of_word == EndOfWord::separate) marker_ = code_of(find_marker(symbols));
        cells_.reserve(cells_needed(words, style));
        cells_.push_back({0, 0});
        for (size_t i = 0; i < words.size; ++i) {
            if (words.counts[i] > 0) add_word(words[i], static_cast<Frequency>(words.counts[i]), alphabet, style);
            if (i % 65536 == 0 && !go_on()) return false;
        }
        return true;
    }

    size_t size() const { return cells_.size(); }
    const Cell& operator[](size_t position) const { return cells_[position]; }

    void prefetch(Position position) const { prefetch_line(&cells_[position]); }

    // Where the symbol before the one at `position` begins; a cell of code 0 when there is none.
    Position previous(Position position) const {
        const Code before = cells_[position - 1].symbol;
        return before < 0 ? position + static_cast<Position>(before) : position - 1;
    }

    // Joins the symbols that begin at `position` and `middle` and end before `end` into one.
    void join(Position position, Position middle, Position end, Code joined) {
        cells_[position].symbol = joined;
        cells_[middle].symbol = 0;
        cells_[end - 1].symbol = -static_cast<Code>(end - position);
    }

 private:
    void add_word(std::string_view word, Frequency frequency, const Alphabet& alphabet, Style style) {
        const char* end = word.data() + word.size();
        for (const char* at = word.data(); at < end;) {
            const CodePoint unit = unit_at(style.level, at, end);
            at += unit.length;
            const bool is_final = at == end && style.end_of_word == EndOfWord::suffix;
            cells_.push_back({code_of(alphabet.find(unit.value, is_final)), frequency});
        }
        if (style.end_of_word == EndOfWord::separate) cells_.push_back({marker_, frequency});
        cells_.push_back({0, 0});
    }

    static size_t cells_needed(const WordList& words, Style style) {
        size_t cells = 1 + words.size * (style.end_of_word == EndOfWord::separate ? 2 : 1);
        const char* end = words.size ? words.bytes + words.offsets[words.size] : words.bytes;
        for (const char* at = words.size ? words.bytes + words.offsets[0] : end; at < end; ++at)
            cells += style.level == Level::byte || (*at & 0xC0) != 0x80;
        if (cells > static_cast<size_t>(std::numeric_limits<Code>::max()))
            throw std::overflow_error("the words have more than 2^31 - 1 symbols in all: learn from fewer words");
        return cells;
    }

    FlatArray<Cell> cells_;
    Code marker_ = 0;
};

}  // namespace subword
