#include "mpi/collectives/allgather.hpp"

#include <algorithm>

#include "mpi/collectives/bcast.hpp"
#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/fold.hpp"
#include "mpi/collectives/gather.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/collectives/tree.hpp"

namespace railyard::mpi {

namespace {

/// Even blocks only: what a rank has after each round is one range of them.
void allgather_doubling(Party& party, const Blocks& all) {
    const Fold fold(party);
    if (fold.is_spoken_for()) {
        party.send(all[party.rank()], fold.mate());
        party.receive(all.range(0, party.size()), fold.mate());
        return;
    }
    if (fold.speaks_for_two()) party.receive(all[fold.mate()], fold.mate());
    const auto range = [&](int place, int places) {
        const int first = fold.first_at(place);
        return all.range(first, fold.first_at(place + places) - first);
    };
    for (int bit = 1; bit < fold.places(); bit *= 2) {
        const int start = fold.place() & ~(bit - 1);
        const int partner = fold.rank_at(fold.place() ^ bit);
        party.exchange(range(start, bit), partner, range(start ^ bit, bit), partner);
    }
    if (fold.speaks_for_two()) party.send(all.range(0, party.size()), fold.mate());
}

/// The blocks from one's own on, round the end, as packed by Bruck's algorithm.
std::size_t packed_size(const Blocks& all, int first, int count, int ranks) {
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i)
        bytes += bytes_of(all[(first + i) % ranks]);
    return bytes;
}

void unpack_all(Party& party, std::span<const std::byte> packed, const Blocks& all, int first,
                int count) {
    for (int i = 0; i < count; ++i) {
        const Buffer block = all[(first + i) % party.size()];
        unpack(party, packed.first(bytes_of(block)), block);
        packed = packed.subspan(bytes_of(block));
    }
}

}  // namespace

void allgather_ring(Party& party, const Blocks& all) {
    const int ranks = party.size();
    const int next = (party.rank() + 1) % ranks;
    const int previous = (party.rank() + ranks - 1) % ranks;
    for (int step = 0; step < ranks - 1; ++step) {
        const int out = (party.rank() - step + ranks) % ranks;
        const int in = (party.rank() - step - 1 + ranks) % ranks;
        party.exchange(all[out], next, all[in], previous);
    }
}

void allgather_bruck(Party& party, const Blocks& all) {
    const int ranks = party.size();
    const int rank = party.rank();
    const std::size_t total = packed_size(all, rank, ranks, ranks);
    Scratch scratch(party.scratch(), Scratch::room(total));
    const std::span<std::byte> packed = scratch.bytes(total);
    std::size_t have = bytes_of(all[rank]);
    const std::size_t own = have;
    pack(party, all[rank], packed.first(have));
    for (int distance = 1; distance < ranks; distance *= 2) {
        const int to = (rank - distance + ranks) % ranks;
        const int from = (rank + distance) % ranks;
        const int blocks = std::min(distance, ranks - distance);
        const std::size_t out = packed_size(all, rank, blocks, ranks);
        const std::size_t in = packed_size(all, from, blocks, ranks);
        party.exchange(as_buffer(packed.first(out)), to, as_buffer(packed.subspan(have, in)), from);
        have += in;
    }
    unpack_all(party, packed.subspan(own), all, rank + 1, ranks - 1);
}

void allgather_flat(Party& party, const Blocks& all) {
    const ConstBuffer mine = party.rank() == 0 ? ConstBuffer(in_place()) : all[party.rank()];
    gather_flat(party, mine, all, 0);
    const Tree tree = Tree::flat(party, 0);
    if (all.is_even()) return send_down(party, tree, all.range(0, party.size()));
    const std::size_t total = packed_size(all, 0, party.size(), party.size());
    Scratch scratch(party.scratch(), Scratch::room(total));
    const std::span<std::byte> packed = scratch.bytes(total);
    if (tree.is_root()) {
        std::span<std::byte> left = packed;
        for (int i = 0; i < party.size(); ++i) {
            const Buffer block = all[i];
            pack(party, block, left.first(bytes_of(block)));
            left = left.subspan(bytes_of(block));
        }
    }
    send_down(party, tree, as_buffer(packed));
    if (!tree.is_root()) unpack_all(party, packed, all, 0, party.size());
}

void allgather(Party& party, const ConstBuffer& mine, const Buffer& all) {
    if (bytes_of(all) == 0) return;
    const Blocks blocks(all);
    if (!is_in_place(mine)) copy(party, mine, blocks[party.rank()]);
    if (party.size() == 1) return;
    switch (choose(Collective::allgather, party, bytes_of(all))) {
        case Algorithm::recursive_doubling:
            return allgather_doubling(party, blocks);
        case Algorithm::bruck:
            return allgather_bruck(party, blocks);
        case Algorithm::flat:
            return allgather_flat(party, blocks);
        default:
            return allgather_ring(party, blocks);
    }
}

}  // namespace railyard::mpi
