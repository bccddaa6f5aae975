#pragma once
/// Posted receives, of one queue pair or of several. Private to the rank.

#include <array>
#include <cstdint>
#include <vector>

#include "interconnects/real/shm/copy.hpp"
#include "railyard/queues.hpp"

namespace railyard::shm {

class QueuePair;

struct PostedReceive {
    std::uint64_t id = 0;
    std::uint64_t capacity = 0;
    std::uint32_t count = 0;
    std::array<fabric::Slice, max_slices> slices;

    std::span<const fabric::Slice> local() const { return {slices.data(), count}; }
};

class ReceiveQueue final : public fabric::ReceiveQueue {
  public:
    ReceiveQueue(std::uint32_t depth, Sharing sharing);

    Status post(const fabric::ReceiveRequest& request) override;

    bool shared() const { return sharing_ == Sharing::shared; }
    bool empty() const { return head_ == tail_; }
    /// The oldest receive; valid until the next post.
    const PostedReceive& front() const { return entries_[head_ & mask_]; }
    void pop() { ++head_; }

    /// A queue pair with a message and no receive for it: told when one is posted.
    void add_starving(QueuePair& queue_pair);
    void remove_starving(QueuePair& queue_pair);
    /// The only queue pair of an own queue, once it exists.
    void set_owner(QueuePair* owner) { owner_ = owner; }
    bool has_owner() const { return owner_ != nullptr; }

  private:
    std::vector<PostedReceive> entries_;  ///< a power of two
    std::uint64_t mask_;
    std::uint32_t depth_;
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
    Sharing sharing_;
    QueuePair* owner_ = nullptr;
    std::vector<QueuePair*> starving_;
};

}  // namespace railyard::shm
