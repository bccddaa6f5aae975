#pragma once
/// Time that ranks lose because others are late: receivers to late senders, senders to late
/// receivers, and those who are early in a collective to who comes last.

#include <cstdint>
#include <vector>

#include "mpi/traces/run_record.hpp"

namespace railyard::mpi::traces {

struct Wait {
    enum class Why : std::uint8_t {
        late_sender,    ///< in a receive, or in waiting for one, before the send was called
        late_receiver,  ///< in a send, or in waiting for one, before the receive was called
        collective,     ///< in a collective, before the rank that it needs had come
    };
    Why why{};
    int rank = 0;          ///< who waited
    int by = 0;            ///< who was late
    std::size_t call = 0;  ///< of the one who waited
    Duration lost;
};

/// No more than one for each call, the longest of those that it could be: what several late ranks
/// cost at the same time is counted once, to the last of them. Time in which a connection to that
/// rank was being made is not among it.
std::vector<Wait> waits_of(const RunRecord& run);

/// Of the time from `begin` to `end`, in which the rank made a connection; -1: to anybody.
Duration connecting_time(const RankRecord& rank, Time begin, Time end, int peer = -1);

}  // namespace railyard::mpi::traces
