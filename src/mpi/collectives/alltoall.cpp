#include "mpi/collectives/collectives.hpp"

#include <algorithm>
#include <bit>

#include "mpi/collectives/choice.hpp"

namespace railyard::mpi {

namespace {

/// Messages under way at once: enough to keep a network busy, few enough to take little memory.
constexpr int messages_at_once = 32;

void start_exchange(Team& team, const ConstBuffer& out, int to, const Buffer& in, int from) {
    if (bytes_of(in) > 0) team.start_receive(in, from);
    if (bytes_of(out) > 0) team.start_send(out, to);
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

/// With many at once.
void alltoall_linear(Team& team, const ConstBlocks& out, const Blocks& in) {
    if (out.is_in_place()) return alltoall_in_place(team, in);
    const int ranks = team.size();
    const int rank = team.rank();
    for (int i = 1; i < ranks; ++i) {
        const int to = (rank + i) % ranks;
        const int from = (rank - i + ranks) % ranks;
        start_exchange(team, out[to], to, in[from], from);
        if (i % messages_at_once == 0) team.wait_all();
    }
    copy(team, out[rank], in[rank]);
    team.wait_all();
}

// No rank knows the others' lengths, so the choice is by ranks alone.
void alltoall_uneven(Team& team, Collective collective, const ConstBlocks& out, const Blocks& in) {
    if (choose(collective, team, 0) == Algorithm::pairwise)
        alltoall_pairwise(team, out, in);
    else
        alltoall_linear(team, out, in);
}

}  // namespace

void alltoall(Team& team, const ConstBuffer& out, const Buffer& in) {
    if (bytes_of(in) == 0) return;
    const ConstBlocks out_blocks(out);
    const Blocks in_blocks(in);
    switch (choose(Collective::alltoall, team, bytes_of(in))) {
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
