#include "mpi/collectives/shared.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "mpi/collectives/combine.hpp"

namespace railyard::mpi::shared {

namespace {

/// Before data that are to be as long on all ranks: their length, since no message tells it.
using Length = std::uint64_t;
constexpr std::size_t room = Hub::capacity - sizeof(Length);

std::span<std::byte> data_in(std::byte* slot, std::size_t bytes) {
    return {slot + sizeof(Length), bytes};
}

void put_length(std::byte* slot, Length bytes) {
    std::memcpy(slot, &bytes, sizeof bytes);
}

bool has_length(const std::byte* slot, Length bytes) {
    return std::memcmp(slot, &bytes, sizeof bytes) == 0;
}

void meet(Hub& hub) {
    if (hub.arrive())
        hub.release();
    else
        hub.await();
}

}  // namespace

bool fits(Collective collective, int ranks, std::size_t bytes) {
    switch (collective) {
        case Collective::allreduce:
            // What a predefined type takes in memory is less than twice its size.
            return bytes <= Hub::capacity / 2;
        case Collective::alltoall:
            return bytes <= room / static_cast<std::size_t>(ranks);
        default:
            return bytes <= room;
    }
}

void barrier(Team& team) {
    meet(*team.hub());
}

/// The last to come combines, in the order of ranks: all get the same bits, whoever it is.
void allreduce(Team& team, const Operation& operation, const ConstBuffer& data,
               const Buffer& result) {
    Hub& hub = *team.hub();
    const auto in_slot = [&](std::byte* slot) { return Buffer{slot, result.count, result.type}; };
    copy(team, data, in_slot(hub.own_slot()));
    if (hub.arrive()) {
        const Buffer total = in_slot(hub.result());
        int rank = team.size() - 1;
        copy(team, in_slot(hub.slot(rank)), total);
        while (rank-- > 0)
            combine(team, operation, in_slot(hub.slot(rank)), total);
        hub.release();
    } else {
        hub.await();
    }
    copy(team, in_slot(hub.result()), result);
}

void allgather(Team& team, const ConstBuffer& mine, const Blocks& all) {
    Hub& hub = *team.hub();
    const ConstBuffer own = is_in_place(mine) ? ConstBuffer(all[team.rank()]) : mine;
    const std::size_t each = bytes_of(all[0]);
    if (bytes_of(own) != each) team.note_disagreement();
    const std::size_t length = std::min(bytes_of(own), room);
    put_length(hub.own_slot(), length);
    pack(team, own, data_in(hub.own_slot(), length));
    meet(hub);
    for (int rank = 0; rank < team.size(); ++rank) {
        if (!has_length(hub.slot(rank), each)) team.note_disagreement();
        unpack(team, data_in(hub.slot(rank), each), all[rank]);
    }
}

void alltoall(Team& team, const ConstBlocks& out, const Blocks& in) {
    Hub& hub = *team.hub();
    const ConstBlocks& given = out.is_in_place() ? ConstBlocks(in) : out;
    const std::size_t each = bytes_of(in[0]);
    put_length(hub.own_slot(), bytes_of(given[0]));
    for (int to = 0; to < team.size() && bytes_of(given[to]) == each; ++to)
        pack(team, given[to],
             data_in(hub.own_slot(), each * static_cast<std::size_t>(team.size()))
                 .subspan(each * static_cast<std::size_t>(to), each));
    meet(hub);
    for (int from = 0; from < team.size(); ++from) {
        if (!has_length(hub.slot(from), each)) team.note_disagreement();
        unpack(team,
               data_in(hub.slot(from), each * static_cast<std::size_t>(team.size()))
                   .subspan(each * static_cast<std::size_t>(team.rank()), each),
               in[from]);
    }
}

}  // namespace railyard::mpi::shared
