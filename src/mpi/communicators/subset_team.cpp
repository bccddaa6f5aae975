#include "mpi/communicators/subset_team.hpp"

#include <string>

#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

SubsetTeam::SubsetTeam(Process& process, std::uint32_t context, const Group& among,
                       const Group& members, int tag)
    : Team(members.rank_of(process.world_rank()), members.size(), {}),
      comm_(process, context, among),
      tag_(tag) {
    for (const int world_rank : members.world_ranks()) {
        const int rank = among.rank_of(world_rank);
        if (rank < 0)
            throw MpiError(ErrorClass::group,
                           "rank " + std::to_string(world_rank) +
                               " of the job is in the group, but not in the communicator");
        ranks_.push_back(rank);
    }
}

void SubsetTeam::send(const ConstBuffer& data, int to) {
    comm_.process().send_in(comm_.context(), data, among(to), tag_, comm_);
}

void SubsetTeam::receive(const Buffer& into, int from) {
    Status status;
    comm_.process().receive_in(comm_.context(), into, among(from), tag_, comm_, &status);
}

void SubsetTeam::exchange(const ConstBuffer& out, int to, const Buffer& in, int from) {
    start_receive(in, from);
    start_send(out, to);
    wait_all();
}

void SubsetTeam::start_send(const ConstBuffer& data, int to) {
    under_way_.push_back(
        &comm_.process().start_send_in(comm_.context(), data, among(to), tag_, comm_));
}

void SubsetTeam::start_receive(const Buffer& into, int from) {
    under_way_.push_back(
        &comm_.process().start_receive_in(comm_.context(), into, among(from), tag_, comm_));
}

void SubsetTeam::wait_all() {
    for (Request* request : under_way_) {
        comm_.process().wait(*request);
        comm_.process().release(*request);
    }
    under_way_.clear();
}

void SubsetTeam::charge_bytes(std::size_t bytes) {
    comm_.process().host().charge_copy(bytes);
}

}  // namespace railyard::mpi
