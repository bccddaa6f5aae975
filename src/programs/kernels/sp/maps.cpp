#include "kernels/sp/line_solve.hpp"

#include <cmath>

namespace railyard::kernels::cfd::sp {

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
