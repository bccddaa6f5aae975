#include "mpi/collectives/scan.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi {

namespace {

/// What a rank passes on covers its whole group, the result only those below it in the group.
void recursive_doubling(Team& team, const Operation& operation, const Buffer& result) {
    Scratch scratch(team.scratch(),
                    Scratch::room(result.count, *result.type) + Total::room(result));
    const Buffer start = scratch.elements(result.count, *result.type);
    copy(team, result, start);
    Total group(team, operation, start, scratch);
    for (int bit = 1; bit < team.size(); bit *= 2) {
        const int partner = team.rank() ^ bit;
        if (partner >= team.size()) continue;
        team.exchange(group.now(), partner, group.incoming(), partner);
        if (partner < team.rank()) {
            combine(team, operation, group.incoming(), result);
            group.add_lower();
        } else {
            group.add_higher();
        }
    }
}

void linear(Team& team, const Operation& operation, const Buffer& result) {
    if (team.rank() > 0) {
        Scratch scratch(team.scratch(), Scratch::room(result.count, *result.type));
        const Buffer below = scratch.elements(result.count, *result.type);
        team.receive(below, team.rank() - 1);
        combine(team, operation, below, result);
    }
    if (team.rank() + 1 < team.size()) team.send(result, team.rank() + 1);
}

}  // namespace

void scan(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation) {
    if (bytes_of(result) == 0) return;
    if (!is_in_place(mine)) copy(team, mine, result);
    const Algorithm algorithm =
        choose(Collective::scan, team, bytes_of(result), operation.is_commutative());
    if (algorithm == Algorithm::linear)
        linear(team, operation, result);
    else
        recursive_doubling(team, operation, result);
}

}  // namespace railyard::mpi
