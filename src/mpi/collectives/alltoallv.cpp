#include "mpi/collectives/alltoallv.hpp"

#include "mpi/collectives/alltoall.hpp"
#include "mpi/collectives/choice.hpp"

namespace railyard::mpi {

// No rank knows the others' lengths, so the choice is by ranks alone.
void alltoallv(Party& party, const ConstBlocks& out, const Blocks& in) {
    if (choose(Collective::alltoallv, party, 0) == Algorithm::pairwise)
        alltoall_pairwise(party, out, in);
    else
        alltoall_linear(party, out, in);
}

}  // namespace railyard::mpi
