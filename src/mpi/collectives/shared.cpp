#include "mpi/collectives/shared.hpp"

#include "mpi/collectives/direct_meeting.hpp"
#include "mpi/collectives/long_meeting.hpp"
#include "mpi/collectives/meeting.hpp"

namespace railyard::mpi::shared {

namespace {

void meet(Team& team, const Meeting::Part& part, std::size_t bytes) {
    if (fits(part.collective, team.size(), bytes))
        team.meet(Meeting(part));
    else
        team.meet(LongMeeting(part));
}

/// Others find data by one address: what has gaps is packed before.
template <class Meet>
bool as_one_piece(Team& team, const ConstBuffer& data, Meet&& meet) {
    if (is_in_place(data) || data.type->is_dense()) return meet(data);
    const std::size_t bytes = bytes_of(data);
    Scratch scratch(team.scratch(), Scratch::room(bytes));
    const std::span<std::byte> packed = scratch.bytes(bytes);
    copy(team, data, as_buffer(packed));
    return meet(as_buffer(std::span<const std::byte>(packed)));
}

}  // namespace

bool fits(Collective collective, int ranks, std::size_t bytes) {
    constexpr std::size_t capacity = Hub::small.capacity;
    switch (collective) {
        case Collective::reduce:
        case Collective::allreduce:
            // What a predefined type takes in memory is less than twice its size.
            return bytes <= capacity / 2;
        case Collective::alltoall:
            return bytes <= capacity / static_cast<std::size_t>(ranks);
        default:
            return bytes <= capacity;
    }
}

bool goes_in_segments(Collective collective, int ranks, std::size_t bytes) {
    switch (collective) {
        case Collective::bcast:
        case Collective::reduce:
        case Collective::allreduce:
        case Collective::allgather:
            return true;
        case Collective::alltoall:
            // Beyond, that each byte is copied twice costs more than messages do.
            return bytes * static_cast<std::size_t>(ranks) <= 4 * Hub::wide.capacity;
        default:
            return false;
    }
}

bool goes_directly(Collective collective, int ranks, std::size_t bytes, bool shares_cores) {
    constexpr std::size_t KiB = 1024;
    const bool is_pair = !shares_cores && ranks == 2;
    switch (collective) {
        case Collective::bcast:
            return is_pair && bytes >= 32 * KiB;
        case Collective::allgather:
            return is_pair && bytes > 32 * KiB && bytes <= 256 * KiB;
        case Collective::reduce:
            return is_pair && bytes >= 16 * KiB;
        case Collective::alltoall:
            return shares_cores ? !goes_in_segments(collective, ranks, bytes)
                                : is_pair && bytes >= 16 * KiB;
        default:
            return false;
    }
}

void barrier(Team& team) {
    team.meet(Meeting({.collective = Collective::barrier}));
}

void bcast(Team& team, const Buffer& data, int root) {
    meet(team, {.collective = Collective::bcast, .result = data, .root = root}, bytes_of(data));
}

void gather(Team& team, const ConstBuffer& mine, const Buffer& all, int root) {
    team.meet(
        Meeting({.collective = Collective::gather, .data = mine, .result = all, .root = root}));
}

void scatter(Team& team, const ConstBuffer& all, const Buffer& mine, int root) {
    team.meet(
        Meeting({.collective = Collective::scatter, .data = all, .result = mine, .root = root}));
}

void reduce(Team& team, const Operation& operation, const ConstBuffer& data, const Buffer& result,
            int root) {
    meet(team, {Collective::reduce, data, result, &operation, root}, bytes_of(data));
}

void allreduce(Team& team, const Operation& operation, const ConstBuffer& data,
               const Buffer& result) {
    meet(team, {Collective::allreduce, data, result, &operation}, bytes_of(data));
}

void allgather(Team& team, const ConstBuffer& mine, const Buffer& all) {
    if (!is_in_place(mine) && bytes_of(mine) != bytes_of(all)) team.note_disagreement();
    meet(team, {.collective = Collective::allgather, .data = mine, .result = all}, bytes_of(all));
}

void alltoall(Team& team, const ConstBuffer& out, const Buffer& in) {
    meet(team, {.collective = Collective::alltoall, .data = out, .result = in}, bytes_of(in));
}

bool bcast_directly(Team& team, const Buffer& data, int root) {
    if (team.rank() != root || data.type->is_dense())
        return team.meet_directly(
            DirectMeeting({.collective = Collective::bcast, .result = data, .root = root}));
    return as_one_piece(team, data, [&](const ConstBuffer& packed) {
        const Buffer given{const_cast<void*>(packed.address), packed.count, packed.type};
        return team.meet_directly(
            DirectMeeting({.collective = Collective::bcast, .result = given, .root = root}));
    });
}

bool reduce_directly(Team& team, const Operation& operation, const ConstBuffer& data,
                     const Buffer& result, int root) {
    return team.meet_directly(DirectMeeting({Collective::reduce, data, result, &operation, root}));
}

bool allgather_directly(Team& team, const ConstBuffer& mine, const Buffer& all) {
    if (!is_in_place(mine) && bytes_of(mine) != bytes_of(all)) team.note_disagreement();
    const ConstBuffer own = is_in_place(mine) ? ConstBuffer(Blocks(all)[team.rank()]) : mine;
    if (is_in_place(mine) && own.type->is_dense())
        return team.meet_directly(
            DirectMeeting({.collective = Collective::allgather, .data = mine, .result = all}));
    return as_one_piece(team, own, [&](const ConstBuffer& packed) {
        return team.meet_directly(
            DirectMeeting({.collective = Collective::allgather, .data = packed, .result = all}));
    });
}

bool alltoall_directly(Team& team, const ConstBuffer& out, const Buffer& in) {
    const ConstBuffer whole = ConstBlocks(out).range(0, team.size());
    const auto meet = [&](const ConstBuffer& first) {
        return team.meet_directly(
            DirectMeeting({.collective = Collective::alltoall, .data = first, .result = in}));
    };
    if (out.type->is_dense()) return meet(out);
    return as_one_piece(team, whole, [&](const ConstBuffer& packed) {
        return meet(part(packed, 0, bytes_of(out)));
    });
}

}  // namespace railyard::mpi::shared
