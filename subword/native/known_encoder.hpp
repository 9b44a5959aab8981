// From known texts to ids or columns: every word is encoded once, and the texts are copied together from that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "known_texts.hpp"
#include "row_counter.hpp"
#include "stream_encoder.hpp"
#include "word_columns.hpp"

namespace subword {

// Some numbers, none negative, for each of the words of known texts: their ids, say. Made once, then read by all
// threads.
class WordNumbers {
 public:
    explicit WordNumbers(const KnownRows& rows) { places_.extend(rows.word_count); }

    void set(uint32_t word, const int32_t* numbers, size_t count) {
        if (count <= 2) {
            places_[word] = {count > 0 ? numbers[0] : kNone, count > 1 ? numbers[1] : kNone};
            return;
        }
        const size_t begin = more_.size();
        more_.append(numbers, count);
        more_.make_room(kRoom);
        if (more_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
            throw std::overflow_error("more than 2^31 - 1 pieces in distinct words");
        places_[word] = {static_cast<int32_t>(begin), kNone - static_cast<int32_t>(count)};
    }

    // Asks the processor for what a text will need.
    void prefetch(const KnownText& text) const {
        for (const uint32_t* word = text.begin; word < text.begin + text.size; ++word) prefetch_line(&places_[*word]);
    }

    // Appends those of the words of a text. Copies of a fixed size, of which a part counts, need no loop and no call.
    void append(const KnownText& text, Ids& out) const {
        const uint32_t* const end = text.begin + text.size;
        out.make_room(kRoom * text.size);
        for (const uint32_t* word = text.begin; word < end; ++word) {
            const Place place = places_[*word];
            const size_t more = static_cast<size_t>(kNone - place.second);
            if (place.second >= kNone) {
                std::memcpy(out.end(), &place, sizeof place);
                out.grow_within_room(static_cast<size_t>((place.first >= 0) + (place.second >= 0)));
            } else if (more <= kRoom) {
                std::memcpy(out.end(), more_.data() + place.first, kRoom * sizeof(int32_t));
                out.grow_within_room(more);
            } else {
                out.append(more_.data() + place.first, more);
                out.make_room(kRoom * static_cast<size_t>(end - word));
            }
        }
    }

 private:
    static constexpr int32_t kNone = -1;
    static constexpr size_t kRoom = 8;

    // Up to two numbers; or where more of them begin, and kNone - how many they are.
    struct Place {
        int32_t first, second;
    };

    FlatArray<Place> places_;  // by word; those of other texts are not set
    Ids more_;
};

// The ids of the words of known texts in one stream, opener included. A larger model, which serves many sizes, is asked
// in the place of the stream's own, which may be new and would have to segment every word.
class WordIds {
 public:
    WordIds(const Stream& stream, const KnownRows& rows) : stream_(stream), rows_(rows) {}

    // Calls take(word, begin, end) with those of each word in turn.
    template <class Take>
    void run(const Take& take) {
        const Encoder& encoder = stream_.larger ? *stream_.larger : *stream_.encoder;
        encoder.expect_words(rows_.distinct.size());
        for (size_t first = 0; first < rows_.distinct.size(); first += kBatch) {
            const uint32_t* const numbers = rows_.distinct.data() + first;
            const size_t size = std::min(kBatch, rows_.distinct.size() - first);
            words_.clear();
            for (size_t i = 0; i < size; ++i) words_.push_back(rows_.words->word(numbers[i]));
            ids_.clear();
            ends_.resize(size + 1);
            encoder.encode_words(words_.data(), size, ids_, ends_.data());
            for (size_t i = 0; i < size; ++i)
                take_word(numbers[i], ids_.data() + ends_[i], ids_.data() + ends_[i + 1], take);
        }
    }

 private:
    static constexpr size_t kBatch = 4096;

    template <class Take>
    void take_word(uint32_t word, const int32_t* begin, const int32_t* end, const Take& take) {
        word_.clear();
        if (stream_.larger) {
            for (; begin < end; ++begin) stream_.encoder->take_apart(*begin, stream_.further, rest_, word_);
        } else {
            word_.append(begin, static_cast<size_t>(end - begin));
        }
        for (int32_t& id : word_) id += stream_.first_id;
        if (stream_.opener < 0) return take(word, word_.begin(), word_.end());
        opened_.clear();
        opened_.push_back(stream_.opener);
        opened_.append(word_.data(), word_.size());
        take(word, opened_.begin(), opened_.end());
    }

    const Stream& stream_;
    const KnownRows& rows_;
    std::vector<std::string_view> words_;
    std::vector<int64_t> ends_;
    Ids ids_, word_, opened_, rest_;
};

// Numbers of words by stream: convert(begin, end, numbers) appends those of a word, whose ids these are. None if no
// texts are known.
template <class Convert>
std::vector<WordNumbers> numbers_of_words(const std::vector<Stream>& streams, const KnownRows* rows,
                                          const Convert& convert) {
    std::vector<WordNumbers> numbers;
    if (!rows) return numbers;
    for (const Stream& stream : streams) {
        numbers.emplace_back(*rows);
        Ids converted;
        WordIds(stream, *rows).run([&](uint32_t word, const int32_t* begin, const int32_t* end) {
            converted.clear();
            convert(begin, end, converted);
            numbers.back().set(word, converted.data(), converted.size());
        });
    }
    return numbers;
}

inline std::vector<WordNumbers> ids_of_words(const std::vector<Stream>& streams, const KnownRows* rows) {
    return numbers_of_words(streams, rows, [](const int32_t* begin, const int32_t* end, Ids& ids) {
        ids.append(begin, static_cast<size_t>(end - begin));
    });
}

// The columns of the n-grams inside words.
inline std::vector<WordNumbers> columns_of_words(const std::vector<Stream>& streams, const RowOptions& options,
                                                 const KnownRows* rows) {
    return numbers_of_words(streams, rows, [&](const int32_t* begin, const int32_t* end, Ids& columns) {
        append_columns(options, begin, end, columns);
    });
}

// Calls take(text) for each text; meanwhile the processor is asked for what the next one needs.
template <class Take>
void for_each_text(const KnownText* texts, size_t size, const WordNumbers& words, const Take& take) {
    for (size_t i = 0; i < size; ++i) {
        if (i + 1 < size) words.prefetch(texts[i + 1]);
        take(texts[i]);
    }
}

// Calls take(texts, size) for texts [begin, end), block by block.
template <class Take>
void for_each_block(const KnownRows& rows, size_t begin, size_t end, const Take& take) {
    constexpr size_t kBlock = 4 << 10;  // words
    for (size_t words = 0; begin < end; words = 0) {
        const size_t first = begin;
        while (begin < end && words < kBlock) words += rows.texts[begin++].size;
        take(rows.texts.data() + first, begin - first);
    }
}

// As BlockEncoder.
class KnownEncoder {
 public:
    KnownEncoder(const KnownRows& rows, const std::vector<WordNumbers>& streams) : rows_(rows), streams_(streams) {}

    template <class Take>
    void run(size_t begin, size_t end, const Take& take) {
        for_each_block(rows_, begin, end, [&](const KnownText* texts, size_t size) {
            ids_.clear();
            indptr_.assign(1, 0);
            for_each_text(texts, size, streams_[0], [this](const KnownText& text) { append(text); });
            take(Documents{ids_.data(), indptr_.data(), size * streams_.size()});
        });
    }

 private:
    void append(const KnownText& text) {
        for (const WordNumbers& words : streams_) {
            words.append(text, ids_);
            indptr_.push_back(static_cast<int64_t>(ids_.size()));
        }
    }

    const KnownRows& rows_;
    const std::vector<WordNumbers>& streams_;
    Ids ids_;
    std::vector<int64_t> indptr_;
};

// As WordColumns.
class KnownColumns {
 public:
    KnownColumns(const KnownRows& rows, const std::vector<WordNumbers>& streams, const RowOptions& options, Rows& out)
        : rows_(rows), streams_(streams), value_(options.value), counter_(options.columns), out_(out) {}

    // Appends the rows of texts [begin, end); calls check() now and then.
    template <class Check>
    void add(size_t begin, size_t end, const Check& check) {
        for_each_block(rows_, begin, end, [&](const KnownText* texts, size_t size) {
            check();
            as_type(value_, [&](auto zero) {
                const auto append_text = [this](const KnownText& text) { append<decltype(zero)>(text); };
                for_each_text(texts, size, streams_[0], append_text);
            });
        });
    }

 private:
    template <class T>
    void append(const KnownText& text) {
        columns_.clear();
        for (const WordNumbers& words : streams_) words.append(text, columns_);
        counter_.add(columns_.data(), columns_.size(), columns_.size());
        append_row<T>(out_, columns_.size(), counter_);
    }

    const KnownRows& rows_;
    const std::vector<WordNumbers>& streams_;
    const Value value_;
    ColumnCounter counter_;
    Rows& out_;
    Ids columns_;  // of the text at hand
};

}  // namespace subword
