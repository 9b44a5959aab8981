// Interrupt: long work in several threads asks its caller now and then whether to go on.
#pragma once

#include <atomic>
#include <exception>

#include "progress.hpp"

namespace subword {

// Thrown when the caller does not want to go on.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

class Interrupt {
 public:
    explicit Interrupt(Progress progress) : progress_(progress) {}

    // To be called often, from all threads; only the one that began the work asks, the others hear of it.
    void check(bool is_first_thread = true) {
        if (is_first_thread && !progress_.report(0)) stopped_ = true;
        if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
    }

 private:
    Progress progress_;
    std::atomic<bool> stopped_{false};
};

}  // namespace subword
