#include "mpi/communicators/subset_team.hpp"

#include <string>

#include "mpi/communicators/context_ids.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

SubsetTeam::SubsetTeam(Communicator& parent, const Group& group, int tag)
    : Team(group.rank_of(parent.process().world_rank()), group.size(), {}),
      aside_(parent.process(), parent.context() | ContextIds::aside, parent.group()),
      tag_(tag) {
    for (const int world_rank : group.world_ranks()) {
        const int rank = parent.group().rank_of(world_rank);
        if (rank < 0)
            throw MpiError(ErrorClass::group, "rank " + std::to_string(world_rank) +
                                                  " of the job is in the group, but not in the "
                                                  "communicator");
        ranks_.push_back(rank);
    }
}

void SubsetTeam::send(const ConstBuffer& data, int to) {
    aside_.process().send(data, in_parent(to), tag_, aside_);
}

void SubsetTeam::receive(const Buffer& into, int from) {
    Status status;
    aside_.process().receive(into, in_parent(from), tag_, aside_, &status);
}

void SubsetTeam::exchange(const ConstBuffer& out, int to, const Buffer& in, int from) {
    start_receive(in, from);
    start_send(out, to);
    wait_all();
}

void SubsetTeam::start_send(const ConstBuffer& data, int to) {
    under_way_.push_back(&aside_.process().start_send(data, in_parent(to), tag_, aside_));
}

void SubsetTeam::start_receive(const Buffer& into, int from) {
    under_way_.push_back(&aside_.process().start_receive(into, in_parent(from), tag_, aside_));
}

void SubsetTeam::wait_all() {
    for (Request* request : under_way_) {
        aside_.process().wait(*request);
        aside_.process().release(*request);
    }
    under_way_.clear();
}

void SubsetTeam::charge_bytes(std::size_t bytes) {
    aside_.process().host().charge(fabric::Work::copied_byte, bytes);
}

}  // namespace railyard::mpi
