// Collectives through the C interface: that each gets the arguments it was given. How they work is
// tested where they are.

#include <numeric>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Collectives = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Collectives);

constexpr int ranks = 4;
using Numbers = std::vector<int>;
using ::testing::ElementsAre;

TEST_P(Collectives, FromOneToAllAndBack) {
    run(ranks, [](int rank, int size) {
        const MPI_Comm world = MPI_COMM_WORLD;
        for (int root = 0; root < size; ++root) {
            int data = rank == root ? 70 + root : -1;
            MPI_Bcast(&data, 1, MPI_INT, root, world);
            EXPECT_EQ(data, 70 + root);

            const bool is_root = rank == root;
            Numbers all(is_root ? ranks : 0);
            EXPECT_EQ(MPI_Gather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, root, world),
                      MPI_SUCCESS);
            if (is_root) {
                EXPECT_THAT(all, ElementsAre(0, 1, 2, 3));
            }
            if (is_root) all = {9, 8, 7, 6};
            int mine = -1;
            MPI_Scatter(all.data(), 1, MPI_INT, &mine, 1, MPI_INT, root, world);
            EXPECT_EQ(mine, 9 - rank);

            // Rank r has r numbers, with a gap before them at the root.
            Numbers counts(ranks);
            Numbers places(ranks);
            std::iota(counts.begin(), counts.end(), 0);
            for (std::size_t i = 0; i < ranks; ++i)
                places[i] = static_cast<int>(4 * i);
            const Numbers out(static_cast<std::size_t>(rank), 100 + rank);
            Numbers field(16, -1);
            MPI_Gatherv(out.data(), rank, MPI_INT, field.data(), counts.data(), places.data(),
                        MPI_INT, root, world);
            if (is_root) {
                EXPECT_EQ(field, (Numbers{-1, -1, -1, -1, 101, -1, -1, -1, 102, 102, -1, -1, 103,
                                          103, 103, -1}));
            }
            Numbers back(static_cast<std::size_t>(rank), -1);
            MPI_Scatterv(field.data(), counts.data(), places.data(), MPI_INT, back.data(), rank,
                         MPI_INT, root, world);
            EXPECT_EQ(back, out);
        }
    });
}

TEST_P(Collectives, TheRootsOwnPartCanBeInPlace) {
    run(ranks, [](int rank, int) {
        const MPI_Comm world = MPI_COMM_WORLD;
        Numbers all(ranks, rank);
        MPI_Gather(rank == 1 ? MPI_IN_PLACE : &rank, 1, MPI_INT, all.data(), 1, MPI_INT, 1, world);
        if (rank == 1) {
            EXPECT_THAT(all, ElementsAre(0, 1, 2, 3));
        }
        int mine = -1;
        MPI_Scatter(all.data(), 1, MPI_INT, rank == 1 ? MPI_IN_PLACE : &mine, 1, MPI_INT, 1, world);
        if (rank != 1) {
            EXPECT_EQ(mine, rank);
        }
        int sum = rank;
        MPI_Reduce(rank == 1 ? MPI_IN_PLACE : &sum, &sum, 1, MPI_INT, MPI_SUM, 1, world);
        if (rank == 1) {
            EXPECT_EQ(sum, 6);
        }
    });
}

TEST_P(Collectives, FromAllToAll) {
    run(ranks, [](int rank, int) {
        const MPI_Comm world = MPI_COMM_WORLD;
        Numbers all(ranks, -1);
        MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, world);
        EXPECT_THAT(all, ElementsAre(0, 1, 2, 3));
        all.assign(ranks, -1);
        all[static_cast<std::size_t>(rank)] = 5 + rank;
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), 1, MPI_INT, world);
        EXPECT_THAT(all, ElementsAre(5, 6, 7, 8));
        const Numbers ones(ranks, 1);
        const Numbers backwards = {3, 2, 1, 0};
        MPI_Allgatherv(&rank, 1, MPI_INT, all.data(), ones.data(), backwards.data(), MPI_INT,
                       world);
        EXPECT_THAT(all, ElementsAre(3, 2, 1, 0));

        Numbers out(ranks);
        for (int i = 0; i < ranks; ++i)
            out[static_cast<std::size_t>(i)] = 10 * rank + i;
        const Numbers expected = {rank, 10 + rank, 20 + rank, 30 + rank};
        MPI_Alltoall(out.data(), 1, MPI_INT, all.data(), 1, MPI_INT, world);
        EXPECT_EQ(all, expected);
        all = out;
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), 1, MPI_INT, world);
        EXPECT_EQ(all, expected);
        const Numbers forwards = {0, 1, 2, 3};
        MPI_Alltoallv(out.data(), ones.data(), forwards.data(), MPI_INT, all.data(), ones.data(),
                      backwards.data(), MPI_INT, world);
        EXPECT_EQ(all, (Numbers{30 + rank, 20 + rank, 10 + rank, rank}));
        const Numbers in_bytes = {0, 4, 8, 12};
        const std::vector<MPI_Datatype> types(ranks, MPI_INT);
        MPI_Alltoallw(out.data(), ones.data(), in_bytes.data(), types.data(), all.data(),
                      ones.data(), in_bytes.data(), types.data(), world);
        EXPECT_EQ(all, expected);
        EXPECT_EQ(MPI_Barrier(world), MPI_SUCCESS);
    });
}

TEST_P(Collectives, Reduce) {
    run(ranks, [](int rank, int) {
        const MPI_Comm world = MPI_COMM_WORLD;
        int result = -1;
        MPI_Reduce(&rank, &result, 1, MPI_INT, MPI_MAX, 2, world);
        EXPECT_EQ(result, rank == 2 ? 3 : -1);
        MPI_Allreduce(&rank, &result, 1, MPI_INT, MPI_SUM, world);
        EXPECT_EQ(result, 6);
        result = rank + 1;
        MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_PROD, world);
        EXPECT_EQ(result, 24);
        MPI_Scan(&rank, &result, 1, MPI_INT, MPI_SUM, world);
        EXPECT_EQ(result, rank * (rank + 1) / 2);
        result = -1;
        MPI_Exscan(&rank, &result, 1, MPI_INT, MPI_SUM, world);
        EXPECT_EQ(result, rank == 0 ? -1 : rank * (rank - 1) / 2);
        const Numbers out = {rank, 10 + rank, 20 + rank, 30 + rank};
        MPI_Reduce_scatter_block(out.data(), &result, 1, MPI_INT, MPI_SUM, world);
        EXPECT_EQ(result, 40 * rank + 6);
        const Numbers counts = {0, 1, 1, 2};
        Numbers parts(2, -1);
        MPI_Reduce_scatter(out.data(), parts.data(), counts.data(), MPI_INT, MPI_MIN, world);
        EXPECT_EQ(parts, rank == 0   ? (Numbers{-1, -1})
                         : rank == 3 ? (Numbers{20, 30})
                                     : (Numbers{10 * (rank - 1), -1}));
        EXPECT_EQ(MPI_Allreduce(out.data(), parts.data(), 1, MPI_DOUBLE, MPI_BAND, world),
                  MPI_ERR_OP);
        struct {
            double value;
            int place;
        } best{static_cast<double>(rank % 3), rank};
        MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, world);
        EXPECT_EQ(best.value, 2);
        EXPECT_EQ(best.place, 2);
    });
}

/// 2 by 2 matrices: does not commute.
void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
    int size = 0;
    MPI_Type_size(*type, &size);
    EXPECT_EQ(size, 16) << "the handle is the user's type";
    auto* a = static_cast<int*>(in);
    auto* b = static_cast<int*>(inout);
    for (int i = 0; i < *length; ++i, a += 4, b += 4) {
        const int c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                          a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
        std::copy(c, c + 4, b);
    }
}

TEST_P(Collectives, UsersOperationsKeepTheOrderOfRanks) {
    run(ranks, [](int rank, int size) {
        MPI_Op product = MPI_OP_NULL;
        MPI_Op_create(multiply, 0, &product);
        int commutes = -1;
        MPI_Op_commutative(product, &commutes);
        EXPECT_EQ(commutes, 0);
        MPI_Op_commutative(MPI_SUM, &commutes);
        EXPECT_EQ(commutes, 1);
        MPI_Datatype matrix = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(4, MPI_INT, &matrix);
        MPI_Type_commit(&matrix);
        const auto matrix_of = [](int r) { return Numbers{1, r + 1, r, 2}; };
        Numbers expected = matrix_of(size - 1);
        int one = 1;
        for (int r = size - 2; r >= 0; --r) {
            Numbers left = matrix_of(r);
            multiply(left.data(), expected.data(), &one, &matrix);
        }
        const Numbers mine = matrix_of(rank);
        Numbers result(4);
        MPI_Allreduce(mine.data(), result.data(), 1, matrix, product, MPI_COMM_WORLD);
        EXPECT_EQ(result, expected);
        Numbers local = matrix_of(1);
        const Numbers zero = matrix_of(0);
        MPI_Reduce_local(zero.data(), local.data(), 1, matrix, product);
        Numbers wanted = matrix_of(1);
        Numbers left = zero;
        multiply(left.data(), wanted.data(), &one, &matrix);
        EXPECT_EQ(local, wanted);
        MPI_Op_free(&product);
        EXPECT_EQ(product, MPI_OP_NULL);
        MPI_Op predefined = MPI_SUM;
        EXPECT_EQ(MPI_Op_free(&predefined), MPI_ERR_OP);
        MPI_Type_free(&matrix);
    });
}

}  // namespace
}  // namespace railyard::mpi
