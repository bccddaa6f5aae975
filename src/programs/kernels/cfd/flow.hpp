#pragma once
/// The flow in one box: its unknowns, the right-hand sides, and what follows from the unknowns at a
/// point. A component is a flat array of its own, so that loops along x run over neighbours.

#include <array>
#include <cstddef>
#include <vector>

namespace railyard::kernels::cfd {

/// The constants of the flow problem that LU, SP and BT share, and its five unknowns: density,
/// three momenta and energy, in this order.
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

// A box of the grid that one rank holds, with two layers of other ranks' points around it, and how
// its points lie in memory: x fastest. Indices are local; those of the layers around are negative,
// or from the size on.

/// Points of a box, from `first` up to and without `last`.
struct Region {
    Triple first;
    Triple last;

    int size(std::size_t axis) const { return last[axis] - first[axis]; }
    std::size_t points() const {
        return static_cast<std::size_t>(size(0)) * static_cast<std::size_t>(size(1)) *
               static_cast<std::size_t>(size(2));
    }
};

/// A part of an axis that is cut into parts: the leading ones are longer where it does not go
/// evenly.
struct Piece {
    int origin;
    int size;
};
constexpr Piece piece(int n, int parts, int which) {
    const int longer = which < n % parts ? which : n % parts;
    return {which * (n / parts) + longer, n / parts + (which < n % parts ? 1 : 0)};
}

class Box {
  public:
    static constexpr int ghosts = 2;

    /// Of a grid of n points an axis.
    Box(int n, const std::array<Piece, axes>& pieces)
        : n_(n),
          pieces_(pieces),
          row_(pieces[0].size + 2 * ghosts),
          plane_(row_ * (pieces[1].size + 2 * ghosts)) {}

    int n() const { return n_; }
    int origin(std::size_t axis) const { return pieces_[axis].origin; }
    int size(std::size_t axis) const { return pieces_[axis].size; }
    /// Local indices of the points that are not on the grid's boundary.
    int first(std::size_t axis) const { return origin(axis) == 0 ? 1 : 0; }
    int last(std::size_t axis) const {
        return origin(axis) + size(axis) == n_ ? size(axis) - 1 : size(axis);
    }
    Region interior() const {
        return {{first(0), first(1), first(2)}, {last(0), last(1), last(2)}};
    }
    Region with_ghosts() const {
        return {{-ghosts, -ghosts, -ghosts},
                {size(0) + ghosts, size(1) + ghosts, size(2) + ghosts}};
    }

    /// How far apart neighbours along an axis are in memory.
    std::ptrdiff_t stride(std::size_t axis) const {
        return axis == 0 ? 1 : axis == 1 ? row_ : plane_;
    }
    std::ptrdiff_t at(int i, int j, int k) const {
        return (k + ghosts) * plane_ + (j + ghosts) * row_ + i + ghosts;
    }
    std::size_t volume() const {
        return static_cast<std::size_t>(plane_) * static_cast<std::size_t>(size(2) + 2 * ghosts);
    }

  private:
    int n_;
    std::array<Piece, axes> pieces_;
    std::ptrdiff_t row_;
    std::ptrdiff_t plane_;
};

/// The lines of a box along an axis, inside the grid. Lines that lie side by side in memory, where
/// there are any, are the lanes over which loops run; the rest are sheets of lanes.
struct Lines {
    Lines(const Box& box, std::size_t axis)
        : along(axis),
          across(axis == 0 ? 1 : 0),
          other(axis == 2 ? 1 : 2),
          start(box.at(box.first(0), box.first(1), box.first(2))),
          step(box.stride(axis)),
          lane(box.stride(across)),
          sheet(box.stride(other)),
          length(box.last(axis) - box.first(axis)),
          lanes(box.last(across) - box.first(across)),
          sheets(box.last(other) - box.first(other)) {}

    std::size_t count() const {
        return static_cast<std::size_t>(lanes) * static_cast<std::size_t>(sheets);
    }
    /// The first point of the first line of a sheet.
    std::ptrdiff_t at(int which_sheet) const { return start + which_sheet * sheet; }

    std::size_t along, across, other;  ///< axes
    std::ptrdiff_t start;              ///< of the first point of the first line
    std::ptrdiff_t step, lane, sheet;  ///< from point to point, and between lines
    int length, lanes, sheets;
};

/// One or more values a point, each an array over the box and the layers around it. Zero at first.
class Field {
  public:
    Field(const Box& box, int values)
        : volume_(box.volume()), data_(volume_ * static_cast<std::size_t>(values)) {}

    double* operator[](int value) {
        return data_.data() + volume_ * static_cast<std::size_t>(value);
    }
    const double* operator[](int value) const {
        return data_.data() + volume_ * static_cast<std::size_t>(value);
    }

  private:
    std::size_t volume_;
    std::vector<double> data_;
};

struct Flow {
    Flow(const Grid& of_grid, const Box& of_box)
        : grid(of_grid),
          box(of_box),
          u(box, components),
          b(box, components),
          forcing(box, components),
          velocity(box, axes),
          inverse_density(box, 1),
          kinetic(box, 1),
          pressure(box, 1) {}

    Grid grid;
    Box box;
    Field u;                ///< the unknowns
    Field b;                ///< the right-hand sides, then their solution; 0 on the boundary
    Field forcing;          ///< what the exact solution would change by; 0 on the boundary
    Field velocity;         ///< by axis
    Field inverse_density;  ///< 1 / rho
    Field kinetic;          ///< q: half the square of the speed
    Field pressure;         ///< c2 (U5 - rho q)
};

/// What follows from the unknowns, for rows first..last-1 along y, and one point around the box
/// along x and z.
void derive(Flow& flow, int first_row, int last_row);
/// For all points that residuals need: the box and one point around it.
inline void derive(Flow& flow) {
    derive(flow, -1, flow.box.size(1) + 1);
}

/// U = U + scale b, inside.
void add_solution(Flow& flow, double scale);

// Layers of points, copied between a field and a message.

class Field;

/// Copies the region's points, `values` a point, to `out`, which the caller owns. Returns where the
/// next would go.
double* pack(const Box& box, const Field& field, int values, const Region& region, double* out);
/// The reverse.
const double* unpack(const Box& box, Field& field, int values, const Region& region,
                     const double* in);

/// The box's own points, but along `axis` only those from first up to and without last.
Region layers(const Box& box, std::size_t axis, int first, int last);

// The flow that the programs march towards, and the one from which they start.

/// The exact solution at a place of the unit cube.
Five exact(double x, double y, double z);

/// Sets the unknowns of all points, those around the box included, to the exact solution.
void set_exact(Flow& flow);
/// Sets the unknowns to where a run starts: exact on the boundary, and far from it inside.
void set_initial(Flow& flow);

// The spatial operator: differences of convective and viscous fluxes along an axis, and
// dissipation. The residual is what it makes of the unknowns, less what it makes of the exact
// solution.

/// Factors of a point and its neighbours, two on each side, along an axis.
struct Stencil {
    double before2, before, centre, after, after2;
};

/// The fourth difference at a global index: it uses no point of the boundary.
constexpr Stencil fourth_difference(int index, int n) {
    return {index >= 3 ? 1.0 : 0.0, index >= 2 ? -4.0 : 0.0,
            index == 1 || index == n - 2 ? 5.0 : 6.0, index <= n - 3 ? -4.0 : 0.0,
            index <= n - 4 ? 1.0 : 0.0};
}

/// The forcing, from a flow whose unknowns are the exact solution, around the box too. Needs
/// derive().
void set_forcing(Flow& flow);

/// b = dt R(U), R the residual. Needs derive().
void set_residual(Flow& flow);

/// The same in parts, for those who must wait for their neighbours in between: first b = - dt
/// forcing, then each axis.
void start_residual(Flow& flow);
void add_residual(Flow& flow, std::size_t axis);

}  // namespace railyard::kernels::cfd
