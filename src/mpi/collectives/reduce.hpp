#pragma once
/// MPI_Reduce: all ranks' data, combined in the order of ranks, to the root.

#include "mpi/collectives/team.hpp"
#include "mpi/collectives/tree.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// `result` counts for the root alone, whose `mine` may be in_place().
void reduce(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation,
            int root);

/// Combines up a tree. If the tree's root is not `root`, it passes the result on.
void combine_up(Team& team, const Tree& tree, const Operation& operation, const ConstBuffer& data,
                const Buffer& result, int root);

}  // namespace railyard::mpi
