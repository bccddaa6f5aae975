#include "mpi/communicators/neighbours.hpp"

#include "mpi/engine/request.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

static_assert(Neighbours::nobody == no_rank);

/// Along each dimension the one below, then the one above.
Neighbours on_grid(const Cartesian& grid, int rank) {
    std::vector<int> ranks;
    for (std::size_t i = 0; i < grid.dimensions().size(); ++i)
        for (const int step : {-1, 1})
            ranks.push_back(grid.neighbour(rank, i, step));
    return {.sources = ranks, .destinations = ranks, .is_grid = true};
}

std::vector<int> ranks_of(const std::vector<DistributedGraph::End>& ends) {
    std::vector<int> ranks;
    for (const DistributedGraph::End& end : ends)
        ranks.push_back(end.rank);
    return ranks;
}

}  // namespace

Neighbours neighbours_of(const Comm& comm) {
    if (comm.cartesian) return on_grid(*comm.cartesian, comm.rank());
    if (comm.graph) {
        const std::span<const int> all = comm.graph->neighbours(comm.rank());
        const std::vector<int> ranks(all.begin(), all.end());
        return {ranks, ranks};
    }
    if (comm.distributed_graph)
        return {ranks_of(comm.distributed_graph->in), ranks_of(comm.distributed_graph->out)};
    throw MpiError(ErrorClass::topology,
                   "the communicator has no topology; MPI_Cart_create, MPI_Graph_create and "
                   "MPI_Dist_graph_create make ones that have");
}

}  // namespace railyard::mpi
