#include "kernels/lu/pencils.hpp"

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

}  // namespace railyard::kernels::cfd::lu
