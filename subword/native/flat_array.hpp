// FlatArray: a growable array of plain values.
//
// A large one is a memory mapping of its own (on Linux): growing moves its pages instead of copying them and never
// holds the data twice, room that is not used yet costs nothing, and huge pages save most of the page faults.
// std::vector does none of this.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "memory.hpp"

namespace subword {

// Asks the processor for the cache line at `address`.
inline void prefetch_line([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#endif
}

// A block of memory that may be resized; one of 0 bytes is nullptr.
#ifdef __linux__
inline size_t mapped_bytes(size_t bytes) {
    return bytes < 2 * kHugePage ? 0 : (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

inline void free_block(void* block, size_t bytes) {
    if (mapped_bytes(bytes)) {
        munmap(block, mapped_bytes(bytes));
    } else {
        std::free(block);
    }
}

inline void* map_block(size_t bytes) {
    void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? nullptr : block;
}

// Moves the contents to a block of another size; nullptr, and no change, where there is no memory.
inline void* resize_block(void* block, size_t old_bytes, size_t bytes) {
    const size_t old_mapped = mapped_bytes(old_bytes), mapped = mapped_bytes(bytes);
    if (!old_mapped && !mapped) return std::realloc(block, bytes);
    if (old_mapped && mapped) {
        block = mremap(block, old_mapped, mapped, MREMAP_MAYMOVE);
        if (block == MAP_FAILED) return nullptr;
        advise_huge_pages(block, mapped);
        return block;
    }
    void* other = mapped ? map_block(mapped) : std::malloc(bytes);
    if (!other) return nullptr;
    if (mapped) advise_huge_pages(other, mapped);
    if (block) std::memcpy(other, block, old_bytes < bytes ? old_bytes : bytes);
    free_block(block, old_bytes);
    return other;
}
#else
inline void free_block(void* block, size_t) { std::free(block); }
inline void* resize_block(void* block, size_t, size_t bytes) { return std::realloc(block, bytes); }
#endif

template <class T>
class FlatArray {
    static_assert(std::is_trivially_copyable<T>::value, "the elements are moved as bytes");

 public:
    FlatArray() = default;
    FlatArray(const FlatArray&) = delete;
    FlatArray& operator=(const FlatArray&) = delete;
    FlatArray(FlatArray&& other) noexcept { swap(other); }
    FlatArray& operator=(FlatArray&& other) noexcept {
        swap(other);
        return *this;
    }
    ~FlatArray() { free_block(data_, capacity_ * sizeof(T)); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    T& operator[](size_t index) { return data_[index]; }
    const T& operator[](size_t index) const { return data_[index]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

    // Room for at least `capacity` elements in all.
    void reserve(size_t capacity) {
        if (capacity > capacity_ && !resize(capacity)) throw std::bad_alloc();
    }

    // Room for `extra` elements after the present ones.
    void make_room(size_t extra) {
        if (size_ + extra > capacity_) reserve(size_ + extra + size_ / 2 + 16);
    }

    void push_back(const T& value) {
        make_room(1);
        data_[size_++] = value;
    }

    void append(const T* values, size_t count) {
        if (count == 0) return;
        make_room(count);
        std::memcpy(data_ + size_, values, count * sizeof(T));
        size_ += count;
    }

    // Adds `count` elements with unspecified values and returns the first.
    T* extend(size_t count) {
        make_room(count);
        T* first = data_ + size_;
        size_ += count;
        return first;
    }

    // Makes `count` elements that were written behind the present ones, where there is room, part of the array.
    void grow_within_room(size_t count) { size_ += count; }

    void shrink(size_t size) { size_ = size; }
    void clear() { size_ = 0; }

    // Gives back the room that is not used.
    void trim() {
        if (size_ > 0 && size_ < capacity_) resize(size_);
    }

    void swap(FlatArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

 private:
    bool resize(size_t capacity) {
        if (capacity > static_cast<size_t>(-1) / 2 / sizeof(T)) return false;
        void* moved = resize_block(data_, capacity_ * sizeof(T), capacity * sizeof(T));
        if (!moved) return false;
        data_ = static_cast<T*>(moved);
        capacity_ = capacity;
        return true;
    }

    T* data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

}  // namespace subword
