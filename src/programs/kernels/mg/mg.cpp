// MG: a Poisson problem on a periodic cube by V-cycles over grids of all sizes. Short and long
// messages, to neighbours near and, on coarse grids, far.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/common/powers.hpp"
#include "kernels/common/session.hpp"
#include "kernels/common/verification.hpp"
#include "kernels/kernels.hpp"
#include "kernels/mg/charges.hpp"
#include "kernels/mg/multigrid.hpp"

namespace railyard::kernels {

namespace {

constexpr multigrid::Weights small_classes = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
constexpr multigrid::Weights large_classes = {-3.0 / 17, 1.0 / 33, -1.0 / 61, 0};

struct Class {
    int log_edge, cycles;
    const multigrid::Weights& smoother;
    double norm;
};

constexpr Class classes[] = {
    {5, 4, small_classes, 5.307707005734e-05},  {7, 4, small_classes, 6.467329375339e-06},
    {8, 4, small_classes, 2.433365309069e-06},  {8, 20, large_classes, 1.800564401355e-06},
    {9, 20, large_classes, 5.706732285740e-07},
};

/// Every rank needs two points along each axis of the finest grid.
bool too_many(int ranks, int log_edge) {
    const multigrid::PerAxis<int> along = multigrid::ranks_along_axes(ranks);
    return *std::max_element(along.begin(), along.end()) > 1 << (log_edge - 1);
}

}  // namespace

int mg(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "MG",
                     .purpose = "a Poisson problem by V-cycles over coarse and fine grids",
                     .ranks = "a power of two, up to an eighth of the grid's points (4096 in S)",
                     .any_source = true},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const Class& problem = classes[session.class_index()];
    if (!is_power_of_two(session.ranks()) || too_many(session.ranks(), problem.log_edge))
        return session.refuse("class " + std::string(1, session.problem_class()) +
                              " runs on a power of two of ranks (1, 2, 4, 8, ...), up to " +
                              std::to_string(1LL << (3 * (problem.log_edge - 1))) + "; these are " +
                              std::to_string(session.ranks()));

    const multigrid::Levels levels(session.rank(), session.ranks(), problem.log_edge);
    multigrid::Multigrid solver(levels, problem.smoother, multigrid::make_charges(levels),
                                session.any_source());
    solver.reset();
    solver.cycle();
    const int cycles = session.iterations(problem.cycles);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    solver.reset();
    for (int i = 0; i < cycles; ++i)
        solver.cycle();
    const double norm = solver.residual_norm();
    const double seconds = MPI_Wtime() - start;

    Verification verification(1e-8, session.verifiable(problem.cycles));
    verification.compare("residual norm", norm, problem.norm);
    const std::string edge = std::to_string(1 << problem.log_edge);
    return session.finish({.size = edge + " x " + edge + " x " + edge,
                           .iterations = cycles,
                           .seconds = seconds,
                           .operations = 58.0 * cycles * std::ldexp(1.0, 3 * problem.log_edge)},
                          verification);
}

}  // namespace railyard::kernels
