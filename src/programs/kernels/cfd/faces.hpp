#pragma once
/// The exchange of SP and BT: two layers of the unknowns of every cell to the cells beside it, in
/// one message for each of the six directions.

#include <mpi.h>

#include <span>
#include <vector>

#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/multipartition.hpp"

namespace railyard::kernels::cfd {

class Faces {
  public:
    Faces(const Multipartition& partition, std::span<const Flow> cells, MPI_Comm comm);

    /// Fills the layers around the cells; cells are in the order of the partition.
    void exchange(std::span<Flow> cells);

  private:
    /// All that goes one way along an axis: up is to the successor.
    struct Direction {
        std::size_t axis;
        bool up;
        std::vector<double> out;
        std::vector<double> in;
    };

    const Multipartition& partition_;
    MPI_Comm comm_;
    std::vector<Direction> directions_;
};

}  // namespace railyard::kernels::cfd
