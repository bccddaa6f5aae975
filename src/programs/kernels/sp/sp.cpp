// SP: approximate factorisation in characteristic variables, which makes five scalar systems of
// every line. Ranks hold diagonals of cells, and work on another cell at each stage of a solve.

#include <mpi.h>

#include <cmath>

#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/march.hpp"
#include "kernels/cfd/multipartition.hpp"
#include "kernels/kernels.hpp"
#include "kernels/sp/line_solve.hpp"

namespace railyard::kernels::cfd::sp {

/// SP's classes: their sizes, and the published results.
inline constexpr Class classes[] = {
    {{12, 0.015},
     100,
     {{2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02,
       1.5840557224455615e-02, 3.4849040609362460e-02},
      {2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
       1.5750704994480102e-05, 3.4177666183390531e-05}}},
    {{36, 0.0015},
     400,
     {{1.893253733584e-03, 1.717075447775e-04, 2.778153350936e-04, 2.887475409984e-04,
       3.143611161242e-03},
      {7.542088599534e-05, 6.512852253086e-06, 1.049092285688e-05, 1.128838671535e-05,
       1.212845639773e-04}}},
    {{64, 0.0015},
     400,
     {{2.4799822399300195e+00, 1.1276337964368832e+00, 1.5028977888770491e+00,
       1.4217816211695179e+00, 2.1292113035138280e+00},
      {1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05,
       4.7671093939528255e-05, 1.3621613399213001e-04}}},
    {{102, 0.001},
     400,
     {{6.903293579998e+01, 3.095134488084e+01, 4.103336647017e+01, 3.864769009604e+01,
       5.643482272596e+01},
      {9.810006190188e-03, 1.022827905670e-03, 1.720597911692e-03, 1.694479428231e-03,
       1.847456263981e-02}}},
    {{162, 0.00067},
     400,
     {{5.881691581829e+02, 2.454417603569e+02, 3.293829191851e+02, 3.081924971891e+02,
       4.597223799176e+02},
      {2.598120500183e-01, 2.590888922315e-02, 5.132886416320e-02, 4.806073419454e-02,
       5.483377491301e-01}}},
};

namespace {

constexpr double beta = 0.70710678118654752440;  // the root of 1/2

/// The right-hand sides of a row, from its first point inside on.
struct Row {
    double* __restrict__ b1;
    double* __restrict__ b2;
    double* __restrict__ b3;
    double* __restrict__ b4;
    double* __restrict__ b5;
    std::ptrdiff_t at;
    int points;
};

template <class Work>
void for_rows(Flow& flow, Work&& work) {
    const Region inside = flow.box.interior();
    for (int k = inside.first[2]; k < inside.last[2]; ++k)
        for (int j = inside.first[1]; j < inside.last[1]; ++j) {
            const auto at = flow.box.at(inside.first[0], j, k);
            work(Row{flow.b[0] + at, flow.b[1] + at, flow.b[2] + at, flow.b[3] + at, flow.b[4] + at,
                     at, inside.size(0)});
        }
}

/// What the maps from and to the unknowns need of a row.
struct State {
    State(const Flow& flow, const Field& of_sound, std::ptrdiff_t at)
        : u(flow.velocity[0] + at),
          v(flow.velocity[1] + at),
          w(flow.velocity[2] + at),
          kinetic(flow.kinetic[0] + at),
          inverse(flow.inverse_density[0] + at),
          density(flow.u[0] + at),
          sound(of_sound[0] + at) {}

    const double* __restrict__ u;
    const double* __restrict__ v;
    const double* __restrict__ w;
    const double* __restrict__ kinetic;
    const double* __restrict__ inverse;
    const double* __restrict__ density;
    const double* __restrict__ sound;
};

}  // namespace

void set_sound(const Flow& flow, Field& sound) {
    const Box& box = flow.box;
    for (int k = -1; k < box.size(2) + 1; ++k)
        for (int j = -1; j < box.size(1) + 1; ++j) {
            const auto at = box.at(-1, j, k);
            double* __restrict__ a = sound[0] + at;
            const double* __restrict__ pressure = flow.pressure[0] + at;
            const double* __restrict__ inverse = flow.inverse_density[0] + at;
            for (int i = 0; i < box.size(0) + 2; ++i)
                a[i] = std::sqrt(c1 * pressure[i] * inverse[i]);
        }
}

void to_x(Flow& flow, const Field& sound) {
    for_rows(flow, [&](const Row row) {
        const State s(flow, sound, row.at);
        for (int i = 0; i < row.points; ++i) {
            const double b1 = row.b1[i], b2 = row.b2[i], b3 = row.b3[i], b4 = row.b4[i];
            const double u = s.u[i], v = s.v[i], w = s.w[i], inverse = s.inverse[i];
            const double a = s.sound[i];
            const double s1 =
                c2 / (a * a) * (s.kinetic[i] * b1 - u * b2 - v * b3 - w * b4 + row.b5[i]);
            const double s2 = beta * inverse * (u * b1 - b2);
            const double s3 = beta * a * inverse * s1;
            row.b1[i] = b1 - s1;
            row.b2[i] = (b4 - w * b1) * inverse;
            row.b3[i] = (v * b1 - b3) * inverse;
            row.b4[i] = s3 - s2;
            row.b5[i] = s3 + s2;
        }
    });
}

void from_x_to_y(Flow& flow) {
    for_rows(flow, [](const Row row) {
        for (int i = 0; i < row.points; ++i) {
            const double b1 = row.b1[i], b3 = row.b3[i], b4 = row.b4[i], b5 = row.b5[i];
            const double half = 0.5 * (b4 + b5);
            row.b1[i] = -row.b2[i];
            row.b2[i] = b1;
            row.b3[i] = beta * (b4 - b5);
            row.b4[i] = half - beta * b3;
            row.b5[i] = half + beta * b3;
        }
    });
}

void from_y_to_z(Flow& flow) {
    for_rows(flow, [](const Row row) {
        for (int i = 0; i < row.points; ++i) {
            const double b1 = row.b1[i], b2 = row.b2[i], b4 = row.b4[i], b5 = row.b5[i];
            const double half = 0.5 * (b4 + b5);
            row.b1[i] = beta * (b4 - b5);
            row.b2[i] = -row.b3[i];
            row.b3[i] = b2;
            row.b4[i] = half - beta * b1;
            row.b5[i] = half + beta * b1;
        }
    });
}

void from_z(Flow& flow, const Field& sound) {
    for_rows(flow, [&](const Row row) {
        const State s(flow, sound, row.at);
        for (int i = 0; i < row.points; ++i) {
            const double b1 = row.b1[i], b2 = row.b2[i], b4 = row.b4[i], b5 = row.b5[i];
            const double u = s.u[i], v = s.v[i], w = s.w[i], density = s.density[i];
            const double a = s.sound[i];
            const double s1 = beta * density / a * (b4 + b5);
            const double s2 = row.b3[i] + s1;
            const double s3 = beta * density * (b4 - b5);
            row.b1[i] = s2;
            row.b2[i] = u * s2 - density * b2;
            row.b3[i] = v * s2 + density * b1;
            row.b4[i] = w * s2 + s3;
            row.b5[i] =
                density * (v * b1 - u * b2) + s.kinetic[i] * s2 + a * a * (1 / c2) * s1 + w * s3;
        }
    });
}

}  // namespace railyard::kernels::cfd::sp

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
    return cfd::run_on_cells<cfd::sp::Solver>(session, cfd::sp::classes[session.class_index()],
                                              cfd::sp::operations);
}

}  // namespace railyard::kernels
