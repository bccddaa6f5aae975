#include "mpi/collectives/allreduce.hpp"

#include "mpi/collectives/bcast.hpp"
#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/fold.hpp"
#include "mpi/collectives/halving.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/reduce.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/collectives/tree.hpp"

namespace railyard::mpi {

namespace {

/// Lower ranks' data are on the left on both sides of an exchange, so both get the same bits.
void recursive_doubling(Team& team, const Operation& operation, const ConstBuffer& data,
                        const Buffer& result) {
    const Fold fold(team);
    if (fold.is_spoken_for()) {
        team.send(data, fold.mate());
        team.receive(result, fold.mate());
        return;
    }
    Scratch scratch(team.scratch(), Total::room(data));
    Total total(team, operation, data, scratch);
    if (fold.speaks_for_two()) {
        team.receive(total.incoming(), fold.mate());
        total.add_lower();
    }
    for (int bit = 1; bit < fold.places(); bit *= 2) {
        const int partner = fold.rank_at(fold.place() ^ bit);
        team.exchange(total.now(), partner, total.incoming(), partner);
        if (fold.place() & bit)
            total.add_lower();
        else
            total.add_higher();
    }
    if (fold.speaks_for_two()) team.send(total.now(), fold.mate());
    copy(team, total.now(), result);
}

void rabenseifner(Team& team, const Operation& operation, const ConstBuffer& data,
                  const Buffer& result) {
    const Fold fold(team);
    if (fold.is_spoken_for()) {
        team.send(data, fold.mate());
        team.receive(result, fold.mate());
        return;
    }
    copy(team, data, result);
    Scratch scratch(team.scratch(), Halving::room(fold, result));
    Halving halving(team, fold, operation, result, scratch);
    halving.reduce_scatter();
    halving.allgather();
    if (fold.speaks_for_two()) team.send(result, fold.mate());
}

/// Each part is combined on its way round, and goes round once more. The order of ranks is another
/// for each part.
void ring(Team& team, const Operation& operation, const ConstBuffer& data, const Buffer& result) {
    const auto ranks = static_cast<std::size_t>(team.size());
    const std::size_t each = result.count / ranks;
    const std::size_t longer = result.count % ranks;  // so many parts have one element more
    const auto share = [&](int number) {
        const auto n = static_cast<std::size_t>(number + team.size()) % ranks;
        return part(result, n * each + std::min(n, longer), each + (n < longer ? 1 : 0));
    };
    const int rank = team.rank();
    const int next = (rank + 1) % team.size();
    const int previous = (rank + team.size() - 1) % team.size();
    copy(team, data, result);
    Scratch scratch(team.scratch(), Scratch::room(each + 1, *result.type));
    const Buffer room = scratch.elements(each + 1, *result.type);
    for (int step = 0; step < team.size() - 1; ++step) {
        const Buffer mine = share(rank - step - 1);
        const Buffer incoming{room.address, mine.count, mine.type};
        team.exchange(share(rank - step), next, incoming, previous);
        combine(team, operation, incoming, mine);
    }
    for (int step = 0; step < team.size() - 1; ++step)
        team.exchange(share(rank - step + 1), next, share(rank - step), previous);
}

void up_and_down(Team& team, const Tree& tree, const Operation& operation, const ConstBuffer& data,
                 const Buffer& result) {
    combine_up(team, tree, operation, data, result, 0);
    send_down(team, tree, result);
}

/// The last to come combines, in the order of ranks: all get the same bits, whoever it is.
void through(Hub& hub, Team& team, const Operation& operation, const ConstBuffer& data,
             const Buffer& result) {
    const auto in_slot = [&](std::byte* slot) { return Buffer{slot, result.count, result.type}; };
    copy(team, data, in_slot(hub.slot(team.rank())));
    if (hub.arrive()) {
        const Buffer total = in_slot(hub.result());
        int rank = team.size() - 1;
        copy(team, in_slot(hub.slot(rank)), total);
        while (rank-- > 0)
            combine(team, operation, in_slot(hub.slot(rank)), total);
        hub.release();
    } else {
        hub.await();
    }
    copy(team, in_slot(hub.result()), result);
}

}  // namespace

void allreduce(Team& team, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation) {
    const std::size_t bytes = bytes_of(result);
    const ConstBuffer data = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes == 0) return;
    if (team.size() == 1) return copy(team, data, result);
    switch (choose(Collective::allreduce, team, bytes, operation.is_commutative())) {
        case Algorithm::shared:
            // Predefined types are the same on all ranks, and need no more room than is there.
            if (result.type->is_predefined())
                return through(*team.hub(), team, operation, data, result);
            return recursive_doubling(team, operation, data, result);
        case Algorithm::rabenseifner:
            return rabenseifner(team, operation, data, result);
        case Algorithm::ring:
            return ring(team, operation, data, result);
        case Algorithm::reduce_bcast:
            return up_and_down(team, Tree::binomial(team, 0), operation, data, result);
        case Algorithm::flat:
            return up_and_down(team, Tree::flat(team, 0), operation, data, result);
        case Algorithm::tree:
            return up_and_down(team, Tree::two_levels(team, 0), operation, data, result);
        default:
            return recursive_doubling(team, operation, data, result);
    }
}

}  // namespace railyard::mpi
