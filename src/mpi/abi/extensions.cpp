// Calls beyond the standard that MPICH has. A job ends with the first process that fails, so those
// that ask about failures find none, and agree as if there were none: whoever is asked lives.

#include "mpi/abi/entry.hpp"
#include "mpi/collectives/collectives.hpp"

namespace railyard::mpi::abi {

namespace {

/// All flags, bit by bit.
void x_comm_agree(State&, Comm& comm, int& flag) {
    const Datatype& type = *predefined(Basic::int32);
    const int mine = flag;
    allreduce(comm.team(), ConstBuffer(&mine, 1, type), Buffer{&flag, 1, &type},
              *mpi::predefined(Operation::Kind::band));
}

/// Without those that failed; so of all.
void x_comm_shrink(State& state, Comm& comm, MPI_Comm& newcomm) {
    newcomm = state.add(duplicated(comm, state.context_ids));
}

void x_comm_revoke(State&, Comm&) {
    throw MpiError(ErrorClass::unsupported,
                   "communicators cannot be revoked; a job ends with the first process that fails");
}

void x_comm_failure_ack(State&, Comm&) {}

void x_comm_failure_get_acked(State&, Comm&, MPI_Group& failed) {
    failed = MPI_GROUP_EMPTY;
}

void x_gpu_query_support(int gpu_type, int& is_supported) {
    if (gpu_type < MPIX_GPU_SUPPORT_CUDA || gpu_type > MPIX_GPU_SUPPORT_HIP)
        throw MpiError(ErrorClass::arg, "gpu_type is " + std::to_string(gpu_type) +
                                            ", which is no MPIX_GPU_SUPPORT_…");
    is_supported = 0;
}

// They return no code but what they were asked: 0, no support.
void x_query_cuda_support() {}
void x_query_hip_support() {}
void x_query_ze_support() {}

}  // namespace

#include <entries/extensions.inc>

}  // namespace railyard::mpi::abi
