#include "mpi/collectives/collectives.hpp"

#include "mpi/collectives/combine.hpp"

namespace railyard::mpi {

namespace {

/// What a rank passes on covers its whole group, the result only those below it in the group.
void scan_doubling(Team& team, const Operation& operation, const Buffer& result) {
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

void scan_linear(Team& team, const Operation& operation, const Buffer& result) {
    if (team.rank() > 0) {
        Scratch scratch(team.scratch(), Scratch::room(result.count, *result.type));
        const Buffer below = scratch.elements(result.count, *result.type);
        team.receive(below, team.rank() - 1);
        combine(team, operation, below, result);
    }
    if (team.rank() + 1 < team.size()) team.send(result, team.rank() + 1);
}

/// `data` are this rank's, and not in the result.
void exscan_doubling(Team& team, const Operation& operation, const ConstBuffer& data,
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

void exscan_linear(Team& team, const Operation& operation, const Buffer& data,
                   const Buffer& result) {
    if (team.rank() > 0) {
        team.receive(result, team.rank() - 1);
        combine(team, operation, result, data);
    }
    if (team.rank() + 1 < team.size()) team.send(data, team.rank() + 1);
}

}  // namespace

void scan(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation) {
    if (bytes_of(result) == 0) return;
    if (!is_in_place(mine)) copy(team, mine, result);
    const Algorithm algorithm = choose(Collective::scan, team, result, operation);
    if (algorithm == Algorithm::linear)
        scan_linear(team, operation, result);
    else
        scan_doubling(team, operation, result);
}

void exscan(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation) {
    const ConstBuffer given = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes_of(given) == 0 || team.size() == 1) return;
    Scratch scratch(team.scratch(), Scratch::room(given.count, *given.type) + Total::room(given));
    const Buffer data = scratch.elements(given.count, *given.type);
    copy(team, given, data);
    const Algorithm algorithm = choose(Collective::exscan, team, given, operation);
    if (algorithm == Algorithm::linear)
        exscan_linear(team, operation, data, result);
    else
        exscan_doubling(team, operation, data, result, scratch);
}

}  // namespace railyard::mpi
