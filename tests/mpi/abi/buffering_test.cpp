// Buffers for buffered sends: of the rank, of a communicator, of a session; flushing them.

#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Buffering = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Buffering);

constexpr int length = 20000;  // beyond what is sent without asking

std::vector<char> room_for(std::size_t messages) {
    return std::vector<char>(messages * (length * sizeof(int) + MPI_BSEND_OVERHEAD));
}

int bsend_to(int other, MPI_Comm comm, int tag = 0) {
    const std::vector<int> out(length, tag);
    return MPI_Bsend(out.data(), length, MPI_INT, other, tag, comm);
}

void receive_from(int other, MPI_Comm comm, int tag = 0) {
    std::vector<int> in(length, -1);
    MPI_Recv(in.data(), length, MPI_INT, other, tag, comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(in.front(), tag);
    EXPECT_EQ(in.back(), tag);
}

TEST_P(Buffering, ACommunicatorsOwnBufferIsTakenFirst) {
    run(2, [](int rank, int) {
        const int other = 1 - rank;
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        std::vector<char> own = room_for(1);
        std::vector<char> all = room_for(2);
        ASSERT_EQ(MPI_Comm_attach_buffer(dup, own.data(), static_cast<int>(own.size())),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Comm_attach_buffer(dup, own.data(), 10), MPI_ERR_BUFFER);
        // Nothing is attached to the rank, nor to the world.
        EXPECT_EQ(bsend_to(other, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        EXPECT_EQ(bsend_to(other, dup, 1), MPI_SUCCESS);
        ASSERT_EQ(MPI_Buffer_attach(all.data(), static_cast<int>(all.size())), MPI_SUCCESS);
        EXPECT_EQ(bsend_to(other, MPI_COMM_WORLD, 2), MPI_SUCCESS);
        receive_from(other, dup, 1);
        receive_from(other, MPI_COMM_WORLD, 2);
        void* given = nullptr;
        MPI_Count size = 0;
        ASSERT_EQ(MPI_Comm_detach_buffer_c(dup, &given, &size), MPI_SUCCESS);
        EXPECT_EQ(given, own.data());
        EXPECT_EQ(size, static_cast<MPI_Count>(own.size()));
        // Without its own it has the rank's.
        EXPECT_EQ(bsend_to(other, dup, 3), MPI_SUCCESS);
        receive_from(other, dup, 3);
        int narrow = 0;
        MPI_Buffer_detach(&given, &narrow);
        EXPECT_EQ(given, all.data());
        MPI_Comm_free(&dup);
        EXPECT_EQ(MPI_Comm_attach_buffer_c(MPI_COMM_NULL, own.data(), 10), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Comm_attach_buffer(MPI_COMM_WORLD, nullptr, 10), MPI_ERR_BUFFER);
        EXPECT_EQ(MPI_Comm_attach_buffer(MPI_COMM_WORLD, own.data(), -1), MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &given, nullptr), MPI_ERR_ARG);
    });
}

TEST_P(Buffering, FlushingWaitsUntilMessagesHaveLeft) {
    run(2, [](int rank, int) {
        const int other = 1 - rank;
        std::vector<char> room = room_for(2);
        MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
        std::vector<int> in(length, -1);
        MPI_Request receive = MPI_REQUEST_NULL;
        MPI_Irecv(in.data(), length, MPI_INT, other, 5, MPI_COMM_WORLD, &receive);
        ASSERT_EQ(bsend_to(other, MPI_COMM_WORLD, 5), MPI_SUCCESS);
        ASSERT_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
        // All of it is free again, and stays attached.
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        EXPECT_EQ(in.back(), 5);
        ASSERT_EQ(bsend_to(other, MPI_COMM_WORLD, 6), MPI_SUCCESS);
        ASSERT_EQ(bsend_to(other, MPI_COMM_WORLD, 7), MPI_SUCCESS);
        MPI_Request flush = MPI_REQUEST_NULL;
        ASSERT_EQ(MPI_Buffer_iflush(&flush), MPI_SUCCESS);
        int flag = 1;
        MPI_Test(&flush, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 0) << "nobody has asked for the messages";
        EXPECT_EQ(MPI_Cancel(&flush), MPI_ERR_REQUEST);
        receive_from(other, MPI_COMM_WORLD, 6);
        receive_from(other, MPI_COMM_WORLD, 7);
        ASSERT_EQ(MPI_Wait(&flush, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(flush, MPI_REQUEST_NULL);
        // What comes later is not waited for.
        ASSERT_EQ(MPI_Buffer_iflush(&flush), MPI_SUCCESS);
        ASSERT_EQ(bsend_to(other, MPI_COMM_WORLD, 8), MPI_SUCCESS);
        ASSERT_EQ(MPI_Wait(&flush, MPI_STATUS_IGNORE), MPI_SUCCESS);
        receive_from(other, MPI_COMM_WORLD, 8);
        EXPECT_EQ(MPI_Buffer_iflush(nullptr), MPI_ERR_ARG);
        void* given = nullptr;
        int size = 0;
        MPI_Buffer_detach(&given, &size);
        EXPECT_EQ(MPI_Buffer_flush(), MPI_SUCCESS) << "there is nothing to wait for";
    });
}

TEST_P(Buffering, CommunicatorsAreFlushedAndFreedWithTheirBuffer) {
    run(2, [](int rank, int) {
        const int other = 1 - rank;
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        std::vector<char> room = room_for(1);
        MPI_Comm_attach_buffer_c(dup, room.data(), static_cast<MPI_Count>(room.size()));
        std::vector<int> in(length, -1);
        MPI_Request requests[2];
        MPI_Irecv(in.data(), length, MPI_INT, other, 1, dup, &requests[0]);
        ASSERT_EQ(bsend_to(other, dup, 1), MPI_SUCCESS);
        ASSERT_EQ(MPI_Comm_iflush_buffer(dup, &requests[1]), MPI_SUCCESS);
        ASSERT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(in.back(), 1);
        MPI_Irecv(in.data(), length, MPI_INT, other, 2, dup, &requests[0]);
        ASSERT_EQ(bsend_to(other, dup, 2), MPI_SUCCESS);
        ASSERT_EQ(MPI_Comm_flush_buffer(dup), MPI_SUCCESS);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        // The buffer is the program's again when the communicator is freed.
        MPI_Irecv(in.data(), length, MPI_INT, other, 3, dup, &requests[0]);
        ASSERT_EQ(bsend_to(other, dup, 3), MPI_SUCCESS);
        ASSERT_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
        room.assign(room.size(), 'x');
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        EXPECT_EQ(in.front(), 3);
        EXPECT_EQ(in.back(), 3);
        EXPECT_EQ(MPI_Comm_flush_buffer(MPI_COMM_NULL), MPI_ERR_COMM);
        EXPECT_EQ(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
    });
}

MPI_Comm of_session(MPI_Session session, const char* tag) {
    MPI_Group whole = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &whole);
    const int ranks[] = {0, 1};
    MPI_Group_incl(whole, 2, ranks, &group);
    MPI_Comm made = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
              MPI_SUCCESS);
    MPI_Group_free(&whole);
    MPI_Group_free(&group);
    return made;
}

TEST_P(Buffering, ASessionsBufferIsForItsCommunicators) {
    run(2, [](int rank, int) {
        const int other = 1 - rank;
        MPI_Session session = MPI_SESSION_NULL;
        ASSERT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
        MPI_Comm made = of_session(session, "buffered");
        MPI_Comm dup = MPI_COMM_NULL;
        MPI_Comm_dup(made, &dup);
        std::vector<char> room = room_for(2);
        ASSERT_EQ(MPI_Session_attach_buffer(session, room.data(), static_cast<int>(room.size())),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Session_attach_buffer_c(session, room.data(), 10), MPI_ERR_BUFFER);
        EXPECT_EQ(bsend_to(other, MPI_COMM_WORLD), MPI_ERR_BUFFER) << "is of no session";
        EXPECT_EQ(bsend_to(other, made, 1), MPI_SUCCESS);
        EXPECT_EQ(bsend_to(other, dup, 2), MPI_SUCCESS);
        MPI_Request flush = MPI_REQUEST_NULL;
        ASSERT_EQ(MPI_Session_iflush_buffer(session, &flush), MPI_SUCCESS);
        receive_from(other, made, 1);
        receive_from(other, dup, 2);
        EXPECT_EQ(MPI_Wait(&flush, MPI_STATUS_IGNORE), MPI_SUCCESS);
        EXPECT_EQ(MPI_Session_flush_buffer(session), MPI_SUCCESS);
        void* given = nullptr;
        int size = 0;
        ASSERT_EQ(MPI_Session_detach_buffer(session, &given, &size), MPI_SUCCESS);
        EXPECT_EQ(given, room.data());
        EXPECT_EQ(size, static_cast<int>(room.size()));
        EXPECT_EQ(bsend_to(other, dup), MPI_ERR_BUFFER);
        MPI_Comm_free(&dup);
        MPI_Comm_free(&made);
        EXPECT_EQ(MPI_Session_flush_buffer(MPI_SESSION_NULL), MPI_ERR_SESSION);
        EXPECT_EQ(MPI_Session_iflush_buffer(session, nullptr), MPI_ERR_ARG);
        MPI_Count wide = 0;
        EXPECT_EQ(MPI_Session_detach_buffer_c(MPI_SESSION_NULL, &given, &wide), MPI_ERR_SESSION);
        MPI_Session_finalize(&session);
    });
}

TEST_P(Buffering, AutomaticBuffersHaveRoomForAll) {
    run(2, [](int rank, int) {
        const int other = 1 - rank;
        ASSERT_EQ(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
        EXPECT_EQ(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0), MPI_ERR_BUFFER);
        for (int tag = 0; tag < 20; ++tag)
            ASSERT_EQ(bsend_to(other, MPI_COMM_WORLD, tag), MPI_SUCCESS);
        // From the last to the first.
        for (int tag = 20; tag-- > 0;)
            receive_from(other, MPI_COMM_WORLD, tag);
        void* given = nullptr;
        int size = -1;
        ASSERT_EQ(MPI_Buffer_detach(&given, &size), MPI_SUCCESS);
        EXPECT_EQ(given, MPI_BUFFER_AUTOMATIC);
        EXPECT_EQ(size, 0);
        EXPECT_EQ(bsend_to(other, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    });
}

TEST_P(Buffering, WhatIsInACommunicatorsBufferCanBeCancelled) {
    run(2, [](int rank, int) {
        std::vector<char> room = room_for(1);
        MPI_Comm_attach_buffer(MPI_COMM_WORLD, room.data(), static_cast<int>(room.size()));
        if (rank == 0) {
            const std::vector<int> out(length, 1);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Ibsend(out.data(), length, MPI_INT, 1, 9, MPI_COMM_WORLD, &request);
            ASSERT_EQ(MPI_Cancel(&request), MPI_SUCCESS);
            MPI_Status status;
            ASSERT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
            int cancelled = 0;
            MPI_Test_cancelled(&status, &cancelled);
            EXPECT_EQ(cancelled, 1);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        int flag = 1;
        MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 0);
        // Still attached at the end: MPI_Finalize sees to it.
    });
}

}  // namespace
}  // namespace railyard::mpi
