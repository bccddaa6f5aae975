#pragma once
/// The neighbourhood collectives of MPI over a Team: a rank exchanges blocks with those whom a
/// topology names, and with nobody else.

#include <cstddef>
#include <vector>

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

/// Whom a rank receives from and whom it sends to, in the order of their blocks. A rank may be
/// there several times, and may be one's own.
struct Neighbours {
    static constexpr int nobody = -1;  ///< beyond an open border: its block is left alone

    std::vector<int> sources;
    std::vector<int> destinations;
    /// Of a grid: two places a dimension, down and up. What a rank sends down, the other receives
    /// from above, so where both are the same rank, what comes first is from above.
    bool is_grid = false;

    /// Several blocks of one source come in the order of these: a place for each i.
    std::size_t arrival(std::size_t i) const { return is_grid ? i ^ 1 : i; }
};

/// The same block, to all.
void neighbour_allgather(Team& team, const Neighbours& neighbours, const ConstBuffer& mine,
                         const Blocks& in);
/// To each a block of its own. Empty ones are not sent.
void neighbour_alltoall(Team& team, const Neighbours& neighbours, const ConstBlocks& out,
                        const Blocks& in);

}  // namespace railyard::mpi
