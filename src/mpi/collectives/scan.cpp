#include "mpi/collectives/scan.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi {

namespace {

/// What a rank passes on covers its whole group, the result only those below it in the group.
void recursive_doubling(Party& party, const Operation& operation, const Buffer& result) {
    Scratch scratch(party.scratch(),
                    Scratch::room(result.count, *result.type) + Total::room(result));
    const Buffer start = scratch.elements(result.count, *result.type);
    copy(party, result, start);
    Total group(party, operation, start, scratch);
    for (int bit = 1; bit < party.size(); bit *= 2) {
        const int partner = party.rank() ^ bit;
        if (partner >= party.size()) continue;
        party.exchange(group.now(), partner, group.incoming(), partner);
        if (partner < party.rank()) {
            combine(party, operation, group.incoming(), result);
            group.add_lower();
        } else {
            group.add_higher();
        }
    }
}

void linear(Party& party, const Operation& operation, const Buffer& result) {
    if (party.rank() > 0) {
        Scratch scratch(party.scratch(), Scratch::room(result.count, *result.type));
        const Buffer below = scratch.elements(result.count, *result.type);
        party.receive(below, party.rank() - 1);
        combine(party, operation, below, result);
    }
    if (party.rank() + 1 < party.size()) party.send(result, party.rank() + 1);
}

}  // namespace

void scan(Party& party, const ConstBuffer& mine, const Buffer& result, const Operation& operation) {
    if (bytes_of(result) == 0) return;
    if (!is_in_place(mine)) copy(party, mine, result);
    const Algorithm algorithm =
        choose(Collective::scan, party, bytes_of(result), operation.is_commutative());
    if (algorithm == Algorithm::linear)
        linear(party, operation, result);
    else
        recursive_doubling(party, operation, result);
}

}  // namespace railyard::mpi
