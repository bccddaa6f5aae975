// Messages through the C interface: modes, exchange, probes, the attached buffer, statuses.

#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Messages = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Messages);

TEST_P(Messages, GoInAllModes) {
    run(2, [](int rank, int) {
        const MPI_Comm world = MPI_COMM_WORLD;
        for (int size : {0, 1, 100, 30000}) {
            std::vector<int> data(static_cast<std::size_t>(size) + 1, 10 + size);
            if (rank == 0) {
                MPI_Send(data.data(), size, MPI_INT, 1, 0, world);
                MPI_Ssend(data.data(), size, MPI_INT, 1, 1, world);
                MPI_Recv(nullptr, 0, MPI_INT, 1, 9, world, MPI_STATUS_IGNORE);
                MPI_Rsend(data.data(), size, MPI_INT, 1, 2, world);
                MPI_Request requests[2];
                MPI_Isend(data.data(), size, MPI_INT, 1, 3, world, &requests[0]);
                MPI_Issend(data.data(), size, MPI_INT, 1, 4, world, &requests[1]);
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
                MPI_Recv(nullptr, 0, MPI_INT, 1, 9, world, MPI_STATUS_IGNORE);
                MPI_Irsend(data.data(), size, MPI_INT, 1, 5, world, &requests[0]);
                MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
                continue;
            }
            const auto check = [&](const std::vector<int>& in) {
                for (int i = 0; i < size; ++i)
                    ASSERT_EQ(in[static_cast<std::size_t>(i)], 10 + size);
            };
            for (int tag = 0; tag < 6; ++tag) {
                std::vector<int> in(static_cast<std::size_t>(size) + 1);
                MPI_Request request = MPI_REQUEST_NULL;
                MPI_Irecv(in.data(), size, MPI_INT, 0, tag, world, &request);
                if (tag == 2 || tag == 5) MPI_Send(nullptr, 0, MPI_INT, 0, 9, world);
                MPI_Status status;
                EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
                int count = -1;
                MPI_Get_count(&status, MPI_INT, &count);
                EXPECT_EQ(count, size);
                check(in);
            }
        }
    });
}

TEST_P(Messages, AreExchanged) {
    run(3, [](int rank, int size) {
        const int right = (rank + 1) % size;
        const int left = (rank + size - 1) % size;
        int out = rank;
        int in = -1;
        MPI_Status status;
        MPI_Sendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
        EXPECT_EQ(in, left);
        EXPECT_EQ(status.MPI_SOURCE, left);
        MPI_Sendrecv_replace(&out, 1, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &status);
        EXPECT_EQ(out, left);
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_SELF,
                     &status);
        EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
        MPI_Recv(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &status);
        EXPECT_EQ(in, rank);
    });
}

TEST_P(Messages, AreFoundByProbes) {
    run(2, [](int rank, int) {
        const MPI_Comm world = MPI_COMM_WORLD;
        int data[3] = {1, 2, 3};
        if (rank == 0) {
            MPI_Send(data, 3, MPI_INT, 1, 4, world);
            MPI_Send(data, 2, MPI_INT, 1, 5, world);
            MPI_Send(data, 1, MPI_INT, 1, 5, world);
            return;
        }
        MPI_Status status;
        int count = -1;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(status.MPI_TAG, 4);
        EXPECT_EQ(count, 3);
        int flag = -1;
        MPI_Iprobe(0, 6, world, &flag, &status);
        EXPECT_EQ(flag, 0);
        // The message that was taken is out of the others' way.
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(0, 5, world, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 2);
        int next[3] = {};
        MPI_Recv(next, 3, MPI_INT, 0, 5, world, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 1);
        MPI_Mrecv(data, 3, MPI_INT, &message, &status);
        EXPECT_EQ(message, MPI_MESSAGE_NULL);
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 2);
        EXPECT_EQ(MPI_Mrecv(data, 3, MPI_INT, &message, &status), MPI_ERR_REQUEST);

        MPI_Improbe(MPI_ANY_SOURCE, 5, world, &flag, &message, &status);
        EXPECT_EQ(flag, 0);
        do
            MPI_Improbe(MPI_ANY_SOURCE, 4, world, &flag, &message, &status);
        while (flag == 0);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Imrecv(data, 3, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        EXPECT_EQ(status.MPI_TAG, 4);
        EXPECT_EQ(data[2], 3);
        MPI_Improbe(MPI_PROC_NULL, 4, world, &flag, &message, &status);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(message, MPI_MESSAGE_NO_PROC);
        MPI_Mrecv(data, 3, MPI_INT, &message, &status);
        EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    });
}

TEST_P(Messages, BufferedSendsDoNotWait) {
    run(2, [](int rank, int) {
        const MPI_Comm world = MPI_COMM_WORLD;
        constexpr int length = 20000;  // beyond what is sent without asking
        const int other = 1 - rank;
        std::vector<char> room(3 * (length * sizeof(int) + MPI_BSEND_OVERHEAD));
        std::vector<int> out(length, rank);
        std::vector<int> in(length, -1);
        EXPECT_EQ(MPI_Bsend(out.data(), 1, MPI_INT, other, 0, world), MPI_ERR_BUFFER);
        ASSERT_EQ(MPI_Buffer_attach(room.data(), static_cast<int>(room.size())), MPI_SUCCESS);
        EXPECT_EQ(MPI_Buffer_attach(room.data(), 10), MPI_ERR_BUFFER);
        const std::vector<int> too_long(4 * length);
        EXPECT_EQ(MPI_Bsend(too_long.data(), 4 * length, MPI_INT, other, 0, world), MPI_ERR_BUFFER);
        // Both send first: in another mode, both would wait for ever.
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Request persistent = MPI_REQUEST_NULL;
        EXPECT_EQ(MPI_Bsend(out.data(), length, MPI_INT, other, 0, world), MPI_SUCCESS);
        EXPECT_EQ(MPI_Ibsend(out.data(), length, MPI_INT, other, 1, world, &request), MPI_SUCCESS);
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
        MPI_Bsend_init(out.data(), length, MPI_INT, other, 2, world, &persistent);
        EXPECT_EQ(MPI_Start(&persistent), MPI_SUCCESS);
        EXPECT_EQ(MPI_Wait(&persistent, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int& x : out)
            x = -7;  // it was copied
        for (int tag = 0; tag < 3; ++tag) {
            MPI_Recv(in.data(), length, MPI_INT, other, tag, world, MPI_STATUS_IGNORE);
            EXPECT_EQ(in.front(), other);
            EXPECT_EQ(in.back(), other);
        }
        MPI_Request_free(&persistent);
        void* given = nullptr;
        int size = 0;
        MPI_Buffer_detach(&given, &size);
        EXPECT_EQ(given, room.data());
        EXPECT_EQ(size, static_cast<int>(room.size()));
    });
}

TEST_P(Messages, StatusesCountElements) {
    run(1, [](int, int) {
        // int, double, int: basics are counted one by one.
        const int lengths[] = {1, 1, 1};
        const MPI_Aint places[] = {0, 8, 16};
        const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_INT};
        MPI_Datatype mixed = MPI_DATATYPE_NULL;
        MPI_Type_create_struct(3, lengths, places, types, &mixed);
        MPI_Type_commit(&mixed);
        MPI_Status status{};
        for (int basics = 0; basics < 12; ++basics) {
            MPI_Status_set_elements(&status, mixed, basics);
            int elements = -1;
            MPI_Get_elements(&status, mixed, &elements);
            EXPECT_EQ(elements, basics);
            int count = -1;
            MPI_Get_count(&status, mixed, &count);
            EXPECT_EQ(count, basics % 3 == 0 ? basics / 3 : MPI_UNDEFINED);
        }
        MPI_Status_set_elements_x(&status, MPI_BYTE, MPI_Count{1} << 40);
        MPI_Count many = 0;
        MPI_Get_elements_x(&status, MPI_BYTE, &many);
        EXPECT_EQ(many, MPI_Count{1} << 40);
        int count = -1;
        MPI_Get_count(&status, MPI_BYTE, &count);
        EXPECT_EQ(count, MPI_UNDEFINED);
        MPI_Status_set_cancelled(&status, 1);
        int flag = 0;
        MPI_Test_cancelled(&status, &flag);
        EXPECT_EQ(flag, 1);
        MPI_Get_elements_x(&status, MPI_BYTE, &many);
        EXPECT_EQ(many, MPI_Count{1} << 40) << "the two do not mix";
        MPI_Type_free(&mixed);
    });
}

}  // namespace
}  // namespace railyard::mpi
