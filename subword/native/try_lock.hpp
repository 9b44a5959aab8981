// TryLock: for work that can as well be left undone. Nobody ever waits for it.
//
// A process that forks while one of its threads holds the lock leaves it locked in the child, where that thread does
// not exist. The lock therefore notes the generation of the process that took it. In a later one it can be taken again,
// and whoever takes it is told that the thread was amid its work.
#pragma once

#include <atomic>
#include <cstdint>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace subword {

inline std::atomic<uint32_t> process_generation{1};

#ifndef _WIN32
inline const int fork_is_watched =
    pthread_atfork(nullptr, nullptr, [] { process_generation.fetch_add(1, std::memory_order_relaxed); });
#endif

class TryLock {
 public:
    // Holds the lock, if it is true, as long as it lives.
    class Guard {
     public:
        explicit Guard(TryLock& lock) : lock_(lock), holds_(lock.take(inherited_)) {}
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;
        ~Guard() {
            if (holds_) lock_.holder_.store(kFree, std::memory_order_release);
        }

        explicit operator bool() const { return holds_; }

        // Whether another process left it locked: what it guards may be half changed.
        bool is_inherited() const { return inherited_; }

     private:
        TryLock& lock_;
        bool inherited_ = false;
        const bool holds_;
    };

 private:
    static constexpr uint32_t kFree = 0;

    bool take(bool& inherited) {
        const uint32_t generation = process_generation.load(std::memory_order_relaxed);
        uint32_t holder = holder_.load(std::memory_order_relaxed);
        inherited = holder != kFree && holder != generation;
        return holder != generation && holder_.compare_exchange_strong(holder, generation, std::memory_order_acquire);
    }

    std::atomic<uint32_t> holder_{kFree};  // or the generation of the process that holds it
};

}  // namespace subword
