// What threads share, for the thread sanitizer: one encoder whose cache is filled, grown and emptied while others
// look into it, and the ranges of a text that is counted. Says what came out wrong and exits with 1.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "count.hpp"
#include "matrix.hpp"

using namespace subword;

namespace {

std::mt19937 random_number(1);

std::string random_words(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) {
        const size_t length = random_number() % 9 ? 1 + random_number() % 6 : random_number() % 140;
        for (size_t k = 0; k < length; ++k) text += static_cast<char>('a' + random_number() % 6);
        text += i % 7 ? " " : "\xC3\xA9 \xE4\xB8\xAD ";
    }
    return text;
}

struct Merges {
    SymbolTable symbols;
    std::vector<SymbolId> left, right, result;

    Merges() {
        for (int byte = 0; byte < 256; ++byte) symbols.add(std::string(1, static_cast<char>(byte)), false);
        for (int i = 0; i < 20; ++i) add('a' + random_number() % 6, 'a' + random_number() % 6);
        for (int i = 0; i < 20; ++i) add(256 + random_number() % 15, 256 + random_number() % 15);
    }

    void add(SymbolId a, SymbolId b) {
        const std::string joined = std::string(symbols.bytes(a)).append(symbols.bytes(b));
        left.push_back(a);
        right.push_back(b);
        result.push_back(symbols.add(joined, false));
    }

    MergeList list() const { return {left.data(), right.data(), result.data(), left.size()}; }
};

std::vector<int64_t> encode(const Encoder& encoder, const Texts& texts, size_t threads,
                            const KnownRows* known = nullptr) {
    Ids ids;
    std::vector<int64_t> found(texts.size() + 1);
    Interrupt interrupt{Progress()};
    const TextBatch batch{texts.data(), texts.size(), nullptr, known};
    encode_texts({{&encoder, 0, -1, nullptr, {}}}, batch, threads, interrupt, ids, found.data());
    found.insert(found.end(), ids.begin(), ids.end());
    return found;
}

bool encodes_alike(const Merges& merges, const Texts& texts, size_t cache_words) {
    const Style style{Level::byte, EndOfWord::none};
    const Encoder shared(merges.symbols, merges.list(), style, -1, Scanner::whitespace, cache_words);
    const Encoder alone(merges.symbols, merges.list(), style, -1, Scanner::whitespace, 0);
    const std::vector<int64_t> expected = encode(alone, texts, 1);
    std::atomic<bool> alike{true};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            if (encode(shared, texts, 2) != expected) alike = false;
        });
    for (std::thread& thread : threads) thread.join();
    return alike;
}

// What threads ask about other characters: all of them become x.
bool make_x(uint32_t, LowerCase* block) {
    std::fill(block, block + LowerTable::kBlock, LowerCase{{'x'}, 1, LowerCase::kOther});
    return true;
}

bool counts_alike(const std::string& text) {
    const Texts pieces = cut_into_pieces(Scanner::whitespace, text);
    std::vector<std::string> expected;
    for (size_t threads : {1, 2, 3, 5}) {
        WordTable table;
        LowerTable lower(make_x);
        TextCounter(pieces, {Scanner::whitespace, &lower, threads, true, false}, Progress()).run(table);
        std::vector<std::string> found;
        for (size_t i = 0; i < table.size(); ++i)
            found.push_back(std::string(table.word(i)) + ' ' + std::to_string(table.count(i)));
        if (threads == 1) expected = found;
        if (found != expected) return false;
    }
    return true;
}

// Threads encode texts that are known while another makes more known.
bool knows_alike(const Merges& merges, const Texts& texts) {
    const Style style{Level::byte, EndOfWord::none};
    const Encoder encoder(merges.symbols, merges.list(), style, -1, Scanner::whitespace, 1000);
    const std::vector<int64_t> expected = encode(encoder, texts, 1);
    std::vector<TextKey> keys;
    for (size_t i = 0; i < texts.size(); ++i) keys.push_back({i, texts[i].size()});
    KnownTexts known(Scanner::whitespace, nullptr);
    known.add(keys.data(), texts.data(), texts.size());
    bool alike = true;
    std::atomic<bool> stop{false};
    std::thread adding([&] {
        for (uint64_t hash = texts.size(); !stop; ++hash) {
            const std::string text = random_words(30);
            const TextKey key{hash, text.size()};
            const std::string_view view = text;
            known.add(&key, &view, 1);
        }
    });
    for (int i = 0; i < 30; ++i) {
        KnownRows rows;
        while (!known.find(keys.data(), keys.size(), rows)) std::this_thread::yield();
        if (encode(encoder, texts, 2, &rows) != expected) alike = false;
    }
    stop = true;
    adding.join();
    return alike;
}

// Whether children that are forked while a thread calls add(first, count) can call it, too: it tells what is wrong.
template <class Add>
bool children_end_well(int children, const Add& add) {
    std::atomic<bool> stop{false};
    std::thread adding([&] {
        for (int first = 0; !stop; first += 500) add(first % 1000000, 500);
    });
    bool survive = true;
    for (int i = 0; i < children && survive; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(alarm(20) == 0 && add(1 << 28, 1500) ? 0 : 1);
        int status = 1;
        waitpid(child, &status, 0);
        survive = status == 0;
    }
    stop = true;
    adding.join();
    return survive;
}

// Children forked while a thread makes texts known find no wrong ones, and end.
bool known_texts_survive_forks() {
    KnownTexts known(Scanner::whitespace, nullptr);
    const auto add = [&known](int first, int count) {
        for (int i = first; i < first + count; ++i) {
            const std::string text = "low " + std::to_string(i);
            const TextKey key{static_cast<uint64_t>(i), text.size()};
            const std::string_view view = text;
            KnownRows rows;
            known.add(&key, &view, 1);
            if (!known.find(&key, 1, rows)) continue;
            const KnownText& found = rows.texts[0];
            if (found.size != 2 || rows.words->word(found.begin[0]) != "low") return false;
        }
        return true;
    };
    return children_end_well(200, add);
}

// Children forked while a thread adds words find the right ids, and end.
bool survives_forks() {
    WordCache cache(600);
    const auto add = [&cache](int first, int count) {
        const int32_t ids[] = {1, 2, 3};
        WordCache::View view = cache.view();
        for (int i = first; i < first + count; ++i) {
            const std::string text = std::to_string(i) + std::string(i % 2 ? 40 : 0, 'x');
            const WordCache::Word word = WordCache::word_at(text.data(), text.size(), text.data() + text.size());
            const WordCache::Slot* slot = view.find(word);
            if (slot && (slot->count() != 3 || slot->ids()[2] != 3)) return false;
            if (!slot) cache.insert(word, ids, 3, view);
        }
        return true;
    };
    return children_end_well(500, add);
}

int check(bool holds, const char* what, size_t number) {
    if (!holds) std::printf("WRONG: %s %zu\n", what, number);
    return !holds;
}

}  // namespace

int main() {
    const Merges merges;
    std::vector<std::string> kept;
    for (int i = 0; i < 1500; ++i) kept.push_back(random_words(random_number() % 12));
    const Texts texts(kept.begin(), kept.end());
    int wrong = 0;
    for (size_t cache_words : {0, 3, 50, 1000000})
        wrong += check(encodes_alike(merges, texts, cache_words), "ids with a cache of words:", cache_words);
    wrong += check(counts_alike(random_words(300000)), "counts by threads", 0);
    wrong += check(knows_alike(merges, texts), "ids of known texts", 0);
    wrong += check(known_texts_survive_forks(), "children forked while texts are made known", 0);
    wrong += check(survives_forks(), "children forked while words are added", 0);
    std::printf("threads: %d wrong\n", wrong);
    return wrong > 0;
}
