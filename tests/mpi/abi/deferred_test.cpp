// A send and a receive in one, and requests that the user completes.

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

/// What the functions of a generalized request were called with.
struct Calls {
    int queries = 0;
    int frees = 0;
    int cancels = 0;
    int last_complete = -1;
    int code = MPI_SUCCESS;  ///< that query returns
};

int query(void* state, MPI_Status* status) {
    auto& calls = *static_cast<Calls*>(state);
    ++calls.queries;
    // MPI may be called in it.
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, calls.cancels);
    status->MPI_SOURCE = 11;
    status->MPI_TAG = 12;
    return calls.code;
}

int free_it(void* state) {
    ++static_cast<Calls*>(state)->frees;
    return MPI_SUCCESS;
}

int cancel_it(void* state, int complete) {
    auto& calls = *static_cast<Calls*>(state);
    ++calls.cancels;
    calls.last_complete = complete;
    return MPI_SUCCESS;
}

TEST_P(Deferred, CompleteWhenTheUserSaysSo) {
    run(1, [](int, int) {
        Calls calls;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Status status;
        ASSERT_EQ(MPI_Grequest_start(query, free_it, cancel_it, &calls, &request), MPI_SUCCESS);
        int flag = -1;
        ASSERT_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
        EXPECT_EQ(flag, 0);
        EXPECT_EQ(calls.queries, 0);
        MPI_Request both[] = {MPI_REQUEST_NULL, request};
        int index = 0;
        ASSERT_EQ(MPI_Testany(2, both, &index, &flag, &status), MPI_SUCCESS);
        EXPECT_EQ(flag, 0);
        ASSERT_EQ(MPI_Grequest_complete(request), MPI_SUCCESS);
        ASSERT_EQ(MPI_Request_get_status(request, &flag, &status), MPI_SUCCESS);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(calls.frees, 0);
        ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        EXPECT_EQ(calls.queries, 2);
        EXPECT_EQ(calls.frees, 1);
        EXPECT_EQ(status.MPI_SOURCE, 11);
        EXPECT_EQ(status.MPI_TAG, 12);
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 3);
    });
}

TEST_P(Deferred, TellOfCancellingAndOfFailures) {
    run(1, [](int, int) {
        Calls calls;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Grequest_start(query, free_it, cancel_it, &calls, &request);
        ASSERT_EQ(MPI_Cancel(&request), MPI_SUCCESS);
        EXPECT_EQ(calls.last_complete, 0);
        MPI_Grequest_complete(request);
        MPI_Status status;
        MPI_Wait(&request, &status);
        int flag = 0;
        MPI_Test_cancelled(&status, &flag);
        EXPECT_EQ(flag, 1);

        calls = {};
        calls.code = MPI_ERR_OTHER;
        MPI_Grequest_start(query, free_it, cancel_it, &calls, &request);
        MPI_Grequest_complete(request);
        EXPECT_EQ(MPI_Wait(&request, &status), MPI_ERR_OTHER);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        MPI_Grequest_start(query, free_it, cancel_it, &calls, &request);
        MPI_Grequest_complete(request);
        EXPECT_EQ(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
        EXPECT_EQ(status.MPI_ERROR, MPI_ERR_OTHER);

        // Freed first, completed by a handle that was kept.
        calls = {};
        MPI_Grequest_start(query, free_it, cancel_it, &calls, &request);
        const MPI_Request kept = request;
        ASSERT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
        EXPECT_EQ(calls.frees, 0);
        ASSERT_EQ(MPI_Grequest_complete(kept), MPI_SUCCESS);
        EXPECT_EQ(calls.frees, 1);
        EXPECT_EQ(calls.queries, 0);
        EXPECT_EQ(MPI_Grequest_complete(kept), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST);
        EXPECT_EQ(MPI_Grequest_start(nullptr, free_it, cancel_it, &calls, &request), MPI_ERR_ARG);
    });
}

}  // namespace
}  // namespace railyard::mpi
