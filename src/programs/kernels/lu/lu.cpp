// LU: symmetric successive over-relaxation. The grid is cut into pencils along z, and each sweep
// runs through them as a wave, with a small message a plane and neighbour.

#include <mpi.h>

#include "kernels/cfd/exact.hpp"
#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/march.hpp"
#include "kernels/cfd/residual.hpp"
#include "kernels/kernels.hpp"
#include "kernels/lu/pencils.hpp"
#include "kernels/lu/reference.hpp"
#include "kernels/lu/surface.hpp"
#include "kernels/lu/sweeps.hpp"

namespace railyard::kernels {

namespace cfd::lu {
namespace {

class Solver {
  public:
    Solver(const Grid& grid, Pencils& pencils)
        : pencils_(pencils), flow_(grid, pencils.box()), sweeps_(flow_) {
        set_exact(flow_);
        for (const std::size_t axis : {0, 1})
            pencils_.exchange(flow_.u, components, axis);
        derive(flow_);
        set_forcing(flow_);
    }

    void reset() {
        set_initial(flow_);
        residual();
    }
    void step() {
        sweeps_.lower(flow_, pencils_);
        sweeps_.upper(flow_, pencils_);
        add_solution(flow_, 1 / (omega * (2 - omega)));
        residual();
    }
    Norms norms() { return cfd::norms({&flow_, 1}, pencils_.comm()); }
    double surface() { return surface_integral(flow_, pencils_); }

  private:
    /// While the rows of y neighbours are still to come, there is work along x.
    void residual() {
        const int rows = flow_.box.size(1);
        pencils_.exchange(flow_.u, components, 0);
        derive(flow_, 0, rows);
        start_residual(flow_);
        add_residual(flow_, 0);
        pencils_.exchange(flow_.u, components, 1);
        derive(flow_, -1, 0);
        derive(flow_, rows, rows + 1);
        add_residual(flow_, 1);
        add_residual(flow_, 2);
    }

    Pencils& pencils_;
    Flow flow_;
    Sweeps sweeps_;
};

double operations(double n) {
    return 1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010.0;
}

}  // namespace
}  // namespace cfd::lu

int lu(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "LU",
                     .purpose = "a flow, by sweeps that run through the ranks as a wave",
                     .ranks = "px times py with px/2 <= py <= px: all powers of two, and others",
                     .any_source = true},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const cfd::lu::Class& problem = cfd::lu::classes[session.class_index()];
    const std::string objection = cfd::lu::Pencils::objection(problem.grid.n, session.ranks());
    if (!objection.empty()) return session.refuse(objection);

    cfd::lu::Pencils pencils(problem.grid.n, session.rank(), session.ranks(), session.any_source(),
                             MPI_COMM_WORLD);
    cfd::lu::Solver solver(problem.grid, pencils);
    const int iterations = session.iterations(problem.iterations);
    const double seconds = cfd::march(solver, iterations);
    Verification verification(cfd::tolerance, session.verifiable(problem.iterations));
    cfd::compare(verification, solver.norms(), problem.norms);
    verification.compare("surface integral", solver.surface(), problem.surface);
    return session.finish(
        cfd::measured(problem.grid, iterations, seconds, cfd::lu::operations(problem.grid.n)),
        verification);
}

}  // namespace railyard::kernels
