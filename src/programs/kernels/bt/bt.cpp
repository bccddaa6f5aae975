// BT: approximate factorisation with full 5 x 5 blocks, a block tridiagonal system for every line.
// Ranks hold diagonals of cells, and work on another cell at each stage of a solve.

#include <mpi.h>

#include "kernels/bt/line_solve.hpp"
#include "kernels/bt/reference.hpp"
#include "kernels/cfd/cells.hpp"
#include "kernels/cfd/march.hpp"
#include "kernels/cfd/residual.hpp"
#include "kernels/kernels.hpp"

namespace railyard::kernels {

namespace cfd::bt {
namespace {

class Solver {
  public:
    explicit Solver(Cells& cells) : cells_(cells) {
        for (const Flow& flow : cells.flows())
            solves_.emplace_back(flow.box);
    }

    void reset() { cells_.reset(); }
    void step() {
        cells_.refresh();
        for (Flow& flow : cells_.flows())
            set_residual(flow);
        for (std::size_t axis = 0; axis < axes; ++axis)
            solve(axis);
        cells_.advance();
    }

  private:
    /// Messages have room for the lines of the largest cell, boundary included, as in the original.
    auto doubles(std::size_t a_line) const {
        const auto edge =
            static_cast<std::size_t>(cells_.partition().n() / cells_.partition().q() + 1);
        return [size = a_line * edge * edge](int) { return size; };
    }

    void solve(std::size_t axis) {
        cells_.stages().forward(axis, doubles(LineSolve::forward_doubles),
                                [&](int cell, const double* in, double* out) {
                                    solve_of(cell).eliminate(cells_.flow(cell), axis, in, out);
                                });
        cells_.stages().backward(axis, doubles(LineSolve::backward_doubles),
                                 [&](int cell, const double* in, double* out) {
                                     solve_of(cell).substitute(cells_.flow(cell), axis, in, out);
                                 });
    }
    LineSolve& solve_of(int cell) { return solves_[static_cast<std::size_t>(cell)]; }

    Cells& cells_;
    std::vector<LineSolve> solves_;
};

double operations(double n) {
    return 3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n;
}

}  // namespace
}  // namespace cfd::bt

int bt(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "BT",
                     .purpose = "a flow, by systems of 5 x 5 blocks along the lines of the grid",
                     .ranks = "a square number"},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const cfd::bt::Class& problem = cfd::bt::classes[session.class_index()];
    const std::string objection = cfd::Multipartition::objection(problem.grid.n, session.ranks());
    if (!objection.empty()) return session.refuse(objection);

    cfd::Cells cells(problem.grid, session.rank(), session.ranks(), MPI_COMM_WORLD);
    cfd::bt::Solver solver(cells);
    const int iterations = session.iterations(problem.iterations);
    const double seconds = cfd::march(solver, iterations);
    Verification verification(cfd::tolerance, session.verifiable(problem.iterations));
    cfd::compare(verification, cells.norms(), problem.norms);
    return session.finish(
        cfd::measured(problem.grid, iterations, seconds, cfd::bt::operations(problem.grid.n)),
        verification);
}

}  // namespace railyard::kernels
