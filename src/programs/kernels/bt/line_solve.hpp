#pragma once
/// BT's solves along the lines of one cell: three diagonals of 5 x 5 blocks a line.

#include <vector>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd::bt {

class LineSolve {
  public:
    /// Doubles that a line hands on to the next cell: a block and the right-hand sides; and back,
    /// the solution at a point.
    static constexpr std::size_t forward_doubles = 30;
    static constexpr std::size_t backward_doubles = 5;

    explicit LineSolve(const Box& box);

    /// Eliminates the blocks below the diagonal. `in` is from the cell before, null at the first;
    /// `out` is for the next, null at the last; both are the caller's.
    void eliminate(Flow& flow, std::size_t axis, const double* in, double* out);
    /// Substitutes back; the same with `in` from the next cell and `out` for the one before.
    void substitute(Flow& flow, std::size_t axis, const double* in, double* out) const;

  private:
    /// Of every point, after elimination: the block of the next point. Lines that are solved
    /// together have their entries side by side.
    std::vector<double> uppers_;
};

}  // namespace railyard::kernels::cfd::bt
