#pragma once
/// Collectives in two levels, for ranks that share nodes: within each node to or from its leader,
/// and among the leaders. So what is small crosses the network once a node, not once a rank. Of a
/// team that has nodes() only; the two levels then choose for themselves.

#include <cstddef>

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi::by_node {

void barrier(Team& team);
void bcast(Team& team, const Buffer& data, int root);
/// Of operations that do not commute only where nodes are in the order of ranks.
void reduce(Team& team, const ConstBuffer& data, const Buffer& result, const Operation& operation,
            int root);
void allreduce(Team& team, const ConstBuffer& data, const Buffer& result,
               const Operation& operation);
/// Even blocks, and nodes in the order of ranks.
void allgather(Team& team, const ConstBuffer& mine, const Blocks& all);

// Even blocks of `each` bytes. Those of a node travel together between leaders, packed where they
// are not in a row.

void gather(Team& team, const ConstBuffer& mine, const Blocks& all, int root, std::size_t each);
void scatter(Team& team, const ConstBlocks& all, const Buffer& mine, int root, std::size_t each);
/// A node's leader has all its ranks' blocks for all.
void alltoall(Team& team, const ConstBlocks& out, const Blocks& in, std::size_t each);

}  // namespace railyard::mpi::by_node
