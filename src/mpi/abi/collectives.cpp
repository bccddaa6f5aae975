// Blocking collectives. Arguments that count at the root alone are looked at there alone.

#include <algorithm>
#include <limits>
#include <vector>

#include "mpi/abi/entry.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/collectives.hpp"

namespace railyard::mpi::abi {

namespace {

/// MPI_IN_PLACE where it is allowed.
ConstBuffer sent(State& state, const void* address, MPI_Count count, MPI_Datatype type,
                 bool may_be_in_place = true) {
    if (address == MPI_IN_PLACE && may_be_in_place) return mpi::in_place();
    return const_buffer(address, to_count(count, "sendcount"), state.committed(type, "sendtype"));
}

Buffer received(State& state, void* address, MPI_Count count, MPI_Datatype type,
                bool may_be_in_place = false) {
    if (address == MPI_IN_PLACE && may_be_in_place) return mpi::in_place();
    return buffer(address, to_count(count, "recvcount"), state.committed(type, "recvtype"));
}

ConstBuffer contribution(const void* address, std::size_t count, const TypeRef& type) {
    return address == MPI_IN_PLACE ? ConstBuffer(mpi::in_place())
                                   : const_buffer(address, count, type);
}

void check_array(Integers array, const char* argument) {
    if (array.is_null()) null_argument(argument);
}

/// All of them together.
std::size_t check_counts(Integers counts, const Comm& comm, const char* argument) {
    check_array(counts, argument);
    std::size_t total = 0;
    for (int rank = 0; rank < comm.size(); ++rank)
        total += to_count(counts[rank], argument);
    return total;
}

/// A block for each rank, by the user's arrays; the buffer is checked as one of all of them.
Blocks blocks(void* address, Integers counts, Integers displacements, const TypeRef& type,
              const Comm& comm, const char* argument) {
    const std::size_t total = check_counts(counts, comm, argument);
    check_array(displacements, "displs");
    return {buffer(address, total, type).address, counts, displacements, *type};
}

Blocks blocks(void* address, Integers counts, Integers displacements,
              const std::vector<const Datatype*>& types, const Comm& comm, const char* argument) {
    check_counts(counts, comm, argument);
    check_array(displacements, "displs");
    if (is_special(address))
        for (int rank = 0; rank < comm.size(); ++rank)
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

/// Two buffers of one call must not be the same memory.
void check_apart(const ConstBuffer& out, const Buffer& in) {
    if (out.address == in.address && !is_special(out.address) && bytes_of(out) != 0 &&
        bytes_of(in) != 0)
        throw MpiError(ErrorClass::buffer,
                       "the send buffer and the receive buffer are the same; give MPI_IN_PLACE "
                       "instead of one of them");
}

void check_apart(const ConstBlocks& out, const Blocks& in, const Comm& comm) {
    if (!out.is_in_place()) check_apart(out[comm.rank()], in[comm.rank()]);
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
    const Buffer all = buffer(data, count, type);
    together(comm, [&](Team& team) { mpi::bcast(team, all, root); });
}

void gather(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
            MPI_Count incount, MPI_Datatype intype, int root, Comm& comm) {
    const bool is_root = comm.rank() == root;
    const ConstBuffer mine = sent(state, out, outcount, outtype, is_root);
    const Buffer all = is_root ? received(state, in, incount, intype) : Buffer();
    if (is_root) check_apart(mine, block_of(all, root));
    together(comm, [&](Team& team) { mpi::gather(team, mine, all, root); });
}

void gatherv(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
             Integers counts, Integers displs, MPI_Datatype intype, int root, Comm& comm) {
    const bool is_root = comm.rank() == root;
    const ConstBuffer mine = sent(state, out, outcount, outtype, is_root);
    Blocks all{Buffer()};
    if (is_root) {
        all = blocks(in, counts, displs, state.committed(intype, "recvtype"), comm, "recvcounts");
        check_apart(mine, all[root]);
    }
    together(comm, [&](Team& team) { mpi::gatherv(team, mine, all, root); });
}

void scatter(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
             MPI_Count incount, MPI_Datatype intype, int root, Comm& comm) {
    const bool is_root = comm.rank() == root;
    const ConstBuffer all = is_root ? sent(state, out, outcount, outtype, false) : ConstBuffer();
    const Buffer mine = received(state, in, incount, intype, is_root);
    if (is_root) check_apart(block_of(all, root), mine);
    together(comm, [&](Team& team) { mpi::scatter(team, all, mine, root); });
}

void scatterv(State& state, const void* out, Integers counts, Integers displs, MPI_Datatype outtype,
              void* in, MPI_Count incount, MPI_Datatype intype, int root, Comm& comm) {
    const bool is_root = comm.rank() == root;
    const Buffer mine = received(state, in, incount, intype, is_root);
    ConstBlocks all{ConstBuffer()};
    if (is_root) {
        all = blocks(const_cast<void*>(out), counts, displs, state.committed(outtype, "sendtype"),
                     comm, "sendcounts");
        check_apart(all[root], mine);
    }
    together(comm, [&](Team& team) { mpi::scatterv(team, all, mine, root); });
}

void allgather(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
               std::size_t incount, const TypeRef& intype, Comm& comm) {
    const ConstBuffer mine = sent(state, out, outcount, outtype);
    const Buffer all = buffer(in, incount, intype);
    check_apart(mine, block_of(all, comm.rank()));
    together(comm, [&](Team& team) { mpi::allgather(team, mine, all); });
}

void allgatherv(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
                Integers counts, Integers displs, const TypeRef& intype, Comm& comm) {
    const ConstBuffer mine = sent(state, out, outcount, outtype);
    const Blocks all = blocks(in, counts, displs, intype, comm, "recvcounts");
    check_apart(mine, all[comm.rank()]);
    together(comm, [&](Team& team) { mpi::allgatherv(team, mine, all); });
}

void alltoall(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
              std::size_t incount, const TypeRef& intype, Comm& comm) {
    const ConstBuffer from = sent(state, out, outcount, outtype);
    const Buffer into = buffer(in, incount, intype);
    check_apart(from, into);
    together(comm, [&](Team& team) { mpi::alltoall(team, from, into); });
}

void alltoallv(State& state, const void* out, Integers outcounts, Integers outdispls,
               MPI_Datatype outtype, void* in, Integers incounts, Integers indispls,
               const TypeRef& intype, Comm& comm) {
    const Blocks into = blocks(in, incounts, indispls, intype, comm, "recvcounts");
    const ConstBlocks from = out == MPI_IN_PLACE
                                 ? Blocks::in_place()
                                 : blocks(const_cast<void*>(out), outcounts, outdispls,
                                          state.committed(outtype, "sendtype"), comm, "sendcounts");
    check_apart(from, into, comm);
    together(comm, [&](Team& team) { mpi::alltoallv(team, from, into); });
}

std::vector<const Datatype*> types_of(State& state, const MPI_Datatype types[], const Comm& comm,
                                      const char* argument) {
    if (types == nullptr) null_argument(argument);
    std::vector<const Datatype*> list;
    for (int rank = 0; rank < comm.size(); ++rank)
        list.push_back(state.committed(types[rank], argument).get());
    return list;
}

void alltoallw(State& state, const void* out, Integers outcounts, Integers outdispls,
               const MPI_Datatype outtypes[], void* in, Integers incounts, Integers indispls,
               const MPI_Datatype intypes[], Comm& comm) {
    const auto in_types = types_of(state, intypes, comm, "recvtypes");
    const Blocks into = blocks(in, incounts, indispls, in_types, comm, "recvcounts");
    std::vector<const Datatype*> out_types;
    if (out != MPI_IN_PLACE) out_types = types_of(state, outtypes, comm, "sendtypes");
    const ConstBlocks from = out == MPI_IN_PLACE ? Blocks::in_place()
                                                 : blocks(const_cast<void*>(out), outcounts,
                                                          outdispls, out_types, comm, "sendcounts");
    check_apart(from, into, comm);
    together(comm, [&](Team& team) { mpi::alltoallw(team, from, into); });
}

void reduce(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
            const Operation& op, int root, Comm& comm) {
    op.check(*type);
    const bool is_root = comm.rank() == root;
    const ConstBuffer mine =
        is_root ? contribution(out, count, type) : const_buffer(out, count, type);
    const Buffer result = is_root ? buffer(in, count, type) : Buffer{nullptr, count, type.get()};
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::reduce(team, mine, result, op, root); });
}

void allreduce(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
               const Operation& op, Comm& comm) {
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::allreduce(team, mine, result, op); });
}

void reduce_scatter(State&, const void* out, void* in, Integers counts, const TypeRef& type,
                    const Operation& op, Comm& comm) {
    op.check(*type);
    const std::size_t total = check_counts(counts, comm, "recvcounts");
    const ConstBuffer mine = contribution(out, total, type);
    const Buffer result = buffer(in, static_cast<std::size_t>(counts[comm.rank()]), type);
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::reduce_scatter(team, mine, result, counts, op); });
}

void reduce_scatter_block(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
                          const Operation& op, Comm& comm) {
    op.check(*type);
    const std::size_t total = count * static_cast<std::size_t>(comm.size());
    const ConstBuffer mine = contribution(out, total, type);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::reduce_scatter_block(team, mine, result, op); });
}

void scan(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
          const Operation& op, Comm& comm) {
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::scan(team, mine, result, op); });
}

void exscan(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
            const Operation& op, Comm& comm) {
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type);
    // The first rank gets nothing, and may give no room for it.
    const bool has_result = comm.rank() != 0 || out == MPI_IN_PLACE;
    const Buffer result = has_result ? buffer(in, count, type) : Buffer{in, count, type.get()};
    check_apart(mine, result);
    together(comm, [&](Team& team) { mpi::exscan(team, mine, result, op); });
}

// Reduction operations.

/// A user's function, which counts in `Count`s; more elements than those hold come in several
/// calls.
template <class Count, class Function>
void make_op(State& state, Function* function, int commute, MPI_Op& op) {
    if (function == nullptr) null_argument("user_fn");
    const auto call = [&state, function](const void* in, void* inout, std::size_t count,
                                         const Datatype& type) {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Count>::max());
        MPI_Datatype handle = state.find_handle(type);
        for (std::size_t from = 0; from < count; from += most) {
            auto length = static_cast<Count>(std::min(count - from, most));
            const std::ptrdiff_t offset = signed_of(from) * type.extent();
            function(moved(in, offset), moved(inout, offset), &length, &handle);
        }
    };
    op = state.ops.add(std::make_unique<Operation>(call, commute != 0));
}

void op_create(State& state, MPI_User_function* function, int commute, MPI_Op& op) {
    make_op<int>(state, function, commute, op);
}

void op_create_c(State& state, MPI_User_function_c* function, int commute, MPI_Op& op) {
    make_op<MPI_Count>(state, function, commute, op);
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
