#include "kernels/cfd/multipartition.hpp"

#include "kernels/common/powers.hpp"

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

}  // namespace railyard::kernels::cfd
