#pragma once
/// How SP and BT cut their grid: into q x q x q cells for q x q ranks, so that each rank has one
/// cell in every slab along every axis, and has work at every stage of a solve. Seen from any cell
/// of a rank, the neighbour in a direction is the same rank.

#include <array>
#include <string>

#include "kernels/cfd/box.hpp"

namespace railyard::kernels::cfd {

class Multipartition {
  public:
    /// Why a grid of n points an axis does not run on so many ranks; empty if it does.
    static std::string objection(int n, int ranks);

    Multipartition(int n, int rank, int ranks);

    int n() const { return n_; }
    /// Cells of a rank, and cells along an axis.
    int q() const { return q_; }
    /// Where a cell of this rank is, counted in cells.
    Triple place(int cell) const;
    Box box(int cell) const;
    /// This rank's cell that has the given place along an axis.
    int cell_at(std::size_t axis, int place) const;

    /// The rank that has the next cells along an axis, or those before.
    int successor(std::size_t axis) const { return successors_[axis]; }
    int predecessor(std::size_t axis) const { return predecessors_[axis]; }

  private:
    int rank_at(int i, int j) const { return (i + q_) % q_ + q_ * ((j + q_) % q_); }

    int n_;
    int q_;
    int i_;
    int j_;
    Triple successors_;
    Triple predecessors_;
};

}  // namespace railyard::kernels::cfd
