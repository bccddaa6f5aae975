#include "kernels/lu/sweeps.hpp"

#include "kernels/cfd/flow.hpp"
#include "kernels/common/numbers.hpp"

namespace railyard::kernels::cfd::lu {

namespace {

constexpr int least_points = 3;

struct Cut {
    int px, py;
};

/// As square as can be, longer along x.
Cut cut(int ranks) {
    int py = square_root_of(ranks);
    while (ranks % py != 0)
        --py;
    return {ranks / py, py};
}

Box box_of(int n, int rank, Cut cut) {
    return {n, {piece(n, cut.px, rank % cut.px), piece(n, cut.py, rank / cut.px), {0, n}}};
}

/// A way has a tag, so that a receive from any source takes what comes on this way and no other.
int tag(Way way, bool wavefront) {
    return static_cast<int>(way.axis) * 2 + (way.up ? 1 : 0) + (wavefront ? 4 : 0);
}

}  // namespace

std::string Pencils::objection(int n, int ranks) {
    const auto [px, py] = cut(ranks);
    if (2 * py < px)
        return "the number of ranks must be px times py with px/2 <= py <= px, such as 1, 2, 4, 6, "
               "8, "
               "9, 12, 16, and " +
               std::to_string(ranks) + " is not";
    if (n / px < least_points)
        return "a rank needs 3 points along x and y, and of " + std::to_string(n) + " points " +
               std::to_string(px) + " by " + std::to_string(py) +
               " ranks have less: take fewer ranks or a larger class";
    return {};
}

Pencils::Pencils(int n, int rank, int ranks, bool any_source, MPI_Comm comm)
    : box_(box_of(n, rank, cut(ranks))), any_source_(any_source), comm_(comm) {
    const auto [px, py] = cut(ranks);
    const int ix = rank % px;
    const int iy = rank / px;
    neighbours_ = {{{ix > 0 ? rank - 1 : MPI_PROC_NULL, ix + 1 < px ? rank + 1 : MPI_PROC_NULL},
                    {iy > 0 ? rank - px : MPI_PROC_NULL, iy + 1 < py ? rank + px : MPI_PROC_NULL}}};
}

void Pencils::exchange(Field& field, int values, std::size_t axis) {
    constexpr int depth = Box::ghosts;
    const int size = box_.size(axis);
    shift(field, values, {axis, true}, layers(box_, axis, size - depth, size),
          layers(box_, axis, -depth, 0));
    shift(field, values, {axis, false}, layers(box_, axis, 0, depth),
          layers(box_, axis, size, size + depth));
}

void Pencils::shift(Field& field, int values, Way way, const Region& out, const Region& in) {
    const bool comes = origin(way) != MPI_PROC_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    if (comes) {
        in_.resize(in.points() * static_cast<std::size_t>(values));
        MPI_Irecv(in_.data(), static_cast<int>(in_.size()), MPI_DOUBLE, source(way),
                  tag(way, false), comm_, &request);
    }
    if (destination(way) != MPI_PROC_NULL) {
        out_.resize(out.points() * static_cast<std::size_t>(values));
        pack(box_, field, values, out, out_.data());
        MPI_Send(out_.data(), static_cast<int>(out_.size()), MPI_DOUBLE, destination(way),
                 tag(way, false), comm_);
    }
    if (!comes) return;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    unpack(box_, field, values, in, in_.data());
}

void Pencils::send(const Field& field, Way way, const Region& out) {
    if (destination(way) == MPI_PROC_NULL) return;
    out_.resize(out.points() * components);
    pack(box_, field, components, out, out_.data());
    MPI_Send(out_.data(), static_cast<int>(out_.size()), MPI_DOUBLE, destination(way),
             tag(way, true), comm_);
}

void Pencils::receive(Field& field, Way way, const Region& in) {
    if (origin(way) == MPI_PROC_NULL) return;
    in_.resize(in.points() * components);
    MPI_Recv(in_.data(), static_cast<int>(in_.size()), MPI_DOUBLE, source(way), tag(way, true),
             comm_, MPI_STATUS_IGNORE);
    unpack(box_, field, components, in, in_.data());
}

namespace {

/// The edge of plane k at index `at` along x (axis 0) or y, without the grid's boundary.
Region edge(const Box& box, std::size_t axis, int at, int k) {
    Region region = box.interior();
    region.first[axis] = at;
    region.last[axis] = at + 1;
    region.first[2] = k;
    region.last[2] = k + 1;
    return region;
}

inline Vector load(const double* const (&b)[components], std::ptrdiff_t i) {
    return {b[0][i], b[1][i], b[2][i], b[3][i], b[4][i]};
}

}  // namespace

Sweeps::Sweeps(const Flow& flow)
    : diagonal_(flow.grid),
      convective_(omega * flow.grid.dt * flow.grid.t2()),
      viscous_(omega * flow.grid.dt * flow.grid.t1()),
      longest_(static_cast<std::size_t>(flow.box.size(0))),
      sums_(components * longest_),
      pivots_(4 * longest_) {}

void Sweeps::lower(Flow& flow, Pencils& pencils) {
    const Box& box = flow.box;
    for (int k = box.first(2); k < box.last(2); ++k) {
        for (const std::size_t axis : {0, 1})
            pencils.receive(flow.b, {axis, true}, edge(box, axis, -1, k));
        for (int j = box.first(1); j < box.last(1); ++j)
            row<true>(flow, j, k);
        for (const std::size_t axis : {0, 1})
            pencils.send(flow.b, {axis, true}, edge(box, axis, box.size(axis) - 1, k));
    }
}

void Sweeps::upper(Flow& flow, Pencils& pencils) {
    const Box& box = flow.box;
    for (int k = box.last(2) - 1; k >= box.first(2); --k) {
        for (const std::size_t axis : {0, 1})
            pencils.receive(flow.b, {axis, false}, edge(box, axis, box.size(axis), k));
        for (int j = box.last(1) - 1; j >= box.first(1); --j)
            row<false>(flow, j, k);
        for (const std::size_t axis : {0, 1})
            pencils.send(flow.b, {axis, false}, edge(box, axis, 0, k));
    }
}

template <bool up>
void Sweeps::row(Flow& flow, int j, int k) {
    const int first = flow.box.first(0);
    const int points = flow.box.last(0) - first;
    const auto at = flow.box.at(first, j, k);
    gather<up>(flow, at, points);
    run<up>(flow, at, points);
}

/// What does not wait for the neighbour in the row itself: points side by side.
template <bool up>
void Sweeps::gather(const Flow& flow, std::ptrdiff_t at, int points) {
    const Points point(flow);
    const Factors factors{up ? -convective_ : convective_, viscous_};
    const double* const b[components] = {flow.b[0], flow.b[1], flow.b[2], flow.b[3], flow.b[4]};
    const double* inverse_density = flow.inverse_density[0] + at;
    const std::ptrdiff_t y = up ? -flow.box.stride(1) : flow.box.stride(1);
    const std::ptrdiff_t z = up ? -flow.box.stride(2) : flow.box.stride(2);
    double* __restrict__ sum1 = sums_.data();
    double* __restrict__ sum2 = sum1 + longest_;
    double* __restrict__ sum3 = sum2 + longest_;
    double* __restrict__ sum4 = sum3 + longest_;
    double* __restrict__ sum5 = sum4 + longest_;
    for (int i = 0; i < points; ++i) {
        const auto from_y = at + i + y;
        const auto from_z = at + i + z;
        const Vector sum = beside<1>(point[from_y], factors, load(b, from_y)) +
                           beside<2>(point[from_z], factors, load(b, from_z));
        sum1[i] = sum.v1;
        sum2[i] = sum.v2;
        sum3[i] = sum.v3;
        sum4[i] = sum.v4;
        sum5[i] = sum.v5;
    }
    double* __restrict__ pivot1 = pivots_.data();
    double* __restrict__ pivot2 = pivot1 + longest_;
    double* __restrict__ pivot3 = pivot2 + longest_;
    double* __restrict__ pivot4 = pivot3 + longest_;
    for (int i = 0; i < points; ++i) {
        const Diagonal::Pivots p = diagonal_.pivots(inverse_density[i]);
        pivot1[i] = p.momentum;
        pivot2[i] = p.energy;
        pivot3[i] = p.inverse_momentum;
        pivot4[i] = p.inverse_energy;
    }
}

/// Along the row, one point after the other.
template <bool up>
void Sweeps::run(Flow& flow, std::ptrdiff_t at, int points) {
    const Points point(flow);
    const Diagonal diagonal = diagonal_;
    const Factors factors{up ? -convective_ : convective_, viscous_};
    double* const b[components] = {flow.b[0], flow.b[1], flow.b[2], flow.b[3], flow.b[4]};
    const double* sums = sums_.data();
    const double* pivots = pivots_.data();
    const auto n = static_cast<std::ptrdiff_t>(longest_);
    const std::ptrdiff_t step = up ? 1 : -1;
    std::ptrdiff_t i = up ? 0 : points - 1;
    const auto before = at + i - step;
    Point last = point[before];
    Vector x{b[0][before], b[1][before], b[2][before], b[3][before], b[4][before]};
    for (int count = 0; count < points; ++count, i += step) {
        const auto here = at + i;
        const Vector sum{sums[i], sums[i + n], sums[i + 2 * n], sums[i + 3 * n], sums[i + 4 * n]};
        const Diagonal::Pivots p{pivots[i], pivots[i + n], pivots[i + 2 * n], pivots[i + 3 * n]};
        const Vector old{b[0][here], b[1][here], b[2][here], b[3][here], b[4][here]};
        const Vector beside_x = beside<0>(last, factors, x);
        last = point[here];
        x = up ? diagonal.solve(last, p, (old - sum) - beside_x)
               : old - diagonal.solve(last, p, sum + beside_x);
        b[0][here] = x.v1;
        b[1][here] = x.v2;
        b[2][here] = x.v3;
        b[3][here] = x.v4;
        b[4][here] = x.v5;
    }
}

}  // namespace railyard::kernels::cfd::lu
