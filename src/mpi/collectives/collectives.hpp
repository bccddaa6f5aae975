#pragma once
/// The collectives of MPI over a Team, and below them the parts that several are made of. All ranks
/// of a team call the same one. What a rank gives may be in_place() where MPI allows it. Reductions
/// combine in the order of ranks. Those of a divided team are in inter.hpp.

#include <cstddef>

#include "mpi/collectives/algorithms.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/collectives/virtual_ranks.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// No rank returns before all have called.
void barrier(Team& team);

/// The root's data, to all. Ranks may describe the same data by different types.
void bcast(Team& team, const Buffer& data, int root);

/// Every rank's block, to the root. `all` counts for the root alone, and its count is that of one
/// block. The root's own `mine` may be in place.
void gather(Team& team, const ConstBuffer& mine, const Buffer& all, int root);
/// The same where the root knows how long each block is.
void gatherv(Team& team, const ConstBuffer& mine, const Blocks& all, int root);

/// To every rank its block of the root's data; `all` and `mine` as in gather().
void scatter(Team& team, const ConstBuffer& all, const Buffer& mine, int root);
void scatterv(Team& team, const ConstBlocks& all, const Buffer& mine, int root);

/// Every rank's block, to all. The count of `all` is that of one block.
void allgather(Team& team, const ConstBuffer& mine, const Buffer& all);
void allgatherv(Team& team, const ConstBuffer& mine, const Blocks& all);

/// From every rank a block to every other. Counts are those of one block.
void alltoall(Team& team, const ConstBuffer& out, const Buffer& in);
/// Blocks of any length; those of alltoallw each have a type of their own.
void alltoallv(Team& team, const ConstBlocks& out, const Blocks& in);
void alltoallw(Team& team, const ConstBlocks& out, const Blocks& in);

/// All ranks' data combined, to the root. `result` counts for the root alone.
void reduce(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation,
            int root);
/// All ranks' data combined, to all: the same bits on all ranks, of floating-point numbers too.
void allreduce(Team& team, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation);
/// All ranks' data combined, to every rank a share. `mine` holds all shares, one after the other.
/// In place, `result` holds them, and this rank's share of the result comes to its beginning. The
/// count of `result` is not used.
void reduce_scatter(Team& team, const ConstBuffer& mine, const Buffer& result, Integers counts,
                    const Operation& operation);
/// The same with equal shares; the count of `result` is that of one.
void reduce_scatter_block(Team& team, const ConstBuffer& mine, const Buffer& result,
                          const Operation& operation);

/// To every rank the data of all up to itself, combined.
void scan(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation);
/// To every rank the data of all below itself; the result of rank 0 is left as it was.
void exscan(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation);

/// Until all of the tree have called; the root alone then knows.
void wait_for_all(Team& team, const Tree& tree);
/// The data of the tree's root, down the tree.
void send_down(Team& team, const Tree& tree, const Buffer& data);
/// Combines up a tree. If the tree's root is not `root`, it passes the result on.
void combine_up(Team& team, const Tree& tree, const Operation& operation, const ConstBuffer& data,
                const Buffer& result, int root);
/// Every block straight to the root. Empty ones are not sent.
void gather_flat(Team& team, const ConstBuffer& mine, const Blocks& all, int root);
/// Every rank combines one part of all ranks' data, which come from each rank itself, and hands it
/// to the root or to all.
void reduce_linear(Team& team, const Operation& operation, const ConstBuffer& data,
                   const Buffer& result, int root);
void allreduce_linear(Team& team, const Operation& operation, const ConstBuffer& data,
                      const Buffer& result);
/// Bruck's algorithm, for even blocks: they go by way of other ranks, so that few messages are
/// sent, to few partners. Needs a fixed amount of memory, or that of two messages.
void alltoall_bruck(Team& team, const ConstBlocks& out, const Blocks& in);

/// Blocks go round, each rank to the next, until all have all. Block i starts at virtual rank i.
template <class BlockAt>
void pass_round(Team& team, const Tree& tree, const BlockAt& block) {
    const int ranks = team.size();
    const int next = tree.rank_at((tree.vrank() + 1) % ranks);
    const int previous = tree.rank_at((tree.vrank() + ranks - 1) % ranks);
    for (int step = 0; step < ranks - 1; ++step) {
        const int out = (tree.vrank() - step + ranks) % ranks;
        const int in = (tree.vrank() - step - 1 + ranks) % ranks;
        team.exchange(block(out), next, block(in), previous);
    }
}

/// Which algorithm a collective uses: what the user asked for, or what the rules say by ranks,
/// bytes and circumstances. Every rank comes to the same answer, as it knows the same.
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
Algorithm choose(Collective collective, const Team& team, std::size_t bytes);
/// Of a reduction. Types that are not predefined may have more gaps than a hub has room for.
Algorithm choose(Collective collective, const Team& team, const ConstBuffer& data,
                 const Operation& operation);

/// The radix of Bruck's algorithm for an alltoall with blocks of so many bytes: many rounds with
/// few messages for small blocks, few rounds that move fewer bytes for large ones. The number of
/// ranks means one round: no block goes by way of another rank.
int bruck_radix(int ranks, std::size_t bytes, const Circumstances& circumstances);

}  // namespace railyard::mpi
