#include "mpi/collectives/exscan.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi {

namespace {

/// `data` are this rank's, and not in the result.
void recursive_doubling(Party& party, const Operation& operation, const ConstBuffer& data,
                        const Buffer& result, Scratch& scratch) {
    Total group(party, operation, data, scratch);
    bool has_result = false;
    for (int bit = 1; bit < party.size(); bit *= 2) {
        const int partner = party.rank() ^ bit;
        if (partner >= party.size()) continue;
        party.exchange(group.now(), partner, group.incoming(), partner);
        if (partner > party.rank()) {
            group.add_higher();
            continue;
        }
        if (has_result)
            combine(party, operation, group.incoming(), result);
        else
            copy(party, group.incoming(), result);
        has_result = true;
        group.add_lower();
    }
}

void linear(Party& party, const Operation& operation, const Buffer& data, const Buffer& result) {
    if (party.rank() > 0) {
        party.receive(result, party.rank() - 1);
        combine(party, operation, result, data);
    }
    if (party.rank() + 1 < party.size()) party.send(data, party.rank() + 1);
}

}  // namespace

void exscan(Party& party, const ConstBuffer& mine, const Buffer& result,
            const Operation& operation) {
    const ConstBuffer given = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes_of(given) == 0 || party.size() == 1) return;
    Scratch scratch(party.scratch(), Scratch::room(given.count, *given.type) + Total::room(given));
    const Buffer data = scratch.elements(given.count, *given.type);
    copy(party, given, data);
    const Algorithm algorithm =
        choose(Collective::exscan, party, bytes_of(given), operation.is_commutative());
    if (algorithm == Algorithm::linear)
        linear(party, operation, data, result);
    else
        recursive_doubling(party, operation, data, result, scratch);
}

}  // namespace railyard::mpi
