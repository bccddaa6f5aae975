#pragma once
/// The flow in all cells of a rank of SP or BT, and the steps that are the same in both.

#include <mpi.h>

#include <vector>

#include "kernels/cfd/faces.hpp"
#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/line_stages.hpp"
#include "kernels/cfd/multipartition.hpp"
#include "kernels/cfd/norms.hpp"

namespace railyard::kernels::cfd {

class Cells {
  public:
    Cells(const Grid& grid, int rank, int ranks, MPI_Comm comm);
    Cells(const Cells&) = delete;
    Cells& operator=(const Cells&) = delete;

    /// Back to the start of a run.
    void reset();
    /// Fetches the layers around the cells and derives all that follows from the unknowns.
    void refresh();
    /// U = U + b.
    void advance();
    /// Of the flow as it is.
    Norms norms();

    const Multipartition& partition() const { return partition_; }
    std::vector<Flow>& flows() { return flows_; }
    Flow& flow(int cell) { return flows_[static_cast<std::size_t>(cell)]; }
    LineStages& stages() { return stages_; }

  private:
    MPI_Comm comm_;
    Multipartition partition_;
    std::vector<Flow> flows_;
    Faces faces_;
    LineStages stages_;
};

}  // namespace railyard::kernels::cfd
