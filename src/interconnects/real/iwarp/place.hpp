#pragma once
/// Memory that bytes of a message come from or go to, as a list of places, and a walk along it.

#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/copy_few.hpp"
#include "interconnects/real/iwarp/tags.hpp"

namespace railyard::iwarp {

/// A piece of memory, and whether it is still there. The memory is its user's.
struct Place {
    std::byte* data = nullptr;
    std::size_t size = 0;
    Lease lease{};
};

/// Copies `n` bytes so that the last becomes visible after the others: peers' programs watch it.
inline void place(std::byte* to, const std::byte* from, std::size_t n) {
    if (n == 0) return;
    copy_bytes(to, from, n - 1);
    // Release: everything placed before is visible to whoever sees this byte (fabric::arrived).
    std::atomic_ref(to[n - 1]).store(from[n - 1], std::memory_order_release);
}

/// A position in a list of places. The list must outlive it.
class Cursor {
  public:
    Cursor() = default;
    explicit Cursor(std::span<const Place> list, std::uint64_t skip = 0) : list_(list) {
        advance(skip);
    }

    bool at_end() const { return list_.empty(); }
    /// The bytes up to the end of the place that it is in; empty only at the end.
    std::span<std::byte> here() const {
        if (at_end()) return {};
        return {list_.front().data + offset_, list_.front().size - offset_};
    }
    /// Whether the next `n` bytes are in memory that is still there.
    bool holds(std::uint64_t n) const {
        if (n == 0) return true;
        std::uint64_t reached = 0;
        for (const Place& part : list_) {
            if (!part.lease.holds()) return false;
            reached += part.size - (reached == 0 ? offset_ : 0);
            if (reached >= n) break;
        }
        return true;
    }

    void advance(std::uint64_t n) {
        while (!list_.empty()) {
            const std::uint64_t left = list_.front().size - offset_;
            if (n < left) {
                offset_ += n;
                return;
            }
            n -= left;
            offset_ = 0;
            list_ = list_.subspan(1);
        }
    }
    /// Copies `from` here and moves on; false, and nothing done, if memory is gone. The list must
    /// have room for it.
    bool write(std::span<const std::byte> from) {
        if (!holds(from.size())) return false;
        while (!from.empty()) {
            const std::span<std::byte> room = here();
            if (room.empty()) return false;
            const std::size_t n = std::min(room.size(), from.size());
            place(room.data(), from.data(), n);
            advance(n);
            from = from.subspan(n);
        }
        return true;
    }
    /// Copies from here and moves on; the list must have as much.
    void read(std::span<std::byte> to) {
        while (!to.empty()) {
            const std::span<std::byte> source = here();
            const std::size_t n = std::min(source.size(), to.size());
            copy_bytes(to.data(), source.data(), n);
            advance(n);
            to = to.subspan(n);
        }
    }
    /// The next `n` bytes as vectors, as many as `out` has room for; returns how many.
    std::size_t list(std::span<iovec> out, std::uint64_t n) const {
        std::size_t count = 0;
        Cursor walk = *this;
        while (n > 0 && count < out.size() && !walk.at_end()) {
            const std::span<std::byte> part = walk.here();
            const std::size_t length = std::min<std::uint64_t>(part.size(), n);
            out[count++] = {part.data(), length};
            walk.advance(length);
            n -= length;
        }
        return count;
    }

  private:
    std::span<const Place> list_{};
    std::size_t offset_ = 0;
};

}  // namespace railyard::iwarp
