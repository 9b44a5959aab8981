// TextForm: words split into pieces and written as text, as subword-nmt does: "lo@@ west".
//
// Text repeats its words, so most of this is copying: a word that was met before is written as it was then.
#pragma once

#include <cstdint>
#include <memory>
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
    // Empty if the word was not met; no word is written as nothing.
    std::string_view find(const WordCache::Word& word) const {
        const WordCache::Slot* slot = words_.find(word);
        return slot ? std::string_view(texts_.data() + slot->ids[0], slot->ids[1]) : std::string_view();
    }

    // Keeps nothing more when full.
    void keep(const WordCache::Word& word, std::string_view written) {
        if (word.length > WordCache::kLongest || is_full()) return;
        const int32_t place[] = {static_cast<int32_t>(texts_.size()), static_cast<int32_t>(written.size())};
        texts_.append(written.data(), written.size());
        words_.insert(word, place, 2);
        ++count_;
    }

    // Starts afresh when full. Not amid a text: its words were then looked at already, see new_words().
    void refresh() {
        if (!is_full()) return;
        words_.clear();
        texts_.clear();
        count_ = 0;
    }

    Segments symbols;
    std::vector<std::pair<SymbolId, bool>> todo;

 private:
    static constexpr size_t kMostWords = size_t{1} << 20;
    static constexpr size_t kMostText = size_t{1} << 28;  // bytes

    bool is_full() const { return count_ == kMostWords || texts_.size() > kMostText; }

    WordCache words_{kMostWords};
    FlatArray<char> texts_;
    size_t count_ = 0;
};

class TextForm {
 public:
    using Text = FlatArray<char>;

    // The model must outlive this.
    TextForm(const Model& model, Scanner scanner, const MergeList& merges, TextRules rules)
        : model_(model), scanner_(scanner), rules_(std::move(rules)), joint_(rules_.separator + " ") {
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
        std::vector<std::string_view> found;
        std::unordered_set<std::string_view> seen;
        for_each_word(text, nullptr, [&](std::string_view word, const char* end) {
            if (met && !met->find(WordCache::word_at(word.data(), word.size(), end)).empty()) return;
            if (seen.insert(word).second) found.push_back(word);
        });
        return found;
    }

    // Appends the text form of a text. `parts` has the words that a glossary cuts, unless they were met before.
    void write(std::string_view text, const WordParts& parts, WrittenWords& words, Text& out) const {
        out.make_room(text.size() + text.size() / 2);
        for_each_word(text, &out, [&](std::string_view word, const char* end) {
            const WordCache::Word key = WordCache::word_at(word.data(), word.size(), end);
            if (const std::string_view known = words.find(key); !known.empty()) return append(known, out);
            const size_t start = out.size();
            write_word(word, parts, words, out, [&](std::string_view part) { segment(model_, part, words.symbols); });
            words.keep(key, {out.data() + start, out.size() - start});
        });
    }

    void write(std::string_view text, const WordParts& parts, TextDropout& dropout, WrittenWords& words,
               Text& out) const {
        for_each_word(text, &out, [&](std::string_view word, const char*) {
            const Draws draws(dropout.seed, dropout.text_hash, dropout.position++);
            write_word(word, parts, words, out, [&](std::string_view part) {
                segment_with_dropout(model_, part, dropout.p, draws, words.symbols);
            });
        });
    }

 private:
    static void append(std::string_view text, Text& out) { out.append(text.data(), text.size()); }

    static bool is_edge(char c) { return c == ' ' || is_line_end(c); }
    static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

    // Calls visit(word, end of its line). What stands between lines, and the spaces at both ends of each, goes to
    // `out` as it is; between the words of a line goes one space.
    template <class Visit>
    void for_each_word(std::string_view text, Text* out, const Visit& visit) const {
        const char* const end = text.data() + text.size();
        for (const char* at = text.data(); at < end;) {
            const char* line = at;
            while (line < end && is_edge(*line)) ++line;
            if (out) append({at, static_cast<size_t>(line - at)}, *out);
            at = line;
            while (at < end && !is_line_end(*at)) ++at;
            while (at > line && at[-1] == ' ') --at;
            bool is_first = true;
            scan(scanner_, line, static_cast<size_t>(at - line), [&](const char* word, size_t length) {
                if (out && !is_first) out->push_back(' ');
                is_first = false;
                visit(std::string_view(word, length), at);
            });
        }
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
        for (size_t rank = merges.size; rank-- > 0;)
            halves_[merges.result[rank]] = {merges.left[rank], merges.right[rank]};
    }

    const Model& model_;
    const Scanner scanner_;
    const TextRules rules_;
    const std::string joint_;
    std::vector<std::pair<SymbolId, SymbolId>> halves_;
    Pool<WrittenWords> pool_;
};

}  // namespace subword
