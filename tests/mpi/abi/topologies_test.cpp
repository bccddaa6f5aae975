// Ranks laid out as a grid.

#include <array>
#include <vector>

#include "base/topology.hpp"
#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Topologies = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Topologies);

TEST_P(Topologies, DimensionsAreBalanced) {
    run(1, [](int, int) {
        struct Case {
            int ranks;
            std::vector<int> given;
            std::vector<int> expected;
        };
        for (const Case& c :
             {Case{12, {0, 0}, {4, 3}}, Case{16, {0, 0, 0}, {4, 2, 2}},
              Case{6, {0, 3, 0}, {2, 3, 1}}, Case{7, {0, 0}, {7, 1}}, Case{6, {6}, {6}},
              Case{1, {0, 0}, {1, 1}}, Case{72, {0, 0}, {9, 8}}, Case{72, {0, 0, 0}, {6, 4, 3}},
              Case{72, {0, 2, 0}, {6, 2, 6}}, Case{360, {0, 0, 0}, {9, 8, 5}},
              Case{24, {0, 0, 0, 0}, {3, 2, 2, 2}}, Case{2147483647, {0, 0}, {2147483647, 1}},
              Case{735134400, {0, 0, 0, 0, 0, 0}, {34, 33, 30, 30, 28, 26}}}) {
            std::vector<int> dims = c.given;
            EXPECT_EQ(MPI_Dims_create(c.ranks, static_cast<int>(dims.size()), dims.data()),
                      MPI_SUCCESS);
            EXPECT_EQ(dims, c.expected) << c.ranks;
        }
        std::array<int, 2> wrong = {5, 0};
        EXPECT_EQ(MPI_Dims_create(12, 2, wrong.data()), MPI_ERR_DIMS);
    });
}

TEST_P(Topologies, AGridKnowsCoordinatesAndNeighbours) {
    run(7, [](int rank, int) {
        const int dims[] = {2, 3};
        const int periods[] = {0, 1};
        MPI_Comm grid = MPI_COMM_NULL;
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
        if (rank == 6) {
            EXPECT_EQ(grid, MPI_COMM_NULL) << "one too many";
            return;
        }
        int kind = -1;
        MPI_Topo_test(grid, &kind);
        EXPECT_EQ(kind, MPI_CART);
        int count = -1;
        MPI_Cartdim_get(grid, &count);
        EXPECT_EQ(count, 2);
        const int row = rank / 3;
        const int column = rank % 3;
        int coordinates[2] = {};
        MPI_Cart_coords(grid, rank, 2, coordinates);
        EXPECT_THAT(coordinates, testing::ElementsAre(row, column));
        int got_dims[2];
        int got_periods[2];
        MPI_Cart_get(grid, 2, got_dims, got_periods, coordinates);
        EXPECT_THAT(got_dims, testing::ElementsAre(2, 3));
        EXPECT_THAT(got_periods, testing::ElementsAre(0, 1));
        int found = -1;
        const int wrapped[] = {row, column - 3};
        MPI_Cart_rank(grid, wrapped, &found);
        EXPECT_EQ(found, rank);
        int source = 0;
        int dest = 0;
        MPI_Cart_shift(grid, 0, 1, &source, &dest);
        EXPECT_EQ(source, row == 0 ? MPI_PROC_NULL : rank - 3);
        EXPECT_EQ(dest, row == 1 ? MPI_PROC_NULL : rank + 3);
        MPI_Cart_shift(grid, 1, 1, &source, &dest);
        EXPECT_EQ(dest, 3 * row + (column + 1) % 3);
        // A duplicate is a grid, too; a row of it is one of one dimension.
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(grid, &dup);
        const int remain[] = {0, 1};
        MPI_Comm line = MPI_COMM_NULL;
        MPI_Cart_sub(dup, remain, &line);
        int size = 0;
        int own = -1;
        MPI_Comm_size(line, &size);
        MPI_Comm_rank(line, &own);
        EXPECT_EQ(size, 3);
        EXPECT_EQ(own, column);
        int sum = 0;
        MPI_Allreduce(&row, &sum, 1, MPI_INT, MPI_SUM, line);
        EXPECT_EQ(sum, 3 * row);
        MPI_Comm_free(&line);
        MPI_Comm_free(&dup);
        MPI_Comm_free(&grid);
    });
}

TEST_P(Topologies, AGridWithoutDimensionsHasOneRank) {
    run(5, [](int rank, int) {
        MPI_Comm point = MPI_COMM_NULL;
        EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 0, nullptr, nullptr, 0, &point), MPI_SUCCESS);
        EXPECT_EQ(point == MPI_COMM_NULL, rank != 0);
        const int dims[] = {2, 2};
        const int none[] = {0, 0};
        MPI_Comm grid = MPI_COMM_NULL;
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, none, 0, &grid);
        if (grid == MPI_COMM_NULL) return;
        MPI_Comm sub = MPI_COMM_WORLD;
        EXPECT_EQ(MPI_Cart_sub(grid, none, &sub), MPI_SUCCESS);
        EXPECT_EQ(sub == MPI_COMM_NULL, rank != 0);
        MPI_Comm_free(&grid);
        if (rank != 0) return;
        for (MPI_Comm* comm : {&point, &sub}) {
            int count = -1;
            int size = -1;
            MPI_Cartdim_get(*comm, &count);
            MPI_Comm_size(*comm, &size);
            EXPECT_EQ(count, 0);
            EXPECT_EQ(size, 1);
            MPI_Comm again = MPI_COMM_NULL;
            MPI_Cart_sub(*comm, none, &again);
            EXPECT_NE(again, MPI_COMM_NULL);
            MPI_Comm_free(&again);
            MPI_Comm_free(comm);
        }
    });
}

TEST_P(Topologies, WrongGridsAreTold) {
    run(2, [](int, int) {
        MPI_Comm grid = MPI_COMM_NULL;
        const int too_many[] = {3};
        const int open[] = {0};
        EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, too_many, open, 0, &grid), MPI_ERR_DIMS);
        int kind = -1;
        MPI_Topo_test(MPI_COMM_WORLD, &kind);
        EXPECT_EQ(kind, MPI_UNDEFINED);
        int rank = -1;
        EXPECT_EQ(MPI_Cart_rank(MPI_COMM_WORLD, open, &rank), MPI_ERR_TOPOLOGY);
        const int two[] = {2};
        MPI_Cart_create(MPI_COMM_WORLD, 1, two, open, 0, &grid);
        const int beyond[] = {2};
        MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
        EXPECT_EQ(MPI_Cart_rank(grid, beyond, &rank), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Cart_shift(grid, 1, 1, &rank, &rank), MPI_ERR_ARG);
        MPI_Comm_free(&grid);
    });
}

TEST_P(Topologies, ReorderedRanksOfACoreAreNeighbours) {
    if (GetParam().kind == job::Kind::fibers) GTEST_SKIP() << "is a model";
    const std::vector<int> cores = allowed_cores();
    if (cores.size() < 2) GTEST_SKIP() << "has one core";
    run(5, [&](int rank, int) {
        // In turn on two cores; the last rank is not in the grid, but all ask each other.
        pin_to(cores[static_cast<std::size_t>(rank % 2)]);
        const int four = 4;
        const int open = 0;
        for (const int reorder : {1, 0}) {
            MPI_Comm line = MPI_COMM_NULL;
            ASSERT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, &four, &open, reorder, &line),
                      MPI_SUCCESS);
            ASSERT_EQ(line == MPI_COMM_NULL, rank == 4);
            if (rank == 4) continue;
            int place = -1;
            MPI_Comm_rank(line, &place);
            const int reordered[] = {0, 2, 1, 3};
            EXPECT_EQ(place, reorder != 0 ? reordered[rank] : rank);
            MPI_Comm_free(&line);
        }
        int place = -1;
        MPI_Cart_map(MPI_COMM_WORLD, 1, &four, &open, &place);
        EXPECT_EQ(place, rank == 4 ? MPI_UNDEFINED : rank) << "goes by nodes";
        MPI_Barrier(MPI_COMM_WORLD);
        pin_to(cores);
    });
}

}  // namespace
}  // namespace railyard::mpi
