#pragma once
/// Applies an operation, and keeps the order of ranks where data of two meet.

#include <utility>

#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// inout = in op inout.
inline void combine(Team& team, const Operation& operation, const ConstBuffer& in,
                    const Buffer& inout) {
    if (inout.count == 0) return;
    operation.apply(in.address, inout.address, inout.count, *inout.type);
    team.charge_bytes(inout.count * inout.type->size());
}

/// A total that grows as data come in, from lower or higher ranks. It begins where the user has it
/// and moves between buffers instead of being copied, as an operation leaves its result on the
/// right.
class Total {
  public:
    /// What a Total takes of a Scratch.
    static std::size_t room(const ConstBuffer& mine) {
        return 2 * Scratch::room(mine.count, *mine.type);
    }
    Total(Team& team, const Operation& operation, const ConstBuffer& mine, Scratch& scratch)
        : team_(team),
          operation_(operation),
          total_(mine),
          incoming_(scratch.elements(mine.count, *mine.type)),
          spare_(scratch.elements(mine.count, *mine.type)) {}

    const ConstBuffer& now() const { return total_; }
    /// Where to receive what shall be added next.
    const Buffer& incoming() const { return incoming_; }

    /// What came in is from ranks above all that the total has.
    void add_higher() {
        combine(team_, operation_, total_, incoming_);
        total_ = incoming_;
        std::swap(incoming_, spare_);
    }
    /// What came in is from ranks below.
    void add_lower() {
        if (total_.address != spare_.address) copy(team_, total_, spare_);
        combine(team_, operation_, incoming_, spare_);
        total_ = spare_;
    }

  private:
    Team& team_;
    const Operation& operation_;
    ConstBuffer total_;
    Buffer incoming_;
    Buffer spare_;  ///< where the total is, once it is no longer the user's
};

}  // namespace railyard::mpi
