#pragma once
/// Solves along whole lines of the grid, cell by cell: elimination runs from the first cell of an
/// axis to the last, back substitution returns. At each stage a rank works on another of its cells.

#include <mpi.h>

#include <vector>

#include "kernels/cfd/multipartition.hpp"

namespace railyard::kernels::cfd {

class LineStages {
  public:
    LineStages(const Multipartition& partition, MPI_Comm comm)
        : partition_(partition), comm_(comm) {}

    /// Calls work(cell, in, out) for the rank's cells in the order of the axis. `in` holds what the
    /// cell before gave out, null at the first; `out` is null at the last. `doubles(cell)` is the
    /// length of both. The buffers are ours, and valid during the call.
    template <class Doubles, class Work>
    void forward(std::size_t axis, Doubles&& doubles, Work&& work) {
        run(axis, true, doubles, work);
    }
    /// The same from the last cell to the first.
    template <class Doubles, class Work>
    void backward(std::size_t axis, Doubles&& doubles, Work&& work) {
        run(axis, false, doubles, work);
    }

  private:
    template <class Doubles, class Work>
    void run(std::size_t axis, bool up, Doubles&& doubles, Work&& work);

    const Multipartition& partition_;
    MPI_Comm comm_;
    std::vector<double> in_;
    std::vector<double> out_;
};

template <class Doubles, class Work>
void LineStages::run(std::size_t axis, bool up, Doubles&& doubles, Work&& work) {
    const int q = partition_.q();
    const int from = up ? partition_.predecessor(axis) : partition_.successor(axis);
    const int to = up ? partition_.successor(axis) : partition_.predecessor(axis);
    const int tag = 8 + static_cast<int>(2 * axis) + up;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int stage = 0; stage < q; ++stage) {
        const int cell = partition_.cell_at(axis, up ? stage : q - 1 - stage);
        const std::size_t size = doubles(cell);
        const bool first = stage == 0;
        const bool last = stage == q - 1;
        if (!first) {
            in_.resize(size);
            MPI_Irecv(in_.data(), static_cast<int>(size), MPI_DOUBLE, from, tag, comm_,
                      &requests[0]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        if (!last) out_.resize(size);
        work(cell, first ? nullptr : in_.data(), last ? nullptr : out_.data());
        if (!last)
            MPI_Isend(out_.data(), static_cast<int>(size), MPI_DOUBLE, to, tag, comm_,
                      &requests[1]);
    }
}

}  // namespace railyard::kernels::cfd
