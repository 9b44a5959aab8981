// Parallel: run numbered parts of a job, each in a thread of its own, and cut a job into parts.
#pragma once

#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace subword {

// Calls work(0) ... work(parts - 1), the first one in the calling thread. An exception of any part is thrown
// when all have ended. Where no thread can be started, the calling thread does that part as well.
template <class Work>
void run_parallel(size_t parts, const Work& work) {
    std::vector<std::exception_ptr> errors(parts);
    const auto guarded = [&](size_t part) {
        try {
            work(part);
        } catch (...) {
            errors[part] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(parts);
    for (size_t part = 1; part < parts; ++part) {
        try {
            threads.emplace_back(guarded, part);
        } catch (const std::system_error&) {
            guarded(part);
        }
    }
    if (parts > 0) guarded(0);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

// Bounds of at most `parts` consecutive ranges of [0, size) with about the same sum of sizes.
template <class SizeOf>
std::vector<size_t> bounds_of_parts(size_t size, size_t parts, const SizeOf& size_of) {
    size_t total = 0, seen = 0;
    for (size_t i = 0; i < size; ++i) total += size_of(i) + 1;
    std::vector<size_t> bounds{0};
    for (size_t i = 0; i < size && bounds.size() < parts; ++i) {
        seen += size_of(i) + 1;
        if (seen >= total / parts * bounds.size()) bounds.push_back(i + 1);
    }
    if (bounds.back() < size) bounds.push_back(size);
    return bounds;
}

}  // namespace subword
