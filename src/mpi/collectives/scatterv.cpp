#include "mpi/collectives/scatterv.hpp"

#include "mpi/collectives/scatter.hpp"

namespace railyard::mpi {

// No tree: who passes blocks on would have to know their lengths, which the root alone does.
void scatterv(Team& team, const ConstBlocks& all, const Buffer& mine, int root) {
    scatter_flat(team, all, mine, root);
}

}  // namespace railyard::mpi
