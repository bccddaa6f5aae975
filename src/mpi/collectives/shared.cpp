#include "mpi/collectives/shared.hpp"

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

}  // namespace railyard::mpi::shared
