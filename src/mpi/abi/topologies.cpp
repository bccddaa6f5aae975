// Ranks laid out as a grid.

#include "mpi/abi/topologies.hpp"

#include <limits>
#include <optional>
#include <span>

namespace railyard::mpi::abi {

namespace {

Cartesian& grid_of(const Comm& comm) {
    if (!comm.cartesian)
        throw MpiError(ErrorClass::topology,
                       "the communicator has no cartesian topology; "
                       "MPI_Cart_create makes one that has");
    return *comm.cartesian;
}

Cartesian to_grid(std::size_t dimensions, const int dims[], const int periods[]) {
    std::vector<Cartesian::Dimension> list;
    for (std::size_t i = 0; i < dimensions; ++i)
        list.push_back({dims[i], periods[i] != 0});
    return Cartesian(std::move(list));
}

/// A grid of no more ranks than the communicator has.
Cartesian to_grid_in(const Comm& comm, std::size_t dimensions, const int dims[],
                     const int periods[]) {
    check_one_group(comm);
    Cartesian grid = to_grid(dimensions, dims, periods);
    if (grid.ranks() > comm.size())
        throw MpiError(ErrorClass::dims, "the grid has " + std::to_string(grid.ranks()) +
                                             " ranks, the communicator only " +
                                             std::to_string(comm.size()));
    return grid;
}

void dims_create(State&, std::size_t nodes, std::size_t dimensions, int dims[]) {
    if (nodes == 0) throw MpiError(ErrorClass::dims, "nnodes is 0; it must be at least 1");
    balance(static_cast<int>(nodes), std::span(dims, dimensions));
}

void cart_create(State& state, Comm& comm, std::size_t dimensions, const int dims[],
                 const int periods[], int reorder, MPI_Comm& cart) {
    Cartesian grid = to_grid_in(comm, dimensions, dims, periods);
    auto made = with_places(state, comm, grid, reorder != 0);
    if (made) made->cartesian = std::make_unique<Cartesian>(std::move(grid));
    cart = state.add(std::move(made));
}

/// Room for so many numbers, if that is enough.
std::span<int> room(int* numbers, std::size_t count, std::size_t needed) {
    if (count < needed)
        throw MpiError(ErrorClass::arg, "maxdims is " + std::to_string(count) +
                                            ", but the grid has " + std::to_string(needed) +
                                            " dimensions");
    return {to_array(numbers, static_cast<int>(needed), "coords"), needed};
}

void give_coordinates(const Cartesian& grid, int rank, std::span<int> to) {
    const std::vector<int> coordinates = grid.coordinates(rank);
    std::copy(coordinates.begin(), coordinates.end(), to.begin());
}

void cart_get(State&, Comm& comm, std::size_t max, int dims[], int periods[], int coords[]) {
    const Cartesian& grid = grid_of(comm);
    const auto& dimensions = grid.dimensions();
    give_coordinates(grid, comm.rank(), room(coords, max, dimensions.size()));
    to_array(dims, static_cast<int>(dimensions.size()), "dims");
    to_array(periods, static_cast<int>(dimensions.size()), "periods");
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        dims[i] = dimensions[i].size;
        periods[i] = dimensions[i].periodic;
    }
}

void cart_coords(State&, Comm& comm, int rank, std::size_t max, int coords[]) {
    const Cartesian& grid = grid_of(comm);
    give_coordinates(grid, to_root(rank, comm, "rank"),
                     room(coords, max, grid.dimensions().size()));
}

void cart_rank(State&, Comm& comm, const int coords[], int& rank) {
    const Cartesian& grid = grid_of(comm);
    const std::size_t dimensions = grid.dimensions().size();
    rank =
        grid.rank(std::span(to_array(coords, static_cast<int>(dimensions), "coords"), dimensions));
}

void cart_shift(State&, Comm& comm, int direction, int displacement, int& source, int& dest) {
    const Cartesian& grid = grid_of(comm);
    if (direction < 0 || static_cast<std::size_t>(direction) >= grid.dimensions().size())
        throw MpiError(ErrorClass::arg,
                       "direction is " + std::to_string(direction) + "; the grid has " +
                           std::to_string(grid.dimensions().size()) + " dimensions");
    if (displacement == std::numeric_limits<int>::min())
        throw MpiError(ErrorClass::arg, "disp is too far");
    const auto dimension = static_cast<std::size_t>(direction);
    source = grid.neighbour(comm.rank(), dimension, -displacement);
    dest = grid.neighbour(comm.rank(), dimension, displacement);
}

void cart_sub(State& state, Comm& comm, const int remain[], MPI_Comm& newcomm) {
    const Cartesian& grid = grid_of(comm);
    const std::vector<int> coordinates = grid.coordinates(comm.rank());
    to_array(remain, static_cast<int>(coordinates.size()), "remain_dims");
    std::vector<Cartesian::Dimension> kept;
    // Ranks whose coordinates agree where dimensions go are together.
    int color = 0;
    int key = 0;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const Cartesian::Dimension& dimension = grid.dimensions()[i];
        int& number = remain[i] != 0 ? key : color;
        number = number * dimension.size + coordinates[i];
        if (remain[i] != 0) kept.push_back(dimension);
    }
    // A grid without dimensions has one rank, and only one is made: as MPI_Cart_create does.
    std::optional<int> together = color;
    if (kept.empty() && comm.rank() != 0) together.reset();
    auto made = split(comm, together, key, state.context_ids);
    if (made) made->cartesian = std::make_unique<Cartesian>(std::move(kept));
    newcomm = state.add(std::move(made));
}

// Ranks may ask for themselves alone, so nodes are all that is known.
void cart_map(State&, Comm& comm, std::size_t dimensions, const int dims[], const int periods[],
              int& newrank) {
    newrank = place_of(comm, to_grid_in(comm, dimensions, dims, periods), nodes_of_all(comm));
}

void cartdim_get(State&, Comm& comm, int& ndims) {
    ndims = static_cast<int>(grid_of(comm).dimensions().size());
}

void topo_test(State&, Comm& comm, int& status) {
    status = MPI_UNDEFINED;
    if (comm.cartesian) status = MPI_CART;
    if (comm.graph) status = MPI_GRAPH;
    if (comm.distributed_graph) status = MPI_DIST_GRAPH;
}

}  // namespace

#include <entries/topologies.inc>

}  // namespace railyard::mpi::abi
