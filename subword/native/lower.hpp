// Lower-casing as Python's str.lower does it, whatever version of Unicode the Python that runs follows.
//
// ASCII is lower-cased 64 bytes at a time. What becomes of other characters Python is asked once, for 128 of them
// when the first is met. Only the capital sigma depends on what stands around it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "flat_array.hpp"
#include "utf8.hpp"

namespace subword {

// What a character becomes, as UTF-8, and how a capital sigma beside it sees it.
struct LowerCase {
    enum Kind : uint16_t { kOther, kCased, kIgnorable };

    char text[4];
    uint16_t length;
    uint16_t kind;
};

class LowerTable {
 public:
    static constexpr uint32_t kBlock = 128;
    using Ask = bool (*)(uint32_t first, LowerCase* block);  // false if Python fails

    explicit LowerTable(Ask ask) : ask_(ask) {}

    const LowerCase& operator[](uint32_t code_point) {
        const LowerCase* block = blocks_[code_point / kBlock].load(std::memory_order_acquire);
        if (!block) block = make_block(code_point / kBlock);
        return block[code_point % kBlock];
    }

 private:
    const LowerCase* make_block(uint32_t number) {
        auto made = std::make_unique<LowerCase[]>(kBlock);
        if (!ask_(number * kBlock, made.get())) throw std::runtime_error("str.lower failed");
        const LowerCase* present = nullptr;  // or what another thread has made meanwhile
        return blocks_[number].compare_exchange_strong(present, made.get()) ? made.release() : present;
    }

    const Ask ask_;
    std::atomic<const LowerCase*> blocks_[kInvalid / kBlock]{};  // made when they are needed, and kept
};

// Adds 0x20 to those of eight ASCII characters that lie between 'A' and 'Z'.
inline uint64_t lower_ascii(uint64_t characters) {
    constexpr uint64_t kOnes = 0x0101010101010101u;
    const uint64_t from_a = characters + (0x80 - 'A') * kOnes, behind_z = characters + (0x80 - 'Z' - 1) * kOnes;
    return characters + ((from_a & ~behind_z & 0x80 * kOnes) >> 2);
}

// Lower-cases ASCII up to the first block of kWords * 8 bytes that is not whole or not ASCII (the loops vectorise).
// Returns how many bytes were done.
template <size_t kWords>
inline size_t lower_ascii_blocks(const char* text, size_t size, char* out) {
    size_t done = 0;
    for (uint64_t words[kWords]; done + sizeof words <= size; done += sizeof words) {
        uint64_t any = 0;
        std::memcpy(words, text + done, sizeof words);
        for (uint64_t word : words) any |= word;
        if (any & 0x8080808080808080u) break;
        for (uint64_t& word : words) word = lower_ascii(word);
        std::memcpy(out + done, words, sizeof words);
    }
    return done;
}

class LowerCaser {
 public:
    explicit LowerCaser(LowerTable& table) : table_(table) {}

    // No character of n bytes becomes one of more than 2 n bytes, and each is written as sizeof(LowerCase::text).
    static size_t room_for(size_t size) { return 2 * size + sizeof(LowerCase::text); }

    // Writes the text to `out`, where there must be room, and returns the end. What is no UTF-8 stays as it is.
    char* lower(std::string_view text, char* out) const {
        const char* const end = text.data() + text.size();
        for (const char* at = text.data(); at < end;) {
            size_t done = lower_ascii_blocks<8>(at, static_cast<size_t>(end - at), out);
            done += lower_ascii_blocks<1>(at + done, static_cast<size_t>(end - at) - done, out + done);
            at += done;
            out += done;
            for (const char* stop = end - at < 16 ? end : at + 16; at < stop;) {
                const CodePoint character = decode(at, end);
                out = lower(character, text, at, out);
                at += character.length;
            }
        }
        return out;
    }

 private:
    static constexpr uint32_t kSigma = 0x3A3;

    char* lower(CodePoint character, std::string_view text, const char* at, char* out) const {
        if (character.value < 0x80) {
            *out = static_cast<char>(lower_ascii(character.value));
            return out + 1;
        }
        if (character.value == kInvalid) {
            *out = *at;
            return out + 1;
        }
        if (character.value == kSigma) {
            std::memcpy(out, is_final_sigma(text, at) ? "\xCF\x82" : "\xCF\x83", 2);
            return out + 2;
        }
        const LowerCase& lowered = table_[character.value];
        std::memcpy(out, lowered.text, sizeof lowered.text);
        return out + lowered.length;
    }

    uint16_t kind_of(CodePoint character) const {
        return character.value == kInvalid ? LowerCase::kOther : table_[character.value].kind;
    }

    // Whether a cased character stands before it and none behind it, others that are ignored aside.
    bool is_final_sigma(std::string_view text, const char* sigma) const {
        const char* const end = text.data() + text.size();
        uint16_t kind = LowerCase::kIgnorable;
        for (const char* at = sigma; at > text.data() && kind == LowerCase::kIgnorable;) {
            const CodePoint character = decode_before(text.data(), at);
            kind = kind_of(character);
            at -= character.length;
        }
        if (kind != LowerCase::kCased) return false;
        kind = LowerCase::kIgnorable;
        for (const char* at = sigma + 2; at < end && kind == LowerCase::kIgnorable;) {
            const CodePoint character = decode(at, end);
            kind = kind_of(character);
            at += character.length;
        }
        return kind != LowerCase::kCased;
    }

    LowerTable& table_;
};

// Texts as they are, or lower-cased, one after another in memory that is used again and again.
class LoweredTexts {
 public:
    explicit LoweredTexts(LowerTable* table) : table_(table) {}

    // The text lower-cased, if there is a table. When the memory is full, calls release(): all texts before are
    // forgotten then.
    template <class Release>
    std::string_view add(std::string_view text, const Release& release) {
        if (!table_) return text;
        const size_t room = LowerCaser::room_for(text.size());
        if (texts_.size() + room > room_) {
            release();
            texts_.clear();
            room_ = std::max(room, std::min(4 * room_, kMostRoom));
            texts_.reserve(room_);
        }
        char* out = texts_.end();
        texts_.grow_within_room(static_cast<size_t>(LowerCaser(*table_).lower(text, out) - out));
        return {out, static_cast<size_t>(texts_.end() - out)};
    }

 private:
    static constexpr size_t kMostRoom = size_t{128} << 10;  // bytes, so that they stay in the cache

    LowerTable* const table_;
    FlatArray<char> texts_;
    size_t room_ = 0;
};

// Texts in blocks, lower-cased if there is a table.
class TextBlocks {
 public:
    // Calls take(texts, size) for texts [begin, end), block by block.
    template <class Take>
    void run(const std::string_view* begin, const std::string_view* end, LowerTable* table, const Take& take) {
        LoweredTexts lowered(table);
        size_t bytes = 0;
        const auto take_block = [&] {
            if (!views_.empty()) take(views_.data(), views_.size());
            views_.clear();
            bytes = 0;
        };
        for (const std::string_view* text = begin; text < end; ++text) {
            views_.push_back(lowered.add(*text, take_block));
            bytes += text->size();
            if (bytes >= kBlock) take_block();
        }
        take_block();
    }

 private:
    static constexpr size_t kBlock = 64 << 10;  // bytes of text

    std::vector<std::string_view> views_;
};

}  // namespace subword
