// The scanners, one character at a time: for any text, and the oracle of scan_avx2.hpp.
//
// A rule says where the next token begins (what lies before is dropped) and where it ends. It looks only ahead,
// as the published patterns do, so scanning may start anew at any token. No rule walks over a character
// more than a fixed number of times: where a regular expression would backtrack, the rule keeps the place.
#pragma once

#include <array>

#include "utf8.hpp"

namespace subword {

struct Character {
    uint32_t value;
    uint32_t length;
    uint8_t classes;

    bool is(uint8_t wanted) const { return classes & wanted; }
    bool is_newline() const { return value == '\r' || value == '\n'; }
    bool is_other() const { return !is(kLetter | kNumber | kSpace); }
};

[[gnu::always_inline]] inline Character character_at(const char* text, const char* end) {
    CodePoint character = decode(text, end);
    return {character.value, character.length, class_of(character.value)};
}

// The end of the run of characters, from `text`, for which `belongs` holds.
template <class Predicate>
[[gnu::always_inline]] inline const char* run_end(const char* text, const char* end, Predicate belongs) {
    while (text < end) {
        Character character = character_at(text, end);
        if (!belongs(character)) break;
        text += character.length;
    }
    return text;
}

inline const char* class_run_end(const char* text, const char* end, uint8_t classes) {
    return run_end(text, end, [classes](const Character& c) { return c.is(classes); });
}

inline const char* other_run_end(const char* text, const char* end) {
    return run_end(text, end, [](const Character& c) { return c.is_other(); });
}

inline bool starts_with(const char* text, const char* end, uint8_t classes) {
    return text < end && character_at(text, end).is(classes);
}

// space: whatever stands between U+0020, CR and LF (the rule of subword-nmt).
struct SpaceRule {
    static bool is_gap(char byte) { return byte == ' ' || byte == '\n' || byte == '\r'; }

    static const char* token_begin(const char* text, const char* end) {
        while (text < end && is_gap(*text)) ++text;
        return text;
    }

    static const char* token_end(const char* text, const char* end) {
        while (text < end && !is_gap(*text)) ++text;
        return text;
    }
};

// whitespace: str.split(). Only a few bytes can begin a white-space character; all others are stepped over
// without decoding.
struct WhitespaceRule {
    static constexpr bool may_begin_space(uint8_t byte) {
        return (byte >= 0x09 && byte <= 0x0D) || (byte >= 0x1C && byte <= 0x20) || byte == 0xC2 ||
               (byte >= 0xE1 && byte <= 0xE3);
    }

    static constexpr std::array<bool, 256> candidates() {
        std::array<bool, 256> table{};
        for (size_t byte = 0; byte < 256; ++byte) table[byte] = may_begin_space(static_cast<uint8_t>(byte));
        return table;
    }

    // The bytes of the white-space character at `text`, 0 if there is none.
    static uint32_t gap_length(const char* text, const char* end) {
        static constexpr std::array<bool, 256> kCandidates = candidates();
        if (!kCandidates[static_cast<uint8_t>(*text)]) return 0;
        Character character = character_at(text, end);
        return character.is(kPythonSpace) ? character.length : 0;
    }

    static const char* token_begin(const char* text, const char* end) {
        while (text < end) {
            uint32_t length = gap_length(text, end);
            if (length == 0) break;
            text += length;
        }
        return text;
    }

    static const char* token_end(const char* text, const char* end) {
        while (text < end && gap_length(text, end) == 0) ++text;
        return text;
    }
};

// words: \p{L}[\p{L}\p{M}]*(?:['’]\p{L}[\p{L}\p{M}]*)*|\p{N}+|[^\s\p{L}\p{N}]+
struct WordsRule {
    static const char* token_begin(const char* text, const char* end) { return class_run_end(text, end, kSpace); }

    static const char* token_end(const char* text, const char* end) {
        Character first = character_at(text, end);
        if (first.is(kNumber)) return class_run_end(text, end, kNumber);
        if (first.is_other()) return other_run_end(text, end);
        for (;;) {
            text = class_run_end(text, end, kLetter | kMark);
            if (text == end) return text;
            Character joint = character_at(text, end);
            if (joint.value != '\'' && joint.value != 0x2019) return text;
            if (!starts_with(text + joint.length, end, kLetter)) return text;
            text += joint.length;
        }
    }
};

// The published patterns divide the whole text: a token begins where the last one ended.
struct DividingRule {
    static const char* token_begin(const char* text, const char*) { return text; }
};

// The length of 's 't 're 've 'm 'll 'd at `text`, 0 if none is there. Case is folded as `regex` does it,
// which takes U+017F (long s) for an s.
inline uint32_t contraction_length(const char* text, const char* end, bool any_case) {
    if (text == end || *text != '\'' || end - text < 2) return 0;
    char fold = any_case ? 0x20 : 0;
    char first = static_cast<char>(text[1] | fold);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
    if (end - text < 3) return 0;
    if (any_case && text[1] == '\xC5' && text[2] == '\xBF') return 3;
    char second = static_cast<char>(text[2] | fold);
    return (first == 'l' && second == 'l') || ((first == 'v' || first == 'r') && second == 'e') ? 3 : 0;
}

// A run of white space and the two places inside it where a token may end.
struct SpaceRun {
    const char* end;
    const char* last;           // its last character
    const char* after_newline;  // behind its last CR or LF, nullptr without one
};

inline SpaceRun space_run(const char* text, const char* end) {
    SpaceRun run{text, text, nullptr};
    while (run.end < end) {
        Character character = character_at(run.end, end);
        if (!character.is(kSpace)) break;
        run.last = run.end;
        run.end += character.length;
        if (character.is_newline()) run.after_newline = run.end;
    }
    return run;
}

// \s+(?!\S)|\s: the run up to the end of the text, or without its last character, or its only character.
inline const char* space_token_end(const SpaceRun& run, const char* text, const char* end) {
    return run.end == end || run.last == text ? run.end : run.last;
}

inline const char* skip_blank(const char* text, const char* end) { return *text == ' ' && end - text > 1 ? text + 1 : text; }

// gpt2: '(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s
struct Gpt2Rule : DividingRule {
    static const char* token_end(const char* text, const char* end) {
        if (uint32_t length = contraction_length(text, end, false)) return text + length;
        const char* body = skip_blank(text, end);
        Character first = character_at(body, end);
        if (first.is(kLetter)) return class_run_end(body, end, kLetter);
        if (first.is(kNumber)) return class_run_end(body, end, kNumber);
        if (first.is_other()) return other_run_end(body, end);
        return space_token_end(space_run(text, end), text, end);
    }
};

// \p{N}{1,3}
inline const char* number_end(const char* text, const char* end) {
    int digits = 0;
    return run_end(text, end, [&digits](const Character& c) { return c.is(kNumber) && digits++ < 3; });
}

//  ?[^\s\p{L}\p{N}]+ and then any CR, LF and, where `slash` says so, '/'; nullptr if the text begins otherwise.
inline const char* punctuation_end(const char* text, const char* end, bool slash) {
    const char* body = skip_blank(text, end);
    const char* tail = other_run_end(body, end);
    if (tail == body) return nullptr;
    return run_end(tail, end, [slash](const Character& c) { return c.is_newline() || (slash && c.value == '/'); });
}

// The single character that may stand before a word: [^\r\n\p{L}\p{N}]
inline bool may_precede_word(const Character& c) { return !c.is(kLetter | kNumber) && !c.is_newline(); }

// cl100k: '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+
//         |\s++$|\s*[\r\n]|\s+(?!\S)|\s
// tiktoken's current pattern; the older published one lacks \s++$ and splits trailing newlines and spaces.
struct Cl100kRule : DividingRule {
    static const char* token_end(const char* text, const char* end) {
        if (uint32_t length = contraction_length(text, end, true)) return text + length;
        Character first = character_at(text, end);
        if (first.is(kNumber)) return number_end(text, end);
        const char* word = may_precede_word(first) ? text + first.length : text;
        if (starts_with(word, end, kLetter)) return class_run_end(word, end, kLetter);
        if (const char* punctuation = punctuation_end(text, end, false)) return punctuation;
        SpaceRun run = space_run(text, end);
        if (run.end == end) return end;
        return run.after_newline ? run.after_newline : space_token_end(run, text, end);
    }
};

// o200k, with U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and W = [\p{Ll}\p{Lm}\p{Lo}\p{M}] and C = (?i:'s|'t|'re|'ve|'m|'ll|'d):
//         [^\r\n\p{L}\p{N}]?U*W+C?|[^\r\n\p{L}\p{N}]?U+W*C?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
struct O200kRule : DividingRule {
    static constexpr uint8_t kU = kUpper | kCaseless | kMark;
    static constexpr uint8_t kW = kLower | kCaseless | kMark;

    // U*W+, nullptr if there is none. U* takes all it can; if no lower-case letter follows, it gives back
    // as far as the last character that is in W, too, and W+ is that one character.
    static const char* lower_word_end(const char* text, const char* end) {
        const char* after_both = nullptr;
        while (text < end) {
            Character character = character_at(text, end);
            if (!character.is(kU)) break;
            text += character.length;
            if (character.is(kW)) after_both = text;
        }
        return starts_with(text, end, kLower) ? class_run_end(text, end, kW) : after_both;
    }

    // The first two alternatives without C?, nullptr if neither matches.
    static const char* word_end(const char* text, const char* end, const Character& first) {
        const char* word = may_precede_word(first) ? text + first.length : text;
        if (const char* lower = lower_word_end(word, end)) return lower;
        if (first.is(kMark)) return word;  // the mark is no prefix but in W, a word by itself
        const char* upper = class_run_end(word, end, kUpper);
        return upper == word ? nullptr : upper;
    }

    static const char* token_end(const char* text, const char* end) {
        Character first = character_at(text, end);
        if (first.is(kNumber)) return number_end(text, end);
        if (const char* word = word_end(text, end, first)) return word + contraction_length(word, end, true);
        if (const char* punctuation = punctuation_end(text, end, true)) return punctuation;
        SpaceRun run = space_run(text, end);
        return run.after_newline ? run.after_newline : space_token_end(run, text, end);
    }
};

// none: the whole text.
struct NoneRule : DividingRule {
    static const char* token_end(const char*, const char* end) { return end; }
};

// Emits the first token of [text, end) and returns where it ends; `end` if there is none.
template <class Rule, class Emit>
inline const char* scan_token(const char* text, const char* end, Emit& emit) {
    text = Rule::token_begin(text, end);
    if (text == end) return end;
    const char* token_end = Rule::token_end(text, end);
    emit(text, static_cast<size_t>(token_end - text));
    return token_end;
}

template <class Rule, class Emit>
inline void scan_scalar(const char* text, const char* end, Emit& emit) {
    while (text < end) text = scan_token<Rule>(text, end, emit);
}

}  // namespace subword
