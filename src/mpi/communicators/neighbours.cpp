#include "mpi/communicators/neighbours.hpp"

#include "mpi/engine/request.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

static_assert(Neighbours::nobody == no_rank);

/// Along each dimension the one below, then the one above.
Neighbours in_grid(const Cartesian& grid, int rank) {
    Neighbours neighbours;
    neighbours.is_grid = true;
    for (std::size_t i = 0; i < grid.dimensions().size(); ++i)
        for (const int step : {-1, 1})
            neighbours.sources.push_back(grid.neighbour(rank, i, step));
    neighbours.destinations = neighbours.sources;
    return neighbours;
}

}  // namespace

Neighbours neighbours_of(const Comm& comm) {
    if (comm.cartesian) return in_grid(*comm.cartesian, comm.rank());
    throw MpiError(ErrorClass::topology,
                   "the communicator has no topology; MPI_Cart_create makes one that has");
}

}  // namespace railyard::mpi
