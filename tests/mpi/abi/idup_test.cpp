// Duplicates whose ranks agree while the program goes on.

#include <array>
#include <vector>

#include "mpi/abi/intercommunicators.hpp"

namespace railyard::mpi {
namespace {

using Idup = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Idup);

int total_over(MPI_Comm comm, int value) {
    int sum = -1;
    EXPECT_EQ(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    return sum;
}

struct Started {
    explicit Started(MPI_Comm parent) {
        EXPECT_EQ(MPI_Comm_idup(parent, &comm, &request), MPI_SUCCESS);
    }
    MPI_Comm& done() {
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        return comm;
    }
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
};

TEST_P(Idup, IsACopy) {
    for (const int ranks : {1, 2, 5, 16})
        run(ranks, [](int rank, int size) {
            Started started(MPI_COMM_WORLD);
            // What comes in between is not in its way.
            EXPECT_EQ(total_over(MPI_COMM_WORLD, 1), size);
            MPI_Comm copy = started.done();
            int likeness = -1;
            MPI_Comm_compare(MPI_COMM_WORLD, copy, &likeness);
            EXPECT_EQ(likeness, MPI_CONGRUENT);
            EXPECT_EQ(total_over(copy, rank), size * (size - 1) / 2);
            MPI_Comm_free(&copy);
        });
}

TEST_P(Idup, DoesNotWaitForOthers) {
    run(2, [](int rank, int) {
        // Rank 1 starts only after rank 0 has told it to.
        int word = rank;
        if (rank == 1) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        Started started(MPI_COMM_WORLD);
        if (rank == 0) MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        // And rank 0 goes on with it while it waits for something else.
        if (rank == 1) started.done();
        if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(total_over(started.done(), 1), 2);
        MPI_Comm_free(&started.comm);
    });
}

TEST_P(Idup, ManyAtOnceEachTheirOwn) {
    run(4, [](int rank, int size) {
        MPI_Comm second = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &second);
        std::vector<Started> all;
        for (int i = 0; i < 12; ++i)
            all.emplace_back(i % 3 == 0 ? second : MPI_COMM_WORLD);
        // Each rank waits for them in another order.
        for (int i = 0; i < 12; ++i)
            all[static_cast<std::size_t>((i * 5 + rank) % 12)].done();
        // A message in each, to be received the other way round.
        std::array<MPI_Request, 12> sends;
        std::array<int, 12> words;
        for (std::size_t i = 0; i < 12; ++i) {
            words[i] = static_cast<int>(i);
            MPI_Isend(&words[i], 1, MPI_INT, (rank + 1) % size, 0, all[i].comm, &sends[i]);
        }
        for (std::size_t i = 12; i-- > 0;) {
            int got = -1;
            MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, all[i].comm, MPI_STATUS_IGNORE);
            EXPECT_EQ(got, static_cast<int>(i));
        }
        MPI_Waitall(12, sends.data(), MPI_STATUSES_IGNORE);
        for (Started& started : all)
            MPI_Comm_free(&started.comm);
        MPI_Comm_free(&second);
    });
}

// Nobody may hold what the other waits for: half of the ranks have one under way when they block in
// another that the rest comes to first.
TEST_P(Idup, AmongOthersThatBlock) {
    for (const int ranks : {2, 3, 6})
        run(ranks, [](int rank, int size) {
            MPI_Comm second = MPI_COMM_NULL;
            MPI_Comm_dup(MPI_COMM_WORLD, &second);
            for (int time = 0; time < 5; ++time) {
                MPI_Comm blocking = MPI_COMM_NULL;
                if ((rank + time) % 2 == 0) MPI_Comm_dup(second, &blocking);
                Started started(MPI_COMM_WORLD);
                if ((rank + time) % 2 != 0) MPI_Comm_dup(second, &blocking);
                EXPECT_EQ(total_over(blocking, 1), size);
                EXPECT_EQ(total_over(started.done(), rank), size * (size - 1) / 2);
                MPI_Comm_free(&blocking);
                MPI_Comm_free(&started.comm);
            }
            MPI_Comm_free(&second);
        });
}

TEST_P(Idup, OfTwoGroups) {
    run(5, [](int rank, int size) {
        const TwoGroups two(rank, size, 2);
        Started started(two.inter);
        int sum = 0;
        EXPECT_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, started.done()), MPI_SUCCESS);
        EXPECT_EQ(sum, two.side() == 0 ? 9 : 1);
        MPI_Comm_free(&started.comm);
    });
}

int copy_next(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
    *static_cast<void**>(copy) = static_cast<char*>(value) + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

int refuse(MPI_Comm, int, void*, void*, void*, int*) {
    return MPI_ERR_OTHER;
}

TEST_P(Idup, TakesAttributesTopologyAndHints) {
    run(4, [](int rank, int) {
        const int dims[] = {2, 2};
        const int open[] = {0, 0};
        MPI_Comm grid = MPI_COMM_NULL;
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open, 0, &grid);
        MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(&copy_next, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
        char values[2] = {};
        MPI_Comm_set_attr(grid, key, values);
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_EQ(MPI_Comm_idup_with_info(grid, info, &copy, &request), MPI_SUCCESS);
        MPI_Info_free(&info);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        void* value = nullptr;
        int flag = 0;
        MPI_Comm_get_attr(copy, key, &value, &flag);
        EXPECT_TRUE(flag != 0 && value == values + 1);
        int kind = -1;
        MPI_Topo_test(copy, &kind);
        EXPECT_EQ(kind, MPI_CART);
        MPI_Comm_get_info(copy, &info);
        char text[10] = "";
        MPI_Info_get(info, "mpi_assert_no_any_tag", 9, text, &flag);
        EXPECT_STREQ(text, "true");
        MPI_Info_free(&info);
        MPI_Comm_free(&copy);
        MPI_Comm_free_keyval(&key);
        // Rank 0 refuses to copy: it is told so, and the others have theirs.
        if (rank == 0) {
            MPI_Comm_create_keyval(&refuse, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
            MPI_Comm_set_attr(grid, key, values);
        }
        EXPECT_EQ(MPI_Comm_idup(grid, &copy, &request), rank == 0 ? MPI_ERR_OTHER : MPI_SUCCESS);
        if (rank != 0) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Comm_free(&copy);
        }
        EXPECT_EQ(MPI_Comm_idup(MPI_COMM_NULL, &copy, &request), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Comm_idup(grid, nullptr, &request), MPI_ERR_ARG);
        MPI_Comm_free(&grid);
    });
}

}  // namespace
}  // namespace railyard::mpi
