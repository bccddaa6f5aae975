#include "mpi/collectives/reduce_scatter_block.hpp"

#include "mpi/collectives/reduce_scatter.hpp"

namespace railyard::mpi {

void reduce_scatter_block(Team& team, const ConstBuffer& mine, const Buffer& result,
                          const Operation& operation) {
    reduce_shares(team, Collective::reduce_scatter_block, mine, result, Shares(result.count),
                  operation);
}

}  // namespace railyard::mpi
