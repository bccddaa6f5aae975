#pragma once
/// The collectives on an inter-communicator: what one group gives, the other one gets. Over a
/// divided Team; the functions of collectives.hpp pass such a one on to these. Of the shared
/// conventions, that of roots differs.

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi::inter {

// A root is a rank of the other group; in its own group, the root itself says `root_here`, and the
// others say `no_root`, and have no part in it.
inline constexpr int root_here = -3;
inline constexpr int no_root = -1;

void bcast(Team& team, const Buffer& data, int root);
void gather(Team& team, const ConstBuffer& mine, const Buffer& all, int root);
void gatherv(Team& team, const ConstBuffer& mine, const Blocks& all, int root);
void scatter(Team& team, const ConstBuffer& all, const Buffer& mine, int root);
void scatterv(Team& team, const ConstBlocks& all, const Buffer& mine, int root);
void reduce(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation,
            int root);

/// `all` has a block for each rank of the other group, and so have `out` and `in`.
void allgather(Team& team, const ConstBuffer& mine, const Blocks& all);
void alltoall(Team& team, const ConstBlocks& out, const Blocks& in);
void allreduce(Team& team, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation);
/// The other group's data combined, to every rank a share. `counts` are those of the own group.
void reduce_scatter(Team& team, const ConstBuffer& mine, const Buffer& result, Integers counts,
                    const Operation& operation);
void reduce_scatter_block(Team& team, const ConstBuffer& mine, const Buffer& result,
                          const Operation& operation);

}  // namespace railyard::mpi::inter
