// Requests that the user completes: MPI's, and MPICH's that have functions to look after them.

#include <array>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Generalized = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Generalized);

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

TEST_P(Generalized, CompleteWhenTheUserSaysSo) {
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

TEST_P(Generalized, TellOfCancellingAndOfFailures) {
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

/// Something that is done after it was polled so often.
struct Work {
    MPI_Request request = MPI_REQUEST_NULL;
    int polls_left = 0;
    int polls = 0;
    int waits = 0;
    int together = 0;  ///< how many were in the last call of the wait function
    int frees = 0;
    int code = MPI_SUCCESS;  ///< that poll returns
};

int query_work(void*, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_INT, 5);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

int free_work(void* state) {
    ++static_cast<Work*>(state)->frees;
    return MPI_SUCCESS;
}

int cancel_work(void*, int) {
    return MPI_SUCCESS;
}

int poll_work(void* state, MPI_Status* status) {
    auto& work = *static_cast<Work*>(state);
    ++work.polls;
    status->MPI_TAG = 77;
    if (--work.polls_left <= 0) MPI_Grequest_complete(work.request);
    return work.code;
}

int wait_work(int count, void** states, double, MPI_Status*) {
    for (int i = 0; i < count; ++i) {
        auto& work = *static_cast<Work*>(states[i]);
        ++work.waits;
        work.together = count;
        MPI_Grequest_complete(work.request);
    }
    return MPI_SUCCESS;
}

/// Leaves it to polling.
int wait_for_nothing(int count, void** states, double, MPI_Status*) {
    for (int i = 0; i < count; ++i)
        ++static_cast<Work*>(states[i])->waits;
    return MPI_SUCCESS;
}

void start(Work& work, int polls, MPIX_Grequest_wait_function* wait = wait_work) {
    work = {};
    work.polls_left = polls;
    ASSERT_EQ(MPIX_Grequest_start(query_work, free_work, cancel_work, poll_work, wait, &work,
                                  &work.request),
              MPI_SUCCESS);
}

TEST_P(Generalized, TestingPolls) {
    run(1, [](int, int) {
        Work work;
        start(work, 9);
        MPI_Request request = work.request;
        int flag = 0;
        int tests = 0;
        MPI_Status status;
        while (flag == 0 && ++tests < 100)
            ASSERT_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
        EXPECT_GT(tests, 1);
        EXPECT_EQ(work.polls, 9);
        EXPECT_EQ(work.waits, 0);
        EXPECT_EQ(work.frees, 1);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        EXPECT_EQ(status.MPI_TAG, 77);
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 5);
    });
}

TEST_P(Generalized, WaitingCallsTheWaitFunctionAndThenPolls) {
    run(1, [](int, int) {
        Work work;
        start(work, 1000);
        MPI_Request request = work.request;
        ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(work.waits, 1);
        EXPECT_EQ(work.frees, 1);
        // Many polls, so that a call that waits would have gone to sleep.
        start(work, 30'000, wait_for_nothing);
        request = work.request;
        ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(work.waits, 1);
        EXPECT_EQ(work.polls, 30'000);
    });
}

TEST_P(Generalized, AllAreWaitedForAfterTheMessages) {
    run(2, [](int rank, int) {
        std::array<Work, 3> works;
        for (std::size_t i = 0; i < works.size(); ++i)
            start(works[i], 1000, i == 2 ? wait_for_nothing : wait_work);
        const int out = rank;
        int in = -1;
        MPI_Request requests[5] = {works[0].request, works[2].request, MPI_REQUEST_NULL,
                                   MPI_REQUEST_NULL, works[1].request};
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[3]);
        ASSERT_EQ(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(in, 1 - rank);
        EXPECT_EQ(works[0].together, 2);
        EXPECT_EQ(works[1].together, 2);
        for (const Work& work : works)
            EXPECT_EQ(work.frees, 1);
        EXPECT_GE(works[2].polls, 1000);
    });
}

TEST_P(Generalized, AnyAndSomePoll) {
    run(1, [](int, int) {
        std::array<Work, 2> works;
        start(works[0], 1'000'000);
        start(works[1], 20'000);
        MPI_Request requests[] = {works[0].request, works[1].request};
        int index = -1;
        ASSERT_EQ(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(index, 1);
        works[0].polls_left = 20'000;
        int outcount = 0;
        int indices[2];
        ASSERT_EQ(MPI_Waitsome(2, requests, &outcount, indices, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(outcount, 1);
        EXPECT_EQ(indices[0], 0);
        EXPECT_EQ(works[0].waits + works[1].waits, 0);
    });
}

TEST_P(Generalized, ClassesMakeMany) {
    run(1, [](int, int) {
        MPIX_Grequest_class made = 0;
        ASSERT_EQ(MPIX_Grequest_class_create(query_work, free_work, cancel_work, poll_work,
                                             wait_work, &made),
                  MPI_SUCCESS);
        std::array<Work, 4> works;
        std::array<MPI_Request, 4> requests;
        for (std::size_t i = 0; i < works.size(); ++i) {
            works[i].polls_left = 1000;
            ASSERT_EQ(MPIX_Grequest_class_allocate(made, &works[i], &works[i].request),
                      MPI_SUCCESS);
            requests[i] = works[i].request;
        }
        ASSERT_EQ(MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(works[3].together, 4);
        EXPECT_EQ(works[3].frees, 1);
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_EQ(MPIX_Grequest_class_allocate(made + 1, nullptr, &request), MPI_ERR_ARG);
        EXPECT_EQ(MPIX_Grequest_class_create(query_work, free_work, cancel_work, poll_work, nullptr,
                                             &made),
                  MPI_ERR_ARG);
        EXPECT_EQ(MPIX_Grequest_start(query_work, free_work, cancel_work, nullptr, wait_work,
                                      nullptr, &request),
                  MPI_ERR_ARG);
    });
}

TEST_P(Generalized, WhatPollingReturnsIsTheCallsError) {
    run(1, [](int, int) {
        Work work;
        start(work, 100, wait_for_nothing);
        work.code = MPI_ERR_IO;
        MPI_Request request = work.request;
        int flag = 0;
        EXPECT_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_ERR_IO);
        EXPECT_NE(request, MPI_REQUEST_NULL);
        work.code = MPI_SUCCESS;
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        // Complete by a handle that was kept, after it was freed.
        start(work, 100);
        const MPI_Request kept = work.request;
        request = kept;
        ASSERT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
        EXPECT_EQ(MPI_Grequest_complete(kept), MPI_SUCCESS);
        EXPECT_EQ(work.frees, 1);
    });
}

}  // namespace
}  // namespace railyard::mpi
