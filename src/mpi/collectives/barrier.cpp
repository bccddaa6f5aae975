#include "mpi/collectives/barrier.hpp"

#include <bit>

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/tree.hpp"

namespace railyard::mpi {

namespace {

void dissemination(Team& team) {
    const int ranks = team.size();
    for (int distance = 1; distance < ranks; distance *= 2) {
        const int to = (team.rank() + distance) % ranks;
        const int from = (team.rank() - distance + ranks) % ranks;
        team.exchange(nothing(), to, nothing(), from);
    }
}

/// Over the largest power of two; each rank beyond it is spoken for by one within (vi-count).
void pairwise(Team& team) {
    const int within = static_cast<int>(std::bit_floor(static_cast<unsigned>(team.size())));
    const int rank = team.rank();
    if (rank >= within) {
        team.send(nothing(), rank - within);
        team.receive(nothing(), rank - within);
        return;
    }
    const bool speaks_for_two = rank + within < team.size();
    if (speaks_for_two) team.receive(nothing(), rank + within);
    for (int bit = 1; bit < within; bit *= 2)
        team.exchange(nothing(), rank ^ bit, nothing(), rank ^ bit);
    if (speaks_for_two) team.send(nothing(), rank + within);
}

void up_and_down(Team& team, const Tree& tree) {
    for (int i = 0; i < tree.children(); ++i)
        team.start_receive(nothing(), tree.child(i));
    team.wait_all();
    if (!tree.is_root()) {
        team.send(nothing(), tree.parent());
        team.receive(nothing(), tree.parent());
    }
    for (int i = tree.children(); i-- > 0;)
        team.start_send(nothing(), tree.child(i));
    team.wait_all();
}

void through(Hub& hub) {
    if (hub.arrive())
        hub.release();
    else
        hub.await();
}

}  // namespace

void barrier(Team& team) {
    switch (choose(Collective::barrier, team, 0)) {
        case Algorithm::shared:
            return through(*team.hub());
        case Algorithm::pairwise:
            return pairwise(team);
        case Algorithm::flat:
            return up_and_down(team, Tree::flat(team, 0));
        case Algorithm::tree:
            return up_and_down(team, Tree::two_levels(team, 0));
        default:
            return dissemination(team);
    }
}

}  // namespace railyard::mpi
