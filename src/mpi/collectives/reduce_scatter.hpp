#pragma once
/// MPI_Reduce_scatter: all ranks' data, combined in the order of ranks, to every rank a part.

#include "mpi/collectives/blocks.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// How many elements are whose, one rank's after the other's.
class Shares {
  public:
    explicit Shares(std::size_t each) : each_(each), is_even_(true) {}
    explicit Shares(Integers counts) : counts_(counts) {}

    std::size_t of(int rank) const {
        return is_even_ ? each_ : static_cast<std::size_t>(counts_[rank]);
    }
    /// Elements before that rank's; of the number of ranks, all.
    std::size_t before(int rank) const;

  private:
    std::size_t each_ = 0;
    Integers counts_;
    bool is_even_ = false;
};

/// `mine` holds all shares, one after the other, and may be in_place(): then `result` holds them,
/// and this rank's share of the result comes to its beginning. The count of `result` is not used.
void reduce_scatter(Team& team, const ConstBuffer& mine, const Buffer& result, Integers counts,
                    const Operation& operation);

/// What both kinds of reduce_scatter do.
void reduce_shares(Team& team, Collective collective, const ConstBuffer& mine, const Buffer& result,
                   const Shares& shares, const Operation& operation);

}  // namespace railyard::mpi
