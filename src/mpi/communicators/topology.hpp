#pragma once
/// Who is whose neighbour among a communicator's ranks: grids, graphs that every rank knows whole,
/// and graphs of which each rank knows its own edges.

#include <span>
#include <utility>
#include <vector>

namespace railyard::mpi {

/// Ranks laid out as a grid, each dimension open or closed to a ring. The last coordinate runs
/// fastest.
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

/// A graph that every rank knows whole. A neighbour may be named several times, or be the rank
/// itself. Edges may have weights; without, each is 1.
class Graph {
  public:
    /// `ends[i]` is how many neighbours ranks 0 to i have together, and `neighbours` lists them, of
    /// one rank after the other. Throws MpiError (arg) if these make no graph.
    Graph(std::vector<int> ends, const int* neighbours);
    /// `weights`: of all neighbours.
    Graph(std::vector<int> ends, const int* neighbours, std::vector<int> weights)
        : Graph(std::move(ends), neighbours) {
        weights_ = std::move(weights);
    }

    int ranks() const { return static_cast<int>(ends_.size()); }
    const std::vector<int>& ends() const { return ends_; }
    const std::vector<int>& neighbours() const { return neighbours_; }
    std::span<const int> neighbours(int rank) const {
        const auto end = static_cast<std::size_t>(ends_[static_cast<std::size_t>(rank)]);
        return std::span(neighbours_).subspan(begin(rank), end - begin(rank));
    }
    /// Of the edge to neighbours(rank)[i].
    int weight(int rank, std::size_t i) const {
        return weights_.empty() ? 1 : weights_[begin(rank) + i];
    }

  private:
    std::size_t begin(int rank) const {
        return static_cast<std::size_t>(rank == 0 ? 0 : ends_[static_cast<std::size_t>(rank) - 1]);
    }

    std::vector<int> ends_;
    std::vector<int> neighbours_;
    std::vector<int> weights_;
};

/// One rank's edges of a graph that no rank knows whole.
struct DistributedGraph {
    struct End {
        int rank = 0;  ///< at the other end
        int weight = 1;
    };
    std::vector<End> in;
    std::vector<End> out;
    bool weighted = false;
};

/// An edge of such a graph, as any rank may name it.
struct GraphEdge {
    int source = 0;
    int destination = 0;
    int weight = 1;
};

}  // namespace railyard::mpi
