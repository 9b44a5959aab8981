// Counting the words of texts: scanner and table together, text by text, by several threads.
//
// A text is worked on in steps that fit the processor's cache: then checking it as UTF-8 before scanning it costs
// no second read of memory, and the work can be stopped between steps. Threads take consecutive ranges of texts,
// each with a table of its own; the tables are merged in the order of the ranges, which keeps the order of first
// appearance.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include "memory.hpp"
#include "progress.hpp"
#include "scan.hpp"
#include "word_table.hpp"

namespace subword {

using Texts = std::vector<std::string_view>;

// Divides a large text for the threads. The pieces are few: a place to cut is looked for in each of them, and if
// the text is a mapped file, every look brings some of it into memory.
inline Texts cut_into_pieces(Scanner scanner, std::string_view text) {
    const size_t step = std::max<size_t>(text.size() / 64, size_t{256} << 10);
    Texts pieces;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = next_cut(scanner, text.data(), begin + step, text.size());
        pieces.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return pieces;
}

struct CountOptions {
    Scanner scanner;
    size_t threads;
    bool check_utf8;  // stop at the first text that is not UTF-8
    bool drop_pages;  // the texts are pieces of a mapped file: give back the memory of what has been read
};

class TextCounter {
 public:
    TextCounter(const Texts& texts, const CountOptions& options, Progress progress)
        : texts_(texts), options_(options), progress_(progress) {}

    // Adds the words to the table. False if only a part of them was added: the work was stopped or a text is invalid.
    bool run(WordTable& table) {
        const std::vector<size_t> bounds = range_bounds();
        const size_t others = bounds.size() - 2;
        std::vector<WordTable> tables(others);
        std::vector<std::future<size_t>> running;  // destroyed before the tables, which waits for the threads
        for (size_t i = 0; i < others; ++i) {
            auto work = [&, i] { return Worker(*this, tables[i], false).count(bounds[i + 1], bounds[i + 2]); };
            running.push_back(std::async(std::launch::async, work));
        }
        invalid_ = Worker(*this, table, true).count(bounds[0], bounds[1]);
        for (size_t i = 0; i < others; ++i) {
            while (running[i].wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) report();
            invalid_ = std::min(invalid_, running[i].get());
            table.merge(std::exchange(tables[i], WordTable()));
        }
        return !stop_ && invalid_ == kNone;
    }

    // The first text that is not UTF-8, kNone if none was met.
    size_t invalid_text() const { return invalid_; }

    static constexpr size_t kNone = static_cast<size_t>(-1);

 private:
    static constexpr size_t kSmallestRange = size_t{256} << 10;  // bytes that are worth a thread

    // Bounds of ranges of texts, one per thread, with about the same number of bytes.
    std::vector<size_t> range_bounds() const {
        size_t bytes = 0, before = 0;
        for (std::string_view text : texts_) bytes += text.size();
        const size_t ranges = std::max<size_t>(1, std::min(options_.threads, bytes / kSmallestRange));
        std::vector<size_t> bounds{0};
        for (size_t i = 0; i < texts_.size() && bounds.size() < ranges; ++i) {
            if (before >= bytes / ranges * bounds.size()) bounds.push_back(i);
            before += texts_[i].size();
        }
        bounds.push_back(texts_.size());
        return bounds;
    }

    // Counts consecutive texts into one table.
    class Worker {
     public:
        Worker(TextCounter& job, WordTable& table, bool reports) : job_(job), batch_(table), reports_(reports) {}

        // Returns the first text that is not UTF-8, where it ends, or kNone.
        size_t count(size_t begin, size_t end) {
            size_t invalid = kNone;
            for (size_t i = begin; i < end && !job_.stop_ && invalid == kNone; ++i) {
                if (!count_text(job_.texts_[i])) invalid = i;
            }
            batch_.finish();
            return invalid;
        }

     private:
        static constexpr size_t kStep = size_t{256} << 10;
        static constexpr size_t kReport = size_t{64} << 10;  // bytes between two reports
        static constexpr size_t kKept = size_t{16} << 20;    // bytes of a mapped file that stay in memory

        bool count_text(std::string_view text) {
            batch_.enter_text(text.data() + text.size());
            const char* kept = text.data();
            for (size_t begin = 0; begin < text.size() && !job_.stop_;) {
                const size_t end = next_cut(job_.options_.scanner, text.data(), begin + kStep, text.size());
                if (!count_step(text.substr(begin, end - begin))) return false;
                begin = end;
                const bool is_last = end == text.size();
                if (job_.options_.drop_pages && (is_last || static_cast<size_t>(text.data() + end - kept) >= kKept)) {
                    drop_pages(kept, text.data() + end);
                    kept = text.data() + end;
                }
            }
            return true;
        }

        bool count_step(std::string_view step) {
            if (job_.options_.check_utf8 && find_invalid_utf8(step.data(), step.size()) >= 0) return false;
            scan(job_.options_.scanner, step.data(), step.size(), [this](const char* word, size_t length) { batch_.add(word, length); });
            unreported_ += step.size();
            if (unreported_ >= kReport) {
                job_.done_ += static_cast<int64_t>(std::exchange(unreported_, 0));
                if (reports_) job_.report();
            }
            return true;
        }

        TextCounter& job_;
        WordTable::Batch batch_;
        const bool reports_;
        size_t unreported_ = 0;
    };

    void report() {
        if (!progress_.report(done_)) stop_ = true;
    }

    const Texts& texts_;
    const CountOptions options_;
    Progress progress_;  // asked by the calling thread alone
    std::atomic<bool> stop_{false};
    std::atomic<int64_t> done_{0};
    size_t invalid_ = kNone;
};

}  // namespace subword
