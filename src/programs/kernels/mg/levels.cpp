#include "kernels/mg/levels.hpp"

#include <mpi.h>

#include <algorithm>

#include "kernels/common/numbers.hpp"

namespace railyard::kernels::multigrid {

namespace {

/// Whether a rank has points of an axis that has `points`: its coordinate is one of each so many.
bool has_points(int coordinate, int points, int ranks) {
    return points >= ranks || (coordinate + 1) % (ranks / points) == 0;
}

}  // namespace

PerAxis<int> ranks_along_axes(int ranks) {
    const int all = log2_of(ranks);
    const int x = all / 3;
    const int y = (all - x) / 2;
    return {1 << x, 1 << y, 1 << (all - x - y)};
}

std::size_t Level::volume() const {
    std::size_t product = alive ? 1 : 0;
    for (const int n : size())
        product *= static_cast<std::size_t>(n);
    return product;
}

Levels::Levels(int rank, int ranks_in_all, int finest) : ranks(ranks_along_axes(ranks_in_all)) {
    coordinate = {rank % ranks[0], rank / ranks[0] % ranks[1], rank / ranks[0] / ranks[1]};
    for (int number = 1; number <= finest; ++number)
        all.push_back(make_level(number));
}

Level Levels::make_level(int number) const {
    Level level;
    level.number = number;
    const int points = 1 << number;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const int here = has_points(coordinate[axis], points, ranks[axis]) ? 1 : 0;
        level.own[axis] = here * std::max(1, points / ranks[axis]);
        level.alive = level.alive && here != 0;
        level.alone[axis] = ranks[axis] == 1;
        const int distance = std::max(1, ranks[axis] / points);
        level.lower[axis] = neighbour(axis, -distance);
        level.upper[axis] = neighbour(axis, distance);
        const bool had_points = has_points(coordinate[axis], points / 2, ranks[axis]);
        const bool thinner = points / 2 < ranks[axis];
        level.gives[axis] = number > 1 && thinner && had_points;
        level.takes[axis] = number > 1 && thinner && here != 0 && !had_points;
    }
    return level;
}

int Levels::neighbour(std::size_t axis, int distance) const {
    PerAxis<int> at = coordinate;
    at[axis] = (at[axis] + distance + ranks[axis]) % ranks[axis];
    return (at[2] * ranks[1] + at[1]) * ranks[0] + at[0];
}

namespace {

/// A tag tells level, axis and direction, so that a receive from any source cannot take another's
/// message: of each kind, a rank has one sender only.
int tag_of(const Level& level, std::size_t axis, bool up) {
    return level.number * 10 + static_cast<int>(axis) * 2 + (up ? 1 : 0);
}

std::size_t index_of(const PerAxis<int>& size, int x, int y, int z) {
    return static_cast<std::size_t>((std::ptrdiff_t{z} * size[1] + y) * size[0] + x);
}

}  // namespace

/// Corners come right since later axes take what earlier ones have brought.
Halo::Box Halo::layers(const Level& level, std::size_t axis, int first, int last, bool whole) {
    Box box{};
    for (std::size_t other = 0; other < 3; ++other) {
        const bool edges = whole || other < axis;
        box.first[other] = edges ? 0 : 1;
        box.last[other] = level.own[other] + (edges ? 1 : 0);
    }
    box.first[axis] = first;
    box.last[axis] = last;
    return box;
}

namespace {

template <class Box>
int count(const Box& box) {
    int product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
        product *= box.last[axis] - box.first[axis] + 1;
    return product;
}

/// Calls f(begin, length) for each row of the box.
template <class Box, class Function>
void for_rows(const Level& level, const Box& box, const Function& f) {
    const PerAxis<int> size = level.size();
    const auto length = static_cast<std::size_t>(box.last[0] - box.first[0] + 1);
    for (int z = box.first[2]; z <= box.last[2]; ++z)
        for (int y = box.first[1]; y <= box.last[1]; ++y)
            f(index_of(size, box.first[0], y, z), length);
}

template <class Box>
void unpack(const Level& level, const Box& box, const std::vector<double>& in, double* field) {
    const double* from = in.data();
    for_rows(level, box, [&](std::size_t begin, std::size_t length) {
        std::copy_n(from, length, field + begin);
        from += length;
    });
}

}  // namespace

void Halo::exchange(const Level& level, double* field) {
    if (!level.alive) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (level.alone[axis])
            wrap(level, axis, field);
        else
            swap_layers(level, axis, field);
    }
}

void Halo::send(const Level& level, std::size_t axis, bool up, const double* field,
                const Box& box) {
    out_.resize(static_cast<std::size_t>(count(box)));
    double* to = out_.data();
    for_rows(level, box, [&](std::size_t begin, std::size_t length) {
        to = std::copy_n(field + begin, length, to);
    });
    MPI_Send(out_.data(), count(box), MPI_DOUBLE, up ? level.upper[axis] : level.lower[axis],
             tag_of(level, axis, up), MPI_COMM_WORLD);
}

namespace {

MPI_Request receive(const Level& level, std::size_t axis, bool up, bool any_source, int size,
                    std::vector<double>& in) {
    MPI_Request request = MPI_REQUEST_NULL;
    in.resize(static_cast<std::size_t>(size));
    const int sender = up ? level.lower[axis] : level.upper[axis];
    MPI_Irecv(in.data(), size, MPI_DOUBLE, any_source ? MPI_ANY_SOURCE : sender,
              tag_of(level, axis, up), MPI_COMM_WORLD, &request);
    return request;
}

}  // namespace

void Halo::swap_layers(const Level& level, std::size_t axis, double* field) {
    const int last = level.own[axis];
    const Box below = layers(level, axis, 0, 0, false);
    const Box above = layers(level, axis, last + 1, last + 1, false);
    MPI_Request going_up = receive(level, axis, true, any_source_, count(below), from_lower_);
    MPI_Request going_down = receive(level, axis, false, any_source_, count(above), from_upper_);
    send(level, axis, true, field, layers(level, axis, last, last, false));
    send(level, axis, false, field, layers(level, axis, 1, 1, false));
    MPI_Wait(&going_up, MPI_STATUS_IGNORE);
    unpack(level, below, from_lower_, field);
    MPI_Wait(&going_down, MPI_STATUS_IGNORE);
    unpack(level, above, from_upper_, field);
}

void Halo::wrap(const Level& level, std::size_t axis, double* field) {
    const PerAxis<int> size = level.size();
    const PerAxis<std::ptrdiff_t> stride = {1, size[0], std::ptrdiff_t{size[0]} * size[1]};
    const std::ptrdiff_t whole = stride[axis] * level.own[axis];
    for_rows(level, layers(level, axis, 0, 0, false), [&](std::size_t begin, std::size_t length) {
        double* const below = field + begin;
        double* const above = below + whole + stride[axis];
        std::copy_n(below + whole, length, below);
        std::copy_n(below + stride[axis], length, above);
    });
}

/// Who gives has its one point and, beyond it, the points of both neighbours: up goes the point and
/// the neighbour's, down the point, which is all that the neighbour below still lacks.
void Halo::hand_over(const Level& level, double* field) {
    if (!level.alive) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (level.takes[axis]) {
            const Box lower = layers(level, axis, 0, 1, true);
            const Box upper = layers(level, axis, 2, 2, true);
            MPI_Request going_up =
                receive(level, axis, true, any_source_, count(lower), from_lower_);
            MPI_Request going_down =
                receive(level, axis, false, any_source_, count(upper), from_upper_);
            MPI_Wait(&going_up, MPI_STATUS_IGNORE);
            unpack(level, lower, from_lower_, field);
            MPI_Wait(&going_down, MPI_STATUS_IGNORE);
            unpack(level, upper, from_upper_, field);
        }
        if (level.gives[axis]) {
            send(level, axis, true, field, layers(level, axis, 1, 2, true));
            send(level, axis, false, field, layers(level, axis, 1, 1, true));
        }
    }
}

}  // namespace railyard::kernels::multigrid
