// What collectives that do not block take in virtual time: what the blocking ones take, the same on
// every run, and less where a rank computes meanwhile.

#include <array>
#include <vector>

#include "mpi/abi/state.hpp"
#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {
namespace {

class NonblockingTime : public testing::TestWithParam<const char*> {
  protected:
    static constexpr int ranks = 6;
    static JobSpec spec() { return {GetParam(), ranks, job::Kind::fibers}; }
};

void sum(std::vector<double>& data, bool blocking) {
    const auto count = static_cast<int>(data.size());
    if (blocking) {
        MPI_Allreduce(MPI_IN_PLACE, data.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, data.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Of so many, after one that connects, that it does not matter which rank leaves the barrier
/// first.
double time_of(std::vector<double>& data, bool blocking) {
    sum(data, blocking);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < 40; ++i)
        sum(data, blocking);
    return MPI_Wtime() - start;
}

TEST_P(NonblockingTime, IsThatOfBlockingOnes) {
    expect_to_run(spec(), [](int, int) {
        for (const std::size_t count : {1u, 500u, 5'000u}) {
            std::vector<double> data(count, 1.0);
            const double blocking = time_of(data, true);
            const double started = time_of(data, false);
            require(started > 0.9 * blocking && started < 1.1 * blocking,
                    std::to_string(count) + " doubles take " + std::to_string(started * 1e6) +
                        " us, and " + std::to_string(blocking * 1e6) + " where the call blocks");
        }
    });
}

TEST_P(NonblockingTime, IsTheSameOnEveryRun) {
    std::array<std::array<double, ranks>, 2> ends{};
    for (auto& run : ends)
        expect_to_run(spec(), [&run](int rank, int size) {
            std::vector<int> out(static_cast<std::size_t>(3000 * size), rank);
            std::vector<int> in(out.size());
            std::vector<int> data(static_cast<std::size_t>(500 * rank + 1), rank);
            std::array<MPI_Request, 3> requests{};
            MPI_Ialltoall(out.data(), 3000, MPI_INT, in.data(), 3000, MPI_INT, MPI_COMM_WORLD,
                          &requests[0]);
            MPI_Ibcast(data.data(), 1, MPI_INT, 2, MPI_COMM_WORLD, &requests[1]);
            MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
            MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
            run[static_cast<std::size_t>(rank)] = MPI_Wtime();
        });
    EXPECT_EQ(ends[0], ends[1]);
}

// Long messages move while the rank computes, wherever the adapter moves them by itself.
TEST_P(NonblockingTime, IsHiddenBehindComputation) {
    expect_to_run(spec(), [](int, int) {
        fabric::Host& host = abi::State::here()->process().host();
        std::vector<char> data(1 << 18);
        const auto bcast = [&](Duration computation) {
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Barrier(MPI_COMM_WORLD);
            const double start = MPI_Wtime();
            MPI_Ibcast(data.data(), 1 << 18, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
            int flag = 0;
            // In pieces, with a look in between, as programs do.
            for (int i = 0; i < 100; ++i) {
                if (computation > Duration()) host.compute(computation / 100);
                if (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            return MPI_Wtime() - start;
        };
        bcast(Duration());
        const double alone = bcast(Duration());
        const double together = bcast(Duration::from_seconds(2 * alone));
        require(together < 2.5 * alone, "nothing has moved while the rank computed");
    });
}

INSTANTIATE_TEST_SUITE_P(Models, NonblockingTime, testing::Values("infiniband-pcie", "quadrics"),
                         [](const auto& info) {
                             return std::string(info.param) == "quadrics" ? "quadrics"
                                                                          : "infiniband";
                         });

}  // namespace
}  // namespace railyard::mpi::programs
