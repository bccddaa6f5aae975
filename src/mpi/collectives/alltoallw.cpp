#include "mpi/collectives/alltoallw.hpp"

#include "mpi/collectives/alltoall.hpp"
#include "mpi/collectives/choice.hpp"

namespace railyard::mpi {

// No rank knows the others' lengths, so the choice is by ranks alone.
void alltoallw(Team& team, const ConstBlocks& out, const Blocks& in) {
    if (choose(Collective::alltoallw, team, 0) == Algorithm::pairwise)
        alltoall_pairwise(team, out, in);
    else
        alltoall_linear(team, out, in);
}

}  // namespace railyard::mpi
