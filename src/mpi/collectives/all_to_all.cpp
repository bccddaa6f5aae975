#include <algorithm>
#include <bit>

#include "mpi/collectives/by_node.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/inter.hpp"
#include "mpi/collectives/shared.hpp"
#include "mpi/collectives/with_all.hpp"

namespace railyard::mpi {

namespace {

// A rank's own block is in its place in `all` before these are called, but where they take it.

/// Even blocks only: what a rank has after each round is one range of them.
void allgather_doubling(Team& team, const Blocks& all) {
    const Fold fold(team);
    if (fold.is_extra())
        return leave_to_proxy(team, fold, all[team.rank()], all.range(0, team.size()));
    if (fold.is_proxy()) team.receive(all[fold.other()], fold.other());
    const auto range = [&](int vrank, int count) {
        const int first = fold.first_at(vrank);
        return all.range(first, fold.first_at(vrank + count) - first);
    };
    for (int bit = 1; bit < fold.vranks(); bit *= 2) {
        const int start = fold.vrank() & ~(bit - 1);
        const int partner = fold.rank_at(fold.vrank() ^ bit);
        team.exchange(range(start, bit), partner, range(start ^ bit, bit), partner);
    }
    if (fold.is_proxy()) team.send(all.range(0, team.size()), fold.other());
}

/// The blocks from one's own on, round the end, as packed by Bruck's algorithm.
std::size_t packed_size(const Blocks& all, int first, int count, int ranks) {
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i)
        bytes += bytes_of(all[(first + i) % ranks]);
    return bytes;
}

void unpack_all(Team& team, std::span<const std::byte> packed, const Blocks& all, int first,
                int count) {
    for (int i = 0; i < count; ++i) {
        const Buffer block = all[(first + i) % team.size()];
        unpack(team, packed.first(bytes_of(block)), block);
        packed = packed.subspan(bytes_of(block));
    }
}

/// Blocks go round, each rank to the next.
void allgather_ring(Team& team, const Blocks& all) {
    pass_round(team, Tree::flat(team, 0), [&](int rank) { return all[rank]; });
}

/// log2(ranks) rounds for any number of ranks; the blocks are packed.
void allgather_bruck(Team& team, const Blocks& all) {
    const int ranks = team.size();
    const int rank = team.rank();
    const std::size_t total = packed_size(all, rank, ranks, ranks);
    Scratch scratch(team.scratch(), Scratch::room(total));
    const std::span<std::byte> packed = scratch.bytes(total);
    std::size_t have = bytes_of(all[rank]);
    const std::size_t own = have;
    pack(team, all[rank], packed.first(have));
    for (int distance = 1; distance < ranks; distance *= 2) {
        const int to = (rank - distance + ranks) % ranks;
        const int from = (rank + distance) % ranks;
        const int blocks = std::min(distance, ranks - distance);
        const std::size_t out = packed_size(all, rank, blocks, ranks);
        const std::size_t in = packed_size(all, from, blocks, ranks);
        team.exchange(as_buffer(packed.first(out)), to, as_buffer(packed.subspan(have, in)), from);
        have += in;
    }
    unpack_all(team, packed.subspan(own), all, rank + 1, ranks - 1);
}

/// All to rank 0, which sends all to all.
void allgather_flat(Team& team, const Blocks& all) {
    const ConstBuffer mine = team.rank() == 0 ? ConstBuffer(in_place()) : all[team.rank()];
    gather_flat(team, mine, all, 0);
    const Tree tree = Tree::flat(team, 0);
    if (all.is_even()) return send_down(team, tree, all.range(0, team.size()));
    const std::size_t total = packed_size(all, 0, team.size(), team.size());
    Scratch scratch(team.scratch(), Scratch::room(total));
    const std::span<std::byte> packed = scratch.bytes(total);
    if (tree.is_root()) {
        std::span<std::byte> left = packed;
        for (int i = 0; i < team.size(); ++i) {
            const Buffer block = all[i];
            pack(team, block, left.first(bytes_of(block)));
            left = left.subspan(bytes_of(block));
        }
    }
    send_down(team, tree, as_buffer(packed));
    if (!tree.is_root()) unpack_all(team, packed, all, 0, team.size());
}

void exchange_filled(Team& team, const ConstBuffer& out, int to, const Buffer& in, int from) {
    const bool sends = bytes_of(out) > 0;
    const bool receives = bytes_of(in) > 0;
    if (sends && receives)
        team.exchange(out, to, in, from);
    else if (sends)
        team.send(out, to);
    else if (receives)
        team.receive(in, from);
}

void alltoall_in_place(Team& team, const Blocks& data) {
    const int ranks = team.size();
    std::size_t longest = 0;
    for (int i = 0; i < ranks; ++i)
        longest = std::max(longest, bytes_of(data[i]));
    Scratch scratch(team.scratch(), Scratch::room(longest));
    const std::span<std::byte> packed = scratch.bytes(longest);
    // In round i, ranks whose sum is i (round the end) exchange: each pair once, and both at once.
    for (int i = 0; i < ranks; ++i) {
        const int partner = (i - team.rank() + ranks) % ranks;
        const Buffer block = data[partner];
        const std::size_t bytes = bytes_of(block);
        if (partner == team.rank() || bytes == 0) continue;
        pack(team, block, packed.first(bytes));
        team.exchange(as_buffer(packed.first(bytes)), partner, block, partner);
    }
}

/// With one partner after the other. Empty blocks are not sent.
void alltoall_pairwise(Team& team, const ConstBlocks& out, const Blocks& in) {
    if (out.is_in_place()) return alltoall_in_place(team, in);
    const int ranks = team.size();
    const int rank = team.rank();
    copy(team, out[rank], in[rank]);
    const bool by_xor = std::has_single_bit(static_cast<unsigned>(ranks));
    for (int i = 1; i < ranks; ++i) {
        const int to = by_xor ? rank ^ i : (rank + i) % ranks;
        const int from = by_xor ? to : (rank - i + ranks) % ranks;
        exchange_filled(team, out[to], to, in[from], from);
    }
}

/// Every block from its own rank, many at once. One's own is sent from where the user has it, and
/// put into its place meanwhile.
void allgather_linear(Team& team, const ConstBuffer& mine, const Blocks& all) {
    const ConstBuffer own = is_in_place(mine) ? ConstBuffer(all[team.rank()]) : mine;
    start_with_all(
        team, [&](int) { return own; }, [&](int from) { return all[from]; });
    if (!is_in_place(mine)) copy(team, mine, all[team.rank()]);
    team.wait_all();
}

/// With many at once.
void alltoall_linear(Team& team, const ConstBlocks& out, const Blocks& in) {
    if (out.is_in_place()) return alltoall_in_place(team, in);
    start_with_all(
        team, [&](int to) { return out[to]; }, [&](int from) { return in[from]; });
    copy(team, out[team.rank()], in[team.rank()]);
    team.wait_all();
}

// No rank knows the others' lengths, so the choice is by ranks alone.
void alltoall_uneven(Team& team, Collective collective, const ConstBlocks& out, const Blocks& in) {
    if (team.is_divided()) [[unlikely]]
        return inter::alltoall(team, out, in);
    if (choose(collective, team, 0) == Algorithm::pairwise)
        alltoall_pairwise(team, out, in);
    else
        alltoall_linear(team, out, in);
}

}  // namespace

void allgather(Team& team, const ConstBuffer& mine, const Buffer& all) {
    if (team.is_divided()) [[unlikely]]
        return inter::allgather(team, mine, Blocks(all));
    if (bytes_of(all) == 0) return;
    const Blocks blocks(all);
    const Algorithm chosen = choose(Collective::allgather, team, bytes_of(all));
    if (chosen == Algorithm::direct) {
        if (shared::allgather_directly(team, mine, all)) return;
        const Otherwise otherwise(team);
        return allgather_linear(team, mine, blocks);
    }
    if (chosen == Algorithm::shared) return shared::allgather(team, mine, all);
    if (chosen == Algorithm::linear) return allgather_linear(team, mine, blocks);
    if (chosen == Algorithm::by_node) return by_node::allgather(team, mine, blocks);
    if (!is_in_place(mine)) copy(team, mine, blocks[team.rank()]);
    if (team.size() == 1) return;
    switch (chosen) {
        case Algorithm::recursive_doubling:
            return allgather_doubling(team, blocks);
        case Algorithm::bruck:
            return allgather_bruck(team, blocks);
        case Algorithm::flat:
            return allgather_flat(team, blocks);
        default:
            return allgather_ring(team, blocks);
    }
}

void allgatherv(Team& team, const ConstBuffer& mine, const Blocks& all) {
    if (team.is_divided()) [[unlikely]]
        return inter::allgather(team, mine, all);
    std::size_t total = 0;
    for (int i = 0; i < team.size(); ++i)
        total += bytes_of(all[i]);
    if (total == 0) return;
    const Algorithm chosen = choose(Collective::allgatherv, team, total);
    if (chosen == Algorithm::linear) return allgather_linear(team, mine, all);
    if (!is_in_place(mine)) copy(team, mine, all[team.rank()]);
    if (team.size() == 1) return;
    switch (chosen) {
        case Algorithm::bruck:
            return allgather_bruck(team, all);
        case Algorithm::flat:
            return allgather_flat(team, all);
        default:
            return allgather_ring(team, all);
    }
}

void alltoall(Team& team, const ConstBuffer& out, const Buffer& in) {
    if (team.is_divided()) [[unlikely]]
        return inter::alltoall(team, ConstBlocks(out), Blocks(in));
    if (bytes_of(in) == 0) return;
    const ConstBlocks out_blocks(out);
    const Blocks in_blocks(in);
    switch (choose(Collective::alltoall, team, bytes_of(in))) {
        case Algorithm::direct:
            if (!is_in_place(out)) {
                if (shared::alltoall_directly(team, out, in)) return;
                const Otherwise otherwise(team);
                return alltoall_linear(team, out_blocks, in_blocks);
            }
            return alltoall_linear(team, out_blocks, in_blocks);
        case Algorithm::shared:
            return shared::alltoall(team, out, in);
        case Algorithm::by_node:
            return by_node::alltoall(team, out_blocks, in_blocks, bytes_of(in));
        case Algorithm::bruck:
            return alltoall_bruck(team, out_blocks, in_blocks);
        case Algorithm::linear:
            return alltoall_linear(team, out_blocks, in_blocks);
        default:
            return alltoall_pairwise(team, out_blocks, in_blocks);
    }
}

void alltoallv(Team& team, const ConstBlocks& out, const Blocks& in) {
    alltoall_uneven(team, Collective::alltoallv, out, in);
}

void alltoallw(Team& team, const ConstBlocks& out, const Blocks& in) {
    alltoall_uneven(team, Collective::alltoallw, out, in);
}

}  // namespace railyard::mpi
