#pragma once
/// The constants of the flow problem that LU, SP and BT share, and its five unknowns: density,
/// three momenta and energy, in this order.

#include <array>

namespace railyard::kernels::cfd {

inline constexpr int components = 5;
inline constexpr int axes = 3;
using Five = std::array<double, components>;
using Triple = std::array<int, axes>;

inline constexpr double c1 = 1.4;
inline constexpr double c2 = 0.4;
inline constexpr double c34 = 0.1;
inline constexpr double c15 = 1.96;
inline constexpr double c1345 = c34 * c15;

/// Second-order dissipation along x, y and z, and the fourth-order one.
inline constexpr std::array<double, axes> second_order = {0.75, 0.75, 1.0};
inline constexpr double fourth_order = 0.25;

/// The momentum along the axis itself is damped more than the two across.
inline constexpr double along = 4.0 / 3.0;

/// The cube of n points an axis, and the length of a time step.
struct Grid {
    int n;
    double dt;

    constexpr double h() const { return 1.0 / (n - 1); }
    constexpr double t1() const { return 1 / (h() * h()); }
    constexpr double t2() const { return 1 / (2 * h()); }
    /// Points that are not on the boundary.
    constexpr double interior() const { return double(n - 2) * (n - 2) * (n - 2); }
};

}  // namespace railyard::kernels::cfd
