// LanguageScorer: how much the words of texts speak for each of some languages.
//
// A word has features: its pieces, each piece with the one before it, the block of its first character, the whole
// word. Those with the lone bytes of characters that are no symbols count where the block is known, and so the
// script. They are looked up in a packed table (langid/table.py has the layout) whose buckets are asked from
// memory all at once, since a look-up is little but waiting. The sums of short words are kept: in a text every
// second word is one of a few hundred.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "encode.hpp"
#include "hash.hpp"
#include "parallel.hpp"
#include "scan.hpp"
#include "utf8.hpp"
#include "word_encoder.hpp"

namespace subword {

// Weights of languages by feature; nothing is owned.
struct WeightTable {
    static constexpr int kKeyBits = 30, kTagBits = 12, kWeightBits = 7;
    static constexpr uint16_t kHead = 1 << 15;

    const uint32_t* starts;  // where each bucket begins, and the end
    const uint16_t* units;

    static size_t bucket(uint32_t key) { return key >> kTagBits; }
    void prefetch_start(uint32_t key) const { prefetch_line(starts + bucket(key)); }
    void prefetch_units(uint32_t key) const { prefetch_line(units + starts[bucket(key)]); }

    // Adds the weights of a feature to the sums, one per language; false if it is not known.
    template <class Sum>
    bool add(uint32_t key, Sum* sums) const {
        const uint16_t* unit = units + starts[bucket(key)];
        const uint16_t* end = units + starts[bucket(key) + 1];
        const uint16_t head = static_cast<uint16_t>(kHead | (key & ((1 << kTagBits) - 1)));
        unit = std::find(unit, end, head);
        if (unit == end) return false;
        for (++unit; unit != end && *unit < kHead; ++unit)
            sums[*unit >> kWeightBits] = static_cast<Sum>(sums[*unit >> kWeightBits] + (*unit & ((1 << kWeightBits) - 1)));
        return true;
    }
};

// The keys of the features of words.
class FeatureKeys {
 public:
    // Those of one word; `of_bytes` count if the block is known.
    struct Keys {
        uint32_t block = 0;
        std::vector<uint32_t> others, of_bytes;
    };

    explicit FeatureKeys(const Model& model) : lone_bytes_(model.symbols().size()), words_(model, nothing_) {
        for (size_t id = 0; id < lone_bytes_.size(); ++id)
            lone_bytes_[id] = is_lone_byte(model.symbols().bytes(static_cast<SymbolId>(id)));
    }

    // The keys of a word, which stand until the next one. Nothing is read at or behind `text_end`.
    const Keys& of(const WordCache::Word& word, const char* text_end) {
        ids_.clear();
        IdSink sink{ids_};
        sink.make_room();
        words_.encode(word, sink);
        found_.others.clear();
        found_.of_bytes.clear();
        found_.block = key_of(Kind::block, decode(word.text, text_end).value >> kBlockBits);
        found_.others.push_back(key_of(Kind::word, fnv1a(word.text, word.length) >> 2));
        uint64_t before = 0;
        bool byte_before = false;
        for (const int32_t id : ids_) {
            const uint64_t piece = static_cast<uint32_t>(id);
            const bool is_byte = id < 0 || lone_bytes_[static_cast<size_t>(id)];
            (is_byte ? found_.of_bytes : found_.others).push_back(key_of(Kind::piece, piece));
            (is_byte || byte_before ? found_.of_bytes : found_.others).push_back(key_of(Kind::pair, before << 31 | piece));
            before = piece + 1;
            byte_before = is_byte;
        }
        return found_;
    }

 private:
    enum class Kind : uint64_t { piece, pair, block, word };
    static constexpr int kBlockBits = 7;

    // Also true for the bare end of a word, which stands behind the bytes of an unknown last character.
    static bool is_lone_byte(std::string_view text) {
        return text.empty() || (text.size() == 1 && static_cast<uint8_t>(text[0]) >= 0x80);
    }

    static uint32_t key_of(Kind kind, uint64_t code) {
        const uint64_t mixed = mix_bits(static_cast<uint64_t>(kind) << 62 | code);
        return static_cast<uint32_t>(mixed >> (64 - WeightTable::kKeyBits));
    }

    std::vector<uint8_t> lone_bytes_;  // by id

    WordCache nothing_{0};  // the finished sums are kept instead
    WordEncoder words_;
    Ids ids_;
    Keys found_;
};

// The sums of words met before, and scratch. One per thread.
class WordSums {
 public:
    WordSums(const Model& model, WeightTable table, size_t languages)
        : table_(table), languages_(languages), keys_(model), slots_(kSlots), sums_(kSlots * languages) {}

    // Adds the sums of a word, and the number of its features that are known. A word of at most 16 bytes, which has
    // no more characters and pieces than that, cannot overflow 16 bits.
    void add(const char* text, size_t length, const char* text_end, int64_t* sums, int64_t& known) {
        const WordCache::Word word = WordCache::word_at(text, length, text_end);
        if (length > kInlineBytes) {
            known += compute(word, text_end, sums);
            return;
        }
        const size_t at = word.hash & (kSlots - 1);
        Slot& slot = slots_[at];
        int16_t* kept = sums_.data() + at * languages_;
        if (slot.length != word.length || slot.key.low != word.key.low || slot.key.high != word.key.high) {
            std::fill_n(kept, languages_, int16_t{0});
            slot = {word.key, word.length, compute(word, text_end, kept)};
        }
        for (size_t i = 0; i < languages_; ++i) sums[i] += kept[i];
        known += slot.known;
    }

 private:
    static constexpr size_t kSlots = 4096;

    struct Slot {
        WordKey key{0, 0};
        uint32_t length = 0;
        int32_t known = 0;
    };

    template <class Sum>
    int32_t compute(const WordCache::Word& word, const char* text_end, Sum* sums) {
        const FeatureKeys::Keys& found = keys_.of(word, text_end);
        table_.prefetch_start(found.block);
        for (const auto* keys : {&found.others, &found.of_bytes})
            for (const uint32_t key : *keys) table_.prefetch_start(key);
        table_.prefetch_units(found.block);
        for (const auto* keys : {&found.others, &found.of_bytes})
            for (const uint32_t key : *keys) table_.prefetch_units(key);
        const bool in_known_script = table_.add(found.block, sums);
        int32_t known = in_known_script;
        for (const uint32_t key : found.others) known += table_.add(key, sums);
        if (!in_known_script) return known;
        for (const uint32_t key : found.of_bytes) known += table_.add(key, sums);
        return known;
    }

    const WeightTable table_;
    const size_t languages_;
    FeatureKeys keys_;
    std::vector<Slot> slots_;
    std::vector<int16_t> sums_;
};

class LanguageScorer {
 public:
    LanguageScorer(const Encoder& encoder, WeightTable table, size_t languages)
        : model_(encoder.model()), table_(table), languages_(languages) {}
    LanguageScorer(const LanguageScorer&) = delete;
    LanguageScorer& operator=(const LanguageScorer&) = delete;
    ~LanguageScorer() { delete idle_.load(); }

    // Writes a row of sums for each text to `sums`, and the numbers of known features to `known`; both begin as 0.
    void score(const std::string_view* texts, size_t size, size_t threads, int64_t* sums, int64_t* known) const {
        const size_t parts = std::max<size_t>(1, std::min(threads, size / kFewest));
        run_parallel(parts, [&](size_t part) {
            std::unique_ptr<WordSums> words(idle_.exchange(nullptr));
            if (!words) words = std::make_unique<WordSums>(model_, table_, languages_);
            for (size_t i = size * part / parts; i < size * (part + 1) / parts; ++i)
                score(*words, texts[i], sums + i * languages_, known[i]);
            words.reset(idle_.exchange(words.release()));
        });
    }

 private:
    static constexpr size_t kFewest = 64;  // texts that are worth a thread

    static void score(WordSums& words, std::string_view text, int64_t* sums, int64_t& known) {
        const char* end = text.data() + text.size();
        scan(Scanner::words, text.data(), text.size(), [&](const char* word, size_t length) {
            if (class_of(decode(word, end).value) & kLetter) words.add(word, length, end, sums, known);
        });
    }

    const Model& model_;
    const WeightTable table_;
    const size_t languages_;
    mutable std::atomic<WordSums*> idle_{nullptr};  // kept for the next call
};

}  // namespace subword
