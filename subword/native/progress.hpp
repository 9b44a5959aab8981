// Progress: long work tells its caller how far it is, a few times a second, and hears whether to go on.
#pragma once

#include <chrono>
#include <cstdint>

namespace subword {

class Progress {
 public:
    // Returns false to stop the work.
    using Callback = bool (*)(void* context, int64_t done);

    Progress() = default;
    Progress(Callback callback, void* context) : callback_(callback), context_(context) {}

    // To be called often: it mostly just looks at the clock.
    bool report(int64_t done) {
        if (!callback_) return true;
        const auto now = Clock::now();
        if (now < next_) return true;
        next_ = now + std::chrono::milliseconds(200);
        return callback_(context_, done);
    }

 private:
    using Clock = std::chrono::steady_clock;

    Callback callback_ = nullptr;
    void* context_ = nullptr;
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(200);
};

}  // namespace subword
