#pragma once
/// How LU cuts its grid into pencils, and the two sweeps of LU's SSOR iteration: plane by plane
/// upwards along z, then downwards. A rank needs the edges of its neighbours' planes first, so the
/// work runs through the ranks as a wave.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd::lu {

/// Where a message goes: along x (0) or y (1), to the upper neighbour or to the lower.
struct Way {
    std::size_t axis;
    bool up;
};

/// x and y are cut into px by py pieces, z not at all; and what a rank tells its four neighbours.
class Pencils {
  public:
    /// Why a grid of n points an axis does not run on so many ranks; empty if it does.
    static std::string objection(int n, int ranks);

    Pencils(int n, int rank, int ranks, bool any_source, MPI_Comm comm);

    const Box& box() const { return box_; }
    MPI_Comm comm() const { return comm_; }
    /// The neighbour to which a message goes on its way, or from which it comes; MPI_PROC_NULL
    /// where the grid ends.
    int destination(Way way) const { return neighbours_[way.axis][way.up ? 1 : 0]; }
    int origin(Way way) const { return neighbours_[way.axis][way.up ? 0 : 1]; }

    /// Fills the two layers on each side of the box along the axis.
    void exchange(Field& field, int values, std::size_t axis);
    /// Sends the region `out` on its way and fills `in` with what comes: receives are posted first.
    void shift(Field& field, int values, Way way, const Region& out, const Region& in);
    /// The same in two halves, with blocking calls, for the wavefront.
    void send(const Field& field, Way way, const Region& out);
    void receive(Field& field, Way way, const Region& in);

  private:
    int source(Way way) const { return any_source_ ? MPI_ANY_SOURCE : origin(way); }

    Box box_;
    bool any_source_;
    MPI_Comm comm_;
    std::array<std::array<int, 2>, 2> neighbours_;  ///< by axis; the lower, the upper
    std::vector<double> in_;
    std::vector<double> out_;
};

// LU's 5 x 5 blocks as what they do to a vector. A block is made of the Jacobians of one point's
// fluxes; written out, its product with a vector takes a fraction of the work of the matrix. The
// block on the diagonal has no entry above its own diagonal, since the viscous Jacobians have
// none.

/// Five values of a point.
struct Vector {
    double v1, v2, v3, v4, v5;
};

inline Vector operator+(const Vector& a, const Vector& b) {
    return {a.v1 + b.v1, a.v2 + b.v2, a.v3 + b.v3, a.v4 + b.v4, a.v5 + b.v5};
}
inline Vector operator-(const Vector& a, const Vector& b) {
    return {a.v1 - b.v1, a.v2 - b.v2, a.v3 - b.v3, a.v4 - b.v4, a.v5 - b.v5};
}

/// What the blocks of a point are made of.
struct Point {
    double u, v, w;  ///< velocities
    double kinetic;
    double inverse_density;
    double energy;    ///< per mass
    double enthalpy;  ///< per mass
};

/// Arrays of a flow from which points are read.
class Points {
  public:
    explicit Points(const Flow& flow)
        : u_(flow.velocity[0]),
          v_(flow.velocity[1]),
          w_(flow.velocity[2]),
          kinetic_(flow.kinetic[0]),
          inverse_(flow.inverse_density[0]),
          energy_(flow.u[4]),
          pressure_(flow.pressure[0]) {}

    Point operator[](std::ptrdiff_t i) const {
        const double inverse = inverse_[i];
        const double energy = energy_[i] * inverse;
        return {u_[i], v_[i], w_[i], kinetic_[i], inverse, energy, energy + pressure_[i] * inverse};
    }

  private:
    const double* u_;
    const double* v_;
    const double* w_;
    const double* kinetic_;
    const double* inverse_;
    const double* energy_;
    const double* pressure_;
};

/// Factors of the Jacobians in the blocks beside the diagonal.
struct Factors {
    double convective;  ///< its sign tells lower from upper blocks
    double viscous;
};

/// (convective A - viscous (N + d I)) times a vector, along the axis.
template <int axis>
[[gnu::always_inline]] inline Vector beside(const Point& at, const Factors& factors,
                                            const Vector& x) {
    const double speed = axis == 0 ? at.u : axis == 1 ? at.v : at.w;
    const double momentum = axis == 0 ? x.v2 : axis == 1 ? x.v3 : x.v4;
    const double mass = momentum - speed * x.v1;
    const double push = c2 * (at.kinetic * x.v1 - at.u * x.v2 - at.v * x.v3 - at.w * x.v4 + x.v5);
    const double du = (x.v2 - at.u * x.v1) * at.inverse_density;
    const double dv = (x.v3 - at.v * x.v1) * at.inverse_density;
    const double dw = (x.v4 - at.w * x.v1) * at.inverse_density;
    const double de = (x.v5 - at.energy * x.v1) * at.inverse_density;
    constexpr double along_u = c34 * (axis == 0 ? along : 1);
    constexpr double along_v = c34 * (axis == 1 ? along : 1);
    constexpr double along_w = c34 * (axis == 2 ? along : 1);
    constexpr double d = second_order[axis];
    const double c = factors.convective;
    const double v = factors.viscous;
    return {
        c * momentum - v * (d * x.v1),
        c * (speed * x.v2 + at.u * mass + (axis == 0 ? push : 0)) - v * (along_u * du + d * x.v2),
        c * (speed * x.v3 + at.v * mass + (axis == 1 ? push : 0)) - v * (along_v * dv + d * x.v3),
        c * (speed * x.v4 + at.w * mass + (axis == 2 ? push : 0)) - v * (along_w * dw + d * x.v4),
        c * (at.enthalpy * mass + speed * (x.v5 + push)) -
            v * ((along_u - c1345) * at.u * du + (along_v - c1345) * at.v * dv +
                 (along_w - c1345) * at.w * dw + c1345 * de + d * x.v5)};
}

/// The block on the diagonal, I + 2 dt t1 (N + d I) summed over the axes.
class Diagonal {
  public:
    explicit Diagonal(const Grid& grid)
        : scale_(2 * grid.dt * grid.t1()),
          first_(1 + scale_ * (second_order[0] + second_order[1] + second_order[2])),
          inverse_first_(1 / first_) {}

    /// What does not depend on the right-hand side, and so can be had for many points at once.
    struct Pivots {
        double momentum, energy;                  ///< how much they are damped
        double inverse_momentum, inverse_energy;  ///< of the entries on the diagonal
    };
    Pivots pivots(double inverse_density) const {
        const double momentum = scale_ * c34 * (along + 2) * inverse_density;
        const double energy = scale_ * c1345 * 3 * inverse_density;
        return {momentum, energy, 1 / (first_ + momentum), 1 / (first_ + energy)};
    }

    /// The x for which the block times x is y.
    [[gnu::always_inline]] Vector solve(const Point& at, const Pivots& p, const Vector& y) const {
        const double x1 = y.v1 * inverse_first_;
        const double x2 = (y.v2 + p.momentum * at.u * x1) * p.inverse_momentum;
        const double x3 = (y.v3 + p.momentum * at.v * x1) * p.inverse_momentum;
        const double x4 = (y.v4 + p.momentum * at.w * x1) * p.inverse_momentum;
        const double work =
            at.u * (x2 - at.u * x1) + at.v * (x3 - at.v * x1) + at.w * (x4 - at.w * x1);
        const double x5 =
            (y.v5 + p.energy * at.energy * x1 - (p.momentum - p.energy) * work) * p.inverse_energy;
        return {x1, x2, x3, x4, x5};
    }

  private:
    double scale_;
    double first_;
    double inverse_first_;
};

inline constexpr double omega = 1.2;

class Sweeps {
  public:
    explicit Sweeps(const Flow& flow);

    /// b becomes (D + omega L)^-1 b, from below.
    void lower(Flow& flow, Pencils& pencils);
    /// b becomes (I + omega D^-1 U)^-1 b, from above.
    void upper(Flow& flow, Pencils& pencils);

  private:
    template <bool up>
    void row(Flow& flow, int j, int k);
    template <bool up>
    void gather(const Flow& flow, std::ptrdiff_t at, int points);
    template <bool up>
    void run(Flow& flow, std::ptrdiff_t at, int points);

    Diagonal diagonal_;
    double convective_;
    double viscous_;
    std::size_t longest_;
    std::vector<double> sums_;    ///< of a row: what comes from the planes and rows before
    std::vector<double> pivots_;  ///< of a row
};

}  // namespace railyard::kernels::cfd::lu
