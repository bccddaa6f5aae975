// LU: symmetric successive over-relaxation. The grid is cut into pencils along z, and each sweep
// runs through them as a wave, with a small message a plane and neighbour.

#include <mpi.h>

#include <algorithm>

#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/march.hpp"
#include "kernels/kernels.hpp"
#include "kernels/lu/sweeps.hpp"

namespace railyard::kernels::cfd::lu {

/// LU's classes: their sizes, and the published results.
struct Class {
    Grid grid;
    int iterations;
    Norms norms;
    double surface;
};

inline constexpr Class classes[] = {
    {{12, 0.5},
     50,
     {{1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03,
       1.5029584435994323e-03, 3.4264073155896461e-02},
      {6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
       5.8474222595157350e-05, 1.3103347914111294e-03}},
     7.8418928865937083e+00},
    {{33, 0.0015},
     300,
     {{1.236511638192e+01, 1.317228477799e+00, 2.550120713095e+00, 2.326187750252e+00,
       2.826799444189e+01},
      {4.867877144216e-01, 5.064652880982e-02, 9.281818101960e-02, 8.570126542733e-02,
       1.084277417792e+00}},
     1.161399311023e+01},
    {{64, 2.0},
     250,
     {{7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02,
       1.7845301160418537e+02, 1.8384760349464247e+03},
      {2.9964085685471943e+01, 2.8194576365003349e+00, 7.3473412698774742e+00,
       6.7139225687777051e+00, 7.0715315688392578e+01}},
     2.6030925604886277e+01},
    {{102, 2.0},
     250,
     {{3.5532672969982736e+03, 2.6214750795310692e+02, 8.8333721850952190e+02,
       7.7812774739425265e+02, 7.3087969592545314e+03},
      {1.1401176380212709e+02, 8.1098963655421574e+00, 2.8480597317698308e+01,
       2.5905394567832939e+01, 2.6054907504857413e+02}},
     4.7887162703308227e+01},
    {{162, 2.0},
     250,
     {{1.03766980323537846e+04, 8.92212458801008552e+02, 2.56238814582660871e+03,
       2.19194343857831427e+03, 1.78078057261061185e+04},
      {2.15986399716949279e+02, 1.55789559239863600e+01, 5.41318863077207766e+01,
       4.82262643154045421e+01, 4.55902910043250358e+02}},
     6.66404553572181300e+01},
};

// The pressure on the faces of a box inside the grid: the third value by which LU is verified.

/// Over the six faces of i = 1..n-2, j = 1..n-3, k = 2..n-2, by the trapezoidal rule. The flow's
/// pressure must be that of its unknowns. All ranks call it; all get it.
double surface_integral(Flow& flow, Pencils& pencils);

namespace {

/// One layer of the upper neighbours' pressure, the corner included: what comes along y is passed
/// on along x.
void fetch_pressure(Flow& flow, Pencils& pencils) {
    const Box& box = flow.box;
    pencils.shift(flow.pressure, 1, {1, false}, layers(box, 1, 0, 1),
                  layers(box, 1, box.size(1), box.size(1) + 1));
    Region out = layers(box, 0, 0, 1);
    Region in = layers(box, 0, box.size(0), box.size(0) + 1);
    ++out.last[1];
    ++in.last[1];
    pencils.shift(flow.pressure, 1, {0, false}, out, in);
}

/// Two opposite faces across `axis`; `first` and `last` bound the box, in global indices.
double pair_of_faces(const Flow& flow, std::size_t axis, const Triple& first, const Triple& last,
                     MPI_Comm comm) {
    const Box& box = flow.box;
    const double* pressure = flow.pressure[0];
    const std::ptrdiff_t across = box.stride(axis == 0 ? 1 : 0);
    const std::ptrdiff_t up = box.stride(axis == 2 ? 1 : 2);
    double sum = 0;
    for (const int face : {first[axis], last[axis]}) {
        // Of the face's meshes, those whose lowest point is ours.
        Region own{};
        for (std::size_t a = 0; a < axes; ++a) {
            const int from = a == axis ? face : first[a];
            const int to = a == axis ? face + 1 : last[a];
            own.first[a] = std::max(from - box.origin(a), 0);
            own.last[a] = std::min(to - box.origin(a), box.size(a));
        }
        for (int k = own.first[2]; k < own.last[2]; ++k)
            for (int j = own.first[1]; j < own.last[1]; ++j)
                for (int i = own.first[0]; i < own.last[0]; ++i) {
                    const double* p = pressure + box.at(i, j, k);
                    sum += p[0] + p[across] + p[up] + p[across + up];
                }
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum * 0.25 * flow.grid.h() * flow.grid.h();
}

}  // namespace

double surface_integral(Flow& flow, Pencils& pencils) {
    const int n = flow.grid.n;
    const Triple first = {1, 1, 2};
    const Triple last = {n - 2, n - 3, n - 2};
    fetch_pressure(flow, pencils);
    double sum = 0;
    for (const std::size_t axis : {2, 1, 0})
        sum += pair_of_faces(flow, axis, first, last, pencils.comm());
    return sum;
}

}  // namespace railyard::kernels::cfd::lu

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
