#pragma once
/// Posting where a full send queue is no failure: it empties by itself.

#include "railyard/nic.hpp"

namespace railyard::mpi {

/// Waits for room. Throws nothing: any other refusal is the answer.
inline railyard::Status patient_post(fabric::Nic& nic, fabric::QueuePair& queue_pair,
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
