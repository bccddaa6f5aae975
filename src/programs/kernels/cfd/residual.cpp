#include "kernels/cfd/flow.hpp"

#include <algorithm>

namespace railyard::kernels::cfd {

namespace {

/// A constant, and the factors of x, y, z, then of their squares, cubes and fourth powers.
constexpr double polynomial[components][13] = {
    {2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
};

/// The faces' exact values, blended: the unknowns inside, at the start.
Five blended(double x, double y, double z) {
    const Five x0 = exact(0, y, z), x1 = exact(1, y, z);
    const Five y0 = exact(x, 0, z), y1 = exact(x, 1, z);
    const Five z0 = exact(x, y, 0), z1 = exact(x, y, 1);
    Five value{};
    for (std::size_t m = 0; m < components; ++m) {
        const double px = (1 - x) * x0[m] + x * x1[m];
        const double py = (1 - y) * y0[m] + y * y1[m];
        const double pz = (1 - z) * z0[m] + z * z1[m];
        value[m] = px + py + pz - px * py - py * pz - pz * px + px * py * pz;
    }
    return value;
}

void set(Flow& flow, const Region& region, Five (*value)(double, double, double)) {
    const Box& box = flow.box;
    const double h = flow.grid.h();
    for (int k = region.first[2]; k < region.last[2]; ++k)
        for (int j = region.first[1]; j < region.last[1]; ++j)
            for (int i = region.first[0]; i < region.last[0]; ++i) {
                const Five five = value((box.origin(0) + i) * h, (box.origin(1) + j) * h,
                                        (box.origin(2) + k) * h);
                for (int m = 0; m < components; ++m)
                    flow.u[m][box.at(i, j, k)] = five[static_cast<std::size_t>(m)];
            }
}

}  // namespace

Five exact(double x, double y, double z) {
    Five value{};
    for (std::size_t m = 0; m < components; ++m) {
        const double* c = polynomial[m];
        value[m] = c[0] + x * (c[1] + x * (c[4] + x * (c[7] + x * c[10]))) +
                   y * (c[2] + y * (c[5] + y * (c[8] + y * c[11]))) +
                   z * (c[3] + z * (c[6] + z * (c[9] + z * c[12])));
    }
    return value;
}

void set_exact(Flow& flow) {
    set(flow, flow.box.with_ghosts(), exact);
}

void set_initial(Flow& flow) {
    set_exact(flow);
    set(flow, flow.box.interior(), blended);
}

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
