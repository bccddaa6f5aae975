#pragma once
/// The course of a run, which LU, SP and BT share: one step that does not count, the start anew,
/// and the steps that are timed.

#include <mpi.h>

#include <span>
#include <string>

#include "kernels/cfd/flow.hpp"
#include "kernels/common/session.hpp"

namespace railyard::kernels::cfd {

/// How far the flow is from rest and from the exact solution, which LU, SP and BT are verified by:
/// root mean squares over all points inside, by component.
struct Norms {
    Five residual{};
    Five error{};
};

/// A problem of SP or BT: its size, and the published results.
struct Class {
    Grid grid;
    int iterations;
    Norms norms;
};

/// Of the flows of all ranks; b holds dt R(U).
Norms norms(std::span<const Flow> flows, MPI_Comm comm);

void compare(Verification& verification, const Norms& got, const Norms& reference);

inline constexpr double tolerance = 1e-8;

/// Returns the seconds of this rank.
template <class Solver>
double march(Solver& solver, int steps) {
    solver.reset();
    solver.step();
    solver.reset();
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int step = 0; step < steps; ++step)
        solver.step();
    return MPI_Wtime() - start;
}

/// `operations` are those of a step.
inline Measured measured(const Grid& grid, int steps, double seconds, double operations) {
    const std::string n = std::to_string(grid.n);
    return {.size = n + " x " + n + " x " + n,
            .iterations = steps,
            .seconds = seconds,
            .operations = operations * steps};
}

}  // namespace railyard::kernels::cfd
