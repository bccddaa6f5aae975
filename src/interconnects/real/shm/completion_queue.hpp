#pragma once
/// Completions of one Nic's queue pairs. Private to the rank: what peers do reaches it through the
/// Nic's progress.

#include <cstdint>

#include "interconnects/real/common/completion_ring.hpp"
#include "railyard/queues.hpp"

namespace railyard::shm {

class Nic;

class CompletionQueue final : public fabric::CompletionQueue {
  public:
    CompletionQueue(Nic& nic, std::uint32_t depth);

    std::size_t poll(std::span<fabric::Completion> out) override;
    void wake_for(WakeFor what) override;

    void push(const fabric::Completion& completion) { ring_.push(completion); }
    /// Forgets what belongs to a queue pair that is being destroyed.
    void discard(const fabric::QueuePair* queue_pair) { ring_.discard(queue_pair); }
    bool solicited_only() const { return solicited_only_; }

  private:
    Nic& nic_;
    real::CompletionRing ring_;
    bool solicited_only_ = false;
};

}  // namespace railyard::shm
