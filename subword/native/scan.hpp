// The scanners (pre-tokenizers): cut a text into words and hand each to `emit`, in order.
//
//     scan(Scanner::gpt2, text, size, [&](const char* begin, size_t length) { ... });
//
// `emit` is inlined into the loops. The text need not be valid UTF-8: an invalid byte is a character that is
// neither letter, mark, number nor space. The time is linear in the text for every scanner.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scan_avx2.hpp"
#include "scan_scalar.hpp"

namespace subword {

enum class Scanner { space, whitespace, words, gpt2, cl100k, o200k, none };

inline Scanner scanner_named(const std::string& name) {
    constexpr const char* kNames[] = {"space", "whitespace", "words", "gpt2", "cl100k", "o200k", "none"};
    for (int i = 0; i < 7; ++i) {
        if (name == kNames[i]) return static_cast<Scanner>(i);
    }
    throw std::invalid_argument("no native scanner '" + name +
                                "': choose from space, whitespace, words, gpt2, cl100k, o200k, none");
}

// Calls `visit` with the rule of the scanner.
template <class Visit>
inline void with_rule(Scanner which, Visit&& visit) {
    switch (which) {
        case Scanner::space: return visit(SpaceRule{});
        case Scanner::whitespace: return visit(WhitespaceRule{});
        case Scanner::words: return visit(WordsRule{});
        case Scanner::gpt2: return visit(Gpt2Rule{});
        case Scanner::cl100k: return visit(Cl100kRule{});
        case Scanner::o200k: return visit(O200kRule{});
        case Scanner::none: return visit(NoneRule{});
    }
}

template <class Emit>
inline void scan(Scanner which, const char* text, size_t size, Emit&& emit) {
    with_rule(which, [&](auto rule) { scan_fast<decltype(rule)>(text, text + size, emit); });
}

// The same without AVX2: the oracle of the tests.
template <class Emit>
inline void scan_reference(Scanner which, const char* text, size_t size, Emit&& emit) {
    with_rule(which, [&](auto rule) { scan_scalar<decltype(rule)>(text, text + size, emit); });
}

// Where the tokens of a text begin and end, as byte offsets.
struct Spans {
    std::vector<int64_t> begins, ends;
};

inline Spans find_spans(Scanner which, const char* text, size_t size, bool simd) {
    Spans spans;
    spans.begins.reserve(size / 4 + 1);  // seldom too little, and room that is not used costs nothing
    spans.ends.reserve(size / 4 + 1);
    auto note = [&spans, text](const char* token, size_t length) {
        spans.begins.push_back(token - text);
        spans.ends.push_back(token - text + static_cast<int64_t>(length));
    };
    simd ? scan(which, text, size, note) : scan_reference(which, text, size, note);
    return spans;
}

// Cuts. A text may be scanned in parts, by threads or as it streams in, if it is cut where no token can
// reach across and where neither part looks different from what the whole shows:
// - before a blank or line end, if white space is dropped;
// - for the published patterns before a blank that follows no white space: only as its first character can
//   a token hold it; or between a line feed that follows no white space and a letter or number.
inline bool is_cut(Scanner which, const char* text, size_t at, size_t size) {
    if (which == Scanner::none) return false;
    if (which <= Scanner::words) return SpaceRule::is_gap(text[at]);
    auto follows_space = [text](const char* place) {
        return place == text || (class_of(decode_before(text, place).value) & kSpace);
    };
    if (text[at] == ' ') return !follows_space(text + at);
    bool after_line = text[at - 1] == '\n' && !follows_space(text + at - 1);
    return after_line && starts_with(text + at, text + size, kLetter | kNumber);
}

// The first cut at or after `from`, which must not be 0; `size` if there is none.
inline size_t next_cut(Scanner which, const char* text, size_t from, size_t size) {
    while (from < size && !is_cut(which, text, from, size)) ++from;
    return from < size ? from : size;
}

// Calls take(step) for a text in steps that fit the processor's cache and can be scanned one by one, until it says false.
template <class Take>
inline bool in_steps(Scanner which, std::string_view text, const Take& take) {
    constexpr size_t kStep = size_t{256} << 10;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = next_cut(which, text.data(), begin + kStep, text.size());
        if (!take(text.substr(begin, end - begin))) return false;
        begin = end;
    }
    return true;
}

// The last cut in the text, 0 if there is none.
inline size_t last_cut(Scanner which, const char* text, size_t size) {
    size_t at = size == 0 ? 0 : size - 1;
    while (at > 0 && !is_cut(which, text, at, size)) --at;
    return at;
}

}  // namespace subword
