#pragma once
/// The two halves of Rabenseifner's reductions: combine ever smaller parts with ever farther ranks,
/// then put the parts together again. Nearest ranks first, so that the order of ranks is kept.

#include <array>
#include <cstddef>

#include "mpi/collectives/fold.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

/// For those who speak in the fold; `vector` holds this rank's data, and is worked on in place.
class Halving {
  public:
    /// What it takes of the scratch.
    static std::size_t room(const Fold& fold, const ConstBuffer& vector);
    Halving(Team& team, const Fold& fold, const Operation& operation, const Buffer& vector,
            Scratch& scratch);

    /// Takes in the data of the one spoken for, who sends them. Leaves every place with its part.
    void reduce_scatter();
    /// All parts, to all places.
    void allgather();
    /// All parts, to one place.
    void gather(int root_place);

  private:
    struct Range {
        std::size_t from = 0;
        std::size_t to = 0;
    };

    /// Whether this place is the lower one of the two that meet in a round.
    bool is_lower(int level) const { return (fold_.place() >> level & 1) == 0; }
    Buffer part_of(const Range& range) const;
    /// What the partner of a round keeps of what both had.
    Range others(int level) const;
    void add(const Range& range, bool from_lower);

    Team& team_;
    const Fold& fold_;
    const Operation& operation_;
    Buffer vector_;
    Buffer incoming_;
    std::array<Range, 33> ranges_{};  ///< what is this place's, before each round and at the end
    int levels_ = 0;
};

}  // namespace railyard::mpi
