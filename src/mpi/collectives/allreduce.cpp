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
void recursive_doubling(Party& party, const Operation& operation, const ConstBuffer& data,
                        const Buffer& result) {
    const Fold fold(party);
    if (fold.is_spoken_for()) {
        party.send(data, fold.mate());
        party.receive(result, fold.mate());
        return;
    }
    Scratch scratch(party.scratch(), Total::room(data));
    Total total(party, operation, data, scratch);
    if (fold.speaks_for_two()) {
        party.receive(total.incoming(), fold.mate());
        total.add_lower();
    }
    for (int bit = 1; bit < fold.places(); bit *= 2) {
        const int partner = fold.rank_at(fold.place() ^ bit);
        party.exchange(total.now(), partner, total.incoming(), partner);
        if (fold.place() & bit)
            total.add_lower();
        else
            total.add_higher();
    }
    if (fold.speaks_for_two()) party.send(total.now(), fold.mate());
    copy(party, total.now(), result);
}

void rabenseifner(Party& party, const Operation& operation, const ConstBuffer& data,
                  const Buffer& result) {
    const Fold fold(party);
    if (fold.is_spoken_for()) {
        party.send(data, fold.mate());
        party.receive(result, fold.mate());
        return;
    }
    copy(party, data, result);
    Scratch scratch(party.scratch(), Halving::room(fold, result));
    Halving halving(party, fold, operation, result, scratch);
    halving.reduce_scatter();
    halving.allgather();
    if (fold.speaks_for_two()) party.send(result, fold.mate());
}

/// Each part is combined on its way round, and goes round once more. The order of ranks is another
/// for each part.
void ring(Party& party, const Operation& operation, const ConstBuffer& data, const Buffer& result) {
    const auto ranks = static_cast<std::size_t>(party.size());
    const std::size_t each = result.count / ranks;
    const std::size_t longer = result.count % ranks;  // so many parts have one element more
    const auto share = [&](int number) {
        const auto n = static_cast<std::size_t>(number + party.size()) % ranks;
        return part(result, n * each + std::min(n, longer), each + (n < longer ? 1 : 0));
    };
    const int rank = party.rank();
    const int next = (rank + 1) % party.size();
    const int previous = (rank + party.size() - 1) % party.size();
    copy(party, data, result);
    Scratch scratch(party.scratch(), Scratch::room(each + 1, *result.type));
    const Buffer room = scratch.elements(each + 1, *result.type);
    for (int step = 0; step < party.size() - 1; ++step) {
        const Buffer mine = share(rank - step - 1);
        const Buffer incoming{room.address, mine.count, mine.type};
        party.exchange(share(rank - step), next, incoming, previous);
        combine(party, operation, incoming, mine);
    }
    for (int step = 0; step < party.size() - 1; ++step)
        party.exchange(share(rank - step + 1), next, share(rank - step), previous);
}

void up_and_down(Party& party, const Tree& tree, const Operation& operation,
                 const ConstBuffer& data, const Buffer& result) {
    combine_up(party, tree, operation, data, result, 0);
    send_down(party, tree, result);
}

/// The last to come combines, in the order of ranks: all get the same bits, whoever it is.
void through(Hub& hub, Party& party, const Operation& operation, const ConstBuffer& data,
             const Buffer& result) {
    const auto in_slot = [&](std::byte* slot) { return Buffer{slot, result.count, result.type}; };
    copy(party, data, in_slot(hub.slot(party.rank())));
    if (hub.arrive()) {
        const Buffer total = in_slot(hub.result());
        int rank = party.size() - 1;
        copy(party, in_slot(hub.slot(rank)), total);
        while (rank-- > 0)
            combine(party, operation, in_slot(hub.slot(rank)), total);
        hub.release();
    } else {
        hub.await();
    }
    copy(party, in_slot(hub.result()), result);
}

}  // namespace

void allreduce(Party& party, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation) {
    const std::size_t bytes = bytes_of(result);
    const ConstBuffer data = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes == 0) return;
    if (party.size() == 1) return copy(party, data, result);
    switch (choose(Collective::allreduce, party, bytes, operation.is_commutative())) {
        case Algorithm::shared:
            // Predefined types are the same on all ranks, and need no more room than is there.
            if (result.type->is_predefined())
                return through(*party.hub(), party, operation, data, result);
            return recursive_doubling(party, operation, data, result);
        case Algorithm::rabenseifner:
            return rabenseifner(party, operation, data, result);
        case Algorithm::ring:
            return ring(party, operation, data, result);
        case Algorithm::reduce_bcast:
            return up_and_down(party, Tree::binomial(party, 0), operation, data, result);
        case Algorithm::flat:
            return up_and_down(party, Tree::flat(party, 0), operation, data, result);
        case Algorithm::tree:
            return up_and_down(party, Tree::two_levels(party, 0), operation, data, result);
        default:
            return recursive_doubling(party, operation, data, result);
    }
}

}  // namespace railyard::mpi
