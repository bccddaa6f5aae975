#include "mpi/collectives/exscan.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi {

namespace {

/// `data` are this rank's, and not in the result.
void recursive_doubling(Team& team, const Operation& operation, const ConstBuffer& data,
                        const Buffer& result, Scratch& scratch) {
    Total group(team, operation, data, scratch);
    bool has_result = false;
    for (int bit = 1; bit < team.size(); bit *= 2) {
        const int partner = team.rank() ^ bit;
        if (partner >= team.size()) continue;
        team.exchange(group.now(), partner, group.incoming(), partner);
        if (partner > team.rank()) {
            group.add_higher();
            continue;
        }
        if (has_result)
            combine(team, operation, group.incoming(), result);
        else
            copy(team, group.incoming(), result);
        has_result = true;
        group.add_lower();
    }
}

void linear(Team& team, const Operation& operation, const Buffer& data, const Buffer& result) {
    if (team.rank() > 0) {
        team.receive(result, team.rank() - 1);
        combine(team, operation, result, data);
    }
    if (team.rank() + 1 < team.size()) team.send(data, team.rank() + 1);
}

}  // namespace

void exscan(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation) {
    const ConstBuffer given = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes_of(given) == 0 || team.size() == 1) return;
    Scratch scratch(team.scratch(), Scratch::room(given.count, *given.type) + Total::room(given));
    const Buffer data = scratch.elements(given.count, *given.type);
    copy(team, given, data);
    const Algorithm algorithm =
        choose(Collective::exscan, team, bytes_of(given), operation.is_commutative());
    if (algorithm == Algorithm::linear)
        linear(team, operation, data, result);
    else
        recursive_doubling(team, operation, data, result, scratch);
}

}  // namespace railyard::mpi
