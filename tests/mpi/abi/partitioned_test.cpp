// Partitioned messages: parts leave as they are ready, however either side cuts them.

#include <numeric>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Partitioned = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Partitioned);

void wait_for_partition(MPI_Request request, int partition) {
    int flag = 0;
    while (flag == 0)
        ASSERT_EQ(MPI_Parrived(request, partition, &flag), MPI_SUCCESS);
}

TEST_P(Partitioned, LeaveAsTheyAreReady) {
    run(2, [](int rank, int) {
        constexpr int partitions = 4;
        constexpr int each = 1000;
        std::vector<int> data(partitions * each, -1);
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0)
            ASSERT_EQ(MPI_Psend_init(data.data(), partitions, each, MPI_INT, 1, 5, MPI_COMM_WORLD,
                                     MPI_INFO_NULL, &request),
                      MPI_SUCCESS);
        else
            ASSERT_EQ(MPI_Precv_init(data.data(), partitions, each, MPI_INT, 0, 5, MPI_COMM_WORLD,
                                     MPI_INFO_NULL, &request),
                      MPI_SUCCESS);
        for (int round = 0; round < 3; ++round) {
            ASSERT_EQ(MPI_Start(&request), MPI_SUCCESS);
            if (rank == 0) {
                std::iota(data.begin(), data.end(), round);
                ASSERT_EQ(MPI_Pready(2, request), MPI_SUCCESS);
                int flag = -1;
                ASSERT_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
                EXPECT_EQ(flag, 0);
                // The others leave only when the third is there.
                int there = 0;
                MPI_Recv(&there, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                EXPECT_EQ(MPI_Pready(2, request), MPI_ERR_ARG);
                ASSERT_EQ(MPI_Pready_range(0, 1, request), MPI_SUCCESS);
                int list[] = {3};
                ASSERT_EQ(MPI_Pready_list(1, list, request), MPI_SUCCESS);
                ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            } else {
                wait_for_partition(request, 2);
                EXPECT_EQ(data[2 * each], 2 * each + round);
                int flag = -1;
                ASSERT_EQ(MPI_Parrived(request, 0, &flag), MPI_SUCCESS);
                EXPECT_EQ(flag, 0);
                MPI_Send(&flag, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
                MPI_Status status;
                ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
                EXPECT_EQ(status.MPI_SOURCE, 0);
                EXPECT_EQ(status.MPI_TAG, 5);
                int count = 0;
                MPI_Get_count(&status, MPI_INT, &count);
                EXPECT_EQ(count, partitions * each);
                EXPECT_EQ(data[0], round);
                EXPECT_EQ(data.back(), partitions * each - 1 + round);
                ASSERT_EQ(MPI_Parrived(request, 0, &flag), MPI_SUCCESS);
                EXPECT_EQ(flag, 1);  // of what is not active, all is there
            }
        }
        EXPECT_NE(request, MPI_REQUEST_NULL);
        EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    });
}

/// `ours` partitions of whole elements meet `theirs` of bytes.
void exchange_cut(int rank, int ours, int theirs, MPI_Datatype type, int elements,
                  std::vector<int>& data) {
    int size = 0;
    MPI_Type_size(type, &size);
    std::vector<int> packed(static_cast<std::size_t>(elements * size) / sizeof(int));
    std::iota(packed.begin(), packed.end(), 100);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
        MPI_Psend_init(packed.data(), theirs, static_cast<MPI_Count>(packed.size()) / theirs,
                       MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int p = theirs - 1; p >= 0; --p)
            MPI_Pready(p, request);
    } else {
        MPI_Precv_init(data.data(), ours, elements / ours, type, 0, 0, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int p = 0; p < ours; ++p)
            wait_for_partition(request, p);
    }
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Request_free(&request);
}

TEST_P(Partitioned, MayBeCutInDifferentWays) {
    run(2, [](int rank, int) {
        MPI_Datatype pair = MPI_DATATYPE_NULL;  // two of three integers
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(pair, 0, 12, &type);
        MPI_Type_commit(&type);
        for (const int theirs : {1, 2, 3, 4, 6, 8, 12, 24}) {
            std::vector<int> dense(24, -1);
            exchange_cut(rank, 4, theirs, MPI_INT, 24, dense);
            std::vector<int> spread(36, -1);
            exchange_cut(rank, 3, theirs, type, 12, spread);
            if (rank == 0) continue;
            for (int i = 0; i < 24; ++i) {
                EXPECT_EQ(dense[static_cast<std::size_t>(i)], 100 + i) << theirs;
                EXPECT_EQ(spread[static_cast<std::size_t>(i / 2 * 3 + i % 2)], 100 + i) << theirs;
            }
            EXPECT_EQ(spread[2], -1);
        }
        MPI_Type_free(&type);
        MPI_Type_free(&pair);
    });
}

// By their tags, and of the same tag in the order in which they were made; never with others.
TEST_P(Partitioned, FindTheirPartners) {
    run(2, [](int rank, int) {
        int values[] = {1, 2, 3};
        const int tags[] = {9, 8, 9};
        const int order[] = {1, 0, 2};  // the receiver makes them in another order of tags
        MPI_Request requests[3];
        int plain = 77;
        MPI_Request other = MPI_REQUEST_NULL;
        if (rank == 0) {
            for (int i = 0; i < 3; ++i)
                MPI_Psend_init(&values[i], 1, 1, MPI_INT, 1, tags[i], MPI_COMM_WORLD, MPI_INFO_NULL,
                               &requests[i]);
            MPI_Isend(&plain, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &other);
        } else {
            for (int& value : values)
                value = 0;
            for (const int i : order)
                MPI_Precv_init(&values[i], 1, 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD, MPI_INFO_NULL,
                               &requests[i]);
            plain = 0;
            MPI_Irecv(&plain, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &other);
        }
        MPI_Startall(3, requests);
        if (rank == 0)
            for (int i = 2; i >= 0; --i)
                MPI_Pready(0, requests[i]);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
        ASSERT_EQ(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EXPECT_THAT(values, testing::ElementsAre(1, 2, 3));
        EXPECT_EQ(plain, 77);
        for (MPI_Request& request : requests)
            MPI_Request_free(&request);
    });
}

TEST_P(Partitioned, RefuseWhatIsWrong) {
    run(1, [](int, int) {
        int value = 0;
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Request receive = MPI_REQUEST_NULL;
        EXPECT_EQ(MPI_Psend_init(&value, 0, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &send),
                  MPI_ERR_ARG);
        EXPECT_EQ(MPI_Psend_init(&value, 1, -1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &send),
                  MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Precv_init(&value, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF,
                                 MPI_INFO_NULL, &receive),
                  MPI_ERR_RANK);
        int two[2] = {};
        MPI_Psend_init(two, 2, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &send);
        MPI_Precv_init(&value, 1, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &receive);
        EXPECT_EQ(MPI_Pready(0, send), MPI_ERR_REQUEST);  // not started
        MPI_Start(&send);
        MPI_Start(&receive);
        EXPECT_EQ(MPI_Start(&send), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Pready(2, send), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Pready(-1, send), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Pready(0, receive), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Pready_range(1, 0, send), MPI_ERR_ARG);
        int flag = 0;
        EXPECT_EQ(MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Parrived(receive, 1, &flag), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Cancel(&send), MPI_ERR_REQUEST);
        ASSERT_EQ(MPI_Pready_range(0, 1, send), MPI_SUCCESS);
        // Two are sent, and there is room for one.
        EXPECT_EQ(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Request_free(&receive);
        MPI_Request_free(&send);
        // With nobody, all is there at once.
        MPI_Psend_init(two, 2, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_INFO_NULL, &send);
        MPI_Precv_init(two, 2, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_INFO_NULL,
                       &receive);
        MPI_Start(&send);
        MPI_Start(&receive);
        MPI_Pready_range(0, 1, send);
        EXPECT_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
        MPI_Status status;
        EXPECT_EQ(MPI_Wait(&receive, &status), MPI_SUCCESS);
        EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
        MPI_Request_free(&receive);
        MPI_Request_free(&send);
    });
}

}  // namespace
}  // namespace railyard::mpi
