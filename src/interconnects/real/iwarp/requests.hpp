#pragma once
/// Reads and atomics under way: those we asked for (at most ORD), in whose order the answers come,
/// and those the peer asked for (at most IRD), in whose order we answer.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interconnects/real/iwarp/ddp.hpp"
#include "interconnects/real/iwarp/place.hpp"
#include "interconnects/real/iwarp/rdmap.hpp"

namespace railyard::iwarp {

/// First in, first out; allocates once.
template <class T>
class FixedQueue {
  public:
    explicit FixedQueue(std::size_t capacity) : items_(capacity) {}

    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == items_.size(); }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return items_.size(); }
    T& front() { return items_[first_]; }
    const T& front() const { return items_[first_]; }
    void push(const T& item) {
        items_[(first_ + size_) % items_.size()] = item;
        ++size_;
    }
    void pop() {
        first_ = (first_ + 1) % items_.size();
        --size_;
    }

  private:
    std::vector<T> items_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

/// A Read or an atomic of ours whose answer has not come yet.
struct Outstanding {
    bool atomic = false;
    std::uint32_t id = 0;  ///< atomic: what the response must name
    // Read: what the request named as sink, and what that stands for. The tag means something to
    // this side only: an opaque number that no other operation may use.
    std::uint32_t sink_stag = 0;
    std::uint64_t sink_to = 0;
    std::uint32_t length = 0;
    std::span<const Place> sink{};  ///< the list is the asker's until the answer has come
    std::uint64_t cookie = 0;       ///< the asker's
};

/// A peer's Read or atomic, checked, and waiting for its answer.
struct Inbound {
    bool atomic = false;
    rdmap::ReadRequest read{};
    rdmap::AtomicRequest operation{};
    std::byte* data = nullptr;  ///< what is read or changed; null if nothing is
    Lease lease{};
    std::array<std::byte, ddp::untagged_size> ddp{};  ///< as it came, should it go wrong later
    std::uint16_t segment_length = 0;
};

}  // namespace railyard::iwarp
