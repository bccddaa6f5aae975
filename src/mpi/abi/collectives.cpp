// Blocking collectives. Arguments that count at the root alone are looked at there alone.

#include <vector>

#include "mpi/abi/entry.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/collectives.hpp"

namespace railyard::mpi::abi {

namespace {

/// MPI_IN_PLACE where it is allowed.
ConstBuffer sent(State& state, const void* address, int count, MPI_Datatype type,
                 bool may_be_in_place = true) {
    if (address == MPI_IN_PLACE && may_be_in_place) return mpi::in_place();
    return const_buffer(address, to_count(count, "sendcount"), state.committed(type, "sendtype"));
}

Buffer received(State& state, void* address, int count, MPI_Datatype type,
                bool may_be_in_place = false) {
    if (address == MPI_IN_PLACE && may_be_in_place) return mpi::in_place();
    return buffer(address, to_count(count, "recvcount"), state.committed(type, "recvtype"));
}

/// The other group's data are in no place of this one.
bool is_in_place(const void* address, const Comm& comm) {
    return address == MPI_IN_PLACE && !comm.is_inter();
}

ConstBuffer contribution(const void* address, std::size_t count, const TypeRef& type,
                         const Comm& comm) {
    return is_in_place(address, comm) ? ConstBuffer(mpi::in_place())
                                      : const_buffer(address, count, type);
}

/// All of them together.
std::size_t check_counts(const int counts[], int ranks, const char* argument) {
    if (counts == nullptr) null_argument(argument);
    std::size_t total = 0;
    for (int rank = 0; rank < ranks; ++rank)
        total += to_count(counts[rank], argument);
    return total;
}

void check_array(const void* array, const char* argument) {
    if (array == nullptr) null_argument(argument);
}

/// A block for each rank, by the user's arrays; the buffer is checked as one of all of them.
Blocks blocks(void* address, const int counts[], const int displacements[], const TypeRef& type,
              const Comm& comm, const char* argument) {
    const std::size_t total = check_counts(counts, comm.peer_count(), argument);
    check_array(displacements, "displs");
    return {buffer(address, total, type).address, counts, displacements, *type};
}

Blocks blocks(void* address, const int counts[], const int displacements[],
              const std::vector<const Datatype*>& types, const Comm& comm, const char* argument) {
    check_counts(counts, comm.peer_count(), argument);
    check_array(displacements, "displs");
    if (is_special(address))
        for (int rank = 0; rank < comm.peer_count(); ++rank)
            check_address(address, static_cast<std::size_t>(counts[rank]),
                          *types[static_cast<std::size_t>(rank)]);
    return {address, counts, displacements, types.data()};
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
bool is_root_of(const Comm& comm, int root) {
    return comm.is_inter() ? root == inter::root_here : root == comm.rank();
}

/// Whether a rank gives, or gets, what all do: the root of an inter-communicator does not.
bool is_one_of_all(const Comm& comm, bool is_root) {
    return !comm.is_inter() || !is_root;
}

/// A rank's own block among those of all. Ranks of an inter-communicator have none.
template <class AnyBuffer>
AnyBuffer own_block_of(const AnyBuffer& first, const Comm& comm) {
    return comm.is_inter() ? AnyBuffer(first) : block_of(first, comm.rank());
}

/// Two buffers of one call must not be the same memory.
void check_apart(const ConstBuffer& out, const Buffer& in) {
    if (out.address == in.address && !is_special(out.address) && bytes_of(out) != 0 &&
        bytes_of(in) != 0)
        throw MpiError(ErrorClass::buffer,
                       "the send buffer and the receive buffer are the same; give MPI_IN_PLACE "
                       "instead of one of them");
}

void check_apart(const ConstBlocks& out, const Blocks& in, const Comm& comm) {
    const int own = comm.is_inter() ? 0 : comm.rank();
    if (!out.is_in_place()) check_apart(out[own], in[own]);
}

/// The communicator's ranks for the length of one call. Throws at its end if they gave lengths
/// that do not match.
template <class Work>
void together(Comm& comm, Work&& work) {
    Team& team = comm.team();
    work(team);
    if (team.disagreed()) [[unlikely]]
        throw MpiError(ErrorClass::truncate,
                       "the ranks disagree on how much data a collective moves; all must give "
                       "matching counts and types");
}

void barrier(State&, Comm& comm) {
    mpi::barrier(comm.team());
}

void bcast(State&, void* data, std::size_t count, const TypeRef& type, int root, Comm& comm) {
    if (root == inter::no_root) return;
    const Buffer all = buffer(data, count, type);
    together(comm, [&](Team& team) { mpi::bcast(team, all, root); });
}

void gather(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
            int incount, MPI_Datatype intype, int root, Comm& comm) {
    if (root == inter::no_root) return;
    const bool is_root = is_root_of(comm, root);
    const bool gives = is_one_of_all(comm, is_root);
    const ConstBuffer mine = gives ? sent(state, out, outcount, outtype, is_root) : ConstBuffer();
    const Buffer all = is_root ? received(state, in, incount, intype) : Buffer();
    if (is_root && gives) check_apart(mine, block_of(all, root));
    together(comm, [&](Team& team) { mpi::gather(team, mine, all, root); });
}

void gatherv(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
             const int counts[], const int displs[], MPI_Datatype intype, int root, Comm& comm) {
    if (root == inter::no_root) return;
    const bool is_root = is_root_of(comm, root);
    const bool gives = is_one_of_all(comm, is_root);
    const ConstBuffer mine = gives ? sent(state, out, outcount, outtype, is_root) : ConstBuffer();
    Blocks all{Buffer()};
    if (is_root) {
        all = blocks(in, counts, displs, state.committed(intype, "recvtype"), comm, "recvcounts");
        if (gives) check_apart(mine, all[root]);
    }
    together(comm, [&](Team& team) { mpi::gatherv(team, mine, all, root); });
}

void scatter(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
             int incount, MPI_Datatype intype, int root, Comm& comm) {
    if (root == inter::no_root) return;
    const bool is_root = is_root_of(comm, root);
    const bool gets = is_one_of_all(comm, is_root);
    const ConstBuffer all = is_root ? sent(state, out, outcount, outtype, false) : ConstBuffer();
    const Buffer mine = gets ? received(state, in, incount, intype, is_root) : Buffer();
    if (is_root && gets) check_apart(block_of(all, root), mine);
    together(comm, [&](Team& team) { mpi::scatter(team, all, mine, root); });
}

void scatterv(State& state, const void* out, const int counts[], const int displs[],
              MPI_Datatype outtype, void* in, int incount, MPI_Datatype intype, int root,
              Comm& comm) {
    if (root == inter::no_root) return;
    const bool is_root = is_root_of(comm, root);
    const bool gets = is_one_of_all(comm, is_root);
    const Buffer mine = gets ? received(state, in, incount, intype, is_root) : Buffer();
    ConstBlocks all{ConstBuffer()};
    if (is_root) {
        all = blocks(const_cast<void*>(out), counts, displs, state.committed(outtype, "sendtype"),
                     comm, "sendcounts");
        if (gets) check_apart(all[root], mine);
    }
    together(comm, [&](Team& team) { mpi::scatterv(team, all, mine, root); });
}

void allgather(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
               std::size_t incount, const TypeRef& intype, Comm& comm) {
    const ConstBuffer mine = sent(state, out, outcount, outtype, !comm.is_inter());
    const Buffer all = buffer(in, incount, intype);
    check_apart(mine, own_block_of(all, comm));
    together(comm, [&](Team& team) { mpi::allgather(team, mine, all); });
}

void allgatherv(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
                const int counts[], const int displs[], const TypeRef& intype, Comm& comm) {
    const ConstBuffer mine = sent(state, out, outcount, outtype, !comm.is_inter());
    const Blocks all = blocks(in, counts, displs, intype, comm, "recvcounts");
    check_apart(mine, all[comm.is_inter() ? 0 : comm.rank()]);
    together(comm, [&](Team& team) { mpi::allgatherv(team, mine, all); });
}

void alltoall(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
              std::size_t incount, const TypeRef& intype, Comm& comm) {
    const ConstBuffer from = sent(state, out, outcount, outtype, !comm.is_inter());
    const Buffer into = buffer(in, incount, intype);
    check_apart(from, into);
    together(comm, [&](Team& team) { mpi::alltoall(team, from, into); });
}

void alltoallv(State& state, const void* out, const int outcounts[], const int outdispls[],
               MPI_Datatype outtype, void* in, const int incounts[], const int indispls[],
               const TypeRef& intype, Comm& comm) {
    const Blocks into = blocks(in, incounts, indispls, intype, comm, "recvcounts");
    const ConstBlocks from = is_in_place(out, comm)
                                 ? Blocks::in_place()
                                 : blocks(const_cast<void*>(out), outcounts, outdispls,
                                          state.committed(outtype, "sendtype"), comm, "sendcounts");
    check_apart(from, into, comm);
    together(comm, [&](Team& team) { mpi::alltoallv(team, from, into); });
}

std::vector<const Datatype*> types_of(State& state, const MPI_Datatype types[], const Comm& comm,
                                      const char* argument) {
    check_array(types, argument);
    std::vector<const Datatype*> list;
    for (int rank = 0; rank < comm.peer_count(); ++rank)
        list.push_back(state.committed(types[rank], argument).get());
    return list;
}

void alltoallw(State& state, const void* out, const int outcounts[], const int outdispls[],
               const MPI_Datatype outtypes[], void* in, const int incounts[], const int indispls[],
               const MPI_Datatype intypes[], Comm& comm) {
    const auto in_types = types_of(state, intypes, comm, "recvtypes");
    const Blocks into = blocks(in, incounts, indispls, in_types, comm, "recvcounts");
    std::vector<const Datatype*> out_types;
    if (!is_in_place(out, comm)) out_types = types_of(state, outtypes, comm, "sendtypes");
    const ConstBlocks from =
        is_in_place(out, comm)
            ? Blocks::in_place()
            : blocks(const_cast<void*>(out), outcounts, outdispls, out_types, comm, "sendcounts");
    check_apart(from, into, comm);
    together(comm, [&](Team& team) { mpi::alltoallw(team, from, into); });
}

void reduce(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
            const Operation& op, int root, Comm& comm) {
    op.check(*type);
    if (root == inter::no_root) return;
    const bool is_root = is_root_of(comm, root);
    ConstBuffer mine;
    if (is_one_of_all(comm, is_root))
        mine = is_root ? contribution(out, count, type, comm) : const_buffer(out, count, type);
    const Buffer result = is_root ? buffer(in, count, type) : Buffer{nullptr, count, type.get()};
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::reduce(team, mine, result, op, root); });
}

void allreduce(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
               const Operation& op, Comm& comm) {
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type, comm);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::allreduce(team, mine, result, op); });
}

void reduce_scatter(State&, const void* out, void* in, const int counts[], const TypeRef& type,
                    const Operation& op, Comm& comm) {
    op.check(*type);
    const std::size_t total = check_counts(counts, comm.size(), "recvcounts");
    const ConstBuffer mine = contribution(out, total, type, comm);
    const Buffer result = buffer(in, static_cast<std::size_t>(counts[comm.rank()]), type);
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::reduce_scatter(team, mine, result, counts, op); });
}

void reduce_scatter_block(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
                          const Operation& op, Comm& comm) {
    op.check(*type);
    const std::size_t total = count * static_cast<std::size_t>(comm.size());
    const ConstBuffer mine = contribution(out, total, type, comm);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::reduce_scatter_block(team, mine, result, op); });
}

void scan(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
          const Operation& op, Comm& comm) {
    check_one_group(comm);
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type, comm);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::scan(team, mine, result, op); });
}

void exscan(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
            const Operation& op, Comm& comm) {
    check_one_group(comm);
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type, comm);
    // The first rank gets nothing, and may give no room for it.
    const bool has_result = comm.rank() != 0 || out == MPI_IN_PLACE;
    const Buffer result = has_result ? buffer(in, count, type) : Buffer{in, count, type.get()};
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::exscan(team, mine, result, op); });
}

// Reduction operations.

void op_create(State& state, MPI_User_function* function, int commute, MPI_Op& op) {
    if (function == nullptr) null_argument("user_fn");
    const auto call = [&state, function](const void* in, void* inout, std::size_t count,
                                         const Datatype& type) {
        int length = static_cast<int>(count);
        MPI_Datatype handle = state.find_handle(type);
        function(const_cast<void*>(in), inout, &length, &handle);
    };
    op = state.ops.add(std::make_unique<Operation>(call, commute != 0));
}

void op_free(State& state, MPI_Op& op) {
    if (state.op(op, "op").is_predefined())
        throw MpiError(ErrorClass::op, "op is predefined, and cannot be freed");
    state.bury(state.ops.remove(op));
    op = MPI_OP_NULL;
}

void op_commutative(State&, const Operation& op, int& commute) {
    commute = op.is_commutative();
}

void reduce_local(State&, const void* in, void* inout, std::size_t count, const TypeRef& type,
                  const Operation& op) {
    op.check(*type);
    op.apply(const_buffer(in, count, type).address, buffer(inout, count, type).address, count,
             *type);
}

}  // namespace

#include <entries/collectives.inc>
#include <entries/operations.inc>

}  // namespace railyard::mpi::abi
