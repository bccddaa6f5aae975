#include "kernels/cfd/cells.hpp"

#include "kernels/cfd/exact.hpp"
#include "kernels/cfd/residual.hpp"

namespace railyard::kernels::cfd {

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
