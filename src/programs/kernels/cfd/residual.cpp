#include "kernels/cfd/residual.hpp"

#include <algorithm>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd {

namespace {

/// A row of points along x, the differences along some axis: where they lie, and their factors.
struct Row {
    std::ptrdiff_t at;  ///< the first point
    int points;
    std::ptrdiff_t step;  ///< to the neighbour along the axis
    double convective, viscous;
    Stencil dissipation;
};

inline double dissipate(const Stencil& w, const double* u, std::ptrdiff_t i, std::ptrdiff_t step) {
    return w.before2 * u[i - 2 * step] + w.before * u[i - step] + w.centre * u[i] +
           w.after * u[i + step] + w.after2 * u[i + 2 * step];
}

void add_mass(const Row& row, double* __restrict__ b, const double* __restrict__ density,
              const double* __restrict__ momentum) {
    const auto [at, points, s, convective, viscous, weights] = row;
    for (std::ptrdiff_t i = at; i < at + points; ++i)
        b[i] +=
            convective * (momentum[i - s] - momentum[i + s]) + dissipate(weights, density, i, s);
}

/// A momentum across the axis.
void add_across(const Row& row, double* __restrict__ b, const double* __restrict__ momentum,
                const double* __restrict__ velocity, const double* __restrict__ speed) {
    const auto [at, points, s, convective, viscous, weights] = row;
    const double damping = viscous * c34;
    for (std::ptrdiff_t i = at; i < at + points; ++i)
        b[i] += convective * (momentum[i - s] * speed[i - s] - momentum[i + s] * speed[i + s]) +
                damping * (velocity[i - s] - 2 * velocity[i] + velocity[i + s]) +
                dissipate(weights, momentum, i, s);
}

/// The momentum along the axis.
void add_along(const Row& row, double* __restrict__ b, const double* __restrict__ momentum,
               const double* __restrict__ speed, const double* __restrict__ pressure) {
    const auto [at, points, s, convective, viscous, weights] = row;
    const double damping = viscous * c34 * along;
    for (std::ptrdiff_t i = at; i < at + points; ++i)
        b[i] += convective * (momentum[i - s] * speed[i - s] + pressure[i - s] -
                              momentum[i + s] * speed[i + s] - pressure[i + s]) +
                damping * (speed[i - s] - 2 * speed[i] + speed[i + s]) +
                dissipate(weights, momentum, i, s);
}

void add_energy(const Row& row, double* __restrict__ b, const double* __restrict__ energy,
                const double* __restrict__ speed, const double* __restrict__ pressure,
                const double* __restrict__ kinetic, const double* __restrict__ inverse_density) {
    const auto [at, points, s, convective, viscous, weights] = row;
    const double damping = viscous * c34;
    const auto potential = [&](std::ptrdiff_t i) {
        return (1 - c15) * kinetic[i] + speed[i] * speed[i] * (1.0 / 6) +
               c15 * energy[i] * inverse_density[i];
    };
    for (std::ptrdiff_t i = at; i < at + points; ++i)
        b[i] += convective * ((energy[i - s] + pressure[i - s]) * speed[i - s] -
                              (energy[i + s] + pressure[i + s]) * speed[i + s]) +
                damping * (potential(i - s) - 2 * potential(i) + potential(i + s)) +
                dissipate(weights, energy, i, s);
}

void add_row(const Flow& flow, Field& b, const Row& row, int axis) {
    const double* speed = flow.velocity[axis];
    const double* pressure = flow.pressure[0];
    add_mass(row, b[0], flow.u[0], flow.u[axis + 1]);
    for (int m = 0; m < axes; ++m)
        if (m == axis)
            add_along(row, b[m + 1], flow.u[m + 1], speed, pressure);
        else
            add_across(row, b[m + 1], flow.u[m + 1], flow.velocity[m], speed);
    add_energy(row, b[4], flow.u[4], speed, pressure, flow.kinetic[0], flow.inverse_density[0]);
}

/// The second- and fourth-order dissipation in one.
Stencil dissipation(const Grid& grid, double scale, std::size_t axis, int index) {
    const double second = scale * grid.t1() * second_order[axis];
    const double fourth = scale * fourth_order;
    const Stencil d4 = fourth_difference(index, grid.n);
    return {-fourth * d4.before2, second - fourth * d4.before, -2 * second - fourth * d4.centre,
            second - fourth * d4.after, -fourth * d4.after2};
}

/// b += scale L(U) along the axis, in the row at j, k.
void add_axis(const Flow& flow, Field& b, double scale, std::size_t axis, int j, int k) {
    const Box& box = flow.box;
    const int first = box.first(0);
    const int last = box.last(0);
    Row row{box.at(first, j, k),    last - first,           box.stride(axis),
            scale * flow.grid.t2(), scale * flow.grid.t1(), {}};
    const auto add = [&](int index) {
        row.dissipation = dissipation(flow.grid, scale, axis, index);
        add_row(flow, b, row, static_cast<int>(axis));
    };
    if (axis != 0) return add(axis == 1 ? box.origin(1) + j : box.origin(2) + k);
    // Two points at each end have factors of their own; between them, all have the same.
    for (int i = first; i < last; i += row.points) {
        const int index = box.origin(0) + i;
        const bool middle = index >= 3 && index <= box.n() - 4;
        row.at = box.at(i, j, k);
        row.points = middle ? std::min(last, box.n() - 3 - box.origin(0)) - i : 1;
        add(index);
    }
}

template <class Work>
void for_rows(const Box& box, Work&& work) {
    for (int k = box.first(2); k < box.last(2); ++k)
        for (int j = box.first(1); j < box.last(1); ++j)
            work(j, k);
}

void start_row(Flow& flow, int j, int k) {
    const auto at = flow.box.at(flow.box.first(0), j, k);
    const int points = flow.box.last(0) - flow.box.first(0);
    for (int m = 0; m < components; ++m) {
        double* __restrict__ b = flow.b[m] + at;
        const double* __restrict__ forcing = flow.forcing[m] + at;
        for (int i = 0; i < points; ++i)
            b[i] = -flow.grid.dt * forcing[i];
    }
}

}  // namespace

void set_forcing(Flow& flow) {
    for_rows(flow.box, [&](int j, int k) {
        for (std::size_t axis = 0; axis < axes; ++axis)
            add_axis(flow, flow.forcing, 1, axis, j, k);
    });
}

void set_residual(Flow& flow) {
    for_rows(flow.box, [&](int j, int k) {
        start_row(flow, j, k);
        for (std::size_t axis = 0; axis < axes; ++axis)
            add_axis(flow, flow.b, flow.grid.dt, axis, j, k);
    });
}

void start_residual(Flow& flow) {
    for_rows(flow.box, [&](int j, int k) { start_row(flow, j, k); });
}

void add_residual(Flow& flow, std::size_t axis) {
    for_rows(flow.box, [&](int j, int k) { add_axis(flow, flow.b, flow.grid.dt, axis, j, k); });
}

}  // namespace railyard::kernels::cfd
