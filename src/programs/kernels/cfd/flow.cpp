#include "kernels/cfd/flow.hpp"

#include <algorithm>

namespace railyard::kernels::cfd {

namespace {

/// Of `points` in a row, from `at` on.
void derive_row(Flow& flow, std::ptrdiff_t at, int points) {
    const double* __restrict__ u1 = flow.u[0] + at;
    const double* __restrict__ u2 = flow.u[1] + at;
    const double* __restrict__ u3 = flow.u[2] + at;
    const double* __restrict__ u4 = flow.u[3] + at;
    const double* __restrict__ u5 = flow.u[4] + at;
    double* __restrict__ inverse = flow.inverse_density[0] + at;
    double* __restrict__ x = flow.velocity[0] + at;
    double* __restrict__ y = flow.velocity[1] + at;
    double* __restrict__ z = flow.velocity[2] + at;
    double* __restrict__ kinetic = flow.kinetic[0] + at;
    double* __restrict__ pressure = flow.pressure[0] + at;
    for (int i = 0; i < points; ++i) {
        const double r = 1 / u1[i];
        inverse[i] = r;
        x[i] = u2[i] * r;
        y[i] = u3[i] * r;
        z[i] = u4[i] * r;
        kinetic[i] = 0.5 * (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
        pressure[i] = c2 * (u5[i] - u1[i] * kinetic[i]);
    }
}

void add_row(double* __restrict__ u, const double* __restrict__ b, double scale, int points) {
    for (int i = 0; i < points; ++i)
        u[i] += scale * b[i];
}

}  // namespace

void derive(Flow& flow, int first_row, int last_row) {
    const Box& box = flow.box;
    for (int k = -1; k < box.size(2) + 1; ++k)
        for (int j = first_row; j < last_row; ++j)
            derive_row(flow, box.at(-1, j, k), box.size(0) + 2);
}

void add_solution(Flow& flow, double scale) {
    const Region inside = flow.box.interior();
    for (int m = 0; m < components; ++m)
        for (int k = inside.first[2]; k < inside.last[2]; ++k)
            for (int j = inside.first[1]; j < inside.last[1]; ++j) {
                const auto at = flow.box.at(inside.first[0], j, k);
                add_row(flow.u[m] + at, flow.b[m] + at, scale, inside.size(0));
            }
}

namespace {

template <class Row>
void for_rows(const Box& box, const Region& region, Row&& row) {
    for (int k = region.first[2]; k < region.last[2]; ++k)
        for (int j = region.first[1]; j < region.last[1]; ++j)
            row(box.at(region.first[0], j, k));
}

}  // namespace

double* pack(const Box& box, const Field& field, int values, const Region& region, double* out) {
    const int points = region.size(0);
    for (int m = 0; m < values; ++m)
        for_rows(box, region, [&, from = field[m]](std::ptrdiff_t at) {
            out = std::copy_n(from + at, points, out);
        });
    return out;
}

const double* unpack(const Box& box, Field& field, int values, const Region& region,
                     const double* in) {
    const int points = region.size(0);
    for (int m = 0; m < values; ++m)
        for_rows(box, region, [&, to = field[m]](std::ptrdiff_t at) {
            std::copy_n(in, points, to + at);
            in += points;
        });
    return in;
}

Region layers(const Box& box, std::size_t axis, int first, int last) {
    Region region{{0, 0, 0}, {box.size(0), box.size(1), box.size(2)}};
    region.first[axis] = first;
    region.last[axis] = last;
    return region;
}

}  // namespace railyard::kernels::cfd
