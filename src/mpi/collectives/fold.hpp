#pragma once
/// Ranks folded to a power of two: as many of the first ones as are too many are in pairs of
/// neighbours, and the odd one of a pair speaks for both. Keeps the order of ranks.

#include <bit>

#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

class Fold {
  public:
    explicit Fold(const Team& team)
        : rank_(team.rank()),
          places_(static_cast<int>(std::bit_floor(static_cast<unsigned>(team.size())))),
          pairs_(team.size() - places_) {}

    /// A power of two.
    int places() const { return places_; }
    bool is_in_pair() const { return rank_ < 2 * pairs_; }
    bool is_spoken_for() const { return is_in_pair() && rank_ % 2 == 0; }
    bool speaks_for_two() const { return is_in_pair() && rank_ % 2 == 1; }
    /// The other rank of the pair.
    int mate() const { return rank_ ^ 1; }

    /// One's own, or that of who speaks for one.
    int place() const { return place_of(rank_); }
    int place_of(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
    /// Who speaks there.
    int rank_at(int place) const { return place < pairs_ ? 2 * place + 1 : place + pairs_; }
    /// The first rank spoken for there; past the last place, the number of ranks.
    int first_at(int place) const { return place < pairs_ ? 2 * place : place + pairs_; }

  private:
    int rank_;
    int places_;
    int pairs_;
};

}  // namespace railyard::mpi
