#include "mpi/collectives/inter.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/subteam.hpp"
#include "mpi/collectives/with_all.hpp"

namespace railyard::mpi::inter {

namespace {

/// One of the two groups, as ranks of the divided team.
struct Side {
    int first;
    int count;
};

/// Both, as the calling rank sees them.
struct Sides {
    explicit Sides(const Team& team)
        : own{0, team.divided_at()}, other{team.divided_at(), team.size() - team.divided_at()} {
        if (team.rank() >= team.divided_at()) std::swap(own, other);
        rank = team.rank() - own.first;
    }
    Side own;
    Side other;
    int rank;  ///< in the own group
};

/// What is left of a whole team's circumstances to a part of it.
Circumstances of_part(const Circumstances& whole) {
    return {.shares_cores = whole.shares_cores, .one_node = whole.one_node};
}

/// One group as a team of its own, perhaps after a rank of the other.
auto part_team(Team& whole, const Side& side, int before = -1) {
    const int more = before >= 0 ? 1 : 0;
    const int first = side.first - more;
    return Subteam(whole, whole.rank() == before ? 0 : whole.rank() - first, side.count + more,
                   of_part(whole.circumstances()), [before, first](int rank) {
                       return rank == 0 && before >= 0 ? before : first + rank;
                   });
}

/// The root, as rank 0, and the group that it deals with.
auto root_and_group(Team& team, int root) {
    const Sides sides(team);
    if (root == root_here) return part_team(team, sides.other, team.rank());
    return part_team(team, sides.own, sides.other.first + root);
}

/// Blocks for the ranks after the root, whose own is never looked at.
template <class AnyBuffer>
AnyBuffer from_rank_one(const AnyBuffer& first) {
    const auto each = static_cast<std::ptrdiff_t>(first.count) * first.type->extent();
    return AnyBuffer(Buffer{moved(first.address, -each), first.count, first.type});
}

std::size_t bytes_of_all(const Blocks& all, int count) {
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i)
        bytes += bytes_of(all[i]);
    return bytes;
}

/// The other group's data, combined: at the first rank of the own group, in `theirs`.
void swap_totals(Team& team, const Sides& sides, const ConstBuffer& mine, const Operation& op,
                 const Buffer& own_total, const Buffer& theirs) {
    auto own = part_team(team, sides.own);
    mpi::reduce(own, mine, own_total, op, 0);
    if (sides.rank == 0) team.exchange(own_total, sides.other.first, theirs, sides.other.first);
}

/// The same for all, in scratch; then `deal(own, total)` gives the own group's ranks theirs.
template <class Deal>
void reduce_and_deal(Team& team, const ConstBuffer& mine, const Operation& operation, Deal&& deal) {
    const Sides sides(team);
    if (bytes_of(mine) == 0) return;
    const std::size_t room = sides.rank == 0 ? Scratch::room(mine.count, *mine.type) : 0;
    Scratch scratch(team.scratch(), 2 * room);
    Buffer own_total{nullptr, mine.count, mine.type};
    Buffer theirs = own_total;
    if (sides.rank == 0) {
        own_total = scratch.elements(mine.count, *mine.type);
        theirs = scratch.elements(mine.count, *mine.type);
    }
    swap_totals(team, sides, mine, operation, own_total, theirs);
    auto own = part_team(team, sides.own);
    deal(own, theirs);
}

}  // namespace

void bcast(Team& team, const Buffer& data, int root) {
    if (root == no_root) return;
    auto part = root_and_group(team, root);
    mpi::bcast(part, data, 0);
}

void gather(Team& team, const ConstBuffer& mine, const Buffer& all, int root) {
    if (root == no_root) return;
    auto part = root_and_group(team, root);
    if (root == root_here)
        mpi::gather(part, in_place(), from_rank_one(all), 0);
    else
        mpi::gather(part, mine, Buffer(), 0);
}

void scatter(Team& team, const ConstBuffer& all, const Buffer& mine, int root) {
    if (root == no_root) return;
    auto part = root_and_group(team, root);
    if (root == root_here)
        mpi::scatter(part, from_rank_one(all), in_place(), 0);
    else
        mpi::scatter(part, ConstBuffer(), mine, 0);
}

void gatherv(Team& team, const ConstBuffer& mine, const Blocks& all, int root) {
    const Side other = Sides(team).other;
    if (root == no_root) return;
    if (root != root_here) {
        if (bytes_of(mine) > 0) team.send(mine, other.first + root);
        return;
    }
    for (int i = 0; i < other.count; ++i)
        if (bytes_of(all[i]) > 0) team.start_receive(all[i], other.first + i);
    team.wait_all();
}

void scatterv(Team& team, const ConstBlocks& all, const Buffer& mine, int root) {
    const Side other = Sides(team).other;
    if (root == no_root) return;
    if (root != root_here) {
        if (bytes_of(mine) > 0) team.receive(mine, other.first + root);
        return;
    }
    for (int i = 0; i < other.count; ++i)
        if (bytes_of(all[i]) > 0) team.start_send(all[i], other.first + i);
    team.wait_all();
}

void reduce(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation,
            int root) {
    const Sides sides(team);
    if (root == no_root) return;
    if (root == root_here) {
        if (bytes_of(result) > 0) team.receive(result, sides.other.first);
        return;
    }
    if (bytes_of(mine) == 0) return;
    Scratch scratch(team.scratch(), sides.rank == 0 ? Scratch::room(mine.count, *mine.type) : 0);
    Buffer total{nullptr, mine.count, mine.type};
    if (sides.rank == 0) total = scratch.elements(mine.count, *mine.type);
    auto own = part_team(team, sides.own);
    mpi::reduce(own, mine, total, operation, 0);
    if (sides.rank == 0) team.send(total, sides.other.first + root);
}

// The first rank of each group collects what the other group has, and tells its own group.
void allgather(Team& team, const ConstBuffer& mine, const Blocks& all) {
    const Sides sides(team);
    const int count = sides.other.count;
    const bool packs = !all.is_even();
    const std::size_t total = bytes_of_all(all, count);
    Scratch scratch(team.scratch(), packs ? Scratch::room(total) : 0);
    const std::span<std::byte> packed = packs ? scratch.bytes(total) : std::span<std::byte>();
    if (sides.rank == 0)
        for (std::size_t i = 0, at = 0; i < static_cast<std::size_t>(count); ++i) {
            const Buffer block = all[static_cast<int>(i)];
            const std::size_t bytes = bytes_of(block);
            if (bytes > 0)
                team.start_receive(packs ? as_buffer(packed.subspan(at, bytes)) : block,
                                   sides.other.first + static_cast<int>(i));
            at += bytes;
        }
    if (bytes_of(mine) > 0) team.start_send(mine, sides.other.first);
    team.wait_all();
    if (total == 0) return;
    auto own = part_team(team, sides.own);
    if (!packs) return mpi::bcast(own, all.range(0, count), 0);
    mpi::bcast(own, as_buffer(packed), 0);
    for (std::size_t i = 0, at = 0; i < static_cast<std::size_t>(count); ++i) {
        const Buffer block = all[static_cast<int>(i)];
        unpack(team, packed.subspan(at, bytes_of(block)), block);
        at += bytes_of(block);
    }
}

// In each round a rank deals with one of the other group, and that one with it, so that no batch of
// rounds waits for a later one.
void alltoall(Team& team, const ConstBlocks& out, const Blocks& in) {
    const Sides sides(team);
    const int rounds = std::max(sides.own.count, sides.other.count);
    const int sign = sides.own.first == 0 ? 1 : -1;
    for (int round = 0; round < rounds; ++round) {
        const int partner = (sides.rank + sign * round + rounds) % rounds;
        if (partner < sides.other.count) {
            if (bytes_of(in[partner]) > 0)
                team.start_receive(in[partner], sides.other.first + partner);
            if (bytes_of(out[partner]) > 0)
                team.start_send(out[partner], sides.other.first + partner);
        }
        if ((round + 1) % messages_at_once == 0) team.wait_all();
    }
    team.wait_all();
}

void allreduce(Team& team, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation) {
    const Sides sides(team);
    if (bytes_of(mine) == 0) return;
    Scratch scratch(team.scratch(), sides.rank == 0 ? Scratch::room(mine.count, *mine.type) : 0);
    Buffer own_total{nullptr, mine.count, mine.type};
    if (sides.rank == 0) own_total = scratch.elements(mine.count, *mine.type);
    swap_totals(team, sides, mine, operation, own_total, result);
    auto own = part_team(team, sides.own);
    mpi::bcast(own, result, 0);
}

void reduce_scatter(Team& team, const ConstBuffer& mine, const Buffer& result, Integers counts,
                    const Operation& operation) {
    reduce_and_deal(team, mine, operation, [&](Team& own, const Buffer& total) {
        std::vector<std::int64_t> places;
        std::int64_t place = 0;
        for (int i = 0; own.rank() == 0 && i < own.size(); ++i) {
            places.push_back(place);
            place += counts[i];
        }
        const Buffer share{result.address, static_cast<std::size_t>(counts[own.rank()]),
                           result.type};
        mpi::scatterv(own, ConstBlocks(total.address, counts, places.data(), *total.type), share,
                      0);
    });
}

void reduce_scatter_block(Team& team, const ConstBuffer& mine, const Buffer& result,
                          const Operation& operation) {
    reduce_and_deal(team, mine, operation, [&](Team& own, const Buffer& total) {
        mpi::scatter(own, ConstBuffer(total.address, result.count, *total.type), result, 0);
    });
}

}  // namespace railyard::mpi::inter
