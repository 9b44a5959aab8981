// Encoder: from texts to ids.
//
// A text is cut into words by its scanner; each word is looked up in a cache of words met before and segmented
// only when it is new.
//
// The model is shared and never changes. The cache is shared too, and nobody waits for it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus.hpp"
#include "dropout.hpp"
#include "lower.hpp"
#include "model.hpp"
#include "parallel.hpp"
#include "scan.hpp"
#include "word_encoder.hpp"
#include "word_stream.hpp"

namespace subword {

// Ids, and where each comes from, in bytes of the text.
struct SpannedIds {
    Ids ids;
    FlatArray<int64_t> starts, ends;
};

struct Dropout {
    double p = 0;
    uint64_t seed = 0;
    int32_t opener = -1;  // an id before each word; -1: none
};

// Encodes texts in consecutive parts, one for each thread, and writes rows * size + 1 offsets to `indptr`.
// encode_part(begin, end, ids, ends) appends the ids of texts [begin, end) and writes where those of each row end.
template <class SizeOf, class EncodePart>
void encode_in_parts(size_t size, size_t rows, size_t threads, const SizeOf& size_of, Ids& out, int64_t* indptr,
                     const EncodePart& encode_part) {
    const std::vector<size_t> bounds = bounds_of_parts(size, threads, size_of);
    const size_t parts = bounds.size() - 1;
    std::vector<Ids> more(parts);  // the first part writes into `out`
    run_parallel(parts, [&](size_t part) {
        Ids& ids = part == 0 ? out : more[part];
        size_t bytes = 0;
        for (size_t i = bounds[part]; i < bounds[part + 1]; ++i) bytes += size_of(i);
        ids.reserve(ids.size() + rows * bytes / 3);  // mostly enough, and what is not touched costs nothing
        encode_part(bounds[part], bounds[part + 1], ids, indptr + 1 + rows * bounds[part]);
    });
    indptr[0] = 0;
    for (size_t part = 1; part < parts; ++part) {
        for (size_t i = rows * bounds[part]; i < rows * bounds[part + 1]; ++i) indptr[i + 1] += static_cast<int64_t>(out.size());
        out.append(more[part].data(), more[part].size());
    }
}

class Encoder {
 public:
    Encoder(SymbolTable symbols, const MergeList& merges, Style style, SymbolId unknown_id, Scanner scanner,
            size_t cache_words)
        : model_(std::move(symbols), merges, style, unknown_id), scanner_(scanner), cache_(cache_words) {}
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    const Model& model() const { return model_; }
    Scanner scanner() const { return scanner_; }

    // Appends the ids of a text, which is lower-cased first if there is a table.
    void encode(std::string_view text, LowerTable* lower, Ids& out) const { encode_text(text, lower, IdSink{out}); }

    size_t count(std::string_view text, LowerTable* lower) const {
        size_t total = 0;
        encode_text(text, lower, CountSink{total});
        return total;
    }

    // Appends the ids and spans of a text.
    void spans(std::string_view text, SpannedIds& out) const {
        WordEncoder words(model_, cache_);
        const char* text_end = text.data() + text.size();
        scan(scanner_, text.data(), text.size(), [&](const char* word, size_t length) {
            const int64_t offset = word - text.data();
            words.spell(WordCache::word_at(word, length, text_end), [&](int32_t id, size_t begin, size_t end) {
                out.ids.push_back(id);
                out.starts.push_back(offset + static_cast<int64_t>(begin));
                out.ends.push_back(offset + static_cast<int64_t>(end));
            });
        });
    }

    // Appends the ids of each text and writes size + 1 offsets to `indptr`.
    void encode_batch(const std::string_view* texts, size_t size, Ids& out, int64_t* indptr) const {
        WordEncoder words(model_, cache_);
        WordStream<IdSink> stream(words, IdSink{out}, indptr);
        stream.end_text();
        for (const std::string_view* text = texts; text < texts + size; ++text) {
            scan_into(stream, *text);
            stream.end_text();
        }
        stream.finish();
    }

    // Makes room for the new words that so much text will have.
    void expect(size_t bytes) const { expect_words(bytes / kBytesPerNewWord); }
    void expect_words(size_t words) const { cache_.expect(words); }

    // Appends the symbols of this model that an id of a larger one is made of, which has the merges `undone`: the first
    // of them makes the first id that this one has not, and each the next. `rest` is empty before and after.
    void take_apart(int32_t id, const MergeList& undone, Ids& rest, Ids& out) const {
        const size_t symbols = model_.symbols().size();
        for (rest.push_back(id); rest.size() > 0; out.push_back(id)) {
            id = rest[rest.size() - 1];
            rest.shrink(rest.size() - 1);
            while (static_cast<size_t>(id) >= symbols) {
                rest.push_back(undone.right[id - symbols]);
                id = undone.left[id - symbols];
            }
        }
    }

    // Puts words whose ids are known into the cache: word i has ids[ends[i - 1], ends[i]), or none. Ids may be those of
    // a larger model.
    void remember(const WordList& words, const int32_t* ids, const int64_t* ends, const MergeList& undone) const {
        cache_.expect(words.size);
        WordCache::View view = cache_.view();
        Ids known, rest;
        for (size_t i = 0; i < words.size; ++i) {
            known.clear();
            for (int64_t at = i ? ends[i - 1] : 0; at < ends[i]; ++at) take_apart(ids[at], undone, rest, known);
            if (known.size() == 0) continue;
            const WordCache::Word word = WordCache::word_at(words[i].data(), words[i].size(), words.bytes + words.offsets[words.size]);
            cache_.insert(word, known.data(), known.size(), view);
        }
    }

    // The same for words that are cut already.
    void encode_words(const std::string_view* words, size_t size, Ids& out, int64_t* indptr) const {
        WordEncoder encoder(model_, cache_);
        WordStream<IdSink> stream(encoder, IdSink{out}, indptr);
        stream.end_text();
        for (size_t i = 0; i < size; ++i) {
            stream.push(words[i].data(), words[i].size(), words[i].data() + words[i].size());
            stream.end_text();
        }
        stream.finish();
    }

    // --- With dropout. A word is known by the hash of its text and its position there; the cache is not used.

    // As encode_batch. The hashes are those of `originals`: the texts before they were lower-cased and so on.
    void encode_batch(const std::string_view* texts, const std::string_view* originals, size_t size, Dropout dropout,
                      size_t threads, Ids& out, int64_t* indptr) const {
        const auto size_of = [texts](size_t i) { return texts[i].size(); };
        encode_in_parts(size, 1, threads, size_of, out, indptr, [=](size_t begin, size_t end, Ids& ids, int64_t* ends) {
            WordEncoder words(model_, cache_);
            for (size_t i = begin; i < end; ++i) {
                encode_text(words, texts[i], originals[i], dropout, ids);
                *ends++ = static_cast<int64_t>(ids.size());
            }
        });
    }

    void encode_words(const std::string_view* words, size_t size, Dropout dropout, uint64_t text_hash,
                      uint64_t first_position, Ids& out, int64_t* indptr) const {
        WordEncoder encoder(model_, cache_);
        indptr[0] = 0;
        for (size_t i = 0; i < size; ++i) {
            encoder.encode(words[i], dropout.p, Draws(dropout.seed, text_hash, first_position + i), IdSink{out});
            indptr[i + 1] = static_cast<int64_t>(out.size());
        }
    }

 private:
    static constexpr size_t kBytesPerNewWord = 128;  // in 40 MB of English it is 105; a guess costs little

    template <class Sink>
    void scan_into(WordStream<Sink>& stream, std::string_view text) const {
        const char* text_end = text.data() + text.size();
        scan(scanner_, text.data(), text.size(),
             [&stream, text_end](const char* word, size_t length) { stream.push(word, length, text_end); });
    }

    template <class Sink>
    void encode_text(std::string_view text, LowerTable* lower, Sink sink) const {
        WordEncoder words(model_, cache_);
        WordStream<Sink> stream(words, sink, nullptr);
        LoweredTexts lowered(lower);
        in_steps(scanner_, text, [&](std::string_view step) {
            scan_into(stream, lowered.add(step, [&stream] { stream.finish(); }));
            return true;
        });
        stream.finish();
    }

    void encode_text(WordEncoder& words, std::string_view text, std::string_view original, Dropout dropout,
                     Ids& out) const {
        const uint64_t text_hash = fnv1a(original.data(), original.size());
        uint64_t position = 0;
        scan(scanner_, text.data(), text.size(), [&](const char* word, size_t length) {
            if (dropout.opener >= 0) out.push_back(dropout.opener);
            words.encode({word, length}, dropout.p, Draws(dropout.seed, text_hash, position++), IdSink{out});
        });
    }

    Model model_;
    Scanner scanner_;
    mutable WordCache cache_;
};

}  // namespace subword
