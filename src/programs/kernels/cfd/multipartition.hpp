#pragma once
/// How SP and BT cut their grid: into q x q x q cells for q x q ranks, so that each rank has one
/// cell in every slab along every axis, and has work at every stage of a solve. Seen from any cell
/// of a rank, the neighbour in a direction is the same rank.

#include <mpi.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/march.hpp"
#include "kernels/common/session.hpp"

namespace railyard::kernels::cfd {

class Multipartition {
  public:
    /// Why a grid of n points an axis does not run on so many ranks; empty if it does.
    static std::string objection(int n, int ranks);

    Multipartition(int n, int rank, int ranks);

    int n() const { return n_; }
    /// Cells of a rank, and cells along an axis.
    int q() const { return q_; }
    /// Where a cell of this rank is, counted in cells.
    Triple place(int cell) const;
    Box box(int cell) const;
    /// This rank's cell that has the given place along an axis.
    int cell_at(std::size_t axis, int place) const;

    /// The rank that has the next cells along an axis, or those before.
    int successor(std::size_t axis) const { return successors_[axis]; }
    int predecessor(std::size_t axis) const { return predecessors_[axis]; }

  private:
    int rank_at(int i, int j) const { return (i + q_) % q_ + q_ * ((j + q_) % q_); }

    int n_;
    int q_;
    int i_;
    int j_;
    Triple successors_;
    Triple predecessors_;
};

/// The exchange of SP and BT: two layers of the unknowns of every cell to the cells beside it, in
/// one message for each of the six directions.
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

/// Solves along whole lines of the grid, cell by cell: elimination runs from the first cell of an
/// axis to the last, back substitution returns. At each stage a rank works on another of its cells.
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

/// The flow in all cells of a rank of SP or BT, and the steps that are the same in both.
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

/// A whole run of SP or BT, in a session that has begun. `operations` tells those of a step on n
/// points an axis. Returns the exit code.
template <class Solver>
int run_on_cells(Session& session, const Class& problem, double (*operations)(double n)) {
    const std::string objection = Multipartition::objection(problem.grid.n, session.ranks());
    if (!objection.empty()) return session.refuse(objection);
    Cells cells(problem.grid, session.rank(), session.ranks(), MPI_COMM_WORLD);
    Solver solver(cells);
    const int iterations = session.iterations(problem.iterations);
    const double seconds = march(solver, iterations);
    Verification verification(tolerance, session.verifiable(problem.iterations));
    compare(verification, cells.norms(), problem.norms);
    return session.finish(measured(problem.grid, iterations, seconds, operations(problem.grid.n)),
                          verification);
}

}  // namespace railyard::kernels::cfd
