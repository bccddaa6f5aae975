// Blocking collectives. Arguments that count at the root alone are looked at there alone.

#include <vector>

#include "mpi/abi/entry.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/collectives.hpp"

namespace railyard::mpi::abi {

namespace {

ConstBuffer sent(State& state, const void* address, int count, MPI_Datatype type) {
    if (address == MPI_IN_PLACE) return mpi::in_place();
    return const_buffer(address, to_count(count, "sendcount"), state.committed(type, "sendtype"));
}

Buffer received(State& state, void* address, int count, MPI_Datatype type) {
    if (address == MPI_IN_PLACE) return mpi::in_place();
    return buffer(address, to_count(count, "recvcount"), state.committed(type, "recvtype"));
}

ConstBuffer contribution(const void* address, std::size_t count, const TypeRef& type) {
    return address == MPI_IN_PLACE ? ConstBuffer(mpi::in_place())
                                   : const_buffer(address, count, type);
}

void check_counts(const int counts[], const Comm& comm, const char* argument) {
    if (counts == nullptr) null_argument(argument);
    for (int rank = 0; rank < comm.size(); ++rank)
        to_count(counts[rank], argument);
}

void check_array(const void* array, const char* argument) {
    if (array == nullptr) null_argument(argument);
}

void barrier(State&, Comm& comm) {
    mpi::barrier(comm.team());
}

void bcast(State&, void* data, std::size_t count, const TypeRef& type, int root, Comm& comm) {
    mpi::bcast(comm.team(), buffer(data, count, type), root);
}

void gather(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
            int incount, MPI_Datatype intype, int root, Comm& comm) {
    const bool is_root = comm.rank() == root;
    mpi::gather(comm.team(), sent(state, out, outcount, outtype),
                is_root ? received(state, in, incount, intype) : Buffer(), root);
}

void gatherv(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
             const int counts[], const int displs[], MPI_Datatype intype, int root, Comm& comm) {
    const ConstBuffer mine = sent(state, out, outcount, outtype);
    if (comm.rank() != root) return mpi::gatherv(comm.team(), mine, Blocks(Buffer()), root);
    check_counts(counts, comm, "recvcounts");
    check_array(displs, "displs");
    mpi::gatherv(comm.team(), mine,
                 Blocks(in, counts, displs, *state.committed(intype, "recvtype")), root);
}

void scatter(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
             int incount, MPI_Datatype intype, int root, Comm& comm) {
    const bool is_root = comm.rank() == root;
    mpi::scatter(comm.team(), is_root ? sent(state, out, outcount, outtype) : ConstBuffer(),
                 received(state, in, incount, intype), root);
}

void scatterv(State& state, const void* out, const int counts[], const int displs[],
              MPI_Datatype outtype, void* in, int incount, MPI_Datatype intype, int root,
              Comm& comm) {
    const Buffer mine = received(state, in, incount, intype);
    if (comm.rank() != root)
        return mpi::scatterv(comm.team(), ConstBlocks(ConstBuffer()), mine, root);
    check_counts(counts, comm, "sendcounts");
    check_array(displs, "displs");
    mpi::scatterv(comm.team(),
                  ConstBlocks(out, counts, displs, *state.committed(outtype, "sendtype")), mine,
                  root);
}

void allgather(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
               std::size_t incount, const TypeRef& intype, Comm& comm) {
    mpi::allgather(comm.team(), sent(state, out, outcount, outtype), buffer(in, incount, intype));
}

void allgatherv(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
                const int counts[], const int displs[], const TypeRef& intype, Comm& comm) {
    check_counts(counts, comm, "recvcounts");
    check_array(displs, "displs");
    mpi::allgatherv(comm.team(), sent(state, out, outcount, outtype),
                    Blocks(in, counts, displs, *intype));
}

void alltoall(State& state, const void* out, int outcount, MPI_Datatype outtype, void* in,
              std::size_t incount, const TypeRef& intype, Comm& comm) {
    mpi::alltoall(comm.team(), sent(state, out, outcount, outtype), buffer(in, incount, intype));
}

void alltoallv(State& state, const void* out, const int outcounts[], const int outdispls[],
               MPI_Datatype outtype, void* in, const int incounts[], const int indispls[],
               const TypeRef& intype, Comm& comm) {
    check_counts(incounts, comm, "recvcounts");
    check_array(indispls, "rdispls");
    const Blocks into(in, incounts, indispls, *intype);
    if (out == MPI_IN_PLACE) return mpi::alltoallv(comm.team(), Blocks::in_place(), into);
    check_counts(outcounts, comm, "sendcounts");
    check_array(outdispls, "sdispls");
    mpi::alltoallv(comm.team(),
                   ConstBlocks(out, outcounts, outdispls, *state.committed(outtype, "sendtype")),
                   into);
}

std::vector<const Datatype*> types_of(State& state, const MPI_Datatype types[], const Comm& comm,
                                      const char* argument) {
    check_array(types, argument);
    std::vector<const Datatype*> list;
    for (int rank = 0; rank < comm.size(); ++rank)
        list.push_back(state.committed(types[rank], argument).get());
    return list;
}

void alltoallw(State& state, const void* out, const int outcounts[], const int outdispls[],
               const MPI_Datatype outtypes[], void* in, const int incounts[], const int indispls[],
               const MPI_Datatype intypes[], Comm& comm) {
    check_counts(incounts, comm, "recvcounts");
    check_array(indispls, "rdispls");
    const auto in_list = types_of(state, intypes, comm, "recvtypes");
    const Blocks into(in, incounts, indispls, in_list.data());
    if (out == MPI_IN_PLACE) return mpi::alltoallw(comm.team(), Blocks::in_place(), into);
    check_counts(outcounts, comm, "sendcounts");
    check_array(outdispls, "sdispls");
    const auto out_list = types_of(state, outtypes, comm, "sendtypes");
    mpi::alltoallw(comm.team(), ConstBlocks(out, outcounts, outdispls, out_list.data()), into);
}

void reduce(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
            const Operation& op, int root, Comm& comm) {
    op.check(*type);
    const bool is_root = comm.rank() == root;
    mpi::reduce(comm.team(), contribution(out, count, type),
                is_root ? buffer(in, count, type) : Buffer{nullptr, count, type.get()}, op, root);
}

void allreduce(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
               const Operation& op, Comm& comm) {
    op.check(*type);
    mpi::allreduce(comm.team(), contribution(out, count, type), buffer(in, count, type), op);
}

void reduce_scatter(State&, const void* out, void* in, const int counts[], const TypeRef& type,
                    const Operation& op, Comm& comm) {
    op.check(*type);
    check_counts(counts, comm, "recvcounts");
    std::size_t total = 0;
    for (int rank = 0; rank < comm.size(); ++rank)
        total += static_cast<std::size_t>(counts[rank]);
    const auto mine = static_cast<std::size_t>(counts[comm.rank()]);
    mpi::reduce_scatter(comm.team(), contribution(out, total, type), buffer(in, mine, type), counts,
                        op);
}

void reduce_scatter_block(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
                          const Operation& op, Comm& comm) {
    op.check(*type);
    const std::size_t total = count * static_cast<std::size_t>(comm.size());
    mpi::reduce_scatter_block(comm.team(), contribution(out, total, type), buffer(in, count, type),
                              op);
}

void scan(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
          const Operation& op, Comm& comm) {
    op.check(*type);
    mpi::scan(comm.team(), contribution(out, count, type), buffer(in, count, type), op);
}

void exscan(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
            const Operation& op, Comm& comm) {
    op.check(*type);
    mpi::exscan(comm.team(), contribution(out, count, type),
                comm.rank() == 0 ? Buffer{in, count, type.get()} : buffer(in, count, type), op);
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
    state.ops.remove(op);
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
