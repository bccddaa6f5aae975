#include "kernels/cfd/multipartition.hpp"

#include <array>

#include "kernels/cfd/flow.hpp"
#include "kernels/common/numbers.hpp"

namespace railyard::kernels::cfd {

namespace {

constexpr int least_points = 3;

}  // namespace

std::string Multipartition::objection(int n, int ranks) {
    const int q = square_root_of(ranks);
    if (q * q != ranks)
        return "the number of ranks must be a square (1, 4, 9, 16, ...), and " +
               std::to_string(ranks) + " is none";
    const int most = n / least_points;
    if (q > most)
        return "this class runs on " + std::to_string(most * most) +
               " ranks at most, and these are " + std::to_string(ranks);
    return {};
}

Multipartition::Multipartition(int n, int rank, int ranks)
    : n_(n),
      q_(square_root_of(ranks)),
      i_(rank % q_),
      j_(rank / q_),
      successors_{rank_at(i_ + 1, j_), rank_at(i_, j_ + 1), rank_at(i_ - 1, j_ + 1)},
      predecessors_{rank_at(i_ - 1, j_), rank_at(i_, j_ - 1), rank_at(i_ + 1, j_ - 1)} {}

Triple Multipartition::place(int cell) const {
    return {(i_ + cell) % q_, (j_ - cell + q_) % q_, cell};
}

Box Multipartition::box(int cell) const {
    const auto [x, y, z] = place(cell);
    return {n_, {piece(n_, q_, x), piece(n_, q_, y), piece(n_, q_, z)}};
}

int Multipartition::cell_at(std::size_t axis, int place) const {
    switch (axis) {
        case 0:
            return (place - i_ + q_) % q_;
        case 1:
            return (j_ - place + q_) % q_;
        default:
            return place;
    }
}

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

namespace {

std::vector<Flow> flows_of(const Grid& grid, const Multipartition& partition) {
    std::vector<Flow> flows;
    for (int cell = 0; cell < partition.q(); ++cell) {
        Flow& flow = flows.emplace_back(grid, partition.box(cell));
        set_exact(flow);
        derive(flow);
        set_forcing(flow);
    }
    return flows;
}

}  // namespace

Cells::Cells(const Grid& grid, int rank, int ranks, MPI_Comm comm)
    : comm_(comm),
      partition_(grid.n, rank, ranks),
      flows_(flows_of(grid, partition_)),
      faces_(partition_, flows_, comm),
      stages_(partition_, comm) {}

void Cells::reset() {
    for (Flow& flow : flows_)
        set_initial(flow);
}

void Cells::refresh() {
    faces_.exchange(flows_);
    for (Flow& flow : flows_)
        derive(flow);
}

void Cells::advance() {
    for (Flow& flow : flows_)
        add_solution(flow, 1);
}

Norms Cells::norms() {
    refresh();
    for (Flow& flow : flows_)
        set_residual(flow);
    return cfd::norms(flows_, comm_);
}

}  // namespace railyard::kernels::cfd
