#pragma once
/// MPI_Bcast: the root's data, to all.

#include "mpi/collectives/team.hpp"
#include "mpi/collectives/tree.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi {

/// Ranks may describe the same data by different types.
void bcast(Team& team, const Buffer& data, int root);

/// The root's data, down a tree.
void send_down(Team& team, const Tree& tree, const Buffer& data);

}  // namespace railyard::mpi
