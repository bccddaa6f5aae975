#pragma once
/// Steering tags: the names by which peers reach registered memory. They are random, so nobody
/// can guess them; each is bound to a protection domain, perhaps to one stream, and to rights;
/// and it means nothing from the moment its region goes.
///
/// One table serves a Nic. It is used under the Nic's lock (where there is a progress thread): then
/// whoever removes a tag knows that nobody is placing, and a Lease tells the next one who would.
///
/// And memory that bytes of a message come from or go to: a list of Places, each with its Lease,
/// and a Cursor along it.

#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "base/copy_few.hpp"
#include "railyard/memory.hpp"

namespace railyard::iwarp {

/// A group of streams and regions that may meet.
enum class Domain : std::uint32_t {};
/// One connection of a Nic; numbers begin at 1.
enum class StreamId : std::uint64_t { any = 0 };
/// Who may end a tag by Send with Invalidate. A tag that several streams use should not be ended by
/// one of them, unless all of its domain trust each other.
enum class Invalidation : std::uint8_t { never, by_its_stream, by_its_domain };

/// That a region is still there. To be asked again whenever others have had a turn.
class Lease {
  public:
    Lease() = default;  ///< of memory that nobody takes away
    explicit Lease(const std::uint64_t& generation)
        : generation_(&generation), granted_(generation) {}
    /// Of memory that is gone.
    static Lease broken() {
        static constexpr std::uint64_t never = 0;
        Lease lease(never);
        lease.granted_ = 1;
        return lease;
    }
    bool holds() const { return generation_ == nullptr || *generation_ == granted_; }

  private:
    const std::uint64_t* generation_ = nullptr;
    std::uint64_t granted_ = 0;
};

/// What a tag stands for. The memory is the owner's; the table only hands out its address.
struct Registration {
    std::span<std::byte> memory{};
    std::uint64_t base = 0;  ///< the tagged offset (TO) of the first byte
    fabric::Access access = fabric::Access::local;
    Domain domain{};
    StreamId stream = StreamId::any;
    Invalidation invalidation = Invalidation::never;
    void* owner = nullptr;  ///< comes back from invalidate()
};

/// Why a peer may not touch what it names.
enum class TagFault : std::uint8_t { none, invalid, not_of_stream, no_right, wraps, out_of_bounds };

/// Who asks: a stream, and the domain it is in.
struct Asker {
    Domain domain{};
    StreamId stream = StreamId::any;
};

class TagTable {
  public:
    /// `random` gives 32 bits that nobody can foresee; the default asks the kernel.
    explicit TagTable(std::function<std::uint32_t()> random = {});
    TagTable(const TagTable&) = delete;  // leases point into it
    TagTable& operator=(const TagTable&) = delete;

    std::uint32_t add(const Registration& registration);
    /// From here on the tag is unknown and every lease is broken. Nothing if it is gone already.
    void remove(std::uint32_t stag);

    struct Access {
        TagFault fault = TagFault::invalid;
        std::byte* data = nullptr;
        Lease lease{};
    };
    /// May `asker` do `wanted` to `length` > 0 bytes at `to`? Faults in the order in which DDP
    /// looks for them: tag, stream, wrap, bounds, right.
    Access check(std::uint32_t stag, Asker asker, std::uint64_t to, std::uint64_t length,
                 fabric::Access wanted) const;
    /// The same in RDMAP's order, for Read and Atomic requests: tag, stream, right, wrap, bounds.
    Access check_request(std::uint32_t stag, Asker asker, std::uint64_t to, std::uint64_t length,
                         fabric::Access wanted) const;

    /// May `asker` end this tag? `invalid` or `not_of_stream` if not.
    TagFault check_invalidate(std::uint32_t stag, Asker asker) const;
    /// Ends a tag that check_invalidate() passed, and says whose it was.
    void* invalidate(std::uint32_t stag);

    /// Broken if there is no such tag.
    Lease lease(std::uint32_t stag) const;
    std::size_t size() const { return used_; }

  private:
    struct Entry {
        Registration registration;
        std::uint64_t generation = 0;
    };
    struct Slot {
        std::uint32_t stag = 0;  ///< 0: free; never a tag
        std::uint32_t entry = 0;
    };
    const Entry* find(std::uint32_t stag) const;
    std::size_t position(std::uint32_t stag) const;
    void grow();

    std::function<std::uint32_t()> random_;
    std::deque<Entry> entries_;  // a deque: leases need addresses that stay
    std::vector<std::uint32_t> free_;
    std::vector<Slot> slots_;  // open addressing; tags are random, so they are their own hash
    std::size_t used_ = 0;
};

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
