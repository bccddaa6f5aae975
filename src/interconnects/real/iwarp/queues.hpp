#pragma once
/// The classes of this fabric that stand behind what real fabrics share, and what waits in its
/// queues: posted receives, and requests that are posted and not yet complete.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/real/common/queues.hpp"
#include "interconnects/real/common/shape.hpp"
#include "interconnects/real/iwarp/region.hpp"
#include "interconnects/real/iwarp/tags.hpp"
#include "railyard/base/status.hpp"
#include "railyard/work.hpp"

namespace railyard::iwarp {

class QueuePair;

inline constexpr std::uint32_t max_slices = 16;

struct PostedReceive {
    static constexpr std::uint32_t max_slices = iwarp::max_slices;
    static constexpr std::uint32_t made_at_first = 4;

    std::uint64_t id = 0;
    std::uint64_t capacity = 0;
    std::uint32_t count = 0;
    std::array<Place, max_slices> places;

    void set(std::span<const fabric::Slice> local) {
        count = 0;
        for (const fabric::Slice& slice : local)
            if (slice.length > Bytes()) places[count++] = place_of(slice);
    }
    /// Leaves the rest of the list as it is.
    void copy_from(const PostedReceive& other) {
        id = other.id;
        capacity = other.capacity;
        count = other.count;
        std::copy_n(other.places.begin(), other.count, places.begin());
    }
    std::span<const Place> list() const { return {places.data(), count}; }
};

struct Parts {
    using Nic = iwarp::Nic;
    using QueuePair = iwarp::QueuePair;
    using PostedReceive = iwarp::PostedReceive;
    using LocalRegion = iwarp::LocalRegion;
    using ImportedRegion = iwarp::ImportedRegion;
};

inline constexpr std::size_t max_inline = 256;

/// A request that was posted and is not yet complete, and where a Nic keeps those of all its queue
/// pairs: one that has nothing to do holds none, and a busy one allocates nothing.
struct Request {
    Request* next = nullptr;
    std::uint64_t id = 0;
    fabric::Op op = fabric::Op::send;
    fabric::Flags flags = fabric::Flags::none;
    Code fault = Code::ok;  ///< found when it was posted; told when its turn comes
    bool with_immediate = false;
    bool invalidates = false;
    std::uint8_t part = 0;  ///< of its messages, the one that is next
    bool added = false;     ///< all of it is in the outbox, or further
    bool answered = false;  ///< Reads and atomics
    std::uint32_t immediate = 0;
    std::uint32_t stag = 0;  ///< the peer's: where to, or what ends
    std::uint64_t to = 0;
    std::uint64_t operand = 0;
    std::uint64_t swap = 0;
    std::uint64_t length = 0;
    std::uint64_t sequence = 0;  ///< of its queue pair, from 1
    std::uint64_t end = 0;       ///< where in the outbox's stream it ends, once added
    std::uint32_t count = 0;
    std::array<Place, max_slices> places;
    std::array<std::byte, max_inline> bytes;

    std::span<const Place> list() const { return {places.data(), count}; }
    bool is_read() const { return op == fabric::Op::rdma_read; }
    bool is_atomic() const { return real::is_atomic(op); }
    bool awaits_answer() const { return is_read() || is_atomic(); }
    bool awaits_confirmation() const {
        return !awaits_answer() && has(flags, fabric::Flags::remote_completion);
    }
};

class RequestPool {
  public:
    /// One whose fields hold whatever they held.
    Request* take() {
        if (free_ == nullptr) grow();
        Request* const request = free_;
        free_ = request->next;
        return request;
    }
    void give_back(Request* request) {
        request->next = free_;
        free_ = request;
    }

  private:
    static constexpr std::size_t at_once = 32;
    void grow() {
        blocks_.push_back(std::unique_ptr<Request[]>(new Request[at_once]));
        for (std::size_t i = 0; i < at_once; ++i)
            give_back(&blocks_.back()[i]);
    }
    std::vector<std::unique_ptr<Request[]>> blocks_;
    Request* free_ = nullptr;
};

}  // namespace railyard::iwarp
