// Groups of ranks, and communicators.

#include "mpi/communicators/making.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

namespace {

int own_rank(State& state, const Group& group) {
    const int rank = group.rank_of(state.process().world_rank());
    return rank < 0 ? MPI_UNDEFINED : rank;
}

void group_size(State&, const Group& group, int& size) {
    size = group.size();
}

void group_rank(State& state, const Group& group, int& rank) {
    rank = own_rank(state, group);
}

void group_translate_ranks(State&, const Group& group1, std::size_t n, const int ranks1[],
                           const Group& group2, int ranks2[]) {
    for (std::size_t i = 0; i < n; ++i) {
        if (ranks1[i] == MPI_PROC_NULL) {
            ranks2[i] = MPI_PROC_NULL;
            continue;
        }
        if (ranks1[i] < 0 || ranks1[i] >= group1.size())
            throw MpiError(ErrorClass::rank, "rank " + std::to_string(ranks1[i]) +
                                                 " is not in group1, which has " +
                                                 std::to_string(group1.size()));
        const int rank = group2.rank_of(group1.world_rank(ranks1[i]));
        ranks2[i] = rank < 0 ? MPI_UNDEFINED : rank;
    }
}

void group_compare(State&, const Group& group1, const Group& group2, int& cmp) {
    cmp = static_cast<int>(compare(group1, group2));
}

void group_union(State& state, const Group& group1, const Group& group2, MPI_Group& result) {
    result = state.add(united(group1, group2));
}

void group_intersection(State& state, const Group& group1, const Group& group2, MPI_Group& result) {
    result = state.add(intersection(group1, group2));
}

void group_difference(State& state, const Group& group1, const Group& group2, MPI_Group& result) {
    result = state.add(difference(group1, group2));
}

void group_incl(State& state, const Group& group, std::size_t n, const int ranks[],
                MPI_Group& result) {
    result = state.add(including(group, std::span(ranks, n)));
}

void group_excl(State& state, const Group& group, std::size_t n, const int ranks[],
                MPI_Group& result) {
    result = state.add(excluding(group, std::span(ranks, n)));
}

/// Looks at the ends first, so that a range is never longer than the group.
std::vector<int> ranks_of(const Group& group, std::size_t n, int ranges[][3]) {
    std::vector<RankRange> list;
    for (std::size_t i = 0; i < n; ++i) {
        const auto [first, last, stride] =
            std::array<long, 3>{ranges[i][0], ranges[i][1], ranges[i][2]};
        list.push_back({ranges[i][0], ranges[i][1], ranges[i][2]});
        if (stride == 0 || (last - first) / stride < 0) continue;  // wrong, or of no ranks
        for (const long rank : {first, first + (last - first) / stride * stride})
            if (rank < 0 || rank >= group.size())
                throw MpiError(ErrorClass::rank, "range " + std::to_string(i) + " has rank " +
                                                     std::to_string(rank) + "; the group has " +
                                                     std::to_string(group.size()));
    }
    return expanded(list);
}

void group_range_incl(State& state, const Group& group, std::size_t n, int ranges[][3],
                      MPI_Group& result) {
    result = state.add(including(group, ranks_of(group, n, ranges)));
}

void group_range_excl(State& state, const Group& group, std::size_t n, int ranges[][3],
                      MPI_Group& result) {
    result = state.add(excluding(group, ranks_of(group, n, ranges)));
}

void group_free(State& state, MPI_Group& group) {
    state.group(group, "group");
    if (group != MPI_GROUP_EMPTY) state.bury(state.groups.remove(group));
    group = MPI_GROUP_NULL;
}

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
    group = state.add(comm.group());
}

/// The hints that MPI defines for communicators. All are assertions; others are ignored, as MPI
/// wants it, and not given back.
constexpr std::string_view known_hints[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
                                            "mpi_assert_exact_length",
                                            "mpi_assert_allow_overtaking"};

void take_hints(Comm& comm, Info* from) {
    if (from == nullptr) return;
    for (const std::string_view hint : known_hints)
        if (const std::string* value = from->find(hint);
            value != nullptr && (*value == "true" || *value == "false"))
            comm.hints.set(hint, *value);
}

/// A copy with the attributes and hints of the original.
std::unique_ptr<Comm> duplicate(State& state, Comm& comm) {
    auto copy = duplicated(comm, state.context_ids);
    if (comm.cartesian) copy->cartesian = std::make_unique<Cartesian>(*comm.cartesian);
    copy->hints = comm.hints;
    try {
        copy->attributes = comm.attributes.copied(comm.handle);
    } catch (...) {
        state.context_ids.give_back(copy->context());
        throw;
    }
    return copy;
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

void comm_split_type(State& state, Comm& comm, int split_type, int key, Info*, MPI_Comm& newcomm) {
    std::optional<int> node;
    if (split_type == MPI_COMM_TYPE_SHARED)
        node = static_cast<int>(state.process().rank().node());
    else if (split_type != MPI_UNDEFINED)
        throw MpiError(ErrorClass::arg, "split_type is " + std::to_string(split_type) +
                                            "; only MPI_COMM_TYPE_SHARED is known here");
    newcomm = state.add(split(comm, node, key, state.context_ids));
}

void comm_free(State& state, MPI_Comm& handle) {
    Comm& comm = state.comm(handle, "comm");
    if (&comm == &state.world() || &comm == &state.self())
        throw MpiError(ErrorClass::comm, comm.name + " cannot be freed");
    comm.attributes.erase_all(handle);
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
    auto used = std::make_unique<Info>();
    for (const std::string_view hint : known_hints) {
        const std::string* const value = comm.hints.find(hint);
        used->set(hint, value == nullptr ? "false" : *value);
    }
    info = state.infos.add(std::move(used));
}

void comm_test_inter(State&, Comm&, int& flag) {
    flag = 0;
}

[[noreturn]] void no_remote_group() {
    throw MpiError(ErrorClass::comm,
                   "comm is an intracommunicator; only an intercommunicator has a remote group");
}

void comm_remote_size(State&, Comm&, int&) {
    no_remote_group();
}

void comm_remote_group(State&, Comm&, MPI_Group&) {
    no_remote_group();
}

void comm_get_parent(State&, MPI_Comm& parent) {
    parent = MPI_COMM_NULL;
}

}  // namespace

#include <entries/communicators.inc>
#include <entries/groups.inc>

}  // namespace railyard::mpi::abi
