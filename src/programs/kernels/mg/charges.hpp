#pragma once
/// The right-hand side of MG: +1 at the ten points of the finest grid that hold the largest of
/// random numbers, -1 at those that hold the smallest, 0 elsewhere.

#include <vector>

#include "kernels/mg/levels.hpp"

namespace railyard::kernels::multigrid {

/// A field of the finest level. All ranks call it.
std::vector<double> make_charges(const Levels& levels);

}  // namespace railyard::kernels::multigrid
