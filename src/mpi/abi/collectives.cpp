// Collectives: blocking, non-blocking and persistent. Arguments that count at the root alone are
// looked at there alone.

#include <vector>

#include "mpi/abi/collective_calls.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/inter.hpp"

namespace railyard::mpi::abi {

namespace {

template <class... How>
void barrier(State&, Comm& comm, How&&... how) {
    carry_out(comm, how..., [](Team& team) { mpi::barrier(team); });
}

template <class... How>
void bcast(State&, void* data, std::size_t count, const TypeRef& type, int root, Comm& comm,
           How&&... how) {
    if (root == inter::no_root) return take_no_part(comm, how...);
    const Buffer all = buffer(data, count, type);
    carry_out(comm, how..., by_length(comm, all, [&](Team& team) { mpi::bcast(team, all, root); }));
}

template <class... How>
void gather(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
            MPI_Count incount, MPI_Datatype intype, int root, Comm& comm, How&&... how) {
    if (root == inter::no_root) return take_no_part(comm, how...);
    const bool is_root = is_root_of(comm, root);
    const bool gives = is_one_of_all(comm, is_root);
    const ConstBuffer mine = gives ? sent(state, out, outcount, outtype, is_root) : ConstBuffer();
    const Buffer all = is_root ? received(state, in, incount, intype) : Buffer();
    if (is_root && gives) check_apart(mine, block_of(all, root));
    carry_out(comm, how..., by_length(comm, is_root ? ConstBuffer(all) : mine, [&](Team& team) {
                  mpi::gather(team, mine, all, root);
              }));
}

template <class... How>
void gatherv(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
             Integers counts, Integers displs, MPI_Datatype intype, int root, Comm& comm,
             How&&... how) {
    if (root == inter::no_root) return take_no_part(comm, how...);
    const bool is_root = is_root_of(comm, root);
    const bool gives = is_one_of_all(comm, is_root);
    const ConstBuffer mine = gives ? sent(state, out, outcount, outtype, is_root) : ConstBuffer();
    Blocks all{Buffer()};
    if (is_root) {
        all = blocks(in, counts, displs, state.committed(intype, "recvtype"), comm.peer_count(),
                     "recvcounts");
        if (gives) check_apart(mine, all[root]);
    }
    carry_out(comm, how..., [&](Team& team) { mpi::gatherv(team, mine, all, root); });
}

template <class... How>
void scatter(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
             MPI_Count incount, MPI_Datatype intype, int root, Comm& comm, How&&... how) {
    if (root == inter::no_root) return take_no_part(comm, how...);
    const bool is_root = is_root_of(comm, root);
    const ConstBuffer all = is_root ? sent(state, out, outcount, outtype, false) : ConstBuffer();
    const bool gets = is_one_of_all(comm, is_root);
    const Buffer mine = gets ? received(state, in, incount, intype, is_root) : Buffer();
    if (is_root && gets) check_apart(block_of(all, root), mine);
    carry_out(comm, how..., by_length(comm, is_root ? all : ConstBuffer(mine), [&](Team& team) {
                  mpi::scatter(team, all, mine, root);
              }));
}

template <class... How>
void scatterv(State& state, const void* out, Integers counts, Integers displs, MPI_Datatype outtype,
              void* in, MPI_Count incount, MPI_Datatype intype, int root, Comm& comm,
              How&&... how) {
    if (root == inter::no_root) return take_no_part(comm, how...);
    const bool is_root = is_root_of(comm, root);
    const bool gets = is_one_of_all(comm, is_root);
    const Buffer mine = gets ? received(state, in, incount, intype, is_root) : Buffer();
    ConstBlocks all{ConstBuffer()};
    if (is_root) {
        all = blocks(const_cast<void*>(out), counts, displs, state.committed(outtype, "sendtype"),
                     comm.peer_count(), "sendcounts");
        if (gets) check_apart(all[root], mine);
    }
    carry_out(comm, how..., [&](Team& team) { mpi::scatterv(team, all, mine, root); });
}

template <class... How>
void allgather(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
               std::size_t incount, const TypeRef& intype, Comm& comm, How&&... how) {
    const ConstBuffer mine = sent(state, out, outcount, outtype, !comm.is_inter());
    const Buffer all = buffer(in, incount, intype);
    check_apart(mine, own_block_of(all, comm));
    carry_out(comm, how...,
              by_length(comm, all, [&](Team& team) { mpi::allgather(team, mine, all); }));
}

template <class... How>
void allgatherv(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
                Integers counts, Integers displs, const TypeRef& intype, Comm& comm, How&&... how) {
    const ConstBuffer mine = sent(state, out, outcount, outtype, !comm.is_inter());
    const Blocks all = blocks(in, counts, displs, intype, comm.peer_count(), "recvcounts");
    check_apart(mine, all[comm.is_inter() ? 0 : comm.rank()]);
    carry_out(comm, how..., [&](Team& team) { mpi::allgatherv(team, mine, all); });
}

template <class... How>
void alltoall(State& state, const void* out, MPI_Count outcount, MPI_Datatype outtype, void* in,
              std::size_t incount, const TypeRef& intype, Comm& comm, How&&... how) {
    const ConstBuffer from = sent(state, out, outcount, outtype, !comm.is_inter());
    const Buffer into = buffer(in, incount, intype);
    check_apart(from, into, comm.peer_count());
    carry_out(comm, how...,
              by_length(comm, into, [&](Team& team) { mpi::alltoall(team, from, into); }));
}

template <class... How>
void alltoallv(State& state, const void* out, Integers outcounts, Integers outdispls,
               MPI_Datatype outtype, void* in, Integers incounts, Integers indispls,
               const TypeRef& intype, Comm& comm, How&&... how) {
    const Blocks into = blocks(in, incounts, indispls, intype, comm.peer_count(), "recvcounts");
    const ConstBlocks from =
        is_in_place(out, comm)
            ? Blocks::in_place()
            : blocks(const_cast<void*>(out), outcounts, outdispls,
                     state.committed(outtype, "sendtype"), comm.peer_count(), "sendcounts");
    check_apart(from, into, comm);
    carry_out(comm, how..., [&](Team& team) { mpi::alltoallv(team, from, into); });
}

template <class... How>
void alltoallw(State& state, const void* out, Integers outcounts, Integers outdispls,
               const MPI_Datatype outtypes[], void* in, Integers incounts, Integers indispls,
               const MPI_Datatype intypes[], Comm& comm, How&&... how) {
    const auto in_types = types_of(state, intypes, comm.peer_count(), "recvtypes");
    const Blocks into = blocks(in, incounts, indispls, in_types, "recvcounts");
    std::vector<const Datatype*> out_types;
    if (!is_in_place(out, comm))
        out_types = types_of(state, outtypes, comm.peer_count(), "sendtypes");
    const ConstBlocks from = is_in_place(out, comm) ? Blocks::in_place()
                                                    : blocks(const_cast<void*>(out), outcounts,
                                                             outdispls, out_types, "sendcounts");
    check_apart(from, into, comm);
    carry_out(comm, how..., [&](Team& team) { mpi::alltoallw(team, from, into); });
}

template <class... How>
void reduce(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
            const Operation& op, int root, Comm& comm, How&&... how) {
    op.check(*type);
    if (root == inter::no_root) return take_no_part(comm, how...);
    const bool is_root = is_root_of(comm, root);
    ConstBuffer mine;
    if (is_one_of_all(comm, is_root))
        mine = is_root ? contribution(out, count, type, comm) : const_buffer(out, count, type);
    const Buffer result = is_root ? buffer(in, count, type) : Buffer{nullptr, count, type.get()};
    check_apart(mine, result);
    carry_out(comm, how..., [&](Team& team) { mpi::reduce(team, mine, result, op, root); });
}

template <class... How>
void allreduce(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
               const Operation& op, Comm& comm, How&&... how) {
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type, comm);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    carry_out(comm, how..., [&](Team& team) { mpi::allreduce(team, mine, result, op); });
}

template <class... How>
void reduce_scatter(State&, const void* out, void* in, Integers counts, const TypeRef& type,
                    const Operation& op, Comm& comm, How&&... how) {
    op.check(*type);
    const std::size_t total = check_counts(counts, comm.size(), "recvcounts");
    const ConstBuffer mine = contribution(out, total, type, comm);
    const Buffer result = buffer(in, static_cast<std::size_t>(counts[comm.rank()]), type);
    check_apart(mine, result);
    carry_out(comm, how...,
              [&](Team& team) { mpi::reduce_scatter(team, mine, result, counts, op); });
}

template <class... How>
void reduce_scatter_block(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
                          const Operation& op, Comm& comm, How&&... how) {
    op.check(*type);
    const std::size_t total = count * static_cast<std::size_t>(comm.size());
    const ConstBuffer mine = contribution(out, total, type, comm);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    carry_out(comm, how..., [&](Team& team) { mpi::reduce_scatter_block(team, mine, result, op); });
}

template <class... How>
void scan(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
          const Operation& op, Comm& comm, How&&... how) {
    check_one_group(comm);
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type, comm);
    const Buffer result = buffer(in, count, type);
    check_apart(mine, result);
    carry_out(comm, how..., [&](Team& team) { mpi::scan(team, mine, result, op); });
}

template <class... How>
void exscan(State&, const void* out, void* in, std::size_t count, const TypeRef& type,
            const Operation& op, Comm& comm, How&&... how) {
    check_one_group(comm);
    op.check(*type);
    const ConstBuffer mine = contribution(out, count, type, comm);
    // The first rank gets nothing, and may give no room for it.
    const bool has_result = comm.rank() != 0 || out == MPI_IN_PLACE;
    const Buffer result = has_result ? buffer(in, count, type) : Buffer{in, count, type.get()};
    check_apart(mine, result);
    carry_out(comm, how..., [&](Team& team) { mpi::exscan(team, mine, result, op); });
}

}  // namespace

#include <entries/collectives.inc>
#include <entries/nonblocking_collectives.inc>
#include <entries/persistent_collectives.inc>

}  // namespace railyard::mpi::abi
