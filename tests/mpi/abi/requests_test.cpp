// Requests: waits and tests in all their forms, persistent ones, and what has no partner.

#include <array>
#include <numeric>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Requests = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Requests);

constexpr int n = 5;

/// Rank 0 sends numbers 0, 10, 20, … with tags 0, 1, 2, …, once rank 1 has said go.
void send_when_asked() {
    MPI_Recv(nullptr, 0, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::array<int, n> data{};
    std::array<MPI_Request, n> requests{};
    for (int i = 0; i < n; ++i) {
        data[static_cast<std::size_t>(i)] = 10 * i;
        MPI_Isend(&data[static_cast<std::size_t>(i)], 1, MPI_INT, 1, i, MPI_COMM_WORLD,
                  &requests[static_cast<std::size_t>(i)]);
    }
    MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
    for (const MPI_Request request : requests)
        EXPECT_EQ(request, MPI_REQUEST_NULL);
}

struct Receives {
    std::array<int, n> data{};
    std::array<MPI_Request, n> requests{};

    Receives() {
        for (int i = 0; i < n; ++i)
            MPI_Irecv(&data[static_cast<std::size_t>(i)], 1, MPI_INT, 0, i, MPI_COMM_WORLD,
                      &requests[static_cast<std::size_t>(i)]);
    }
    static void go() { MPI_Send(nullptr, 0, MPI_INT, 0, 99, MPI_COMM_WORLD); }
    void check_all() const {
        for (int i = 0; i < n; ++i) {
            EXPECT_EQ(data[static_cast<std::size_t>(i)], 10 * i);
            EXPECT_EQ(requests[static_cast<std::size_t>(i)], MPI_REQUEST_NULL);
        }
    }
};

void check_status(const MPI_Status& status, int tag) {
    EXPECT_EQ(status.MPI_SOURCE, 0);
    EXPECT_EQ(status.MPI_TAG, tag);
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 1);
    int cancelled = -1;
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT_EQ(cancelled, 0);
}

TEST_P(Requests, WaitAndTestOne) {
    run(2, [](int rank, int) {
        if (rank == 0) return send_when_asked();
        Receives receives;
        int flag = -1;
        MPI_Status status;
        MPI_Test(&receives.requests[0], &flag, &status);
        EXPECT_EQ(flag, 0);
        MPI_Request_get_status(receives.requests[0], &flag, &status);
        EXPECT_EQ(flag, 0);
        Receives::go();
        MPI_Wait(&receives.requests[3], &status);
        check_status(status, 3);
        MPI_Wait(&receives.requests[0], MPI_STATUS_IGNORE);
        do
            MPI_Request_get_status(receives.requests[1], &flag, &status);
        while (flag == 0);
        check_status(status, 1);
        EXPECT_NE(receives.requests[1], MPI_REQUEST_NULL) << "it was only looked at";
        MPI_Test(&receives.requests[1], &flag, &status);
        EXPECT_EQ(flag, 1);
        check_status(status, 1);
        MPI_Wait(&receives.requests[2], &status);
        MPI_Wait(&receives.requests[4], &status);
        receives.check_all();
    });
}

TEST_P(Requests, WaitAndTestAll) {
    run(2, [](int rank, int) {
        if (rank == 0) {
            send_when_asked();
            return send_when_asked();
        }
        for (const bool by_test : {false, true}) {
            Receives receives;
            std::array<MPI_Status, n> statuses;
            int flag = -1;
            MPI_Testall(n, receives.requests.data(), &flag, statuses.data());
            EXPECT_EQ(flag, 0);
            Receives::go();
            if (by_test)
                while (flag == 0)
                    MPI_Testall(n, receives.requests.data(), &flag, statuses.data());
            else
                MPI_Waitall(n, receives.requests.data(), statuses.data());
            receives.check_all();
            for (int i = 0; i < n; ++i)
                check_status(statuses[static_cast<std::size_t>(i)], i);
        }
    });
}

TEST_P(Requests, WaitAndTestAny) {
    run(2, [](int rank, int) {
        if (rank == 0) {
            send_when_asked();
            return send_when_asked();
        }
        for (const bool by_test : {false, true}) {
            Receives receives;
            int index = -1;
            int flag = -1;
            MPI_Status status;
            MPI_Testany(n, receives.requests.data(), &index, &flag, &status);
            EXPECT_EQ(flag, 0);
            EXPECT_EQ(index, MPI_UNDEFINED);
            Receives::go();
            for (int i = 0; i < n; ++i) {
                if (by_test) do
                        MPI_Testany(n, receives.requests.data(), &index, &flag, &status);
                    while (flag == 0);
                else
                    MPI_Waitany(n, receives.requests.data(), &index, &status);
                check_status(status, index);
            }
            receives.check_all();
            // Nothing is left to wait for.
            MPI_Waitany(n, receives.requests.data(), &index, &status);
            EXPECT_EQ(index, MPI_UNDEFINED);
            MPI_Testany(n, receives.requests.data(), &index, &flag, &status);
            EXPECT_EQ(flag, 1);
            EXPECT_EQ(index, MPI_UNDEFINED);
        }
    });
}

TEST_P(Requests, WaitAndTestSome) {
    run(2, [](int rank, int) {
        if (rank == 0) {
            send_when_asked();
            return send_when_asked();
        }
        for (const bool by_test : {false, true}) {
            Receives receives;
            std::array<int, n> indices{};
            std::array<MPI_Status, n> statuses;
            int done = -1;
            MPI_Testsome(n, receives.requests.data(), &done, indices.data(), statuses.data());
            EXPECT_EQ(done, 0);
            Receives::go();
            for (int total = 0; total < n; total += done) {
                if (by_test)
                    MPI_Testsome(n, receives.requests.data(), &done, indices.data(),
                                 statuses.data());
                else
                    MPI_Waitsome(n, receives.requests.data(), &done, indices.data(),
                                 statuses.data());
                for (std::size_t i = 0; i < static_cast<std::size_t>(done); ++i)
                    check_status(statuses[i], indices[i]);
            }
            receives.check_all();
            MPI_Waitsome(n, receives.requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
            EXPECT_EQ(done, MPI_UNDEFINED);
        }
    });
}

TEST_P(Requests, OneOfManyThatFailsIsToldInItsStatus) {
    run(2, [](int rank, int) {
        if (rank == 0) {
            const int data[2] = {1, 2};
            MPI_Send(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Send(data, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
            return;
        }
        int data[2] = {};
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Irecv(&data[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&data[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
        EXPECT_EQ(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
        EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
        EXPECT_EQ(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    });
}

TEST_P(Requests, PersistentOnesAreStartedOverAndOver) {
    run(2, [](int rank, int) {
        constexpr int rounds = 20;
        int out = 0;
        int in = -1;
        std::array<MPI_Request, 2> requests{};
        const int peer = 1 - rank;
        MPI_Send_init(&out, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(&in, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[1]);
        const auto handles = requests;
        // What was not started is no hindrance.
        MPI_Status status;
        EXPECT_EQ(MPI_Wait(&requests[1], &status), MPI_SUCCESS);
        for (int round = 0; round < rounds; ++round) {
            out = 100 * rank + round;
            EXPECT_EQ(MPI_Startall(2, requests.data()), MPI_SUCCESS);
            MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
            EXPECT_EQ(in, 100 * peer + round);
            EXPECT_EQ(requests, handles);
        }
        int index = -1;
        MPI_Waitany(2, requests.data(), &index, &status);
        EXPECT_EQ(index, MPI_UNDEFINED) << "none is active";
        for (MPI_Request& request : requests) {
            MPI_Request_free(&request);
            EXPECT_EQ(request, MPI_REQUEST_NULL);
        }
    });
}

TEST_P(Requests, SynchronousAndReadyPersistentSends) {
    run(2, [](int rank, int) {
        int data = 7;
        MPI_Request request = MPI_REQUEST_NULL;
        for (int round = 0; round < 3; ++round) {
            if (rank == 0) {
                MPI_Ssend_init(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
                MPI_Start(&request);
                EXPECT_EQ(MPI_Start(&request), MPI_ERR_REQUEST) << "it is active";
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Request_free(&request);
                MPI_Recv(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Rsend_init(&data, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
                MPI_Start(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Request_free(&request);
            } else {
                int in = 0;
                MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                EXPECT_EQ(in, 7);
                MPI_Irecv(&in, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
                EXPECT_EQ(MPI_Start(&request), MPI_ERR_REQUEST) << "it is not persistent";
                MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
        }
    });
}

TEST_P(Requests, NobodyAnswersAtOnce) {
    run(1, [](int, int) {
        int data = 5;
        MPI_Status status;
        EXPECT_EQ(MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status),
                  MPI_SUCCESS);
        EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
        EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
        int count = -1;
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 0);
        MPI_Request requests[4];
        MPI_Isend(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Send_init(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Recv_init(&data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[3]);
        MPI_Startall(2, requests + 2);
        MPI_Status statuses[4];
        EXPECT_EQ(MPI_Waitall(4, requests, statuses), MPI_SUCCESS);
        EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
        EXPECT_EQ(statuses[3].MPI_SOURCE, MPI_PROC_NULL);
        EXPECT_EQ(requests[1], MPI_REQUEST_NULL);
        EXPECT_NE(requests[3], MPI_REQUEST_NULL);
        MPI_Request_free(&requests[2]);
        MPI_Request_free(&requests[3]);
        EXPECT_EQ(MPI_Sendrecv(&data, 1, MPI_INT, MPI_PROC_NULL, 0, &data, 1, MPI_INT,
                               MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status),
                  MPI_SUCCESS);
        EXPECT_EQ(data, 5);
        MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
        EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    });
}

TEST_P(Requests, AReceiveCanBeCancelled) {
    run(2, [](int rank, int) {
        int data = 0;
        if (rank == 1) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(&data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
            MPI_Cancel(&request);
            MPI_Status status;
            MPI_Wait(&request, &status);
            int cancelled = 0;
            MPI_Test_cancelled(&status, &cancelled);
            EXPECT_EQ(cancelled, 1);
            MPI_Barrier(MPI_COMM_WORLD);
            // The message goes to the next who asks.
            MPI_Recv(&data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(data, 42);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            data = 42;
            MPI_Send(&data, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        }
    });
}

TEST_P(Requests, AFreedRequestStillDoesItsWork) {
    run(2, [](int rank, int) {
        std::vector<int> data(50000);
        if (rank == 0) {
            std::iota(data.begin(), data.end(), 0);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Isend(data.data(), 50000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
            EXPECT_EQ(request, MPI_REQUEST_NULL);
            MPI_Recv(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data.data(), 50000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(data[49999], 49999);
            MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    });
}

}  // namespace
}  // namespace railyard::mpi
