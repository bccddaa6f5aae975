#include <cmath>

#include "bench/plain_loops.hpp"

namespace railyard::bench::plain {

namespace {

constexpr double c1 = 1.4;
constexpr double c2 = 0.4;
constexpr double c34 = 0.1;
constexpr double c15 = 1.96;
constexpr double c1345 = c34 * c15;
constexpr double second_order[3] = {0.75, 0.75, 1.0};

using Block = double[5][5];

/// Weights of the fourth difference, which uses no point of the boundary.
void fourth_difference(int index, int n, double* w) {
    w[0] = index >= 3 ? 1 : 0;
    w[1] = index >= 2 ? -4 : 0;
    w[2] = index == 1 || index == n - 2 ? 5 : 6;
    w[3] = index <= n - 3 ? -4 : 0;
    w[4] = index <= n - 4 ? 1 : 0;
}

/// What the point at `at` gives to its own value from the differences along an axis.
void add_point(Cube& cube, int axis, std::ptrdiff_t s, std::ptrdiff_t at, const double* w) {
    const auto volume = static_cast<std::ptrdiff_t>(cube.volume);
    const double h = 1.0 / (cube.n - 1);
    const double convective = cube.dt / (2 * h);
    const double viscous = cube.dt / (h * h);
    const double* const u = cube.u.data() + at;
    const double* const velocity = cube.velocity.data() + at;
    const double* const speed = velocity + axis * volume;
    const double* const pressure = cube.pressure.data() + at;
    const double* const kinetic = cube.kinetic.data() + at;
    const double* const inverse = cube.inverse_density.data() + at;
    const double* const energy = u + 4 * volume;
    double* const b = cube.b.data() + at;
    const auto dissipation = [&](const double* x) {
        return w[0] * x[-2 * s] + w[1] * x[-s] + w[2] * x[0] + w[3] * x[s] + w[4] * x[2 * s];
    };
    const double* const momentum = u + (axis + 1) * volume;
    b[0] += convective * (momentum[-s] - momentum[s]) + dissipation(u);
    for (int m = 0; m < 3; ++m) {
        const double* const x = u + (m + 1) * volume;
        const double* const v = velocity + m * volume;
        const double push = m == axis ? pressure[-s] - pressure[s] : 0;
        const double damping = viscous * c34 * (m == axis ? 4.0 / 3 : 1);
        b[(m + 1) * volume] += convective * (x[-s] * speed[-s] - x[s] * speed[s] + push) +
                               damping * (v[-s] - 2 * v[0] + v[s]) + dissipation(x);
    }
    const auto potential = [&](std::ptrdiff_t i) {
        return (1 - c15) * kinetic[i] + speed[i] * speed[i] / 6 + c15 * energy[i] * inverse[i];
    };
    b[4 * volume] +=
        convective *
            ((energy[-s] + pressure[-s]) * speed[-s] - (energy[s] + pressure[s]) * speed[s]) +
        viscous * c34 * (potential(-s) - 2 * potential(0) + potential(s)) + dissipation(energy);
}

/// The Jacobians of one point's fluxes along x: convective, and viscous.
void jacobians(const Cube& cube, std::size_t at, Block& a, Block& n) {
    const double u = cube.velocity[at];
    const double v = cube.velocity[at + cube.volume];
    const double w = cube.velocity[at + 2 * cube.volume];
    const double q = cube.kinetic[at];
    const double inverse = cube.inverse_density[at];
    const double e = cube.u[at + 4 * cube.volume] * inverse;
    const double rows[5][5] = {
        {0, 1, 0, 0, 0},
        {c2 * q - u * u, (2 - c2) * u, -c2 * v, -c2 * w, c2},
        {-u * v, v, u, 0, 0},
        {-u * w, w, 0, u, 0},
        {u * (2 * c2 * q - c1 * e), c1 * e - c2 * (q + u * u), -c2 * u * v, -c2 * u * w, c1 * u}};
    const double along = c34 * 4 / 3;
    const double work = c1345 * e + (along - c1345) * u * u + (c34 - c1345) * (v * v + w * w);
    const double viscous[5][5] = {
        {0, 0, 0, 0, 0},
        {-along * inverse * u, along * inverse, 0, 0, 0},
        {-c34 * inverse * v, 0, c34 * inverse, 0, 0},
        {-c34 * inverse * w, 0, 0, c34 * inverse, 0},
        {-inverse * work, (along - c1345) * inverse * u, (c34 - c1345) * inverse * v,
         (c34 - c1345) * inverse * w, c1345 * inverse}};
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) {
            a[i][j] = rows[i][j];
            n[i][j] = viscous[i][j];
        }
}

/// Solves block x = right for a block and a vector, in place, by elimination without pivots.
void solve(Block& block, Block& right, double* vector) {
    for (int p = 0; p < 5; ++p) {
        const double pivot = 1 / block[p][p];
        for (int j = p + 1; j < 5; ++j)
            block[p][j] *= pivot;
        for (int j = 0; j < 5; ++j)
            right[p][j] *= pivot;
        vector[p] *= pivot;
        for (int i = 0; i < 5; ++i) {
            if (i == p) continue;
            const double factor = block[i][p];
            for (int j = p + 1; j < 5; ++j)
                block[i][j] -= factor * block[p][j];
            for (int j = 0; j < 5; ++j)
                right[i][j] -= factor * right[p][j];
            vector[i] -= factor * vector[p];
        }
    }
}

struct Jacobians {
    Block a, n;
};
struct Upper {
    Block block;
};

void solve_block_line(Cube& cube, std::size_t line, std::vector<Jacobians>& made,
                      std::vector<Upper>& uppers) {
    const int n = cube.n;
    const double h = 1.0 / (n - 1);
    const double convective = cube.dt / (2 * h);
    const double viscous = cube.dt / (h * h);
    for (int i = 0; i < n; ++i) {
        Jacobians& here = made[static_cast<std::size_t>(i)];
        jacobians(cube, line + static_cast<std::size_t>(i), here.a, here.n);
    }
    double* const b = cube.b.data() + line;
    double before[5] = {};
    for (int p = 1; p < n - 1; ++p) {
        const auto at = static_cast<std::size_t>(p);
        Block lower, centre;
        Block& upper = uppers[at].block;
        double right[5];
        for (int i = 0; i < 5; ++i) {
            right[i] = b[static_cast<std::size_t>(i) * cube.volume + at];
            for (int j = 0; j < 5; ++j) {
                const double d = i == j ? second_order[0] : 0;
                lower[i][j] =
                    -convective * made[at - 1].a[i][j] - viscous * (made[at - 1].n[i][j] + d);
                centre[i][j] = (i == j ? 1 : 0) + 2 * viscous * (made[at].n[i][j] + d);
                upper[i][j] =
                    convective * made[at + 1].a[i][j] - viscous * (made[at + 1].n[i][j] + d);
            }
        }
        if (p > 1)
            for (int i = 0; i < 5; ++i)
                for (int k = 0; k < 5; ++k) {
                    for (int j = 0; j < 5; ++j)
                        centre[i][j] -= lower[i][k] * uppers[at - 1].block[k][j];
                    right[i] -= lower[i][k] * before[k];
                }
        solve(centre, upper, right);
        for (int i = 0; i < 5; ++i)
            b[static_cast<std::size_t>(i) * cube.volume + at] = before[i] = right[i];
    }
    for (int p = n - 3; p >= 1; --p)
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t k = 0; k < 5; ++k) {
                const auto at = static_cast<std::size_t>(p);
                b[i * cube.volume + at] -= uppers[at].block[i][k] * b[k * cube.volume + at + 1];
            }
}

/// What the rows of SP's systems are made of, and room for one line's factors.
struct ScalarLine {
    std::ptrdiff_t step;
    int axis;
    std::vector<double> up, up2;
};

/// One of the three systems of a line: components first..last-1 of b.
void solve_scalar_line(Cube& cube, ScalarLine& line, std::size_t start, int sign, int first,
                       int last) {
    const int n = cube.n;
    const double h = 1.0 / (n - 1);
    const double convective = cube.dt / (2 * h);
    const double viscous = cube.dt / (h * h);
    const double fourth = cube.dt * 0.25;
    const double* const speed =
        cube.velocity.data() + static_cast<std::size_t>(line.axis) * cube.volume + start;
    const double* const sound = cube.sound.data() + start;
    const double* const inverse = cube.inverse_density.data() + start;
    const double d = second_order[line.axis];
    const auto flow = [&](std::ptrdiff_t i) { return convective * (speed[i] + sign * sound[i]); };
    const auto damping = [&](std::ptrdiff_t i) { return viscous * (d + c1345 * inverse[i]); };
    double* const up = line.up.data();
    double* const up2 = line.up2.data();
    for (int p = 1; p < n - 1; ++p) {
        const std::ptrdiff_t i = p * line.step;
        double w[5];
        fourth_difference(p, n, w);
        const double low2 = fourth * w[0];
        double low = fourth * w[1] - flow(i - line.step) - damping(i - line.step);
        double pivot = 1 + fourth * w[2] + 2 * damping(i);
        up[p] = fourth * w[3] + flow(i + line.step) - damping(i + line.step);
        up2[p] = fourth * w[4];
        if (p > 2) {
            low -= low2 * up[p - 2];
            pivot -= low2 * up2[p - 2];
        }
        if (p > 1) {
            pivot -= low * up[p - 1];
            up[p] -= low * up2[p - 1];
        }
        pivot = 1 / pivot;
        up[p] *= pivot;
        up2[p] *= pivot;
        for (int m = first; m < last; ++m) {
            double* const b = cube.b.data() + static_cast<std::size_t>(m) * cube.volume + start;
            if (p > 2) b[i] -= low2 * b[i - 2 * line.step];
            if (p > 1) b[i] -= low * b[i - line.step];
            b[i] *= pivot;
        }
    }
    for (int m = first; m < last; ++m) {
        double* const b = cube.b.data() + static_cast<std::size_t>(m) * cube.volume + start;
        for (int p = n - 3; p >= 1; --p) {
            const std::ptrdiff_t i = p * line.step;
            b[i] -= up[p] * b[i + line.step];
            if (p < n - 3) b[i] -= up2[p] * b[i + 2 * line.step];
        }
    }
}

}  // namespace

Cube::Cube(int points, double step)
    : n(points),
      dt(step),
      volume(static_cast<std::size_t>(n + 4) * static_cast<std::size_t>(n + 4) *
             static_cast<std::size_t>(n + 4)) {}

void flow_residual(Cube& cube) {
    const int n = cube.n;
    const double h = 1.0 / (n - 1);
    const auto row = static_cast<std::ptrdiff_t>(n + 4);
    const std::ptrdiff_t steps[3] = {1, row, row * row};
    for (int k = 1; k < n - 1; ++k)
        for (int j = 1; j < n - 1; ++j) {
            for (std::size_t m = 0; m < 5; ++m)
                for (int i = 1; i < n - 1; ++i) {
                    const std::size_t at = m * cube.volume + cube.at(i, j, k);
                    cube.b[at] = -cube.dt * cube.forcing[at];
                }
            for (int axis = 0; axis < 3; ++axis)
                for (int i = 1; i < n - 1; ++i) {
                    double w[5];
                    fourth_difference(axis == 0 ? i : axis == 1 ? j : k, n, w);
                    const double second = cube.dt / (h * h) * second_order[axis];
                    for (double& weight : w)
                        weight *= -0.25 * cube.dt;
                    w[1] += second;
                    w[2] -= 2 * second;
                    w[3] += second;
                    add_point(cube, axis, steps[axis],
                              static_cast<std::ptrdiff_t>(cube.at(i, j, k)), w);
                }
        }
}

void solve_scalar_lines(Cube& cube, int axis) {
    const int n = cube.n;
    const auto row = static_cast<std::ptrdiff_t>(n + 4);
    ScalarLine line{axis == 0 ? 1 : row * row, axis,
                    std::vector<double>(static_cast<std::size_t>(n)),
                    std::vector<double>(static_cast<std::size_t>(n))};
    for (int outer = 1; outer < n - 1; ++outer)
        for (int inner = 1; inner < n - 1; ++inner) {
            const std::size_t start =
                axis == 0 ? cube.at(0, inner, outer) : cube.at(inner, outer, 0);
            solve_scalar_line(cube, line, start, 0, 0, 3);
            solve_scalar_line(cube, line, start, 1, 3, 4);
            solve_scalar_line(cube, line, start, -1, 4, 5);
        }
}

void solve_block_lines(Cube& cube) {
    std::vector<Jacobians> made(static_cast<std::size_t>(cube.n));
    std::vector<Upper> uppers(static_cast<std::size_t>(cube.n));
    for (int k = 1; k < cube.n - 1; ++k)
        for (int j = 1; j < cube.n - 1; ++j)
            solve_block_line(cube, cube.at(0, j, k), made, uppers);
}

}  // namespace railyard::bench::plain
