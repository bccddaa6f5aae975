#pragma once
/// Copying between slices and shared memory, and placing data so that the last byte is seen last.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/copy_few.hpp"
#include "railyard/work.hpp"

namespace railyard::shm {

inline constexpr std::uint32_t max_slices = 8;

inline void store_last(std::byte* to, std::byte value) {
    // Release: everything placed before is visible to whoever sees this byte (fabric::arrived).
    std::atomic_ref(*to).store(value, std::memory_order_release);
}

/// Copies `n` bytes so that the last becomes visible after the others.
inline void place(std::byte* to, const std::byte* from, std::size_t n) {
    if (n == 0) return;
#if !defined(__SANITIZE_THREAD__)
    // One aligned word in one store: a reader of its last byte that spins on the line cannot steal
    // it between two stores. (The thread sanitizer pairs atomics by address and needs the byte.)
    if (n == 8 && reinterpret_cast<std::uintptr_t>(to) % 8 == 0) {
        std::uint64_t word;
        std::memcpy(&word, from, 8);
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(to))
            .store(word, std::memory_order_release);
        return;
    }
#endif
    copy_bytes(to, from, n - 1);
    store_last(to + n - 1, from[n - 1]);
}

/// The bytes that a request sends, whichever way they were given.
class Gather {
  public:
    explicit Gather(const fabric::WorkRequest& request)
        : bytes_(request.bytes), slices_(request.local) {}

    /// Copies `n` bytes from `skip` bytes into the message on.
    [[gnu::always_inline]] void copy(std::byte* to, std::uint64_t skip, std::uint64_t n) const {
        if (slices_.empty()) {
            copy_bytes(to, bytes_.data() + skip, n);
            return;
        }
        for (const fabric::Slice& slice : slices_) {
            const std::uint64_t length = slice.length.count();
            if (skip >= length) {
                skip -= length;
                continue;
            }
            const std::uint64_t piece = std::min(n, length - skip);
            copy_bytes(to, slice.data() + skip, piece);
            to += piece;
            n -= piece;
            skip = 0;
            if (n == 0) return;
        }
    }
    /// The whole message, last byte last.
    void place_all(std::byte* to, std::uint64_t n) const {
        if (slices_.size() == 1) {
            place(to, slices_[0].data(), n);
        } else if (slices_.empty()) {
            place(to, bytes_.data(), n);
        } else if (n > 0) {
            std::byte last{};
            copy(to, 0, n - 1);
            copy(&last, n - 1, 1);
            store_last(to + n - 1, last);
        }
    }

  private:
    std::span<const std::byte> bytes_;
    std::span<const fabric::Slice> slices_;
};

/// Copies `n` bytes into the slices, from `skip` bytes into them on.
inline void scatter(std::span<const fabric::Slice> to, std::uint64_t skip, const std::byte* from,
                    std::uint64_t n) {
    for (const fabric::Slice& slice : to) {
        const std::uint64_t length = slice.length.count();
        if (skip >= length) {
            skip -= length;
            continue;
        }
        const std::uint64_t piece = std::min(n, length - skip);
        copy_bytes(slice.data() + skip, from, piece);
        from += piece;
        n -= piece;
        skip = 0;
        if (n == 0) return;
    }
}

}  // namespace railyard::shm
