#pragma once
/// A box of the grid that one rank holds, with two layers of other ranks' points around it, and how
/// its points lie in memory: x fastest. Indices are local; those of the layers around are negative,
/// or from the size on.

#include <cstddef>

#include "kernels/cfd/constants.hpp"

namespace railyard::kernels::cfd {

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

}  // namespace railyard::kernels::cfd
