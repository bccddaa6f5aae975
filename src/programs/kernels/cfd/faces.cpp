#include "kernels/cfd/faces.hpp"

#include <array>

#include "kernels/cfd/layers.hpp"

namespace railyard::kernels::cfd {

namespace {

constexpr int depth = Box::ghosts;

/// Whether a cell has a neighbour above or below it along an axis.
bool has_neighbour(const Multipartition& partition, int cell, std::size_t axis, bool above) {
    return partition.place(cell)[axis] != (above ? partition.q() - 1 : 0);
}

Region leaving(const Box& box, std::size_t axis, bool up) {
    const int size = box.size(axis);
    return up ? layers(box, axis, size - depth, size) : layers(box, axis, 0, depth);
}

Region arriving(const Box& box, std::size_t axis, bool up) {
    const int size = box.size(axis);
    return up ? layers(box, axis, -depth, 0) : layers(box, axis, size, size + depth);
}

}  // namespace

Faces::Faces(const Multipartition& partition, std::span<const Flow> cells, MPI_Comm comm)
    : partition_(partition), comm_(comm) {
    for (std::size_t axis = 0; axis < axes; ++axis)
        for (const bool up : {true, false}) {
            std::size_t out = 0;
            std::size_t in = 0;
            for (int c = 0; c < partition.q(); ++c) {
                const Box& box = cells[static_cast<std::size_t>(c)].box;
                if (has_neighbour(partition, c, axis, up)) out += leaving(box, axis, up).points();
                if (has_neighbour(partition, c, axis, !up)) in += arriving(box, axis, up).points();
            }
            directions_.push_back({axis, up, std::vector<double>(components * out),
                                   std::vector<double>(components * in)});
        }
}

void Faces::exchange(std::span<Flow> cells) {
    if (partition_.q() == 1) return;
    std::array<MPI_Request, std::size_t{4} * axes> requests;
    std::size_t request = 0;
    for (Direction& d : directions_)
        MPI_Irecv(d.in.data(), static_cast<int>(d.in.size()), MPI_DOUBLE,
                  d.up ? partition_.predecessor(d.axis) : partition_.successor(d.axis),
                  static_cast<int>(2 * d.axis) + d.up, comm_, &requests[request++]);
    for (Direction& d : directions_) {
        double* out = d.out.data();
        for (int c = 0; c < partition_.q(); ++c) {
            const Flow& cell = cells[static_cast<std::size_t>(c)];
            if (has_neighbour(partition_, c, d.axis, d.up))
                out = pack(cell.box, cell.u, components, leaving(cell.box, d.axis, d.up), out);
        }
        MPI_Isend(d.out.data(), static_cast<int>(d.out.size()), MPI_DOUBLE,
                  d.up ? partition_.successor(d.axis) : partition_.predecessor(d.axis),
                  static_cast<int>(2 * d.axis) + d.up, comm_, &requests[request++]);
    }
    MPI_Waitall(static_cast<int>(request), requests.data(), MPI_STATUSES_IGNORE);
    for (const Direction& d : directions_) {
        const double* in = d.in.data();
        for (int c = 0; c < partition_.q(); ++c) {
            Flow& cell = cells[static_cast<std::size_t>(c)];
            if (has_neighbour(partition_, c, d.axis, !d.up))
                in = unpack(cell.box, cell.u, components, arriving(cell.box, d.axis, d.up), in);
        }
    }
}

}  // namespace railyard::kernels::cfd
