// Sends that are taken back: in every mode, through every transport, at every moment.

#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using CancelledSends = OnRanks;

// Channels with rings and without, for real and modelled; ports whose adapter matches.
const FabricAndKind all_transports[] = {
    {real_fabric(), job::Kind::threads},    {"ideal", job::Kind::fibers},
    {"infiniband-pcix", job::Kind::fibers}, {"neteffect-iwarp", job::Kind::fibers},
    {"quadrics", job::Kind::fibers},        {"mx10g-myrinet", job::Kind::fibers}};
INSTANTIATE_TEST_SUITE_P(Transports, CancelledSends, testing::ValuesIn(all_transports),
                         fabric_name);

constexpr int large = 100000;
constexpr int go = 77;

/// A way to start a send to rank 1 with tag 1.
using StartSend = std::function<void(const std::vector<int>& data, MPI_Request& request)>;

bool was_cancelled(const MPI_Status& status) {
    int cancelled = -1;
    MPI_Test_cancelled(&status, &cancelled);
    return cancelled != 0;
}

/// Cancels and waits, and says whether it was taken back. A persistent one is freed.
bool take_back(MPI_Request& request) {
    EXPECT_EQ(MPI_Cancel(&request), MPI_SUCCESS);
    MPI_Status status;
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    return was_cancelled(status);
}

struct Way {
    const char* name;
    int count;
    StartSend start;
};

std::vector<Way> all_ways() {
    const auto by = [](auto function) {
        return [function](const std::vector<int>& data, MPI_Request& request) {
            function(data.data(), static_cast<int>(data.size()), MPI_INT, 1, 1, MPI_COMM_WORLD,
                     &request);
        };
    };
    const auto persistent = [by](auto function) {
        return [make = by(function)](const std::vector<int>& data, MPI_Request& request) {
            make(data, request);
            MPI_Start(&request);
        };
    };
    return {{"Isend", large, by(MPI_Isend)},
            {"Issend", 1, by(MPI_Issend)},
            {"Issend, large", large, by(MPI_Issend)},
            {"Issend, segmented", 3000, by(MPI_Issend)},
            {"Ibsend", large, by(MPI_Ibsend)},
            {"Send_init", large, persistent(MPI_Send_init)},
            {"Ssend_init", 1, persistent(MPI_Ssend_init)},
            {"Bsend_init", large, persistent(MPI_Bsend_init)}};
}

TEST_P(CancelledSends, AreNeverReceivedInAnyMode) {
    run(2, [](int rank, int) {
        std::vector<std::byte> memory(large * sizeof(int) + MPI_BSEND_OVERHEAD);
        MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
        for (const Way& way : all_ways()) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) {
                const std::vector<int> data(static_cast<std::size_t>(way.count), -1);
                MPI_Request request = MPI_REQUEST_NULL;
                way.start(data, request);
                EXPECT_TRUE(take_back(request)) << way.name;
                const int next = 42;
                MPI_Send(&next, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
                MPI_Send(nullptr, 0, MPI_INT, 1, go, MPI_COMM_WORLD);
            } else {
                std::vector<int> data(large);
                MPI_Recv(nullptr, 0, MPI_INT, 0, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Status status;
                MPI_Recv(data.data(), large, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
                int count = -1;
                MPI_Get_count(&status, MPI_INT, &count);
                EXPECT_EQ(count, 1) << way.name;
                EXPECT_EQ(data[0], 42) << way.name;
                int flag = -1;
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
                EXPECT_EQ(flag, 0) << way.name;
            }
        }
        void* back = nullptr;
        int size = 0;
        MPI_Buffer_detach(&back, &size);
        EXPECT_EQ(back, memory.data());
    });
}

// The receiver's call comes a little later each time: whatever it crosses, both sides agree.
TEST_P(CancelledSends, AreTakenBackOrReceivedWhateverCrosses) {
    constexpr int turns = 120;
    const bool virtual_time = GetParam().kind == job::Kind::fibers;
    run(2, [virtual_time](int rank, int) {
        const auto pass_time = [](int polls) {
            int flag = 0;
            for (int i = 0; i < polls; ++i)
                MPI_Iprobe(MPI_ANY_SOURCE, go + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        };
        int taken_back = 0;
        std::vector<int> data(large);
        for (int turn = 0; turn < turns; ++turn) {
            const int count = turn % 3 == 0 ? 1 : turn % 3 == 1 ? 3000 : large;
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0) {
                std::iota(data.begin(), data.end(), turn);
                MPI_Request request = MPI_REQUEST_NULL;
                (count == large ? MPI_Isend : MPI_Issend)(data.data(), count, MPI_INT, 1,
                                                          1000 + turn, MPI_COMM_WORLD, &request);
                pass_time(turn * 7 % 40);
                const int gone = take_back(request) ? 1 : 0;
                taken_back += gone;
                MPI_Send(&gone, 1, MPI_INT, 1, go, MPI_COMM_WORLD);
                continue;
            }
            std::fill(data.begin(), data.end(), -1);
            pass_time(turn * 37 % 257);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(data.data(), count, MPI_INT, 0, 1000 + turn, MPI_COMM_WORLD, &request);
            int gone = -1;
            MPI_Recv(&gone, 1, MPI_INT, 0, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (gone != 0) MPI_Cancel(&request);
            MPI_Status status;
            MPI_Wait(&request, &status);
            EXPECT_EQ(was_cancelled(status), gone != 0) << "turn " << turn;
            EXPECT_EQ(data[0], gone != 0 ? -1 : turn);
            EXPECT_EQ(data[static_cast<std::size_t>(count) - 1], gone != 0 ? -1 : turn + count - 1);
        }
        if (rank == 0 && virtual_time) {
            EXPECT_GT(taken_back, turns / 10);
            EXPECT_LT(taken_back, turns * 9 / 10);
        }
    });
}

TEST_P(CancelledSends, LeaveTheOrderOfTheOthers) {
    run(2, [](int rank, int) {
        constexpr int n = 9;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            std::array<std::vector<int>, n> data;
            std::array<MPI_Request, n> requests{};
            for (std::size_t i = 0; i < n; ++i) {
                data[i].assign(i % 2 == 0 ? 1 : large, static_cast<int>(i));
                MPI_Issend(data[i].data(), static_cast<int>(data[i].size()), MPI_INT, 1, 5,
                           MPI_COMM_WORLD, &requests[i]);
            }
            for (std::size_t i = 0; i < n; i += 3)
                EXPECT_TRUE(take_back(requests[i])) << i;
            MPI_Send(nullptr, 0, MPI_INT, 1, go, MPI_COMM_WORLD);
            MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
        } else {
            MPI_Recv(nullptr, 0, MPI_INT, 0, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            std::vector<int> data(large);
            for (int i = 0; i < n; ++i) {
                if (i % 3 == 0) continue;
                MPI_Recv(data.data(), large, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                EXPECT_EQ(data[0], i);
            }
        }
    });
}

TEST_P(CancelledSends, BeforeThereIsAConnectionAndToOneself) {
    run(2, [](int rank, int) {
        const int word = 1;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Issend(&word, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
        EXPECT_TRUE(take_back(request));
        MPI_Issend(&word, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
        EXPECT_TRUE(take_back(request));
        int flag = -1;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(flag, 0);
    });
}

TEST_P(CancelledSends, APersistentOneIsStartedAnew) {
    run(2, [](int rank, int) {
        std::vector<int> data(large, rank);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Status status;
            MPI_Send_init(data.data(), large, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            for (int round = 0; round < 3; ++round) {
                MPI_Start(&request);
                MPI_Cancel(&request);
                MPI_Wait(&request, &status);
                EXPECT_TRUE(was_cancelled(status));
                data[0] = round + 10;
                MPI_Start(&request);
                MPI_Send(nullptr, 0, MPI_INT, 1, go, MPI_COMM_WORLD);
                MPI_Wait(&request, &status);
                EXPECT_FALSE(was_cancelled(status));
            }
            MPI_Request_free(&request);
        } else {
            for (int round = 0; round < 3; ++round) {
                MPI_Recv(nullptr, 0, MPI_INT, 0, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(data.data(), large, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                EXPECT_EQ(data[0], round + 10);
            }
        }
    });
}

// A message that a matched probe has taken is matched.
TEST_P(CancelledSends, AMessageThatWasTakenIsNot) {
    run(2, [](int rank, int) {
        std::vector<int> data(large, 3 + rank);
        if (rank == 0) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Isend(data.data(), large, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Recv(nullptr, 0, MPI_INT, 1, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Cancel(&request);
            MPI_Send(nullptr, 0, MPI_INT, 1, go, MPI_COMM_WORLD);
            MPI_Status status;
            MPI_Wait(&request, &status);
            EXPECT_FALSE(was_cancelled(status));
        } else {
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Send(nullptr, 0, MPI_INT, 0, go, MPI_COMM_WORLD);
            MPI_Recv(nullptr, 0, MPI_INT, 0, go, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Mrecv(data.data(), large, MPI_INT, &message, MPI_STATUS_IGNORE);
            EXPECT_EQ(data[large - 1], 3);
        }
    });
}

// The wait is for nobody's call: the receiver may be in MPI_Finalize already.
TEST_P(CancelledSends, ByAReceiverThatIsAtItsEnd) {
    run(2, [](int rank, int) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) return;
        const std::vector<int> data(large);
        for (int i = 0; i < 5; ++i) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Isend(data.data(), large, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            EXPECT_TRUE(take_back(request));
        }
    });
}

}  // namespace
}  // namespace railyard::mpi
