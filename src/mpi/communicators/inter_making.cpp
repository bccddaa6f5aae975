#include "mpi/communicators/inter_making.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "mpi/collectives/collectives.hpp"
#include "mpi/communicators/making.hpp"
#include "mpi/communicators/subset_team.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

namespace {

const Datatype& integer() {
    return *predefined(Basic::c_int);
}

/// What a leader has learnt of the other group, and tells its own.
struct Learnt {
    int context = 0;  ///< of the leaders' communicator
    int size = 0;     ///< of the other group; 0: the leader has failed
    std::vector<int> ranks;
};

/// Both leaders tell each other who is in their groups.
Learnt other_group(const Group& local, const RemoteLeader& leader, int tag) {
    Process& process = leader.comm.process();
    const std::uint32_t context = leader.comm.context() | ContextIds::of_subsets;
    const auto swap = [&](const void* out, int out_size, void* in, int in_size) {
        const Buffer into{in, static_cast<std::size_t>(in_size), &integer()};
        Request& receive = process.start_receive_in(context, into, leader.rank, tag, leader.comm);
        process.send_in(context, {out, static_cast<std::size_t>(out_size), integer()}, leader.rank,
                        tag, leader.comm);
        process.wait(receive);
        process.release(receive);
    };
    Learnt learnt;
    learnt.context = static_cast<int>(leader.comm.context());
    const int own_size = local.size();
    swap(&own_size, 1, &learnt.size, 1);
    learnt.ranks.resize(static_cast<std::size_t>(learnt.size));
    swap(local.list_of_world_ranks().data(), own_size, learnt.ranks.data(), learnt.size);
    return learnt;
}

/// From the leader to all of its group.
void tell(Comm& local, int leader, Learnt& learnt) {
    std::array<int, 2> numbers = {learnt.context, learnt.size};
    bcast(local.team(), {numbers.data(), numbers.size(), &integer()}, leader);
    learnt.context = numbers[0];
    learnt.size = numbers[1];
    learnt.ranks.resize(static_cast<std::size_t>(learnt.size));
    bcast(local.team(), {learnt.ranks.data(), learnt.ranks.size(), &integer()}, leader);
}

std::unique_ptr<Comm> agreed(Process& process, const Group& local, const Group& remote,
                             ContextIds::Place place, ContextIds& contexts) {
    if (intersection(local, remote).size() != 0)
        throw MpiError(ErrorClass::comm,
                       "a rank is in both groups; those of an inter-communicator are apart");
    // Both sides name the ranks in the same order.
    const bool first = local.world_rank(0) < remote.world_rank(0);
    SubsetTeam team(process, place.context, Group::all(process.world_size()),
                    first ? united(local, remote) : united(remote, local), place.tag);
    return std::make_unique<Comm>(process, contexts.agree(process, team, place), local, remote);
}

}  // namespace

std::unique_ptr<Comm> joined(Comm& local, int leader, const std::optional<RemoteLeader>& remote,
                             int tag, ContextIds& contexts) {
    Learnt learnt;
    if (local.rank() == leader && remote) learnt = other_group(local.group(), *remote, tag);
    tell(local, leader, learnt);
    if (learnt.size == 0)
        throw MpiError(ErrorClass::comm,
                       "the leader of the group was given no right peer_comm or "
                       "remote_leader; see what it reports");
    const auto context = static_cast<std::uint32_t>(learnt.context) | ContextIds::of_two;
    auto made = agreed(local.process(), local.group(), Group(std::move(learnt.ranks)),
                       {context, tag}, contexts);
    made->error_handler = local.error_handler;
    made->session_buffer = local.session_buffer;
    return made;
}

std::unique_ptr<Comm> joined_from_groups(Process& process, const Group& local, const Group& remote,
                                         std::string_view tag, ContextIds& contexts) {
    return agreed(process, local, remote, {ContextIds::of_groups, tag_of(tag)}, contexts);
}

std::unique_ptr<Comm> merged(Comm& inter, bool high, ContextIds& contexts) {
    // For each group, in the order in which they come: whether one says high, whether one says low.
    std::array<int, 4> said{};
    said[(inter.comes_first() ? 0u : 2u) + (high ? 0u : 1u)] = 1;
    std::array<int, 4> all{};
    std::uint32_t context = 0;
    {
        Team& team = inter.team();
        const Undivided one(team);
        allreduce(team, {said.data(), said.size(), integer()}, {all.data(), all.size(), &integer()},
                  *predefined(Operation::Kind::max));
        if ((all[0] != 0 && all[1] != 0) || (all[2] != 0 && all[3] != 0))
            throw MpiError(ErrorClass::arg,
                           "ranks of one group give different values for high; all must give the "
                           "same");
        context = contexts.agree(inter.process(), team, {inter.context(), 0});
    }
    const bool first_is_last = all[0] != 0 && all[2] == 0;
    const bool own_first = inter.comes_first() != first_is_last;
    auto made = std::make_unique<Comm>(
        inter.process(), context,
        own_first ? united(inter.group(), inter.peers()) : united(inter.peers(), inter.group()));
    made->error_handler = inter.error_handler;
    made->session_buffer = inter.session_buffer;
    return made;
}

}  // namespace railyard::mpi
