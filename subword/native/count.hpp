// Counting the words of texts: scanner and table together, text by text, by several threads.
//
// A text is worked on in steps that fit the processor's cache: then checking it as UTF-8 before scanning it costs
// no second read of memory, and the work can be stopped between steps. The texts are divided into consecutive ranges.
// The calling thread brings them in order into the one table, which keeps the order of first appearance: a range that
// no other thread has taken it counts there itself, of others it merges the tables. So that nobody idles while it
// merges, the last ranges are short.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <utility>

#include "lower.hpp"
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
    LowerTable* lower;  // nullptr: texts stay as they are
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
        std::deque<Range> ranges = make_ranges();
        const size_t threads = (ranges.size() + 1) / 2;
        std::vector<std::future<void>> helpers;  // destroyed before the ranges, which waits for the threads
        for (size_t i = 1; i < threads; ++i)
            helpers.push_back(std::async(std::launch::async, [this, &ranges] { help(ranges); }));
        try {
            for (Range& range : ranges) invalid_ = std::min(invalid_, bring_in(range, table));
        } catch (...) {
            stop_ = true;
            throw;
        }
        return !stop_ && invalid_ == kNone;
    }

    // The first text that is not UTF-8, kNone if none was met.
    size_t invalid_text() const { return invalid_; }

    static constexpr size_t kNone = static_cast<size_t>(-1);

 private:
    static constexpr size_t kSmallestRange = size_t{256} << 10;  // bytes that are worth a thread
    static constexpr size_t kShort = 8;                          // so many short ranges make a long one

    // Consecutive texts, the thread that has taken them, and what it found.
    struct Range {
        Range(size_t first, size_t last) : begin(first), end(last) {}

        size_t begin, end;
        std::atomic<bool> taken{false};
        WordTable table;
        std::promise<size_t> invalid;
    };

    // A long range for each thread, then a short one for each but the calling one.
    std::deque<Range> make_ranges() const {
        size_t bytes = 0, before = 0;
        for (std::string_view text : texts_) bytes += text.size();
        const size_t threads = std::max<size_t>(1, std::min(options_.threads, bytes / kSmallestRange));
        const size_t shares = threads * kShort + threads - 1;
        std::deque<Range> ranges;
        for (size_t i = 0, begin = 0, share = 0; i < 2 * threads - 1; ++i) {
            share += i < threads ? kShort : 1;
            size_t end = begin;
            while (end < texts_.size() && before < bytes / shares * share) before += texts_[end++].size();
            if (share == shares) end = texts_.size();
            ranges.emplace_back(std::exchange(begin, end), end);
        }
        return ranges;
    }

    void help(std::deque<Range>& ranges) {
        for (size_t i = 1; i < ranges.size(); ++i) {
            Range& range = ranges[i];
            if (range.taken.exchange(true)) continue;
            try {
                range.invalid.set_value(Worker(*this, range.table, false).count(range.begin, range.end));
            } catch (...) {
                range.invalid.set_exception(std::current_exception());
            }
        }
    }

    // Returns the first text that is not UTF-8.
    size_t bring_in(Range& range, WordTable& table) {
        if (!range.taken.exchange(true)) return Worker(*this, table, true).count(range.begin, range.end);
        std::future<size_t> invalid = range.invalid.get_future();
        while (invalid.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) report();
        const size_t first = invalid.get();
        table.merge(std::exchange(range.table, WordTable()));
        return first;
    }

    // Counts consecutive texts into one table.
    class Worker {
     public:
        Worker(TextCounter& job, WordTable& table, bool reports)
            : job_(job), lowered_(job.options_.lower), batch_(table, {table}), reports_(reports) {}

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
        static constexpr size_t kReport = size_t{64} << 10;  // bytes between two reports
        static constexpr size_t kKept = size_t{16} << 20;    // bytes of a mapped file that stay in memory

        bool count_text(std::string_view text) {
            const char* kept = text.data();
            return in_steps(job_.options_.scanner, text, [&](std::string_view step) {
                if (job_.stop_ || !count_step(step)) return false;
                const char* end = step.data() + step.size();
                const bool is_last = end == text.data() + text.size();
                if (job_.options_.drop_pages && (is_last || static_cast<size_t>(end - kept) >= kKept)) {
                    drop_pages(kept, end);
                    kept = end;
                }
                return true;
            }) || job_.stop_;
        }

        bool count_step(std::string_view step) {
            if (job_.options_.check_utf8 && find_invalid_utf8(step.data(), step.size()) >= 0) return false;
            const std::string_view text = lowered_.add(step, [this] { batch_.finish(); });
            batch_.enter_text(text.data() + text.size());
            scan(job_.options_.scanner, text.data(), text.size(), [this](const char* word, size_t length) { batch_.add(word, length); });
            unreported_ += step.size();
            if (unreported_ >= kReport) {
                job_.done_ += static_cast<int64_t>(std::exchange(unreported_, 0));
                if (reports_) job_.report();
            }
            return true;
        }

        TextCounter& job_;
        LoweredTexts lowered_;
        WordTable::Batch<WordTable::AddOne> batch_;
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
