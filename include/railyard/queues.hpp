#pragma once
/// Where completions are found and where receives are posted.

#include <cstddef>
#include <cstdint>
#include <span>

#include "railyard/work.hpp"

namespace railyard::fabric {

/// Collects the completions of any number of queue pairs of one Nic.
class CompletionQueue {
  public:
    virtual ~CompletionQueue() = default;
    CompletionQueue(const CompletionQueue&) = delete;
    CompletionQueue& operator=(const CompletionQueue&) = delete;

    /// Takes out up to `out.size()` completions, oldest first, and returns how many. Makes
    /// progress. An empty poll costs the same however many peers there are.
    virtual std::size_t poll(std::span<Completion> out) = 0;
    bool poll(Completion& out) { return poll(std::span(&out, 1)) == 1; }

    /// Which arrivals end a sleep of this rank: every one (the default), or only those that the
    /// sender marked solicited, and errors. Arming for the wait itself is Host::prepare_wait().
    enum class WakeFor : std::uint8_t { every, solicited };
    virtual void wake_for(WakeFor what) = 0;

  protected:
    CompletionQueue() = default;
};

/// Receives waiting for messages, consumed in the order in which they were posted.
class ReceiveQueue {
  public:
    virtual ~ReceiveQueue() = default;
    ReceiveQueue(const ReceiveQueue&) = delete;
    ReceiveQueue& operator=(const ReceiveQueue&) = delete;

    /// `again` when the queue is full, `invalid` for regions of another Nic. Allowed before any
    /// queue pair is connected.
    virtual Status post(const ReceiveRequest& request) = 0;

    /// An own queue serves one queue pair, and is flushed when that fails; a shared one serves
    /// several, and outlives the failure of each. Not every fabric has those
    /// (Traits::shared_receives).
    enum class Sharing : std::uint8_t { own, shared };

  protected:
    ReceiveQueue() = default;
};

}  // namespace railyard::fabric
