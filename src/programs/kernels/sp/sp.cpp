// SP: approximate factorisation in characteristic variables, which makes five scalar systems of
// every line. Ranks hold diagonals of cells, and work on another cell at each stage of a solve.

#include <mpi.h>

#include "kernels/cfd/cells.hpp"
#include "kernels/cfd/march.hpp"
#include "kernels/cfd/residual.hpp"
#include "kernels/kernels.hpp"
#include "kernels/sp/line_solve.hpp"
#include "kernels/sp/maps.hpp"
#include "kernels/sp/reference.hpp"

namespace railyard::kernels {

namespace cfd::sp {
namespace {

class Solver {
  public:
    explicit Solver(Cells& cells) : cells_(cells) {
        for (const Flow& flow : cells.flows()) {
            sounds_.emplace_back(flow.box, 1);
            solves_.emplace_back(flow.box);
        }
    }

    void reset() { cells_.reset(); }
    void step() {
        cells_.refresh();
        for_cells([](Flow& flow, Field& sound) {
            set_sound(flow, sound);
            set_residual(flow);
            to_x(flow, sound);
        });
        solve(0);
        for_cells([](Flow& flow, Field&) { from_x_to_y(flow); });
        solve(1);
        for_cells([](Flow& flow, Field&) { from_y_to_z(flow); });
        solve(2);
        for_cells([](Flow& flow, Field& sound) { from_z(flow, sound); });
        cells_.advance();
    }

  private:
    template <class Work>
    void for_cells(Work&& work) {
        for (std::size_t cell = 0; cell < sounds_.size(); ++cell)
            work(cells_.flows()[cell], sounds_[cell]);
    }

    void solve(std::size_t axis) {
        const auto doubles = [&](std::size_t a_line) {
            return [this, axis, a_line](int cell) {
                return a_line * Lines(cells_.flow(cell).box, axis).count();
            };
        };
        cells_.stages().forward(axis, doubles(LineSolve::forward_doubles),
                                [&](int cell, const double* in, double* out) {
                                    const auto c = static_cast<std::size_t>(cell);
                                    solves_[c].eliminate(cells_.flow(cell), sounds_[c], axis, in,
                                                         out);
                                });
        cells_.stages().backward(axis, doubles(LineSolve::backward_doubles),
                                 [&](int cell, const double* in, double* out) {
                                     solves_[static_cast<std::size_t>(cell)].substitute(
                                         cells_.flow(cell), axis, in, out);
                                 });
    }

    Cells& cells_;
    std::vector<Field> sounds_;
    std::vector<LineSolve> solves_;
};

double operations(double n) {
    return 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4;
}

}  // namespace
}  // namespace cfd::sp

int sp(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "SP",
                     .purpose = "a flow, by scalar systems along the lines of the grid",
                     .ranks = "a square number"},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const cfd::sp::Class& problem = cfd::sp::classes[session.class_index()];
    const std::string objection = cfd::Multipartition::objection(problem.grid.n, session.ranks());
    if (!objection.empty()) return session.refuse(objection);

    cfd::Cells cells(problem.grid, session.rank(), session.ranks(), MPI_COMM_WORLD);
    cfd::sp::Solver solver(cells);
    const int iterations = session.iterations(problem.iterations);
    const double seconds = cfd::march(solver, iterations);
    Verification verification(cfd::tolerance, session.verifiable(problem.iterations));
    cfd::compare(verification, cells.norms(), problem.norms);
    return session.finish(
        cfd::measured(problem.grid, iterations, seconds, cfd::sp::operations(problem.grid.n)),
        verification);
}

}  // namespace railyard::kernels
