#include "mpi/collectives/neighbourhood.hpp"

namespace railyard::mpi {

namespace {

/// The next place of that rank, from `at` on, in a list of which `place` says the order.
template <class Place>
std::size_t next_of(int rank, const std::vector<int>& list, std::size_t at, const Place& place) {
    while (at < list.size() && list[place(at)] != rank)
        ++at;
    return at;
}

/// What goes to oneself: the first block to the first place, and so on.
template <class Out>
void copy_own(Team& team, const Neighbours& neighbours, const Out& out, const Blocks& in) {
    const auto in_order = [](std::size_t i) { return i; };
    const auto arrival = [&](std::size_t i) { return neighbours.arrival(i); };
    std::size_t to = 0;
    for (std::size_t i = 0;; ++i, ++to) {
        i = next_of(team.rank(), neighbours.destinations, i, in_order);
        to = next_of(team.rank(), neighbours.sources, to, arrival);
        if (i >= neighbours.destinations.size() || to >= neighbours.sources.size()) return;
        copy(team, out(static_cast<int>(i)), in[static_cast<int>(arrival(to))]);
    }
}

/// All at once: nobody passes anything on.
template <class Out>
void exchange(Team& team, const Neighbours& neighbours, const Out& out, const Blocks& in) {
    const auto is_other = [&](int rank) {
        return rank != Neighbours::nobody && rank != team.rank();
    };
    for (std::size_t i = 0; i < neighbours.sources.size(); ++i) {
        const std::size_t place = neighbours.arrival(i);
        const int from = neighbours.sources[place];
        const Buffer block = is_other(from) ? in[static_cast<int>(place)] : Buffer();
        if (bytes_of(block) > 0) team.start_receive(block, from);
    }
    for (std::size_t i = 0; i < neighbours.destinations.size(); ++i) {
        const int to = neighbours.destinations[i];
        const ConstBuffer block = is_other(to) ? out(static_cast<int>(i)) : ConstBuffer();
        if (bytes_of(block) > 0) team.start_send(block, to);
    }
    copy_own(team, neighbours, out, in);
    team.wait_all();
}

}  // namespace

void neighbour_allgather(Team& team, const Neighbours& neighbours, const ConstBuffer& mine,
                         const Blocks& in) {
    exchange(
        team, neighbours, [&](int) { return mine; }, in);
}

void neighbour_alltoall(Team& team, const Neighbours& neighbours, const ConstBlocks& out,
                        const Blocks& in) {
    exchange(
        team, neighbours, [&](int place) { return out[place]; }, in);
}

}  // namespace railyard::mpi
