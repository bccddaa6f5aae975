// Collectives that do not block: their requests, what users may free meanwhile, in which order they
// are started and end, and what is wrong. That each gives the right result is tested with random
// programs.

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using NonblockingCollectives = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(NonblockingCollectives);

constexpr MPI_Comm world = MPI_COMM_WORLD;

TEST_P(NonblockingCollectives, DoNotWaitForOthers) {
    run(3, [](int rank, int) {
        MPI_Request request = MPI_REQUEST_NULL;
        int flag = -1;
        if (rank != 0) MPI_Recv(nullptr, 0, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
        EXPECT_EQ(MPI_Ibarrier(world, &request), MPI_SUCCESS);
        if (rank == 0) {
            for (int i = 0; i < 100; ++i)
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            EXPECT_EQ(flag, 0) << "nobody else has called";
            for (int to = 1; to < 3; ++to)
                MPI_Send(nullptr, 0, MPI_INT, to, 1, world);
        }
        MPI_Status status;
        EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        int count = -1;
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 0);
        int cancelled = -1;
        MPI_Test_cancelled(&status, &cancelled);
        EXPECT_EQ(cancelled, 0);
    });
}

// Many at once, of several kinds, with blocking ones and messages in between; waited for in another
// order by every rank.
TEST_P(NonblockingCollectives, OverlapInAnyOrder) {
    run(5, [](int rank, int size) {
        constexpr int many = 24;
        std::vector<std::vector<int>> data(many);
        std::vector<MPI_Request> requests(many);
        for (int i = 0; i < many; ++i) {
            std::vector<int>& own = data[static_cast<std::size_t>(i)];
            MPI_Request& request = requests[static_cast<std::size_t>(i)];
            const int count = i % 4 == 3 ? 20'000 : i;
            own.assign(static_cast<std::size_t>(count), 100 * rank + i);
            if (i % 3 == 0)
                MPI_Ibcast(own.data(), count, MPI_INT, i % size, world, &request);
            else
                MPI_Iallreduce(MPI_IN_PLACE, own.data(), count, MPI_INT, MPI_SUM, world, &request);
            if (i % 5 == 0) {
                int sum = 1;
                MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, world);
                EXPECT_EQ(sum, size);
            }
            if (i % 7 == 0) {
                int got = -1;
                MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &got, 1, MPI_INT,
                             (rank + size - 1) % size, 3, world, MPI_STATUS_IGNORE);
                EXPECT_EQ(got, (rank + size - 1) % size);
            }
        }
        for (int n = 0; n < many; ++n) {
            const int i = (n * 5 + rank * 7) % many;
            MPI_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
            const int sum = 100 * size * (size - 1) / 2 + size * i;
            for (const int value : data[static_cast<std::size_t>(i)])
                ASSERT_EQ(value, i % 3 == 0 ? 100 * (i % size) + i : sum) << i;
        }
    });
}

TEST_P(NonblockingCollectives, AreRequestsLikeOthers) {
    run(4, [](int rank, int size) {
        int sums[3] = {rank, rank, rank};
        MPI_Request requests[4];
        for (int i = 0; i < 3; ++i)
            MPI_Iallreduce(MPI_IN_PLACE, &sums[i], 1, MPI_INT, MPI_SUM, world, &requests[i]);
        int got = -1;
        MPI_Irecv(&got, 1, MPI_INT, (rank + 1) % size, 9, world, &requests[3]);
        MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 9, world);
        int index = -1;
        MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
        EXPECT_EQ(requests[index], MPI_REQUEST_NULL);
        int count = 0;
        int indices[4];
        MPI_Status statuses[4];
        for (int done = 1; done < 4; done += count)
            ASSERT_EQ(MPI_Waitsome(4, requests, &count, indices, statuses), MPI_SUCCESS);
        EXPECT_EQ(got, (rank + 1) % size);
        EXPECT_THAT(sums, testing::Each(6));
        for (MPI_Request& request : requests)
            MPI_Ibarrier(world, &request);
        int flag = 0;
        while (flag == 0)
            MPI_Testall(4, requests, &flag, statuses);
        EXPECT_THAT(requests, testing::Each(MPI_REQUEST_NULL));
        MPI_Ibarrier(world, &requests[0]);
        for (flag = 0; flag == 0;)
            MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
        EXPECT_NE(requests[0], MPI_REQUEST_NULL) << "it was only looked at";
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    });
}

void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
    int size = 0;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length * size / static_cast<int>(sizeof(long)); ++i)
        static_cast<long*>(inout)[i] *= static_cast<const long*>(in)[i];
}

TEST_P(NonblockingCollectives, UsersMayFreeWhatTheyUse) {
    run(4, [](int rank, int) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(world, &comm);
        MPI_Datatype odd = MPI_DATATYPE_NULL;
        MPI_Type_vector(500, 1, 2, MPI_INT, &odd);
        MPI_Type_commit(&odd);
        MPI_Op product = MPI_OP_NULL;
        MPI_Op_create(multiply, 1, &product);
        std::vector<int> all(4000, -1);
        const std::vector<int> mine(1000, rank);
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(2, MPI_LONG, &pair);
        MPI_Type_commit(&pair);
        long values[2] = {rank + 1, 2};
        MPI_Request requests[2];
        // The last one to come holds all others up.
        if (rank == 3) MPI_Recv(nullptr, 0, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
        MPI_Iallgather(mine.data(), 1, odd, all.data(), 500, MPI_INT, comm, &requests[0]);
        MPI_Iallreduce(MPI_IN_PLACE, values, 1, pair, product, comm, &requests[1]);
        MPI_Comm_free(&comm);
        MPI_Type_free(&odd);
        MPI_Type_free(&pair);
        MPI_Op_free(&product);
        if (rank == 0) MPI_Send(nullptr, 0, MPI_INT, 3, 1, world);
        // Others take the places of what was freed.
        MPI_Comm other = MPI_COMM_NULL;
        MPI_Comm_dup(world, &other);
        int sum = 1;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, other);
        EXPECT_EQ(sum, 4);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT_THAT(values, testing::ElementsAre(24, 16));
        for (std::size_t i = 0; i < 2000; ++i)
            ASSERT_EQ(all[i], static_cast<int>(i / 500));
        EXPECT_EQ(all[2000], -1);
        MPI_Comm_free(&other);
    });
}

// Made in one order, started in another by every rank, several times.
TEST_P(NonblockingCollectives, PersistentOnesAreStartedAgain) {
    run(4, [](int rank, int size) {
        int data[3] = {};
        int sum = 0;
        int out = 0;
        std::vector<int> all(4);
        MPI_Request requests[3];
        EXPECT_EQ(MPI_Bcast_init(data, 3, MPI_INT, 2, world, MPI_INFO_NULL, &requests[0]),
                  MPI_SUCCESS);
        MPI_Allreduce_init(&out, &sum, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &requests[1]);
        MPI_Allgather_init(&out, 1, MPI_INT, all.data(), 1, MPI_INT, world, MPI_INFO_NULL,
                           &requests[2]);
        int flag = 0;
        EXPECT_EQ(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(flag, 1) << "it is inactive";
        for (int round = 0; round < 20; ++round) {
            out = 10 * round + rank;
            data[1] = rank == 2 ? round : -1;
            for (int n = 0; n < 3; ++n)
                EXPECT_EQ(MPI_Start(&requests[(n + rank + round) % 3]), MPI_SUCCESS);
            if (round == 5) {
                EXPECT_EQ(MPI_Start(&requests[1]), MPI_ERR_REQUEST) << "it was started";
                EXPECT_EQ(MPI_Request_free(&requests[1]), MPI_ERR_REQUEST);
            }
            MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
            EXPECT_EQ(data[1], round);
            EXPECT_EQ(sum, size * 10 * round + 6);
            for (int i = 0; i < size; ++i)
                EXPECT_EQ(all[static_cast<std::size_t>(i)], 10 * round + i);
        }
        EXPECT_EQ(MPI_Startall(3, requests), MPI_SUCCESS);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        for (MPI_Request& request : requests)
            EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
        EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
    });
}

TEST_P(NonblockingCollectives, CannotBeFreedOrCancelled) {
    run(2, [](int, int) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(world, &request);
        EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Request_free(&request), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Start(&request), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    });
}

TEST_P(NonblockingCollectives, WrongArgumentsStartNothing) {
    run(2, [](int rank, int) {
        int a[2] = {};
        int b[2] = {};
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_EQ(MPI_Ibcast(a, -1, MPI_INT, 0, world, &request), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Ibcast(a, 1, MPI_INT, 2, world, &request), MPI_ERR_ROOT);
        EXPECT_EQ(MPI_Ibcast(a, 1, MPI_INT, 0, world, nullptr), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, world, &request), MPI_ERR_OP);
        EXPECT_EQ(MPI_Iallreduce(a, a, 1, MPI_INT, MPI_SUM, world, &request), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Ialltoallv(a, nullptr, nullptr, MPI_INT, b, nullptr, nullptr, MPI_INT, world,
                                 &request),
                  MPI_ERR_ARG);
        EXPECT_EQ(MPI_Barrier_init(world, 12345, &request), MPI_ERR_INFO);
        EXPECT_EQ(
            MPI_Scan_init(a, b, 1, MPI_DATATYPE_NULL, MPI_SUM, world, MPI_INFO_NULL, &request),
            MPI_ERR_TYPE);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        // Nor did they take a tag that others do not know of.
        if (rank == 0) MPI_Ibcast(a, -1, MPI_INT, 0, world, &request);
        a[0] = rank;
        MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(b[0], 1);
    });
}

TEST_P(NonblockingCollectives, RanksThatDisagreeAreTold) {
    run(2, [](int rank, int) {
        int data[8] = {};
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibcast(data, rank == 0 ? 8 : 4, MPI_INT, 0, world, &request);
        const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(code, rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        if (rank == 1) {
            char text[MPI_MAX_ERROR_STRING] = "";
            int length = 0;
            MPI_Error_string(code, text, &length);
            EXPECT_GT(length, 0);
        }
        // What comes next is as it should be.
        int sum = 1;
        MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(sum, 2);
    });
}

TEST_P(NonblockingCollectives, OfOneRankAreDoneAtOnce) {
    run(1, [](int, int) {
        int in = 7;
        int out = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, world, &request);
        int flag = 0;
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(out, 7);
        MPI_Ibarrier(world, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 1);
        // Left behind at the end: nothing is lost by it.
        MPI_Barrier_init(world, MPI_INFO_NULL, &request);
    });
}

TEST_P(NonblockingCollectives, OfManyRoundsEndWhileThreadsCompute) {
    if (GetParam().kind != job::Kind::threads) GTEST_SKIP() << "fibers have one processor";
    setenv("RAILYARD_MPI_PROGRESS_THREAD", "on", 1);
    run(4, [](int rank, int) {
        MPI_Op product = MPI_OP_NULL;
        MPI_Op_create(multiply, 1, &product);
        for (int round = 0; round < 20; ++round) {
            std::vector<long> data(3000, rank + 1);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Iallreduce(MPI_IN_PLACE, data.data(), 3000, MPI_LONG, product, world, &request);
            // No call of this rank's: only the thread goes on.
            const volatile long& last = data.back();
            const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
            while (last != 24 && std::chrono::steady_clock::now() < patience)
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            EXPECT_EQ(last, 24) << "nobody has made progress";
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Op_free(&product);
    });
    unsetenv("RAILYARD_MPI_PROGRESS_THREAD");
}

}  // namespace
}  // namespace railyard::mpi
