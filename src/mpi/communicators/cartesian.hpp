#pragma once
/// Ranks laid out as a grid, each dimension open or closed to a ring. The last coordinate runs
/// fastest.

#include <span>
#include <vector>

namespace railyard::mpi {

class Cartesian {
  public:
    struct Dimension {
        int size = 1;
        bool periodic = false;
    };

    explicit Cartesian(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {}

    const std::vector<Dimension>& dimensions() const { return dimensions_; }
    /// How many ranks it has. Throws MpiError (dims) if they cannot be counted.
    long ranks() const;
    std::vector<int> coordinates(int rank) const;
    /// Coordinates beyond the edge are taken round in a periodic dimension, and are an MpiError
    /// (arg) in another.
    int rank(std::span<const int> coordinates) const;
    /// The rank `distance` further along a dimension; no_rank beyond an open edge.
    int neighbour(int rank, std::size_t dimension, int distance) const;

  private:
    std::vector<Dimension> dimensions_;
};

/// Fills in the dimensions that are 0, so that all multiply to `ranks`, as near to each other as
/// can be and the largest first. Throws MpiError (dims) if they cannot.
void balance(int ranks, std::span<int> dimensions);

}  // namespace railyard::mpi
