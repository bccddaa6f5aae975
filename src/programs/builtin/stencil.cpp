// A grid of numbers, cut into tiles, one a rank: each step replaces a number by the mean of its
// four neighbours, and tiles exchange their edges with the tiles beside them.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

namespace {

/// A plane. The mean of a point's neighbours is the point itself, so steps change nothing, unless a
/// neighbour's edge is wrong.
double plane(int x, int y) {
    return 3.0 * x - 2.0 * y;
}

class Tile {
  public:
    Tile(int rank, int ranks, int side) : side_(side) {
        // As square as the number of ranks allows.
        columns_ = static_cast<int>(std::sqrt(ranks));
        while (ranks % columns_ != 0)
            --columns_;
        rows_ = ranks / columns_;
        column_ = rank % columns_;
        row_ = rank / columns_;
        fill();
        MPI_Type_vector(side_, 1, side_ + 2, MPI_DOUBLE, &column_type_);
        MPI_Type_commit(&column_type_);
    }
    ~Tile() { MPI_Type_free(&column_type_); }
    Tile(const Tile&) = delete;
    Tile& operator=(const Tile&) = delete;

    int rows() const { return rows_; }
    int columns() const { return columns_; }

    void step() {
        exchange();
        for (int y = 1; y <= side_; ++y)
            for (int x = 1; x <= side_; ++x)
                next_[index(x, y)] = (now_[index(x - 1, y)] + now_[index(x + 1, y)] +
                                      now_[index(x, y - 1)] + now_[index(x, y + 1)]) /
                                     4;
        // The outermost edges are fixed: both arrays hold them.
        std::swap(now_, next_);
    }

    double worst_error() const {
        double worst = 0;
        for (int y = 1; y <= side_; ++y)
            for (int x = 1; x <= side_; ++x)
                worst = std::max(worst, std::fabs(now_[index(x, y)] - expected(x, y)));
        return worst;
    }

  private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(side_ + 2) +
               static_cast<std::size_t>(x);
    }
    double expected(int x, int y) const { return plane(column_ * side_ + x, row_ * side_ + y); }

    void fill() {
        const auto n = static_cast<std::size_t>(side_ + 2);
        now_.resize(n * n);
        for (int y = 0; y <= side_ + 1; ++y)
            for (int x = 0; x <= side_ + 1; ++x)
                now_[index(x, y)] = expected(x, y);
        next_ = now_;
        // Edges that a neighbour is to send must not be right before it does.
        for (int i = 1; i <= side_; ++i) {
            if (neighbour(-1, 0) != MPI_PROC_NULL) now_[index(0, i)] = next_[index(0, i)] = 1e9;
            if (neighbour(1, 0) != MPI_PROC_NULL)
                now_[index(side_ + 1, i)] = next_[index(side_ + 1, i)] = 1e9;
            if (neighbour(0, -1) != MPI_PROC_NULL) now_[index(i, 0)] = next_[index(i, 0)] = 1e9;
            if (neighbour(0, 1) != MPI_PROC_NULL)
                now_[index(i, side_ + 1)] = next_[index(i, side_ + 1)] = 1e9;
        }
    }

    int neighbour(int dx, int dy) const {
        const int x = column_ + dx;
        const int y = row_ + dy;
        if (x < 0 || x >= columns_ || y < 0 || y >= rows_) return MPI_PROC_NULL;
        return y * columns_ + x;
    }

    void exchange() {
        MPI_Request requests[8];
        int n = 0;
        const auto swap_edge = [&](int to, std::size_t in, std::size_t out, int count,
                                   MPI_Datatype type) {
            MPI_Irecv(&now_[in], count, type, to, 0, MPI_COMM_WORLD, &requests[n++]);
            MPI_Isend(&now_[out], count, type, to, 0, MPI_COMM_WORLD, &requests[n++]);
        };
        swap_edge(neighbour(-1, 0), index(0, 1), index(1, 1), 1, column_type_);
        swap_edge(neighbour(1, 0), index(side_ + 1, 1), index(side_, 1), 1, column_type_);
        swap_edge(neighbour(0, -1), index(1, 0), index(1, 1), side_, MPI_DOUBLE);
        swap_edge(neighbour(0, 1), index(1, side_ + 1), index(1, side_), side_, MPI_DOUBLE);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }

    int side_;
    int columns_ = 1;
    int rows_ = 1;
    int column_ = 0;
    int row_ = 0;
    std::vector<double> now_;
    std::vector<double> next_;
    MPI_Datatype column_type_ = MPI_DATATYPE_NULL;
};

}  // namespace

int stencil(int argc, char** argv) {
    Session session(argc, argv, "A grid cut into tiles, which exchange their edges.");
    const int side = session.count("--side", 64, "numbers along a side of a tile");
    const int iterations = session.count("--iterations", 10, "steps");
    if (!session.begin()) return session.exit_code();

    Tile tile(session.rank(), session.size(), side);
    tile.step();
    MPI_Barrier(MPI_COMM_WORLD);
    const Timed timed;
    for (int i = 0; i < iterations; ++i) {
        session.steps_left(iterations - i);
        tile.step();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double each = timed.end() / iterations;
    session.check(tile.worst_error() < 1e-6);
    session.say("stencil of %d x %d tiles of %d x %d numbers: %.3f us a step\n", tile.columns(),
                tile.rows(), side, side, each * 1e6);
    return session.verdict();
}

}  // namespace railyard::programs
