#pragma once
/// The flow that the programs march towards, and the one from which they start.

#include "kernels/cfd/constants.hpp"

namespace railyard::kernels::cfd {

struct Flow;

/// The exact solution at a place of the unit cube.
Five exact(double x, double y, double z);

/// Sets the unknowns of all points, those around the box included, to the exact solution.
void set_exact(Flow& flow);
/// Sets the unknowns to where a run starts: exact on the boundary, and far from it inside.
void set_initial(Flow& flow);

}  // namespace railyard::kernels::cfd
