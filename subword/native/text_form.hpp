// TextForm: words split into pieces and written as text, as subword-nmt does: "lo@@ west".
//
// Text repeats its words, so most of this is copying: a word that was met before is written as it was then. Words
// are looked up a few at a time, after their places in the cache were asked for, so that the misses overlap.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cache.hpp"
#include "dropout.hpp"
#include "flat_array.hpp"
#include "model.hpp"
#include "pool.hpp"
#include "scan.hpp"
#include "segment.hpp"

namespace subword {

// How pieces look, and which may be used.
struct TextRules {
    std::string separator;            // stands behind a piece that does not end a word, before a space
    std::vector<std::string> spelt;   // the pieces by id, if they do not stand as they are
    std::vector<uint8_t> allowed;     // by id: kInside, kLast or both; empty: all pieces are
    static constexpr uint8_t kInside = 1, kLast = 2;
};

// A part of a word. What a glossary protects is not split.
struct WordPart {
    std::string text;
    bool is_whole;
};
using WordParts = std::unordered_map<std::string, std::vector<WordPart>>;

// Where random segmentations come from; `position`, the number of words before the text, moves on.
struct TextDropout {
    double p;
    uint64_t seed, text_hash, position;
};

// What a call changes: the words met before, as they are written, and scratch.
class WrittenWords {
 public:
    static constexpr size_t kShort = 32;  // bytes that are copied at once, without a loop or a call

    void prefetch(const WordCache::Word& word) const { known_.prefetch(word); }

    bool has(const WordCache::Word& word) const { return known_.find(word); }

    // Where a word stands as it was written: what is there is asked for.
    struct Place {
        int32_t start, size;
    };

    Place find(const WordCache::Word& word) const {
        const WordCache::Slot* slot = known_.find(word);
        if (!slot) return {kUnknown, 0};
        if (slot->few()[0] != kUnchanged) prefetch_line(texts_.data() + slot->few()[0]);
        return {slot->few()[0], slot->few()[1]};
    }

    // Appends a word as it was written; false if it was not met. Of the text it stands in, nothing is read at or after
    // `text_end`. There must be room for kShort bytes, and will be `room` more if more were written.
    bool write(const WordCache::Word& word, Place place, const char* text_end, size_t room, FlatArray<char>& out) const {
        if (place.start == kUnknown) return false;
        const bool is_unchanged = place.start == kUnchanged;
        const char* written = is_unchanged ? word.text : texts_.data() + place.start;
        const size_t size = static_cast<size_t>(place.size);
        if (size <= kShort && (!is_unchanged || text_end - written >= static_cast<ptrdiff_t>(kShort))) {
            std::memcpy(out.end(), written, kShort);
            out.grow_within_room(size);
        } else {
            out.append(written, size);
            out.make_room(room);
        }
        return true;
    }

    // Keeps nothing more when full.
    void keep(const WordCache::Word& word, std::string_view written) {
        if (word.length > WordCache::kLongest || is_full()) return;
        const bool is_unchanged = written == word.view();  // then its text, which was just read, is not read twice
        const int32_t place[] = {is_unchanged ? kUnchanged : static_cast<int32_t>(texts_.size()),
                                 static_cast<int32_t>(written.size())};
        if (!is_unchanged) {
            texts_.append(written.data(), written.size());
            texts_.make_room(kShort);
        }
        words_.insert(word, place, 2, known_);
        ++count_;
    }

    // Starts afresh when full. Not amid a text: its words were then looked at already, see new_words().
    void refresh() {
        if (!is_full()) return;
        words_.clear();
        known_ = words_.view();
        texts_.clear();
        count_ = 0;
    }

    Segments symbols;
    std::vector<std::pair<SymbolId, bool>> todo;

 private:
    static constexpr int32_t kUnchanged = -1, kUnknown = -2;
    static constexpr size_t kMostWords = size_t{1} << 18;
    static constexpr size_t kMostText = size_t{1} << 28;  // bytes

    bool is_full() const { return count_ == kMostWords || texts_.size() > kMostText; }

    WordCache words_{kMostWords};
    WordCache::View known_ = words_.view();
    FlatArray<char> texts_;
    size_t count_ = 0;
};

class TextForm {
 public:
    using Text = FlatArray<char>;

    // The model must outlive this.
    TextForm(const Model& model, Scanner scanner, const MergeList& merges, TextRules rules)
        : model_(model), scanner_(scanner), rules_(std::move(rules)), joint_(rules_.separator + " ") {
        check_size("spelt", rules_.spelt.size());
        check_size("allowed", rules_.allowed.size());
        if (!rules_.allowed.empty()) find_halves(merges);
    }

    std::unique_ptr<WrittenWords> take() {
        std::unique_ptr<WrittenWords> words = pool_.take();
        if (!words) words = std::make_unique<WrittenWords>();
        words->refresh();
        return words;
    }
    void give_back(std::unique_ptr<WrittenWords> words) { pool_.give_back(std::move(words)); }

    // The words of a text that are not among those met before, once each.
    std::vector<std::string_view> new_words(std::string_view text, const WrittenWords* met) const {
        const char* text_end = text.data() + text.size();
        std::vector<std::string_view> found;
        std::unordered_set<std::string_view> seen;
        for_each_word(text, [&](std::string_view, std::string_view word) {
            if (word.empty()) return;
            if (met && met->has(WordCache::word_at(word.data(), word.size(), text_end))) return;
            if (seen.insert(word).second) found.push_back(word);
        });
        return found;
    }

    // Appends the text form of a text. `parts` has the words that a glossary cuts, unless they were met before.
    void write(std::string_view text, const WordParts& parts, WrittenWords& words, Text& out) const {
        const char* text_end = text.data() + text.size();
        Found found[kAtOnce];
        size_t size = 0;
        const auto write_found = [&] {
            out.make_room(kRoomAtOnce);
            WrittenWords::Place places[kAtOnce];
            for (size_t i = 0; i < size; ++i) places[i] = words.find(found[i].word);
            for (size_t i = 0; i < size; ++i) write_one(found[i], places[i], text_end, parts, words, out);
            size = 0;
        };
        const std::string_view rest = for_each_word(text, [&](std::string_view gap, std::string_view word) {
            found[size] = {gap, WordCache::word_at(word.data(), word.size(), text_end)};
            words.prefetch(found[size].word);
            if (++size == kAtOnce) write_found();
        });
        write_found();
        append(rest, out);
    }

    void write(std::string_view text, const WordParts& parts, TextDropout& dropout, WrittenWords& words,
               Text& out) const {
        const std::string_view rest = for_each_word(text, [&](std::string_view gap, std::string_view word) {
            append(gap, out);
            if (word.empty()) return;
            const Draws draws(dropout.seed, dropout.text_hash, dropout.position++);
            write_word(word, parts, words, out, [&](std::string_view part) {
                segment_with_dropout(model_, part, dropout.p, draws, words.symbols);
            });
        });
        append(rest, out);
    }

 private:
    // A word, and what is written before it.
    struct Found {
        std::string_view gap;
        WordCache::Word word;
    };
    static constexpr size_t kAtOnce = 32;
    static constexpr size_t kRoomAtOnce = (kAtOnce + 1) * (WrittenWords::kShort + 1);

    static void append(std::string_view text, Text& out) { out.append(text.data(), text.size()); }

    static bool is_edge(char c) { return c == ' ' || c == '\n' || c == '\r'; }

    static const char* find_line_end(const char* at, const char* end) {
        const auto find = [at](char c, const char* stop) {
            const void* found = at == stop ? nullptr : std::memchr(at, c, static_cast<size_t>(stop - at));
            return found ? static_cast<const char*>(found) : stop;
        };
        return find('\r', find('\n', end));
    }

    // Calls visit(what stands before it, word). Before the first word of a line stand the ends of the lines before and
    // the spaces at both sides of them, as they are; between the words of a line stands one space. A line of which the
    // scanner keeps nothing has one empty word. Returns what follows the last word.
    template <class Visit>
    std::string_view for_each_word(std::string_view text, const Visit& visit) const {
        const char* const end = text.data() + text.size();
        const char* written = text.data();  // up to here
        while (true) {
            const char* line = written;
            while (line < end && is_edge(*line)) ++line;
            std::string_view gap(written, static_cast<size_t>(line - written));
            if (line == end) return gap;
            const char* stop = find_line_end(line, end);
            while (stop[-1] == ' ') --stop;
            bool has_words = false;
            scan(scanner_, line, static_cast<size_t>(stop - line), [&](const char* word, size_t length) {
                visit(gap, std::string_view(word, length));
                gap = " ";
                has_words = true;
            });
            if (!has_words) visit(gap, std::string_view(line, 0));
            written = stop;
        }
    }

    void write_one(const Found& found, WrittenWords::Place place, const char* text_end, const WordParts& parts,
                   WrittenWords& words, Text& out) const {
        if (found.gap.size() == 1) {
            out.push_back(found.gap[0]);
        } else {
            append(found.gap, out);
        }
        const auto is_written = [&] { return words.write(found.word, place, text_end, kRoomAtOnce, out); };
        if (found.word.length == 0 || is_written()) return;
        place = words.find(found.word);  // it may have come a moment ago
        if (is_written()) return;
        const size_t start = out.size();
        write_word(found.word.view(), parts, words, out,
                   [&](std::string_view part) { segment(model_, part, words.symbols); });
        words.keep(found.word, {out.data() + start, out.size() - start});
        out.make_room(kRoomAtOnce);
    }

    template <class Split>
    void write_word(std::string_view word, const WordParts& parts, WrittenWords& words, Text& out,
                    const Split& split) const {
        const auto found = parts.empty() ? parts.end() : parts.find(std::string(word));
        if (found == parts.end()) {
            split(word);
            return write_pieces(word, words, out);
        }
        bool is_first = true;
        for (const WordPart& part : found->second) {
            if (!is_first) append(joint_, out);
            is_first = false;
            if (part.is_whole) {
                append(part.text, out);
            } else {
                split(part.text);
                write_pieces(part.text, words, out);
            }
        }
    }

    // Writes a word that was split into `words.symbols`. A bare end of word has no text and is left out, an unknown
    // character stands as it is.
    void write_pieces(std::string_view word, WrittenWords& words, Text& out) const {
        size_t at = 0;
        for (SymbolId symbol : words.symbols) {
            const size_t size = symbol < 0 ? model_.unit_length(word, at) : model_.symbols().bytes(symbol).size();
            if (size == 0) continue;
            const bool is_last = at + size == word.size();
            if (symbol < 0 || rules_.allowed.empty()) {
                write_piece(word.substr(at, size), symbol, at == 0, out);
            } else {
                write_allowed(word, at, {symbol, is_last}, words, out);
            }
            at += size;
        }
    }

    void write_piece(std::string_view text, SymbolId symbol, bool is_first, Text& out) const {
        if (!is_first) append(joint_, out);
        append(symbol < 0 || rules_.spelt.empty() ? text : std::string_view(rules_.spelt[symbol]), out);
    }

    // Undoes merges until every piece is allowed or cannot be split further.
    void write_allowed(std::string_view word, size_t at, std::pair<SymbolId, bool> piece, WrittenWords& words,
                       Text& out) const {
        words.todo.assign(1, piece);
        while (!words.todo.empty()) {
            const auto [symbol, is_last] = words.todo.back();
            words.todo.pop_back();
            const auto [left, right] = halves_[symbol];
            const size_t size = model_.symbols().bytes(symbol).size();
            if (left == kNoSymbol || rules_.allowed[symbol] & (is_last ? TextRules::kLast : TextRules::kInside)) {
                write_piece(word.substr(at, size), symbol, at == 0, out);
                at += size;
                continue;
            }
            const bool ends_there = model_.symbols().bytes(right).empty();  // the left one is all of the text
            if (!ends_there) words.todo.push_back({right, is_last});
            if (!model_.symbols().bytes(left).empty()) words.todo.push_back({left, is_last && ends_there});
        }
    }

    // The first merge that makes a symbol counts.
    void find_halves(const MergeList& merges) {
        halves_.assign(model_.symbols().size(), {kNoSymbol, kNoSymbol});
        for (size_t rank = merges.size; rank-- > 0;) {
            const SymbolId left = merges.left[rank], right = merges.right[rank], result = merges.result[rank];
            for (SymbolId id : {left, right, result})
                if (!model_.is_symbol(id)) throw std::invalid_argument("a merge has an id that is no symbol");
            const size_t size = model_.symbols().bytes(left).size() + model_.symbols().bytes(right).size();
            if (size != model_.symbols().bytes(result).size())
                throw std::invalid_argument("the result of a merge is not its left and right symbols joined");
            if (left != result && right != result) halves_[result] = {left, right};
        }
    }

    void check_size(const std::string& name, size_t size) const {
        if (size == 0 || size == model_.symbols().size()) return;
        const std::string symbols = std::to_string(model_.symbols().size());
        throw std::invalid_argument(name + " has " + std::to_string(size) + " entries for " + symbols + " symbols");
    }

    const Model& model_;
    const Scanner scanner_;
    const TextRules rules_;
    const std::string joint_;
    std::vector<std::pair<SymbolId, SymbolId>> halves_;
    Pool<WrittenWords> pool_;
};

}  // namespace subword
