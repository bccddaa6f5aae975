// Inter-communicators, and communicators of ranks that have none in common.

#include <exception>
#include <optional>
#include <string_view>

#include "mpi/abi/entry.hpp"
#include "mpi/communicators/inter_making.hpp"
#include "mpi/communicators/making.hpp"

namespace railyard::mpi::abi {

namespace {

void check_two_groups(const Comm& comm) {
    if (!comm.is_inter())
        throw MpiError(ErrorClass::comm,
                       "comm is an intra-communicator; only an inter-communicator has a second "
                       "group");
}

void check_leader(int leader, int ranks, const char* argument) {
    if (leader < 0 || leader >= ranks)
        throw MpiError(ErrorClass::rank, std::string(argument) + " is " + std::to_string(leader) +
                                             "; the group has ranks 0 to " +
                                             std::to_string(ranks - 1));
}

void check_member(State& state, const Group& group, const char* argument) {
    if (group.rank_of(state.process().world_rank()) < 0)
        throw MpiError(ErrorClass::group,
                       std::string("the calling rank is not in ") + argument +
                           "; only members of a group make a communicator of it");
}

std::string_view to_string_tag(const char* tag) {
    if (tag == nullptr) null_argument("stringtag");
    const std::string_view text(tag);
    if (text.size() >= MPI_MAX_STRINGTAG_LEN)
        throw MpiError(ErrorClass::arg, "stringtag has " + std::to_string(text.size()) +
                                            " characters; it must have fewer than " +
                                            std::to_string(MPI_MAX_STRINGTAG_LEN));
    return text;
}

void intercomm_create(State& state, Comm& local, int local_leader, MPI_Comm peer_comm,
                      int remote_leader, int tag, MPI_Comm& made) {
    check_one_group(local);
    check_leader(local_leader, local.size(), "local_leader");
    to_tag(tag, "tag");
    // The others of the group wait for their leader: what it finds wrong, they are told as well.
    std::optional<RemoteLeader> remote;
    std::exception_ptr wrong;
    if (local.rank() == local_leader) {
        try {
            Comm& comm = state.comm(peer_comm, "peer_comm");
            if (!is_rank(remote_leader, comm)) bad_rank(remote_leader, comm, "remote_leader");
            remote.emplace(RemoteLeader{comm, remote_leader});
        } catch (const MpiError&) {
            wrong = std::current_exception();
        }
    }
    try {
        made = state.add(joined(local, local_leader, remote, tag, state.context_ids));
    } catch (const MpiError&) {
        if (wrong) std::rethrow_exception(wrong);
        throw;
    }
}

void intercomm_merge(State& state, Comm& inter, int high, MPI_Comm& made) {
    check_two_groups(inter);
    made = state.add(merged(inter, high != 0, state.context_ids));
}

void comm_test_inter(State&, Comm& comm, int& flag) {
    flag = comm.is_inter() ? 1 : 0;
}

void comm_remote_size(State&, Comm& comm, int& size) {
    check_two_groups(comm);
    size = comm.peer_count();
}

void comm_remote_group(State& state, Comm& comm, MPI_Group& group) {
    check_two_groups(comm);
    group = state.add(comm.peers(), comm.session_buffer);
}

/// Until the communicator is there, the handler that it will have hears of errors.
Hearer future_owner(const ErrorHandlerRef& handler) {
    return {handler, MPI_COMM_NULL, "a communicator to be made"};
}

void comm_create_from_group(State& state, const UserGroup& group, const char* tag, Info* info,
                            const ErrorHandlerRef& handler, MPI_Comm& made) {
    heard_by(future_owner(handler), [&] {
        const std::string_view text = to_string_tag(tag);
        made = MPI_COMM_NULL;
        if (group.size() == 0) return;
        check_member(state, group, "group");
        auto comm = created_from_group(state.process(), group, text, state.context_ids);
        comm->error_handler = handler;
        comm->session_buffer = group.session_buffer;
        take_hints(*comm, info);
        made = state.add(std::move(comm));
    });
}

void intercomm_create_from_groups(State& state, const UserGroup& local, int local_leader,
                                  const Group& remote, int remote_leader, const char* tag,
                                  Info* info, const ErrorHandlerRef& handler, MPI_Comm& made) {
    heard_by(future_owner(handler), [&] {
        const std::string_view text = to_string_tag(tag);
        check_member(state, local, "local_group");
        check_leader(local_leader, local.size(), "local_leader");
        check_leader(remote_leader, remote.size(), "remote_leader");
        auto comm = joined_from_groups(state.process(), local, remote, text, state.context_ids);
        comm->error_handler = handler;
        comm->session_buffer = local.session_buffer;
        take_hints(*comm, info);
        made = state.add(std::move(comm));
    });
}

}  // namespace

#include <entries/intercommunicators.inc>

}  // namespace railyard::mpi::abi
