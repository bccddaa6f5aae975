#pragma once
/// The two sweeps of LU's SSOR iteration: plane by plane upwards along z, then downwards. A rank
/// needs the edges of its neighbours' planes first, so the work runs through the ranks as a wave.

#include <vector>

#include "kernels/lu/blocks.hpp"
#include "kernels/lu/pencils.hpp"

namespace railyard::kernels::cfd::lu {

inline constexpr double omega = 1.2;

class Sweeps {
  public:
    explicit Sweeps(const Flow& flow);

    /// b becomes (D + omega L)^-1 b, from below.
    void lower(Flow& flow, Pencils& pencils);
    /// b becomes (I + omega D^-1 U)^-1 b, from above.
    void upper(Flow& flow, Pencils& pencils);

  private:
    template <bool up>
    void row(Flow& flow, int j, int k);
    template <bool up>
    void gather(const Flow& flow, std::ptrdiff_t at, int points);
    template <bool up>
    void run(Flow& flow, std::ptrdiff_t at, int points);

    Diagonal diagonal_;
    double convective_;
    double viscous_;
    std::size_t longest_;
    std::vector<double> sums_;    ///< of a row: what comes from the planes and rows before
    std::vector<double> pivots_;  ///< of a row
};

}  // namespace railyard::kernels::cfd::lu
