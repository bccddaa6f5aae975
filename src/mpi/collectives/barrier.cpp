#include "mpi/collectives/by_node.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/shared.hpp"

#include <bit>

namespace railyard::mpi {

namespace {

void barrier_dissemination(Team& team) {
    const int ranks = team.size();
    for (int distance = 1; distance < ranks; distance *= 2) {
        const int to = (team.rank() + distance) % ranks;
        const int from = (team.rank() - distance + ranks) % ranks;
        team.exchange(nothing(), to, nothing(), from);
    }
}

/// Over the largest power of two; each rank beyond it has a proxy within (vi-count).
void barrier_pairwise(Team& team) {
    const int within = static_cast<int>(std::bit_floor(static_cast<unsigned>(team.size())));
    const int rank = team.rank();
    if (rank >= within) {
        team.send(nothing(), rank - within);
        team.receive(nothing(), rank - within);
        return;
    }
    const bool is_proxy = rank + within < team.size();
    if (is_proxy) team.receive(nothing(), rank + within);
    for (int bit = 1; bit < within; bit *= 2)
        team.exchange(nothing(), rank ^ bit, nothing(), rank ^ bit);
    if (is_proxy) team.send(nothing(), rank + within);
}

void barrier_tree(Team& team, const Tree& tree) {
    wait_for_all(team, tree);
    send_down(team, tree, nothing());
}

}  // namespace

void wait_for_all(Team& team, const Tree& tree) {
    for (int i = 0; i < tree.children(); ++i)
        team.start_receive(nothing(), tree.child(i));
    team.wait_all();
    if (!tree.is_root()) team.send(nothing(), tree.parent());
}

void barrier(Team& team) {
    if (team.algorithms()[Collective::barrier] == Algorithm::automatic && team.network_barrier())
        return;
    switch (choose(Collective::barrier, team, 0)) {
        case Algorithm::shared:
            return shared::barrier(team);
        case Algorithm::by_node:
            return by_node::barrier(team);
        case Algorithm::pairwise:
            return barrier_pairwise(team);
        case Algorithm::flat:
            return barrier_tree(team, Tree::flat(team, 0));
        case Algorithm::tree:
            return barrier_tree(team, Tree::two_levels(team, 0));
        default:
            return barrier_dissemination(team);
    }
}

}  // namespace railyard::mpi
