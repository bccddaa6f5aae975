#pragma once
/// The solution of MG and its residual on all levels, and the V-cycle that improves it.

#include <vector>

#include "kernels/mg/halo.hpp"
#include "kernels/mg/levels.hpp"
#include "kernels/mg/stencils.hpp"

namespace railyard::kernels::multigrid {

class Multigrid {
  public:
    Multigrid(const Levels& levels, const Weights& smoother, std::vector<double> right_hand_side,
              bool any_source);

    /// The solution is nought again, and the residual what that leaves.
    void reset();
    void cycle();
    /// Root of the mean square of the residual, of all ranks. All call it.
    double residual_norm() const;

  private:
    using Field = std::vector<double>;

    void find_residual();
    /// On a level below the finest: what the coarser one says, and one smoothing.
    void improve(std::size_t level);
    void smooth(std::size_t level);

    const std::vector<Level>& levels_;
    Halo halo_;
    Stencils stencils_;
    Field v_;
    std::vector<Field> u_, r_;  ///< by level
};

}  // namespace railyard::kernels::multigrid
