// A send and a receive in one.

#include <array>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Deferred = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Deferred);

TEST_P(Deferred, SendAndReceiveInOne) {
    run(3, [](int rank, int size) {
        const int next = (rank + 1) % size;
        const int previous = (rank + size - 1) % size;
        for (const std::size_t length : {std::size_t{1}, std::size_t{300'000}}) {
            const std::vector<int> out(length, rank);
            std::vector<int> in(length + 1, -1);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Status status;
            const int count = static_cast<int>(length);
            ASSERT_EQ(MPI_Isendrecv(out.data(), count, MPI_INT, next, 7, in.data(), count + 1,
                                    MPI_INT, previous, 7, MPI_COMM_WORLD, &request),
                      MPI_SUCCESS);
            ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
            EXPECT_EQ(request, MPI_REQUEST_NULL);
            EXPECT_EQ(status.MPI_SOURCE, previous);
            EXPECT_EQ(status.MPI_TAG, 7);
            int got = 0;
            MPI_Get_count(&status, MPI_INT, &got);
            EXPECT_EQ(got, count);
            EXPECT_EQ(in[length - 1], previous);
            EXPECT_EQ(in[length], -1);
        }
    });
}

TEST_P(Deferred, ReplaceWhatWasSent) {
    run(2, [](int rank, int) {
        // Every other one, so that what lies between stays.
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_vector(3, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        std::array<int, 5> data{};
        data.fill(rank);
        MPI_Request request = MPI_REQUEST_NULL;
        ASSERT_EQ(MPI_Isendrecv_replace_c(data.data(), 1, type, 1 - rank, 0, 1 - rank, 0,
                                          MPI_COMM_WORLD, &request),
                  MPI_SUCCESS);
        MPI_Type_free(&type);
        int flag = 0;
        while (flag == 0)
            ASSERT_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(data, (std::array<int, 5>{1 - rank, rank, 1 - rank, rank, 1 - rank}));
    });
}

TEST_P(Deferred, WaitAmongOthers) {
    run(2, [](int rank, int) {
        const int out = rank;
        std::array<int, 3> in{-1, -1, -1};
        MPI_Request requests[3];
        MPI_Isendrecv(&out, 1, MPI_INT, 1 - rank, 1, &in[0], 1, MPI_INT, 1 - rank, 1,
                      MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[2]);
        int seen = 0;
        while (seen < 3) {
            int index = -1;
            ASSERT_EQ(MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
            ASSERT_NE(index, MPI_UNDEFINED);
            ++seen;
        }
        EXPECT_EQ(in[0], 1 - rank);
        EXPECT_EQ(in[1], 1 - rank);
        // Freed before it is complete.
        MPI_Isendrecv(&out, 1, MPI_INT, 1 - rank, 3, &in[2], 1, MPI_INT, 1 - rank, 3,
                      MPI_COMM_WORLD, &requests[0]);
        EXPECT_EQ(MPI_Request_free(&requests[0]), MPI_SUCCESS);
        EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 4, &in[1], 1, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        EXPECT_EQ(in[2], 1 - rank);
    });
}

TEST_P(Deferred, ExchangeWithNobodyAndWrongly) {
    run(1, [](int, int) {
        const int out = 5;
        int in = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;
        MPI_Isendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 0, &in, 1, MPI_INT, MPI_PROC_NULL, 0,
                      MPI_COMM_SELF, &request);
        ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
        EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
        EXPECT_EQ(
            MPI_Isendrecv(&out, -1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request),
            MPI_ERR_COUNT);
        // What comes is longer than the room for it.
        const std::array<int, 2> two{};
        ASSERT_EQ(MPI_Isendrecv(two.data(), 2, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF,
                                &request),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Start(&request), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
    });
}

}  // namespace
}  // namespace railyard::mpi
