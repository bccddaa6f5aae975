#include "mpi/collectives/gatherv.hpp"

#include "mpi/collectives/gather.hpp"

namespace railyard::mpi {

// No tree: who passes blocks on would have to know their lengths, which the root alone does.
void gatherv(Team& team, const ConstBuffer& mine, const Blocks& all, int root) {
    gather_flat(team, mine, all, root);
}

}  // namespace railyard::mpi
