#pragma once
/// The spatial operator of the flow problem: differences of convective and viscous fluxes along an
/// axis, and dissipation. The residual is what it makes of the unknowns, less what it makes of the
/// exact solution.

#include <cstddef>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd {

/// The flow that the programs march towards, and the one from which they start.
struct Flow;

/// The exact solution at a place of the unit cube.
Five exact(double x, double y, double z);

/// Sets the unknowns of all points, those around the box included, to the exact solution.
void set_exact(Flow& flow);
/// Sets the unknowns to where a run starts: exact on the boundary, and far from it inside.
void set_initial(Flow& flow);

struct Flow;

/// Factors of a point and its neighbours, two on each side, along an axis.
struct Stencil {
    double before2, before, centre, after, after2;
};

/// The fourth difference at a global index: it uses no point of the boundary.
constexpr Stencil fourth_difference(int index, int n) {
    return {index >= 3 ? 1.0 : 0.0, index >= 2 ? -4.0 : 0.0,
            index == 1 || index == n - 2 ? 5.0 : 6.0, index <= n - 3 ? -4.0 : 0.0,
            index <= n - 4 ? 1.0 : 0.0};
}

/// The forcing, from a flow whose unknowns are the exact solution, around the box too. Needs
/// derive().
void set_forcing(Flow& flow);

/// b = dt R(U), R the residual. Needs derive().
void set_residual(Flow& flow);

/// The same in parts, for those who must wait for their neighbours in between: first b = - dt
/// forcing, then each axis.
void start_residual(Flow& flow);
void add_residual(Flow& flow, std::size_t axis);

}  // namespace railyard::kernels::cfd
