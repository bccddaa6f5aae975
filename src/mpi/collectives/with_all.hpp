#pragma once
/// A message to and from every other rank, many at a time.

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

/// Messages under way at once: enough to keep a network busy, few enough to take little memory.
inline constexpr int messages_at_once = 32;

/// Starts to exchange a block with every other rank, from the next one on round the end, so that
/// not all begin with the same one. Empty blocks are not sent. The last messages are still to be
/// waited for.
template <class Out, class In>
void start_with_all(Team& team, const Out& out, const In& in) {
    const int ranks = team.size();
    for (int i = 1; i < ranks; ++i) {
        const int to = (team.rank() + i) % ranks;
        const int from = (team.rank() - i + ranks) % ranks;
        const Buffer incoming = in(from);
        const ConstBuffer outgoing = out(to);
        if (bytes_of(incoming) > 0) team.start_receive(incoming, from);
        if (bytes_of(outgoing) > 0) team.start_send(outgoing, to);
        if (i % messages_at_once == 0) team.wait_all();
    }
}

}  // namespace railyard::mpi
