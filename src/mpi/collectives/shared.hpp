#pragma once
/// Collectives through a Hub: nobody waits for one certain rank but a root, and
/// nobody at all who gets nothing.

#include <cstddef>

#include "mpi/collectives/algorithms.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi::shared {

/// Whether a hub has room for it; `bytes` as in Situation.
bool fits(Collective collective, int ranks, std::size_t bytes);
/// Whether a wide one should take it, in segments.
bool goes_in_segments(Collective collective, int ranks, std::size_t bytes);

/// Whether ranks should read so much straight from each other's memory.
bool goes_directly(Collective collective, int ranks, std::size_t bytes, bool shares_cores);

void barrier(Team& team);
void bcast(Team& team, const Buffer& data, int root);
void gather(Team& team, const ConstBuffer& mine, const Buffer& all, int root);
void scatter(Team& team, const ConstBuffer& all, const Buffer& mine, int root);
/// Reductions are of a predefined type.
void reduce(Team& team, const Operation& operation, const ConstBuffer& data, const Buffer& result,
            int root);
void allreduce(Team& team, const Operation& operation, const ConstBuffer& data,
               const Buffer& result);
void allgather(Team& team, const ConstBuffer& mine, const Buffer& all);
void alltoall(Team& team, const ConstBuffer& out, const Buffer& in);

/// Straight from each other's memory. False: some could not, and it is to be done otherwise.
bool bcast_directly(Team& team, const Buffer& data, int root);
bool reduce_directly(Team& team, const Operation& operation, const ConstBuffer& data,
                     const Buffer& result, int root);
bool allgather_directly(Team& team, const ConstBuffer& mine, const Buffer& all);
bool alltoall_directly(Team& team, const ConstBuffer& out, const Buffer& in);

}  // namespace railyard::mpi::shared
