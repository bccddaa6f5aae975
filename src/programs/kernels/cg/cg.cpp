// CG: the smallest eigenvalue of a random sparse matrix, by inverse power iteration. Long messages
// to few partners, and many sums.

#include <mpi.h>

#include <string>

#include "kernels/cg/grid.hpp"
#include "kernels/cg/matrix.hpp"
#include "kernels/cg/solver.hpp"
#include "kernels/common/powers.hpp"
#include "kernels/common/session.hpp"
#include "kernels/common/verification.hpp"
#include "kernels/kernels.hpp"

namespace railyard::kernels {

namespace {

constexpr conjugate::Problem problems[] = {
    {1400, 7, 15, 10, 8.5971775078648},     {7000, 8, 15, 12, 10.362595087124},
    {14000, 11, 15, 20, 17.130235054029},   {75000, 13, 75, 60, 22.712745482631},
    {150000, 15, 75, 110, 28.973605592845},
};

/// As the benchmark counts them: of one iteration.
double operations(const conjugate::Problem& problem) {
    const double in_row = problem.nonzeros * (problem.nonzeros + 1.0);
    return 2.0 * problem.order * (3 + in_row + 25 * (5 + in_row) + 3);
}

}  // namespace

int cg(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "CG",
                     .purpose = "an eigenvalue of a sparse matrix by conjugate gradients",
                     .ranks = "a power of two"},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const conjugate::Problem& problem = problems[session.class_index()];
    if (!is_power_of_two(session.ranks()))
        return session.refuse("it runs on a power of two of ranks (1, 2, 4, 8, ...); these are " +
                              std::to_string(session.ranks()));

    const conjugate::Grid grid(session.rank(), session.ranks(), problem.order);
    const conjugate::Matrix matrix(problem, grid.matrix_rows, grid.matrix_columns);
    conjugate::Solver solver(grid, matrix);
    solver.step(problem.shift);
    solver.reset();
    const int iterations = session.iterations(problem.iterations);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    double zeta = 0;
    for (int i = 1; i <= iterations; ++i) {
        zeta = solver.step(problem.shift);
        session.say(" iteration %3d   residual %.10e   zeta %.13f\n", i, solver.residual(), zeta);
    }
    const double seconds = MPI_Wtime() - start;

    Verification verification(1e-10, session.verifiable(problem.iterations));
    verification.compare("zeta", zeta, problem.zeta);
    return session.finish({.size = std::to_string(problem.order),
                           .iterations = iterations,
                           .seconds = seconds,
                           .operations = iterations * operations(problem)},
                          verification);
}

}  // namespace railyard::kernels
