#include "mpi/collectives/barrier.hpp"

#include <bit>

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/tree.hpp"

namespace railyard::mpi {

namespace {

void dissemination(Party& party) {
    const int ranks = party.size();
    for (int distance = 1; distance < ranks; distance *= 2) {
        const int to = (party.rank() + distance) % ranks;
        const int from = (party.rank() - distance + ranks) % ranks;
        party.exchange(nothing(), to, nothing(), from);
    }
}

/// Over the largest power of two; each rank beyond it is spoken for by one within (vi-count).
void pairwise(Party& party) {
    const int within = static_cast<int>(std::bit_floor(static_cast<unsigned>(party.size())));
    const int rank = party.rank();
    if (rank >= within) {
        party.send(nothing(), rank - within);
        party.receive(nothing(), rank - within);
        return;
    }
    const bool speaks_for_two = rank + within < party.size();
    if (speaks_for_two) party.receive(nothing(), rank + within);
    for (int bit = 1; bit < within; bit *= 2)
        party.exchange(nothing(), rank ^ bit, nothing(), rank ^ bit);
    if (speaks_for_two) party.send(nothing(), rank + within);
}

void up_and_down(Party& party, const Tree& tree) {
    for (int i = 0; i < tree.children(); ++i)
        party.start_receive(nothing(), tree.child(i));
    party.wait_all();
    if (!tree.is_root()) {
        party.send(nothing(), tree.parent());
        party.receive(nothing(), tree.parent());
    }
    for (int i = tree.children(); i-- > 0;)
        party.start_send(nothing(), tree.child(i));
    party.wait_all();
}

void through(Hub& hub) {
    if (hub.arrive())
        hub.release();
    else
        hub.await();
}

}  // namespace

void barrier(Party& party) {
    switch (choose(Collective::barrier, party, 0)) {
        case Algorithm::shared:
            return through(*party.hub());
        case Algorithm::pairwise:
            return pairwise(party);
        case Algorithm::flat:
            return up_and_down(party, Tree::flat(party, 0));
        case Algorithm::tree:
            return up_and_down(party, Tree::two_levels(party, 0));
        default:
            return dissemination(party);
    }
}

}  // namespace railyard::mpi
