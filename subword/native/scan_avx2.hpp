// The scanners 64 bytes at a time: 4-6 times as fast as scan_scalar.hpp on ASCII text, the same tokens.
//
// A window of 64 bytes always begins at the end of a token, so no state is carried from one to the next. Byte
// comparisons give one bit per byte and class; shifts of these masks give the bits where tokens begin and end.
// What cannot be decided inside the window (a token that reaches its end, for most rules a non-ASCII character)
// is left to the scalar rule, one token at a time. For gpt2 and cl100k window_classes.hpp gives the classes of all characters.
#pragma once

#include <type_traits>

#include "scan_scalar.hpp"
#include "window_classes.hpp"

namespace subword {

#ifdef SUBWORD_AVX2

// Bit i of `begins`: a token begins at byte i. Bit i of `ends`: one ends before byte i. The n-th begin goes with the n-th end.
struct Tokens {
    uint64_t begins, ends;

    // Forgets the ends from byte `limit` on.
    SUBWORD_AVX2 void restrict_to(size_t limit) { ends = _bzhi_u64(ends, static_cast<uint32_t>(limit)); }
};

inline uint64_t first_of_runs(uint64_t mask) { return mask & ~(mask << 1); }

inline uint64_t behind_runs(uint64_t mask) { return ~mask & mask << 1; }

SUBWORD_AVX2 inline Tokens window_tokens(SpaceRule, const Window& window, const char*, const char*) {
    uint64_t word = ~(window.equal(' ') | window.equal('\n') | window.equal('\r'));
    Tokens tokens{first_of_runs(word), behind_runs(word)};
    tokens.restrict_to(window.sure(0, 0));
    return tokens;
}

SUBWORD_AVX2 inline Tokens window_tokens(WhitespaceRule, const Window& window, const char*, const char*) {
    uint64_t word = ~(window.between('\t', '\r') | window.between('\x1C', ' '));
    Tokens tokens{first_of_runs(word), behind_runs(word)};
    uint64_t foreign = window.non_ascii();
    if (foreign) foreign = window.equal('\xC2') | window.between('\xE1', '\xE3');
    tokens.restrict_to(window.sure(foreign, 0));
    return tokens;
}

SUBWORD_AVX2 inline Tokens window_tokens(WordsRule, const Window& window, const char*, const char*) {
    uint64_t letter = window.letters(), number = window.between('0', '9'), space = window.spaces();
    uint64_t word = letter | (window.equal('\'') & letter << 1 & letter >> 1);
    uint64_t other = ~(word | number | space);
    Tokens tokens{first_of_runs(word) | first_of_runs(number) | first_of_runs(other),
                  behind_runs(word) | behind_runs(number) | behind_runs(other)};
    tokens.restrict_to(window.sure(window.non_ascii(), 1));  // an apostrophe needs its successor
    return tokens;
}

// Takes the contractions at the bits of `candidates` (apostrophes that begin a token) out of the words behind them.
inline uint64_t join_contractions(uint64_t begins, uint64_t candidates, const char* text, const char* end, bool any_case) {
    for (; candidates; candidates &= candidates - 1) {
        int at = __builtin_ctzll(candidates);
        uint32_t length = contraction_length(text + at, end, any_case);
        if (length) begins = (begins & ~(uint64_t{2} << at)) | uint64_t{1} << at << length;
    }
    return begins;
}

SUBWORD_AVX2 inline Tokens window_tokens(Gpt2Rule, const Window& window, const char* text, const char* end) {
    const Classes classes = classify(window, text, end);
    uint64_t letter = classes.letter, number = classes.number, space = window.spaces();
    uint64_t other = ~(letter | number | space), blank = window.equal(' ');
    uint64_t word = first_of_runs(letter) | first_of_runs(number) | first_of_runs(other);
    uint64_t begins = (word & ~(blank << 1)) | first_of_runs(space) | (space & ~(space >> 1));
    uint64_t apostrophes = window.equal('\'') & first_of_runs(other) & ~(blank << 1) & letter >> 1;
    begins = join_contractions(begins, apostrophes, text, end, false);
    Tokens tokens{begins, begins & ~uint64_t{1}};
    tokens.restrict_to(window.sure(classes.foreign_space, 3));  // the longest contraction
    return tokens;
}

// The first of every three numbers of a run.
inline uint64_t first_of_threes(uint64_t number) {
    uint64_t begins = first_of_runs(number), more = begins;
    while ((more = more << 3 & number & number << 1 & number << 2)) begins |= more;
    return begins;
}

// What follows the last line end of each run of white space, if that does not end it.
inline uint64_t behind_last_line_ends(uint64_t space, uint64_t line_end) {
    const uint64_t plain = space & ~line_end;
    uint64_t begins = 0;
    for (uint64_t places = plain & (space & line_end) << 1; places; places &= places - 1) {
        const int at = __builtin_ctzll(places), size = __builtin_ctzll(~(plain >> at));
        if ((space >> at >> size & 1) == 0) begins |= uint64_t{1} << at;
    }
    return begins;
}

SUBWORD_AVX2 inline Tokens window_tokens(Cl100kRule, const Window& window, const char* text, const char* end) {
    const Classes classes = classify(window, text, end);
    const uint64_t letter = classes.letter, number = classes.number, blank = window.equal(' ');
    const uint64_t line_end = window.equal('\n') | window.equal('\r');
    uint64_t space = window.spaces();
    const uint64_t other = ~(letter | number | space);
    space &= ~(line_end & ~(line_end + (other << 1 & line_end)));  // line ends belong to the punctuation before them
    const uint64_t plain = space & ~line_end, punctuation = first_of_runs(other) & ~(blank << 1);
    const uint64_t prefix = plain | (punctuation & ~(other >> 1));  // if a letter follows
    uint64_t begins = (first_of_runs(letter) & ~(prefix << 1)) | first_of_threes(number) | punctuation |
                      first_of_runs(space) | (plain & ~(space >> 1)) | behind_last_line_ends(space, line_end);
    const uint64_t apostrophes = window.equal('\'') & punctuation & letter >> 1;
    begins = join_contractions(begins, apostrophes, text, end, true);
    // Of other characters only letters are told here. White space before those that are not told, or before the end
    // of the window, may go on: only where it begins is sure.
    const size_t clean = _tzcnt_u64(window.non_ascii() & ~letter);
    const size_t open = clean ? _lzcnt_u64(~(space << (64 - clean))) : 0;
    Tokens tokens{begins, begins & ~uint64_t{1}};
    tokens.restrict_to(open ? clean - open + 1 : clean < 3 ? 0 : clean - 3);  // 3: the longest contraction
    return tokens;
}

// Emits the tokens of a window and returns where the last one ended; `tokens.ends` must not be 0.
template <class Emit>
SUBWORD_AVX2 inline const char* emit_tokens(Tokens tokens, const char* text, Emit& emit) {
    const char* resume = text + (63 - _lzcnt_u64(tokens.ends));
    for (; tokens.ends; tokens.ends &= tokens.ends - 1, tokens.begins &= tokens.begins - 1) {
        size_t begin = _tzcnt_u64(tokens.begins);
        emit(text + begin, _tzcnt_u64(tokens.ends) - begin);
    }
    return resume;
}

// A window is worth its while if several tokens fit and it does not begin with characters that the rule cannot tell.
template <class Rule>
inline bool suits_window(const char* text, const char* end) {
    if (end - text < 16) return false;
    if (std::is_same_v<Rule, Cl100kRule>) return !begins_wide(text[0]) && text[0] != '\xE2';  // or other punctuation
    return std::is_same_v<Rule, Gpt2Rule> ? !begins_wide(text[0]) : ((text[0] | text[1]) & 0x80) == 0;
}

template <class Rule, class Emit>
SUBWORD_AVX2 inline void scan_windows(const char* text, const char* end, Emit& emit) {
    while (text < end) {
        Tokens tokens{0, 0};
        if (suits_window<Rule>(text, end)) tokens = window_tokens(Rule{}, Window::load(text, end), text, end);
        text = tokens.ends ? emit_tokens(tokens, text, emit) : scan_token<Rule>(text, end, emit);
    }
}

template <class Rule>
constexpr bool kHasWindows = std::is_same_v<Rule, SpaceRule> || std::is_same_v<Rule, WhitespaceRule> ||
                             std::is_same_v<Rule, WordsRule> || std::is_same_v<Rule, Gpt2Rule> ||
                             std::is_same_v<Rule, Cl100kRule>;

#endif  // SUBWORD_AVX2

// The fastest way this processor has for the rule.
template <class Rule, class Emit>
inline void scan_fast(const char* text, const char* end, Emit& emit) {
#ifdef SUBWORD_AVX2
    if constexpr (kHasWindows<Rule>) {
        if (has_avx2()) return scan_windows<Rule>(text, end, emit);
    }
#endif
    scan_scalar<Rule>(text, end, emit);
}

}  // namespace subword
