#include "kernels/mg/levels.hpp"

#include <algorithm>

#include "kernels/common/powers.hpp"

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

}  // namespace railyard::kernels::multigrid
