// Neighbourhood collectives on grids, in their three forms: blocks in the order of dimensions, the
// one below before the one above; open borders; neighbours that are one rank, or oneself.

#include <numeric>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Neighbourhoods = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Neighbourhoods);

/// A grid, and what its ranks have to expect of each other.
class Grid {
  public:
    Grid(std::vector<int> dims, const std::vector<int>& periods) : dims_(std::move(dims)) {
        MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims_.size()), dims_.data(),
                        periods.data(), 0, &comm);
        if (comm == MPI_COMM_NULL) return;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        for (int i = 0; i < static_cast<int>(dims_.size()); ++i) {
            int below = -1;
            int above = -1;
            MPI_Cart_shift(comm, i, 1, &below, &above);
            neighbours.push_back(below);
            neighbours.push_back(above);
        }
    }
    ~Grid() {
        if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    }
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;

    std::size_t degree() const { return neighbours.size(); }

    MPI_Comm comm = MPI_COMM_NULL;
    int rank = -1;
    std::vector<int> neighbours;  ///< in MPI's order

  private:
    std::vector<int> dims_;
};

/// Calls one of the three forms.
template <class Blocking, class Started, class Made, class... Arguments>
void call(int form, Blocking blocking, Started started, Made made, Arguments... arguments) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (form == 0) {
        EXPECT_EQ(blocking(arguments...), MPI_SUCCESS);
    } else if (form == 1) {
        EXPECT_EQ(started(arguments..., &request), MPI_SUCCESS);
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        EXPECT_EQ(made(arguments..., MPI_INFO_NULL, &request), MPI_SUCCESS);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(MPI_Start(&request), MPI_SUCCESS);
            EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
        EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    }
}

/// Number `i` of what `from` sends to its neighbour at `place`.
int content(int from, std::size_t place, int i) {
    return 10'000 * from + 100 * static_cast<int>(place) + i;
}

/// Block `place` of what came: `count` numbers of `width` ints' room each. What was sent down comes
/// from above, that is, from the other place of the dimension.
void expect_block(const Grid& grid, const std::vector<int>& in, std::size_t at, std::size_t place,
                  int count, bool same_to_all) {
    for (int i = 0; i < count; ++i) {
        const int from = grid.neighbours[place];
        EXPECT_EQ(in[at + static_cast<std::size_t>(i)],
                  from == MPI_PROC_NULL ? -1 : content(from, same_to_all ? 0 : place ^ 1, i))
            << "rank " << grid.rank << " block " << place << " number " << i;
    }
}

std::vector<int> blocks_for(const Grid& grid, int count) {
    std::vector<int> out;
    for (std::size_t place = 0; place < grid.degree(); ++place)
        for (int i = 0; i < count; ++i)
            out.push_back(content(grid.rank, place, i));
    return out;
}

void exchange_even(const Grid& grid, int form) {
    constexpr int count = 3;
    const std::vector<int> out = blocks_for(grid, count);
    std::vector<int> in(out.size() + 1, -1);
    call(form, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init,
         out.data(), count, MPI_INT, in.data(), count, MPI_INT, grid.comm);
    for (std::size_t place = 0; place < grid.degree(); ++place)
        expect_block(grid, in, place * count, place, count, false);
    EXPECT_EQ(in.back(), -1);
    in.assign(in.size(), -1);
    call(form, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init,
         out.data(), count, MPI_INT, in.data(), count, MPI_INT, grid.comm);
    for (std::size_t place = 0; place < grid.degree(); ++place)
        expect_block(grid, in, place * count, place, count, true);
    EXPECT_EQ(in.back(), -1);
}

/// Down go fewer numbers than up; blocks stand in reverse order where they come.
void exchange_uneven(const Grid& grid, int form) {
    const std::vector<int> out = blocks_for(grid, 4);
    std::vector<int> in(out.size(), -1);
    std::vector<int> out_counts;
    std::vector<int> out_places;
    std::vector<int> in_counts;
    std::vector<int> in_places;
    const auto degree = static_cast<int>(grid.degree());
    for (int place = 0; place < degree; ++place) {
        out_counts.push_back(place % 2 == 0 ? 1 : 4);
        in_counts.push_back(place % 2 == 0 ? 4 : 1);
        out_places.push_back(4 * place);
        in_places.push_back(4 * (degree - 1 - place));
    }
    const auto check = [&](bool same_to_all) {
        for (std::size_t place = 0; place < grid.degree(); ++place)
            expect_block(grid, in, static_cast<std::size_t>(in_places[place]), place,
                         in_counts[place], same_to_all);
    };
    call(form, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init,
         out.data(), out_counts.data(), out_places.data(), MPI_INT, in.data(), in_counts.data(),
         in_places.data(), MPI_INT, grid.comm);
    check(false);
    in.assign(in.size(), -1);
    std::vector<MPI_Aint> out_bytes;
    std::vector<MPI_Aint> in_bytes;
    for (std::size_t place = 0; place < grid.degree(); ++place) {
        out_bytes.push_back(4L * out_places[place]);
        in_bytes.push_back(4L * in_places[place]);
    }
    const std::vector<MPI_Datatype> types(grid.degree(), MPI_INT);
    call(form, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init,
         out.data(), out_counts.data(), out_bytes.data(), types.data(), in.data(), in_counts.data(),
         in_bytes.data(), types.data(), grid.comm);
    check(false);
    in.assign(in.size(), -1);
    in_counts.assign(in_counts.size(), 4);
    call(form, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init,
         out.data(), 4, MPI_INT, in.data(), in_counts.data(), in_places.data(), MPI_INT, grid.comm);
    check(true);
}

TEST_P(Neighbourhoods, OfGridsOfManyShapes) {
    struct Case {
        std::vector<int> dims;
        std::vector<int> periods;
    };
    for (const Case& c : {Case{{6}, {1}}, Case{{6}, {0}}, Case{{2, 3}, {1, 1}},
                          Case{{2, 3}, {0, 1}}, Case{{1, 2, 3}, {1, 1, 0}}, Case{{1}, {1}},
                          Case{{2}, {1}}, Case{{1, 1}, {1, 0}}, Case{{3, 2}, {0, 0}}})
        for (int form = 0; form < 3; ++form)
            run(6, [&](int, int) {
                const Grid grid(c.dims, c.periods);
                if (grid.comm == MPI_COMM_NULL) return;
                exchange_even(grid, form);
                exchange_uneven(grid, form);
            });
}

TEST_P(Neighbourhoods, LongBlocksOverlapWithOthers) {
    run(6, [](int, int) {
        const Grid grid({2, 3}, {1, 1});
        constexpr int count = 30'000;
        std::vector<int> out(std::size_t{4} * count);
        std::iota(out.begin(), out.end(), 1'000'000 * grid.rank);
        std::vector<std::vector<int>> in(3, std::vector<int>(out.size(), -1));
        MPI_Request requests[3];
        for (std::size_t i = 0; i < 3; ++i)
            MPI_Ineighbor_alltoall(out.data(), count, MPI_INT, in[i].data(), count, MPI_INT,
                                   grid.comm, &requests[i]);
        MPI_Barrier(grid.comm);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        for (const std::vector<int>& each : in)
            for (std::size_t place = 0; place < 4; ++place)
                for (int i = 0; i < count; i += 997)
                    ASSERT_EQ(each[place * count + static_cast<std::size_t>(i)],
                              1'000'000 * grid.neighbours[place] +
                                  static_cast<int>(place ^ 1) * count + i);
    });
}

TEST_P(Neighbourhoods, WrongCallsAreTold) {
    run(2, [](int, int) {
        int a[4] = {};
        int b[4] = {};
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_EQ(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD),
                  MPI_ERR_TOPOLOGY);
        EXPECT_EQ(MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, &request),
                  MPI_ERR_TOPOLOGY);
        const Grid grid({2}, {1});
        const int counts[] = {1, -1};
        const int places[] = {0, 1};
        EXPECT_EQ(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, grid.comm),
                  MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Neighbor_alltoall(a, 1, MPI_INT, a, 1, MPI_INT, grid.comm), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Neighbor_alltoall(a, -1, MPI_INT, b, 1, MPI_INT, grid.comm), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, counts, places, MPI_INT, grid.comm),
                  MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, places, nullptr, MPI_INT, grid.comm),
                  MPI_ERR_ARG);
        EXPECT_EQ(MPI_Neighbor_alltoallw_init(a, places, nullptr, nullptr, b, places, nullptr,
                                              nullptr, grid.comm, MPI_INFO_NULL, &request),
                  MPI_ERR_ARG);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
    });
}

}  // namespace
}  // namespace railyard::mpi
