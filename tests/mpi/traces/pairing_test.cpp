// Every send finds the receive that got its message, whatever the order of posting and completion.

#include "mpi/traces/pairing.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "mpi/traces/recorded.hpp"

namespace railyard::mpi::traces {
namespace {

/// Sizes that differ tell messages apart: what was sent is what was received.
void expect_paired(const RunRecord& run, std::size_t messages) {
    EXPECT_EQ(run.messages.size(), messages);
    for (const Message& message : run.messages) {
        EXPECT_TRUE(message.is_sent && message.is_received);
        EXPECT_EQ(message.bytes, message.bytes_received)
            << "from " << message.source << " to " << message.destination << " tag " << message.tag;
        EXPECT_LE(message.sent, message.received);
        EXPECT_NE(message.send_call, no_call);
        EXPECT_NE(message.receive_call, no_call);
    }
}

class Pairing : public testing::TestWithParam<const char*> {};
// Channels match in the library; Quadrics' adapter does so itself.
INSTANTIATE_TEST_SUITE_P(Fabrics, Pairing, testing::Values("ideal", "quadrics"));

TEST_P(Pairing, OfMessagesThatCompleteInAnotherOrder) {
    // A long message takes a rendezvous, and is complete after a short one that was sent later.
    const auto [run, end] = recorded(
        2,
        [](int rank, fabric::Host&) {
            constexpr int n = 8;
            std::vector<char> memory(n << 20);
            std::vector<MPI_Request> requests(n);
            for (int i = 0; i < n; ++i) {
                char* const at = memory.data() + (i << 20);
                const int size = i % 2 == 0 ? (1 << 19) + i : 16 + i;
                if (rank == 0)
                    MPI_Isend(at, size, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &requests[i]);
                else
                    MPI_Irecv(at, 1 << 20, MPI_CHAR, i < 4 ? 0 : MPI_ANY_SOURCE,
                              i % 3 == 0 ? MPI_ANY_TAG : 3, MPI_COMM_WORLD, &requests[i]);
            }
            MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
        },
        GetParam());
    expect_paired(run, 8);
}

TEST_P(Pairing, OfWildcardsByChance) {
    constexpr int ranks = 4;
    constexpr int each = 60;  // messages from each rank to each other
    const auto [run, end] = recorded(
        ranks,
        [](int rank, fabric::Host& host) {
            std::mt19937 random(static_cast<unsigned>(rank));
            std::vector<char> memory(1 << 18);
            std::vector<MPI_Request> sends;
            std::vector<std::vector<char>> rooms;
            std::vector<MPI_Request> receives;
            for (int i = 0; i < each; ++i)
                for (int to = 0; to < ranks; ++to) {
                    if (to == rank) continue;
                    const int size =
                        rank + 4 * i + (random() % 8 == 0 ? 1 << 16 : 0);  // some by rendezvous
                    MPI_Request request = MPI_REQUEST_NULL;
                    MPI_Isend(memory.data(), size, MPI_CHAR, to, static_cast<int>(random() % 2),
                              MPI_COMM_WORLD, &request);
                    sends.push_back(request);
                    rooms.emplace_back(1 << 17);
                    receives.push_back(MPI_REQUEST_NULL);
                    MPI_Irecv(rooms.back().data(), 1 << 17, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG,
                              MPI_COMM_WORLD, &receives.back());
                    host.compute(Duration::ns(static_cast<std::int64_t>(random() % 2000)));
                }
            for (std::size_t done = 0; done < receives.size(); ++done) {
                int which = 0;
                MPI_Waitany(static_cast<int>(receives.size()), receives.data(), &which,
                            MPI_STATUS_IGNORE);
            }
            MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
        },
        GetParam());
    expect_paired(run, ranks * (ranks - 1) * each);
}

TEST_P(Pairing, OfMatchedProbesPersistentRequestsAndCancelledReceives) {
    const auto [run, end] = recorded(
        2,
        [](int rank, fabric::Host&) {
            char memory[64] = {};
            MPI_Request request = MPI_REQUEST_NULL;
            if (rank == 0) {
                MPI_Send_init(memory, 7, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
                for (int i = 0; i < 2; ++i) {
                    MPI_Start(&request);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                }
                MPI_Request_free(&request);
                MPI_Send(memory, 9, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
                MPI_Sendrecv(memory, 11, MPI_CHAR, 1, 1, memory + 32, 20, MPI_CHAR, 1, 2,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Irecv(memory, 64, MPI_CHAR, 0, 77, MPI_COMM_WORLD, &request);
                MPI_Cancel(&request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                MPI_Message message = MPI_MESSAGE_NULL;
                MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
                // The next ones come before the one that was taken.
                char other[64] = {};
                MPI_Recv(other, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(other, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Mrecv(memory, 64, MPI_CHAR, &message, MPI_STATUS_IGNORE);
                MPI_Recv(other, 64, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(memory, 13, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
            }
        },
        GetParam());
    expect_paired(run, 5);
}

TEST(Recording, TakesNoVirtualTime) {
    const Program program = [](int rank, fabric::Host& host) {
        int value = rank;
        int sum = 0;
        host.compute(Duration::us(rank));
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % 4, 0, &sum, 1, MPI_INT, (rank + 3) % 4, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    for (const char* fabric : {"ideal", "quadrics", "infiniband-pcie"})
        EXPECT_EQ(recorded(4, program, fabric).end, recorded(4, program, fabric, false).end);
}

}  // namespace
}  // namespace railyard::mpi::traces
