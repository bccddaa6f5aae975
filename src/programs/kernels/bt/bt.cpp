// BT: approximate factorisation with full 5 x 5 blocks, a block tridiagonal system for every line.
// Ranks hold diagonals of cells, and work on another cell at each stage of a solve.

#include <mpi.h>

#include "kernels/bt/line_solve.hpp"
#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/march.hpp"
#include "kernels/cfd/multipartition.hpp"
#include "kernels/kernels.hpp"

namespace railyard::kernels::cfd::bt {

/// BT's classes: their sizes, and the published results.
inline constexpr Class classes[] = {
    {{12, 0.01},
     60,
     {{1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02,
       2.6436421275166801e-02, 1.9211784131744430e-01},
      {4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05,
       7.3821238632439731e-05, 8.9269630987491446e-04}}},
    {{24, 0.0008},
     200,
     {{1.125590409344e+02, 1.180007595731e+01, 2.710329767846e+01, 2.469174937669e+01,
       2.638427874317e+02},
      {4.419655736008e+00, 4.638531260002e-01, 1.011551749967e+00, 9.235878729944e-01,
       1.018045837718e+01}}},
    {{64, 0.0008},
     200,
     {{1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01,
       2.3665622544678910e+01, 2.5278963211748344e+02},
      {4.2348416040525025e+00, 4.4390282496995698e-01, 9.6692480136345650e-01,
       8.8302063039765474e-01, 9.7379901770829278e+00}}},
    {{102, 0.0003},
     200,
     {{1.4233597229287254e+03, 9.9330522590150238e+01, 3.5646025644535285e+02,
       3.2485447959084092e+02, 3.2707541254659363e+03},
      {5.2969847140936856e+01, 4.4632896115670668e+00, 1.3122573342210174e+01,
       1.2006925323559144e+01, 1.2459576151035986e+02}}},
    {{162, 0.0001},
     200,
     {{6.2398116551764615e+03, 5.0793239190423964e+02, 1.5423530093013596e+03,
       1.3302387929291190e+03, 1.1604087428436455e+04},
      {1.6462008369091265e+02, 1.1497107903824313e+01, 4.1207446207461508e+01,
       3.7087651059694167e+01, 3.6211053051841265e+02}}},
};

}  // namespace railyard::kernels::cfd::bt

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
    return cfd::run_on_cells<cfd::bt::Solver>(session, cfd::bt::classes[session.class_index()],
                                              cfd::bt::operations);
}

}  // namespace railyard::kernels
