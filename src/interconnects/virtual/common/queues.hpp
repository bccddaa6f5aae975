#pragma once
/// Completion queues and receive queues of a virtual fabric: the user's objects, and behind them
/// the states that events and queue pairs hold.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "interconnects/virtual/common/network.hpp"
#include "railyard/queues.hpp"

namespace railyard::virtual_time {

/// A queue whose elements are named by sequence number and used again in place, so that what they
/// have allocated serves the next. It grows by doubling: a deep queue costs nothing until it is
/// used.
template <class T>
class Ring {
  public:
    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    bool empty() const { return begin_ == end_; }

    T& operator[](std::uint64_t sequence) { return slots_[sequence & (slots_.size() - 1)]; }
    T& front() { return (*this)[begin_]; }
    /// The new last element, with whatever its slot held before.
    T& push() {
        if (size() == slots_.size()) grow();
        return (*this)[end_++];
    }
    void pop() { ++begin_; }
    void pop_last() { --end_; }

  private:
    void grow() {
        std::vector<T> larger(slots_.empty() ? 1 : slots_.size() * 2);
        for (std::uint64_t i = begin_; i != end_; ++i)
            larger[i & (larger.size() - 1)] = std::move((*this)[i]);
        slots_ = std::move(larger);
    }

    std::vector<T> slots_;  // a power of two
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
};

class CompletionState : public std::enable_shared_from_this<CompletionState> {
  public:
    CompletionState(std::shared_ptr<NicState> nic, std::uint32_t depth)
        : nic_(std::move(nic)), depth_(depth) {}

    /// A success that finds the queue full is turned into `overrun`, and the answer is false: the
    /// queue pair must then fail. Errors are kept beyond the depth (there are no more of them than
    /// requests), so that nothing is dropped in silence.
    bool push(fabric::Completion completion, bool solicited);
    std::size_t poll(std::span<fabric::Completion> out);
    /// The queue pair is destroyed: its completions are not for anybody any more.
    void discard(const fabric::QueuePair* queue_pair);

    const NicState& nic() const { return *nic_; }
    fabric::CompletionQueue::WakeFor wake_for = fabric::CompletionQueue::WakeFor::every;

  private:
    struct Entry {
        fabric::Completion completion;
        bool loud = false;  ///< ends a sleep
        bool discarded = false;
    };
    void show_next();

    std::shared_ptr<NicState> nic_;
    std::uint32_t depth_;
    Ring<Entry> entries_;
    std::uint64_t shown_ = 0;  ///< entries before this one are there for the rank to find
    std::size_t held_ = 0;     ///< entries not discarded
};

class CompletionQueue final : public fabric::CompletionQueue {
  public:
    CompletionQueue(std::shared_ptr<NicState> nic, std::uint32_t depth)
        : state_(std::make_shared<CompletionState>(std::move(nic), depth)) {}

    using fabric::CompletionQueue::poll;
    std::size_t poll(std::span<fabric::Completion> out) override { return state_->poll(out); }
    void wake_for(WakeFor what) override { state_->wake_for = what; }
    const std::shared_ptr<CompletionState>& state() const { return state_; }

  private:
    std::shared_ptr<CompletionState> state_;
};

/// A receive that waits for its message.
struct Receive {
    std::uint64_t id = 0;
    std::vector<Piece> local;
};

class ReceiveState {
  public:
    using Sharing = fabric::ReceiveQueue::Sharing;
    ReceiveState(std::shared_ptr<NicState> nic, std::uint32_t depth, Sharing kind)
        : sharing(kind), nic_(std::move(nic)), depth_(depth) {}

    Status post(const fabric::ReceiveRequest& request);
    /// Exchanges the oldest receive for `into`; false when there is none.
    bool take(Receive& into);
    /// A message waits for a receive: serve that endpoint when there is one.
    void wait(std::weak_ptr<Endpoint> endpoint) { waiting_.push_back(std::move(endpoint)); }

    const NicState& nic() const { return *nic_; }
    const Sharing sharing;
    std::weak_ptr<Endpoint> owner;  ///< of an own queue

  private:
    std::shared_ptr<NicState> nic_;
    std::uint32_t depth_;
    Ring<Receive> posted_;
    std::deque<std::weak_ptr<Endpoint>> waiting_;
};

class ReceiveQueue final : public fabric::ReceiveQueue {
  public:
    ReceiveQueue(std::shared_ptr<NicState> nic, std::uint32_t depth, Sharing sharing)
        : state_(std::make_shared<ReceiveState>(std::move(nic), depth, sharing)) {}

    Status post(const fabric::ReceiveRequest& request) override { return state_->post(request); }
    const std::shared_ptr<ReceiveState>& state() const { return state_; }

  private:
    std::shared_ptr<ReceiveState> state_;
};

}  // namespace railyard::virtual_time
