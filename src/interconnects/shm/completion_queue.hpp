#pragma once
/// Completions of one Nic's queue pairs. Private to the rank: what peers do reaches it through the
/// Nic's progress. It grows rather than overrun.

#include <cstdint>
#include <vector>

#include "fabric/queues.hpp"

namespace railyard::shm {

class Nic;

class CompletionQueue final : public fabric::CompletionQueue {
  public:
    CompletionQueue(Nic& nic, std::uint32_t depth);

    std::size_t poll(std::span<fabric::Completion> out) override;
    void wake_for(WakeFor what) override;

    void push(const fabric::Completion& completion) {
        if (tail_ - head_ == entries_.size()) [[unlikely]] grow();
        entries_[tail_++ & mask_] = completion;
    }
    /// Forgets what belongs to a queue pair that is being destroyed.
    void discard(const fabric::QueuePair* queue_pair);
    bool solicited_only() const { return solicited_only_; }

  private:
    void grow();
    std::size_t take(std::span<fabric::Completion> out);

    Nic& nic_;
    std::vector<fabric::Completion> entries_;  ///< a power of two
    std::uint64_t mask_;
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
    bool solicited_only_ = false;
};

}  // namespace railyard::shm
