#pragma once
/// What reductions are made of: applying an operation so that the order of ranks is kept, a running
/// total, and the two halves of Rabenseifner's algorithm.

#include <array>
#include <cstddef>
#include <utility>

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/collectives/virtual_ranks.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// inout = in op inout.
inline void combine(Team& team, const Operation& operation, const ConstBuffer& in,
                    const Buffer& inout) {
    if (inout.count == 0) return;
    if (Recorder* const recorder = team.recorder()) [[unlikely]]
        recorder->combine(operation, in, inout);
    else
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
        // In braces, so that every compiler takes the first one first.
        : Total{team, operation, mine, scratch.elements(mine.count, *mine.type),
                scratch.elements(mine.count, *mine.type)} {}
    /// In these two it grows. After an odd number of add_higher() it is in the first one, after an
    /// even one in the second.
    Total(Team& team, const Operation& operation, const ConstBuffer& mine, const Buffer& first,
          const Buffer& second)
        : team_(team), operation_(operation), total_(mine), incoming_(first), spare_(second) {}

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

/// Rabenseifner's algorithm: combine ever smaller parts with ever farther ranks, then put the parts
/// together again. Nearest ranks first, so that the order of ranks is kept.
/// For all ranks but the extra ones of the fold; `vector` holds this rank's data, and is worked on
/// in place.
class Halving {
  public:
    /// What it takes of the scratch.
    static std::size_t room(const Fold& fold, const ConstBuffer& vector);
    Halving(Team& team, const Fold& fold, const Operation& operation, const Buffer& vector,
            Scratch& scratch);

    /// A proxy takes in the data of its extra rank, which sends them. Leaves every rank with its
    /// part.
    void reduce_scatter();
    /// All parts, to all virtual ranks.
    void allgather();
    /// All parts, to one virtual rank.
    void gather(int root_vrank);

  private:
    struct Range {
        std::size_t from = 0;
        std::size_t to = 0;
    };

    /// Whether this rank is the lower one of the two that exchange in a round.
    bool is_lower(int level) const { return (fold_.vrank() >> level & 1) == 0; }
    Buffer part_of(const Range& range) const;
    /// What the partner of a round keeps of what both had.
    Range others(int level) const;
    void add(const Range& range, bool from_lower);

    Team& team_;
    const Fold& fold_;
    const Operation& operation_;
    Buffer vector_;
    Buffer incoming_;
    std::array<Range, 33> ranges_{};  ///< what is this rank's, before each round and at the end
    int levels_ = 0;
};

}  // namespace railyard::mpi
