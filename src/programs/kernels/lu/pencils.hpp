#pragma once
/// How LU cuts its grid: x and y into px by py pieces, z not at all; and what a rank tells its four
/// neighbours.

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd {
class Field;
}

namespace railyard::kernels::cfd::lu {

/// Where a message goes: along x (0) or y (1), to the upper neighbour or to the lower.
struct Way {
    std::size_t axis;
    bool up;
};

class Pencils {
  public:
    /// Why a grid of n points an axis does not run on so many ranks; empty if it does.
    static std::string objection(int n, int ranks);

    Pencils(int n, int rank, int ranks, bool any_source, MPI_Comm comm);

    const Box& box() const { return box_; }
    MPI_Comm comm() const { return comm_; }
    /// The neighbour to which a message goes on its way, or from which it comes; MPI_PROC_NULL
    /// where the grid ends.
    int destination(Way way) const { return neighbours_[way.axis][way.up ? 1 : 0]; }
    int origin(Way way) const { return neighbours_[way.axis][way.up ? 0 : 1]; }

    /// Fills the two layers on each side of the box along the axis.
    void exchange(Field& field, int values, std::size_t axis);
    /// Sends the region `out` on its way and fills `in` with what comes: receives are posted first.
    void shift(Field& field, int values, Way way, const Region& out, const Region& in);
    /// The same in two halves, with blocking calls, for the wavefront.
    void send(const Field& field, Way way, const Region& out);
    void receive(Field& field, Way way, const Region& in);

  private:
    int source(Way way) const { return any_source_ ? MPI_ANY_SOURCE : origin(way); }

    Box box_;
    bool any_source_;
    MPI_Comm comm_;
    std::array<std::array<int, 2>, 2> neighbours_;  ///< by axis; the lower, the upper
    std::vector<double> in_;
    std::vector<double> out_;
};

}  // namespace railyard::kernels::cfd::lu
