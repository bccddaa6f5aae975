// Groups of ranks.

#include <array>
#include <span>

#include "mpi/abi/entry.hpp"
#include "mpi/communicators/making.hpp"

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

void group_union(State& state, const UserGroup& group1, const UserGroup& group2,
                 MPI_Group& result) {
    result = state.add(united(group1, group2), group1.session_buffer);
}

void group_intersection(State& state, const UserGroup& group1, const UserGroup& group2,
                        MPI_Group& result) {
    result = state.add(intersection(group1, group2), group1.session_buffer);
}

void group_difference(State& state, const UserGroup& group1, const UserGroup& group2,
                      MPI_Group& result) {
    result = state.add(difference(group1, group2), group1.session_buffer);
}

void group_incl(State& state, const UserGroup& group, std::size_t n, const int ranks[],
                MPI_Group& result) {
    result = state.add(including(group, std::span(ranks, n)), group.session_buffer);
}

void group_excl(State& state, const UserGroup& group, std::size_t n, const int ranks[],
                MPI_Group& result) {
    result = state.add(excluding(group, std::span(ranks, n)), group.session_buffer);
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

void group_range_incl(State& state, const UserGroup& group, std::size_t n, int ranges[][3],
                      MPI_Group& result) {
    result = state.add(including(group, ranks_of(group, n, ranges)), group.session_buffer);
}

void group_range_excl(State& state, const UserGroup& group, std::size_t n, int ranges[][3],
                      MPI_Group& result) {
    result = state.add(excluding(group, ranks_of(group, n, ranges)), group.session_buffer);
}

void group_free(State& state, MPI_Group& group) {
    state.group(group, "group");
    if (group != MPI_GROUP_EMPTY) state.bury(state.groups.remove(group));
    group = MPI_GROUP_NULL;
}

}  // namespace

#include <entries/groups.inc>

}  // namespace railyard::mpi::abi
