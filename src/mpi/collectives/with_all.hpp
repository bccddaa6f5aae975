#pragma once
/// A message to and from every other rank, many at a time.

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

/// Starts to exchange a block with every other rank, each at another time with its own neighbour
/// first; so many at once as keep a network busy and take little memory. Empty ones are not sent.
/// The last of them are still to be waited for.
template <class Out, class In>
void start_with_all(Team& team, const Out& out, const In& in) {
    constexpr int messages_at_once = 32;
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
