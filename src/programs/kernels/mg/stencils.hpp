#pragma once
/// The four operations of MG on fields of a rank: the residual, the smoother, and the ways from a
/// level to the coarser one and back. Fields are flat, x fastest, with a layer of neighbours'
/// points around. The caller owns them; they must not overlap, unless said otherwise.

#include <array>
#include <vector>

#include "kernels/mg/levels.hpp"

namespace railyard::kernels::multigrid {

/// Weights of a point, and of its neighbours by face, by edge and by corner.
using Weights = std::array<double, 4>;

class Stencils {
  public:
    /// The smoother's weight of corners is nought in all classes, and so is not asked for.
    Stencils(const Weights& smoother, const Level& finest);

    /// r = v - A u. `r` may be `v`.
    void residual(const Level& level, const double* u, const double* v, double* r);
    /// u = u + S r.
    void smooth(const Level& level, const double* r, double* u);
    /// The coarse right-hand side from the fine residual.
    void restrict_to(const Level& coarse, const Level& fine, const double* r, double* s);
    /// u = u + P z, where z is coarse; the outermost layers, too.
    void prolong(const Level& coarse, const Level& fine, const double* z, double* u);

  private:
    Weights smoother_;
    std::vector<double> faces_, edges_;  ///< sums across a row, for all x of it
};

}  // namespace railyard::kernels::multigrid
