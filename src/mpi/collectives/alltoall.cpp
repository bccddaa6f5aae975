#include "mpi/collectives/alltoall.hpp"

#include <algorithm>
#include <bit>

#include "mpi/collectives/bruck.hpp"
#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi {

namespace {

/// Messages under way at once: enough to keep a network busy, few enough to take little memory.
constexpr int at_once = 32;

void start_exchange(Party& party, const ConstBuffer& out, int to, const Buffer& in, int from) {
    if (bytes_of(in) > 0) party.start_receive(in, from);
    if (bytes_of(out) > 0) party.start_send(out, to);
}

void exchange_filled(Party& party, const ConstBuffer& out, int to, const Buffer& in, int from) {
    const bool sends = bytes_of(out) > 0;
    const bool receives = bytes_of(in) > 0;
    if (sends && receives)
        party.exchange(out, to, in, from);
    else if (sends)
        party.send(out, to);
    else if (receives)
        party.receive(in, from);
}

}  // namespace

void alltoall_pairwise(Party& party, const ConstBlocks& out, const Blocks& in) {
    if (out.is_in_place()) return alltoall_in_place(party, in);
    const int ranks = party.size();
    const int rank = party.rank();
    copy(party, out[rank], in[rank]);
    const bool by_xor = std::has_single_bit(static_cast<unsigned>(ranks));
    for (int i = 1; i < ranks; ++i) {
        const int to = by_xor ? rank ^ i : (rank + i) % ranks;
        const int from = by_xor ? to : (rank - i + ranks) % ranks;
        exchange_filled(party, out[to], to, in[from], from);
    }
}

void alltoall_linear(Party& party, const ConstBlocks& out, const Blocks& in) {
    if (out.is_in_place()) return alltoall_in_place(party, in);
    const int ranks = party.size();
    const int rank = party.rank();
    for (int i = 1; i < ranks; ++i) {
        const int to = (rank + i) % ranks;
        const int from = (rank - i + ranks) % ranks;
        start_exchange(party, out[to], to, in[from], from);
        if (i % at_once == 0) party.wait_all();
    }
    copy(party, out[rank], in[rank]);
    party.wait_all();
}

void alltoall_in_place(Party& party, const Blocks& data) {
    const int ranks = party.size();
    std::size_t longest = 0;
    for (int i = 0; i < ranks; ++i)
        longest = std::max(longest, bytes_of(data[i]));
    Scratch scratch(party.scratch(), Scratch::room(longest));
    const std::span<std::byte> packed = scratch.bytes(longest);
    // In round i, ranks whose sum is i (round the end) exchange: each pair once, and both at once.
    for (int i = 0; i < ranks; ++i) {
        const int partner = (i - party.rank() + ranks) % ranks;
        const Buffer block = data[partner];
        const std::size_t bytes = bytes_of(block);
        if (partner == party.rank() || bytes == 0) continue;
        pack(party, block, packed.first(bytes));
        party.exchange(as_buffer(packed.first(bytes)), partner, block, partner);
    }
}

void alltoall(Party& party, const ConstBuffer& out, const Buffer& in) {
    if (bytes_of(in) == 0) return;
    const ConstBlocks out_blocks(out);
    const Blocks in_blocks(in);
    switch (choose(Collective::alltoall, party, bytes_of(in))) {
        case Algorithm::bruck:
            return alltoall_bruck(party, out_blocks, in_blocks);
        case Algorithm::linear:
            return alltoall_linear(party, out_blocks, in_blocks);
        default:
            return alltoall_pairwise(party, out_blocks, in_blocks);
    }
}

}  // namespace railyard::mpi
