#pragma once
/// Which algorithm a collective uses: what the user asked for, or what the rules say by ranks,
/// bytes and circumstances. Every rank comes to the same answer, as it knows the same.

#include <cstddef>

#include "mpi/collectives/algorithms.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

struct Situation {
    int ranks = 1;
    /// Of bcast and the reductions: a rank's data; of gather, scatter, allgather: one rank's block;
    /// of allgatherv and reduce_scatter: all blocks together; of alltoall: one block.
    std::size_t bytes = 0;
    Circumstances circumstances{};
    bool commutative = true;
};

/// Whether the algorithm gives the right result there.
bool serves(Collective collective, Algorithm algorithm, const Situation& situation);

/// By the rules alone.
Algorithm choose(Collective collective, const Situation& situation);

/// What the user asked for, if it gives the right result, else by the rules.
Algorithm choose(Collective collective, const Team& team, std::size_t bytes,
                 bool commutative = true);

/// The radix of Bruck's algorithm for an alltoall with blocks of so many bytes: many rounds with
/// few messages for small blocks, few rounds that move fewer bytes for large ones. The number of
/// ranks means one round: no block goes by way of another rank.
int bruck_radix(int ranks, std::size_t bytes, const Circumstances& circumstances);

}  // namespace railyard::mpi
