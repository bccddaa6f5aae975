#pragma once
/// The pressure on the faces of a box inside the grid: the third value by which LU is verified.

#include "kernels/lu/pencils.hpp"

namespace railyard::kernels::cfd {
struct Flow;
}

namespace railyard::kernels::cfd::lu {

/// Over the six faces of i = 1..n-2, j = 1..n-3, k = 2..n-2, by the trapezoidal rule. The flow's
/// pressure must be that of its unknowns. All ranks call it; all get it.
double surface_integral(Flow& flow, Pencils& pencils);

}  // namespace railyard::kernels::cfd::lu
