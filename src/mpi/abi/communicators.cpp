// Communicators: what they are, and new ones out of old ones.

#include "mpi/communicators/making.hpp"

#include <optional>
#include <string_view>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/requests.hpp"
#include "mpi/communicators/hardware_split.hpp"

namespace railyard::mpi::abi {

namespace {

void comm_size(State&, Comm& comm, int& size) {
    size = comm.size();
}

void comm_rank(State&, Comm& comm, int& rank) {
    rank = comm.rank();
}

void comm_compare(State&, Comm& comm1, Comm& comm2, int& cmp) {
    cmp = static_cast<int>(compare(comm1, comm2));
}

void comm_group(State& state, Comm& comm, MPI_Group& group) {
    group = state.add(comm.group(), comm.session_buffer);
}

/// What a copy has of its original, besides the ranks and the attributes.
void copy_extras(const Comm& from, Comm& to) {
    if (from.cartesian) to.cartesian = std::make_unique<Cartesian>(*from.cartesian);
    if (from.graph) to.graph = std::make_unique<Graph>(*from.graph);
    if (from.distributed_graph)
        to.distributed_graph = std::make_unique<DistributedGraph>(*from.distributed_graph);
    to.hints = from.hints;
}

/// A copy with the attributes and hints of the original.
std::unique_ptr<Comm> duplicate(State& state, Comm& comm) {
    auto copy = duplicated(comm, state.context_ids);
    copy_extras(comm, *copy);
    try {
        copy->attributes = comm.attributes.copied(comm.handle);
    } catch (...) {
        state.context_ids.give_back(copy->context());
        throw;
    }
    return copy;
}

/// The same without waiting.
Duplication start_duplicate(State& state, Comm& comm) {
    Duplication started = start_duplicating(comm, state.context_ids);
    copy_extras(comm, *started.comm);
    try {
        started.comm->attributes = comm.attributes.copied(comm.handle);
    } catch (...) {
        // The other ranks count on this one all the same.
        state.process().wait(*started.request);
        state.process().release(*started.request);
        state.context_ids.give_back(started.comm->context());
        throw;
    }
    return started;
}

void give(State& state, Duplication started, MPI_Comm& newcomm, MPI_Request& request) {
    newcomm = state.add(std::move(started.comm));
    request = handle_of(*started.request);
}

void comm_idup(State& state, Comm& comm, MPI_Comm& newcomm, MPI_Request& request) {
    give(state, start_duplicate(state, comm), newcomm, request);
}

void comm_idup_with_info(State& state, Comm& comm, Info* info, MPI_Comm& newcomm,
                         MPI_Request& request) {
    Duplication started = start_duplicate(state, comm);
    started.comm->hints = Info();
    take_hints(*started.comm, info);
    give(state, std::move(started), newcomm, request);
}

void comm_dup(State& state, Comm& comm, MPI_Comm& newcomm) {
    newcomm = state.add(duplicate(state, comm));
}

void comm_dup_with_info(State& state, Comm& comm, Info* info, MPI_Comm& newcomm) {
    auto copy = duplicate(state, comm);
    copy->hints = Info();
    take_hints(*copy, info);
    newcomm = state.add(std::move(copy));
}

void comm_create(State& state, Comm& comm, const Group& group, MPI_Comm& newcomm) {
    for (const int world_rank : group.world_ranks())
        if (comm.group().rank_of(world_rank) < 0)
            throw MpiError(ErrorClass::group, "rank " + std::to_string(world_rank) +
                                                  " of the job is in the group, but not in the "
                                                  "communicator");
    newcomm = state.add(created(comm, group, state.context_ids));
}

void comm_create_group(State& state, Comm& comm, const Group& group, int tag, MPI_Comm& newcomm) {
    check_one_group(comm);
    newcomm = state.add(created_by_group(comm, group, to_tag(tag, "tag"), state.context_ids));
}

void comm_split(State& state, Comm& comm, int color, int key, MPI_Comm& newcomm) {
    if (color < 0 && color != MPI_UNDEFINED)
        throw MpiError(ErrorClass::arg, "color is " + std::to_string(color) +
                                            "; it must not be negative, or MPI_UNDEFINED");
    std::optional<int> wanted;
    if (color != MPI_UNDEFINED) wanted = color;
    newcomm = state.add(split(comm, wanted, key, state.context_ids));
}

/// The hint by which a program says, and learns, which part of the machine a split goes by.
constexpr std::string_view resource_hint = "mpi_hw_resource_type";

void comm_split_type(State& state, Comm& comm, int split_type, int key, Info* info,
                     MPI_Comm& newcomm) {
    check_one_group(comm);
    std::optional<int> color;
    switch (split_type) {
        case MPI_COMM_TYPE_SHARED:
            color = static_cast<int>(state.process().rank().node());
            break;
        case MPI_COMM_TYPE_HW_GUIDED: {
            const std::string* const kind = info == nullptr ? nullptr : info->find(resource_hint);
            color = hardware_color(comm, kind == nullptr ? std::string_view() : *kind);
            break;
        }
        case MPI_COMM_TYPE_HW_UNGUIDED: {
            const HardwareSplit found = hardware_split(comm);
            color = found.color;
            if (info != nullptr && color) info->set(resource_hint, found.kind);
            break;
        }
        case MPI_UNDEFINED:
            break;
        default:
            throw MpiError(ErrorClass::arg, "split_type is " + std::to_string(split_type) +
                                                "; it must be one of MPI_COMM_TYPE_*");
    }
    newcomm = state.add(split(comm, color, key, state.context_ids));
}

void comm_free(State& state, MPI_Comm& handle) {
    Comm& comm = state.comm(handle, "comm");
    if (&comm == &state.world() || &comm == &state.self())
        throw MpiError(ErrorClass::comm, comm.name + " cannot be freed");
    comm.attributes.erase_all(handle);
    // The user cannot ask for it any more, so it is his again when this returns.
    if (comm.own_buffer) comm.own_buffer->detach(state.process());
    state.forget(handle);
    handle = MPI_COMM_NULL;
}

void comm_disconnect(State& state, MPI_Comm& handle) {
    comm_free(state, handle);
}

void comm_set_name(State&, Comm& comm, const char* name) {
    if (name == nullptr) null_argument("comm_name");
    comm.name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
}

void comm_get_name(State&, Comm& comm, char* name, int& resultlen) {
    copy_text(comm.name, name, MPI_MAX_OBJECT_NAME, resultlen);
}

void comm_set_info(State&, Comm& comm, Info* info) {
    take_hints(comm, info);
}

void comm_get_info(State& state, Comm& comm, MPI_Info& info) {
    info = state.infos.add(std::make_unique<Info>(hints_of(comm)));
}

void comm_get_parent(State&, MPI_Comm& parent) {
    parent = MPI_COMM_NULL;
}

}  // namespace

#include <entries/communicators.inc>

}  // namespace railyard::mpi::abi
