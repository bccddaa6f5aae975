// A hundred thousand messages that nobody has asked for yet, from one sender. What a receiver holds
// for them is bounded: past 256 KiB (unexpected-limit) it tells the sender to offer its messages
// and keep their bytes.

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <vector>

#include "mpi/programs/inside.hpp"
#include "mpi/programs/world.hpp"
#include "mpi/real_fabric.hpp"

namespace railyard::mpi::programs {
namespace {

/// Bytes of this process that are in memory.
std::size_t resident() {
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0;
    std::size_t pages = 0;
    file >> total >> pages;
    require(pages > 0, "cannot read /proc/self/statm");
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

constexpr int group = 1000;

/// Message i is `length` numbers from i on: all are cut from one array.
class Flood {
  public:
    Flood(int messages, int length) : messages_(messages), length_(length) {}

    /// Sends all at once.
    void send() {
        std::vector<int> data = numbers();
        std::vector<MPI_Request> requests(static_cast<std::size_t>(messages_));
        const std::size_t before = resident();
        for (int i = 0; i < messages_; ++i)
            MPI_Isend(&data[static_cast<std::size_t>(i)], length_, MPI_INT, 1, i % group,
                      MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
        MPI_Send(nullptr, 0, MPI_INT, 1, group, MPI_COMM_WORLD);
        growth_ = resident() - std::min(before, resident());
        MPI_Waitall(messages_, requests.data(), MPI_STATUSES_IGNORE);
    }
    /// Sends one after the other, each as soon as the library lets it.
    void send_patiently() {
        const std::vector<int> data = numbers();
        const std::size_t before = resident();
        for (int i = 0; i < messages_; ++i)
            MPI_Send(&data[static_cast<std::size_t>(i)], length_, MPI_INT, 1, i % group,
                     MPI_COMM_WORLD);
        growth_ = resident() - std::min(before, resident());
    }
    /// Lets all messages come before it takes any.
    void await_all() {
        const std::size_t before = resident();
        MPI_Probe(0, group, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        growth_ = resident() - std::min(before, resident());
        MPI_Recv(nullptr, 0, MPI_INT, 0, group, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    /// In each group, the last tag first.
    void receive() {
        const std::size_t before = resident();
        std::vector<int> in(static_cast<std::size_t>(length_));
        for (int begin = 0; begin < messages_; begin += group)
            for (int tag = group - 1; tag >= 0; --tag) {
                MPI_Status status;
                MPI_Recv(in.data(), length_, MPI_INT, tag % 2 == 0 ? 0 : MPI_ANY_SOURCE, tag,
                         MPI_COMM_WORLD, &status);
                for (int k = 0; k < length_; ++k)
                    require_equal(in[static_cast<std::size_t>(k)], begin + tag + k, "number");
            }
        growth_ = std::max(growth_, resident() - std::min(before, resident()));
    }
    std::size_t growth() const { return growth_; }

  private:
    std::vector<int> numbers() const {
        std::vector<int> data(static_cast<std::size_t>(messages_ + length_));
        std::iota(data.begin(), data.end(), 0);
        return data;
    }
    int messages_;
    int length_;
    std::size_t growth_ = 0;
};

void expect_growth_below(const Flood& flood, std::size_t bound) {
    if (sanitized) return;  // it holds back what was freed
    require(flood.growth() < bound, "memory grew by " + std::to_string(flood.growth()) +
                                        " bytes; the bound is " + std::to_string(bound));
}

/// One ring, or the shared receive queue.
std::uint64_t most_for_peers() {
    return real_fabric() == "shm" ? 1 << 20 : 4 << 20;
}

// 200 MB of messages: each may cost 400 bytes, at either end, beside what the limit allows.
TEST(Flood, OfAHundredThousandMessagesIsHeldInBoundedMemory) {
    constexpr int messages = 100'000;
    constexpr std::size_t bound = std::size_t{400} * messages + (4 << 20);
    expect_to_run({real_fabric(), 2, job::Kind::processes}, [](int rank, int) {
        Flood flood(messages, 500);
        if (rank == 0) {
            flood.send();
        } else {
            flood.await_all();
            require(counters().unexpected_longest >= messages, "not all were unexpected");
            flood.receive();
            require_equal(counters().unexpected_now, 0U, "messages left");
            require(counters().peer_bytes <= most_for_peers(), "what peers send into is too large");
        }
        expect_growth_below(flood, bound);
    });
}

// A sender in blocking calls is held back: no more than the limit waits, whatever is sent.
TEST(Flood, OfASenderThatWaitsIsHeldBack) {
    constexpr int messages = 100'000;
    expect_to_run({real_fabric(), 2, job::Kind::processes}, [](int rank, int) {
        Flood flood(messages, 50);
        if (rank == 0)
            flood.send_patiently();
        else
            flood.receive();
        if (rank == 1)
            require(counters().unexpected_longest < (256 << 10) / 200 + 200,
                    "more waited than the limit allows: " +
                        std::to_string(counters().unexpected_longest));
        expect_growth_below(flood, 4 << 20);
    });
}

class FloodOnModels : public testing::TestWithParam<const char*> {};

TEST_P(FloodOnModels, IsReceivedInReverse) {
    constexpr int messages = 5'000;
    expect_to_run({GetParam(), 2, job::Kind::fibers}, [](int rank, int) {
        Flood flood(messages, 500);
        if (rank == 0) {
            flood.send();
        } else {
            flood.await_all();
            flood.receive();
            require(counters().peer_bytes <= 1 << 20, "the buffers for one peer are too large");
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Fabrics, FloodOnModels,
                         testing::Values("infiniband-pcie", "berkeley-via", "quadrics"),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace railyard::mpi::programs
