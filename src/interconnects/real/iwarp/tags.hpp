#pragma once
/// Steering tags: the names by which peers reach registered memory. They are random, so a stranger
/// cannot walk them; each is bound to a protection domain, perhaps to one stream, and to rights;
/// and it means nothing from the moment its region goes.
///
/// One table serves a Nic. It is used under the Nic's lock (where there is a progress thread): then
/// whoever removes a tag knows that nobody is placing, and a Lease tells the next one who would.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

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

}  // namespace railyard::iwarp
