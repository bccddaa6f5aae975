// Neighbourhood collectives: blocking, non-blocking and persistent.

#include <vector>

#include "mpi/abi/collective_calls.hpp"
#include "mpi/collectives/neighbourhood.hpp"
#include "mpi/communicators/neighbours.hpp"

namespace railyard::mpi::abi {

namespace {

int sources_of(const Neighbours& neighbours) {
    return static_cast<int>(neighbours.sources.size());
}

int destinations_of(const Neighbours& neighbours) {
    return static_cast<int>(neighbours.destinations.size());
}

/// The two buffers of a call must not be the same memory.
void check_first_apart(const Neighbours& neighbours, const ConstBuffer& out, const Blocks& in) {
    if (!neighbours.sources.empty() && !neighbours.destinations.empty()) check_apart(out, in[0]);
}

template <class... How>
void neighbor_allgather(State&, const void* out, std::size_t outcount, const TypeRef& outtype,
                        void* in, std::size_t incount, const TypeRef& intype, Comm& comm,
                        How&&... how) {
    const Neighbours neighbours = neighbours_of(comm);
    const ConstBuffer mine = const_buffer(out, outcount, outtype);
    const Blocks into(buffer(in, incount, intype));
    check_first_apart(neighbours, mine, into);
    carry_out(comm, how..., [&](Team& team) { neighbour_allgather(team, neighbours, mine, into); });
}

template <class... How>
void neighbor_allgatherv(State&, const void* out, std::size_t outcount, const TypeRef& outtype,
                         void* in, Integers counts, Integers displs, const TypeRef& intype,
                         Comm& comm, How&&... how) {
    const Neighbours neighbours = neighbours_of(comm);
    const ConstBuffer mine = const_buffer(out, outcount, outtype);
    const Blocks into = blocks(in, counts, displs, intype, sources_of(neighbours), "recvcounts");
    check_first_apart(neighbours, mine, into);
    carry_out(comm, how..., [&](Team& team) { neighbour_allgather(team, neighbours, mine, into); });
}

/// What all that send to each neighbour a block of its own have in common.
template <class... How>
void alltoall_of(const Neighbours& neighbours, const ConstBlocks& from, const Blocks& into,
                 Comm& comm, How&&... how) {
    if (!neighbours.destinations.empty()) check_first_apart(neighbours, from[0], into);
    carry_out(comm, how..., [&](Team& team) { neighbour_alltoall(team, neighbours, from, into); });
}

template <class... How>
void neighbor_alltoall(State&, const void* out, std::size_t outcount, const TypeRef& outtype,
                       void* in, std::size_t incount, const TypeRef& intype, Comm& comm,
                       How&&... how) {
    const Neighbours neighbours = neighbours_of(comm);
    const ConstBlocks from(const_buffer(out, outcount, outtype));
    alltoall_of(neighbours, from, Blocks(buffer(in, incount, intype)), comm, how...);
}

template <class... How>
void neighbor_alltoallv(State&, const void* out, Integers outcounts, Integers outdispls,
                        const TypeRef& outtype, void* in, Integers incounts, Integers indispls,
                        const TypeRef& intype, Comm& comm, How&&... how) {
    const Neighbours neighbours = neighbours_of(comm);
    const Blocks from = blocks(const_cast<void*>(out), outcounts, outdispls, outtype,
                               destinations_of(neighbours), "sendcounts");
    const Blocks into =
        blocks(in, incounts, indispls, intype, sources_of(neighbours), "recvcounts");
    alltoall_of(neighbours, from, into, comm, how...);
}

template <class... How>
void neighbor_alltoallw(State& state, const void* out, Integers outcounts, Integers outdispls,
                        const MPI_Datatype outtypes[], void* in, Integers incounts,
                        Integers indispls, const MPI_Datatype intypes[], Comm& comm, How&&... how) {
    const Neighbours neighbours = neighbours_of(comm);
    const auto out_types = types_of(state, outtypes, destinations_of(neighbours), "sendtypes");
    const auto in_types = types_of(state, intypes, sources_of(neighbours), "recvtypes");
    const Blocks from =
        blocks(const_cast<void*>(out), outcounts, outdispls, out_types, "sendcounts");
    const Blocks into = blocks(in, incounts, indispls, in_types, "recvcounts");
    alltoall_of(neighbours, from, into, comm, how...);
}

}  // namespace

#include <entries/neighbourhoods.inc>
#include <entries/nonblocking_neighbourhoods.inc>
#include <entries/persistent_neighbourhoods.inc>

}  // namespace railyard::mpi::abi
