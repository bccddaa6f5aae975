#include "mpi/collectives/shared.hpp"

#include "mpi/collectives/meeting.hpp"

namespace railyard::mpi::shared {

bool fits(Collective collective, int ranks, std::size_t bytes) {
    switch (collective) {
        case Collective::reduce:
        case Collective::allreduce:
            // What a predefined type takes in memory is less than twice its size.
            return bytes <= Hub::capacity / 2;
        case Collective::alltoall:
            return bytes <= Hub::capacity / static_cast<std::size_t>(ranks);
        default:
            return bytes <= Hub::capacity;
    }
}

void barrier(Team& team) {
    team.meet(Meeting({.collective = Collective::barrier}));
}

void bcast(Team& team, const Buffer& data, int root) {
    team.meet(Meeting({.collective = Collective::bcast, .result = data, .root = root}));
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
    team.meet(Meeting({Collective::reduce, data, result, &operation, root}));
}

void allreduce(Team& team, const Operation& operation, const ConstBuffer& data,
               const Buffer& result) {
    team.meet(Meeting({Collective::allreduce, data, result, &operation}));
}

void allgather(Team& team, const ConstBuffer& mine, const Buffer& all) {
    if (!is_in_place(mine) && bytes_of(mine) != bytes_of(all)) team.note_disagreement();
    team.meet(Meeting({.collective = Collective::allgather, .data = mine, .result = all}));
}

void alltoall(Team& team, const ConstBuffer& out, const Buffer& in) {
    team.meet(Meeting({.collective = Collective::alltoall, .data = out, .result = in}));
}

}  // namespace railyard::mpi::shared
