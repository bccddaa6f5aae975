#pragma once
/// What all ranks of a run did, read from their records: calls, messages from send to receive, and
/// connections, on one clock.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/calls/call.hpp"
#include "mpi/recording/record.hpp"
#include "mpi/recording/store.hpp"
#include "railyard/base/time.hpp"

namespace railyard::mpi::traces {

inline constexpr std::size_t no_call = static_cast<std::size_t>(-1);

struct Call {
    Time begin;
    Time end;
    calls::Function function{};
    int peer = calls::absent;  ///< rank in the job: partner, root or target
    int tag = calls::absent;   ///< or which algorithm, see recording::chosen
    std::uint64_t bytes = 0;
    std::uint64_t calls = 1;  ///< more, of polls in a row
    std::uint32_t communicator = 0;
    int thread = 0;
    bool is_outermost = true;  ///< not made from within another
    bool is_over = true;       ///< else the rank's record ends in it
};

struct Message {
    int source = 0;
    int destination = 0;
    int tag = 0;
    std::uint32_t context = 0;
    std::uint64_t bytes = 0;
    std::uint64_t bytes_received = 0;    ///< less, where the receive had not room for all
    Time sent;                           ///< its send was called
    Time left;                           ///< the send was complete; not before `sent`
    Time posted;                         ///< its receive was called
    Time received;                       ///< and was complete
    bool is_received = false;            ///< the two above are known
    bool is_sent = false;                ///< the others are
    std::size_t send_call = no_call;     ///< in the source's calls
    std::size_t leave_call = no_call;    ///< in which the send was complete; none: at once
    std::size_t receive_call = no_call;  ///< in the destination's calls: in which it was complete
};

struct Connection {
    int peer = 0;
    Time begin;
    Time end;
};

struct RankRecord {
    int node = 0;
    std::vector<Call> calls;  ///< by their beginning
    std::vector<Connection> connections;
    std::vector<recording::PeerTraffic> library_traffic;  ///< by peer: not the user's messages
    Counters counters;
    bool is_full = false;     ///< there was no room for the rest
    bool has_ended = false;   ///< by MPI_Finalize
    bool is_present = false;  ///< it has recorded anything
};

/// The first call of all ranks is at time 0.
struct RunRecord {
    std::vector<RankRecord> ranks;
    std::vector<Message> messages;
    bool in_virtual_time = false;

    Time end() const;
};

/// What ranks left in the memory that was kept of them, one text a rank; empty: it left none. What
/// makes no sense is passed over.
RunRecord read_run(std::span<const std::string> kept);
/// Of a run in virtual time.
RunRecord read_run(std::span<const recording::HeapStore> stores);

}  // namespace railyard::mpi::traces
