#pragma once
/// What collectives do with their arguments, and the three ways to carry one out. Blocking,
/// non-blocking and persistent ones are one function: it checks its arguments, and hands what the
/// team is to do to carry_out(), with what the call has besides.

#include <cstddef>
#include <vector>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/requests.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/inter.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi::abi {

/// MPI_IN_PLACE where it is allowed.
inline ConstBuffer sent(State& state, const void* address, MPI_Count count, MPI_Datatype type,
                        bool may_be_in_place = true) {
    if (address == MPI_IN_PLACE && may_be_in_place) return mpi::in_place();
    return const_buffer(address, to_count(count, "sendcount"), state.committed(type, "sendtype"));
}

inline Buffer received(State& state, void* address, MPI_Count count, MPI_Datatype type,
                       bool may_be_in_place = false) {
    if (address == MPI_IN_PLACE && may_be_in_place) return mpi::in_place();
    return buffer(address, to_count(count, "recvcount"), state.committed(type, "recvtype"));
}

/// The other group's data are in no place of this one.
inline bool is_in_place(const void* address, const Comm& comm) {
    return address == MPI_IN_PLACE && !comm.is_inter();
}

inline ConstBuffer contribution(const void* address, std::size_t count, const TypeRef& type,
                                const Comm& comm) {
    return is_in_place(address, comm) ? ConstBuffer(mpi::in_place())
                                      : const_buffer(address, count, type);
}

/// Null only if it has no elements.
inline void check_array(Integers array, int n, const char* argument) {
    if (array.is_null() && n > 0) null_argument(argument);
}

/// `n` of them, as many as there are ranks or neighbours. Returns all of them together.
inline std::size_t check_counts(Integers counts, int n, const char* argument) {
    check_array(counts, n, argument);
    std::size_t total = 0;
    for (int i = 0; i < n; ++i)
        total += to_count(counts[i], argument);
    return total;
}

/// `n` blocks by the user's arrays; the buffer is checked as one of all of them.
inline Blocks blocks(void* address, Integers counts, Integers displacements, const TypeRef& type,
                     int n, const char* argument) {
    const std::size_t total = check_counts(counts, n, argument);
    check_array(displacements, n, "displs");
    return {buffer(address, total, type).address, counts, displacements, *type};
}

/// The same with a type for each.
inline Blocks blocks(void* address, Integers counts, Integers displacements,
                     const std::vector<const Datatype*>& types, const char* argument) {
    const int n = static_cast<int>(types.size());
    check_counts(counts, n, argument);
    check_array(displacements, n, "displs");
    if (is_special(address))
        for (std::size_t i = 0; i < types.size(); ++i)
            check_address(address, static_cast<std::size_t>(counts[i]), *types[i]);
    return {address, counts, displacements, types.data()};
}

inline std::vector<const Datatype*> types_of(State& state, const MPI_Datatype types[], int n,
                                             const char* argument) {
    to_array(types, n, argument);
    std::vector<const Datatype*> list;
    for (int i = 0; i < n; ++i)
        list.push_back(state.committed(types[i], argument).get());
    return list;
}

/// One rank's of blocks that are all like the first.
template <class AnyBuffer>
AnyBuffer block_of(const AnyBuffer& first, int rank) {
    return first.type == nullptr
               ? first
               : part(first, static_cast<std::size_t>(rank) * first.count, first.count);
}

/// Where the root's arguments count. On an inter-communicator it is the only one of its group that
/// has a part in the call.
inline bool is_root_of(const Comm& comm, int root) {
    return comm.is_inter() ? root == inter::root_here : root == comm.rank();
}

/// Whether a rank gives, or gets, what all do: the root of an inter-communicator does not.
inline bool is_one_of_all(const Comm& comm, bool is_root) {
    return !comm.is_inter() || !is_root;
}

/// A rank's own block among those of all. Ranks of an inter-communicator have none.
template <class AnyBuffer>
AnyBuffer own_block_of(const AnyBuffer& first, const Comm& comm) {
    return comm.is_inter() ? AnyBuffer(first) : block_of(first, comm.rank());
}

/// Two buffers of one call must not have memory in common.
inline void check_apart(const ConstBuffer& out, const Buffer& in) {
    if (overlap(out, in)) [[unlikely]]
        throw MpiError(ErrorClass::buffer,
                       "the send buffer and the receive buffer overlap; give MPI_IN_PLACE instead "
                       "of one of them, or memory of its own to each");
}
/// The same of blocks for all ranks, all like the first.
inline void check_apart(const ConstBuffer& out, const Buffer& in, int ranks) {
    if (out.type == nullptr) return;
    const auto n = static_cast<std::size_t>(ranks);
    check_apart(part(out, 0, n * out.count), part(in, 0, n * in.count));
}

inline void check_apart(const ConstBlocks& out, const Blocks& in, const Comm& comm) {
    const int own = comm.is_inter() ? 0 : comm.rank();
    if (!out.is_in_place()) check_apart(out[own], in[own]);
}

/// What only moves blocks: if all of them are long, their content may stay behind. All ranks of one
/// group know the length; between groups it may be another each way, and all comes.
template <class Work>
auto by_length(const Comm& comm, const ConstBuffer& block, Work work) {
    const Bytes length(block.type == nullptr ? 0 : bytes_of(block));
    const bool may_stay = !comm.is_inter() && length > comm.process().settings().payload;
    return [may_stay, work = std::move(work)](Team& team) {
        struct Carried {
            explicit Carried(Team& its_team, Content content) : team(its_team) {
                team.carry(content);
            }
            ~Carried() { team.carry(Content::comes); }
            Team& team;
        };
        const Carried carried(team, may_stay ? Content::may_stay : Content::comes);
        work(team);
    };
}

/// Here and now. Throws at the end if the ranks gave lengths that do not match.
template <class Work>
void carry_out(Comm& comm, Work&& work) {
    Team& team = comm.team();
    work(team);
    if (team.disagreed()) [[unlikely]] {
        const auto [came, expected] = team.lengths();
        throw MpiError(ErrorClass::truncate, lengths_differ(came, expected));
    }
}

/// The same on a team that only records.
template <class Work>
auto on_team_of(Comm& comm, Work& work) {
    return [&](Team& team) {
        team.divide_at(comm.divided_at());
        work(team);
    };
}

/// Without waiting.
template <class Work>
void carry_out(Comm& comm, MPI_Request& request, Work&& work) {
    request =
        handle_of(comm.process().start_collective(comm.collective_ranks(), on_team_of(comm, work)));
}

/// Whenever the request is started. MPI defines no hints for it, and others are ignored.
template <class Work>
void carry_out(Comm& comm, const Info*, MPI_Request& request, Work&& work) {
    request = handle_of(
        comm.process().make_persistent_collective(comm.collective_ranks(), on_team_of(comm, work)));
}

/// Of a rank in the root's group of an inter-communicator: it waits for nobody.
template <class... How>
void take_no_part(Comm& comm, How&&... how) {
    carry_out(comm, how..., [](Team&) {});
}

}  // namespace railyard::mpi::abi
