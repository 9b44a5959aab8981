// Memory for large tables. A table that is read at random positions spends its time on page-table walks;
// with huge pages (2 MB instead of 4 KB) nearly all of them are answered by the processor's own cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace subword {

constexpr size_t kHugePage = size_t{2} << 20;

inline void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
    madvise(memory, bytes, MADV_HUGEPAGE);  // only a wish: a kernel that refuses costs speed, not correctness
#endif
}

// Gives back the whole pages of [begin, end), a part of a mapped file that is not written to. Reading there again
// is allowed, and slow.
inline void drop_pages([[maybe_unused]] const char* begin, [[maybe_unused]] const char* end) {
#ifdef __linux__
    const uintptr_t page = 4096;  // or a multiple: then the kernel refuses, which only costs memory
    const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
    const uintptr_t last = reinterpret_cast<uintptr_t>(end) / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
#endif
}

// A standard allocator: std::vector<T, HugePageAllocator<T>>.
template <class T>
struct HugePageAllocator {
    using value_type = T;

    HugePageAllocator() = default;
    template <class U>
    HugePageAllocator(const HugePageAllocator<U>&) {}

    T* allocate(size_t count) {
        if (count > static_cast<size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
        size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, alignment(bytes));
        if (bytes >= kHugePage) advise_huge_pages(memory, bytes);
        return static_cast<T*>(memory);
    }

    void deallocate(T* memory, size_t count) { ::operator delete(memory, alignment(count * sizeof(T))); }

    static std::align_val_t alignment(size_t bytes) { return std::align_val_t{bytes < kHugePage ? 64 : kHugePage}; }

    template <class U>
    bool operator==(const HugePageAllocator<U>&) const { return true; }
    template <class U>
    bool operator!=(const HugePageAllocator<U>&) const { return false; }
};

}  // namespace subword
