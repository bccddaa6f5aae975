// Reductions of large data in two steps, whatever the number of ranks: nobody waits for one who
// waits, which counts where ranks share cores. As many bytes move as in Rabenseifner's algorithm.

#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/with_all.hpp"

namespace railyard::mpi {

namespace {

/// This rank's part of all ranks' data, combined in their order.
void combine_own_part(Team& team, const Operation& operation, const ConstBuffer& data,
                      const EvenCut& parts, const Buffer& result) {
    const int ranks = team.size();
    const int rank = team.rank();
    const ConstBuffer own = parts.of(data, rank);
    const std::size_t each = Scratch::room(own.count, *own.type);
    Scratch scratch(team.scratch(), static_cast<std::size_t>(ranks - 1) * each);
    const Buffer first = scratch.elements(own.count, *own.type);
    const auto from = [&](int other) {
        const std::ptrdiff_t place = other < rank ? other : other - 1;
        return Buffer{moved(first.address, place * static_cast<std::ptrdiff_t>(each)), own.count,
                      own.type};
    };
    start_with_all(
        team, [&](int to) { return parts.of(data, to); }, from);
    team.wait_all();
    const bool is_highest = rank == ranks - 1;
    const Buffer total = is_highest ? result : from(ranks - 1);
    if (is_highest) copy(team, own, total);
    for (int other = ranks - 1; other-- > 0;)
        combine(team, operation, other == rank ? own : ConstBuffer(from(other)), total);
    if (!is_highest) copy(team, total, result);
}

}  // namespace

void reduce_linear(Team& team, const Operation& operation, const ConstBuffer& data,
                   const Buffer& result, int root) {
    const EvenCut parts(data.count, team.size());
    if (team.rank() == root) {
        combine_own_part(team, operation, data, parts, parts.of(result, root));
        for (int from = 0; from < team.size(); ++from)
            if (from != root && parts.of(result, from).count > 0)
                team.start_receive(parts.of(result, from), from);
        return team.wait_all();
    }
    const std::size_t count = parts.of(data, team.rank()).count;
    Scratch scratch(team.scratch(), Scratch::room(count, *data.type));
    const Buffer own = scratch.elements(count, *data.type);
    combine_own_part(team, operation, data, parts, own);
    if (count > 0) team.send(own, root);
}

void allreduce_linear(Team& team, const Operation& operation, const ConstBuffer& data,
                      const Buffer& result) {
    const EvenCut parts(result.count, team.size());
    const Buffer own = parts.of(result, team.rank());
    combine_own_part(team, operation, data, parts, own);
    start_with_all(
        team, [&](int) { return ConstBuffer(own); },
        [&](int from) { return parts.of(result, from); });
    team.wait_all();
}

}  // namespace railyard::mpi
