#pragma once
/// Posting to queue pairs: what the ids of work requests mean, and what to do while a queue is
/// full.

#include <cstdint>

#include "railyard/nic.hpp"

namespace railyard::mpi {

/// What a completion is about: the upper half of its id. The lower half is a buffer or a request.
enum class CompletionKind : std::uint32_t { received = 1, sent = 2, rdma = 3 };
constexpr std::uint64_t completion_id(CompletionKind kind, std::uint32_t which) {
    return static_cast<std::uint64_t>(kind) << 32 | which;
}

/// Posts, and waits for room while the send queue is full: it empties by itself. Throws nothing;
/// any other refusal is returned. What `work` points to stays the caller's.
inline railyard::Status post_blocking(fabric::Nic& nic, fabric::QueuePair& queue_pair,
                                      const fabric::WorkRequest& work) {
    for (;;) {
        const railyard::Status status = queue_pair.post(work);
        if (!status.again()) [[likely]]
            return status;
        const auto ticket = nic.host().prepare_wait();
        nic.progress();
        const railyard::Status second = queue_pair.post(work);
        if (!second.again()) {
            nic.host().cancel_wait();
            return second;
        }
        nic.host().wait(ticket, Time::never(), fabric::Wait::spin_then_sleep);
    }
}

}  // namespace railyard::mpi
