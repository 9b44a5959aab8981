// Pool: objects that one call at a time takes for itself, gives back, and the next call finds again.
//
// Nobody ever waits: a call that finds none makes its own, and what is given back to a full pool is dropped. No lock
// is held meanwhile, and none exists that a fork could leave locked.
#pragma once

#include <array>
#include <atomic>
#include <memory>

namespace subword {

template <class T>
class Pool {
 public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() {
        for (auto& place : idle_) delete place.load();
    }

    // nullptr where none is idle.
    std::unique_ptr<T> take() {
        for (auto& place : idle_)
            if (T* object = place.exchange(nullptr)) return std::unique_ptr<T>(object);
        return nullptr;
    }

    void give_back(std::unique_ptr<T> object) {
        for (auto& place : idle_) {
            T* none = nullptr;
            if (!place.compare_exchange_strong(none, object.get())) continue;
            object.release();
            return;
        }
    }

 private:
    static constexpr size_t kIdle = 8;

    std::array<std::atomic<T*>, kIdle> idle_{};
};

}  // namespace subword
