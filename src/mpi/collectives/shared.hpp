#pragma once
/// Collectives of few bytes through a Hub: nobody waits for one certain rank.

#include <cstddef>

#include "mpi/collectives/algorithms.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi::shared {

/// Whether a hub has room for it; `bytes` as in Situation.
bool fits(Collective collective, int ranks, std::size_t bytes);

void barrier(Team& team);
/// Of a predefined type.
void allreduce(Team& team, const Operation& operation, const ConstBuffer& data,
               const Buffer& result);
/// Even blocks.
void allgather(Team& team, const ConstBuffer& mine, const Blocks& all);
void alltoall(Team& team, const ConstBlocks& out, const Blocks& in);

}  // namespace railyard::mpi::shared
