#pragma once
/// Runs a function on every thread of every rank of a job that asked for MPI_THREAD_MULTIPLE. Ranks
/// are threads themselves, so that sanitizers see all of them.

#include <gmock/gmock.h>
#include <mpi.h>

#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "base/rank_local.hpp"
#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {

/// Threads of the calling rank, which are joined before this returns.
inline void run_threads(int threads, const std::function<void(int thread)>& body) {
    RankLocal* const rank = rank_local::here;
    std::vector<std::jthread> all;
    for (int thread = 0; thread < threads; ++thread)
        all.emplace_back([&body, rank, thread] {
            rank_local::here = rank;
            body(thread);
        });
}

/// How often something is done; longer where somebody asks for it.
inline int thread_times(int usual) {
    const char* const wish = std::getenv("RAILYARD_THREAD_TIMES");
    return wish == nullptr ? usual : usual * std::atoi(wish);
}

class OnThreads : public testing::TestWithParam<FabricAndKind> {
  protected:
    /// `body` runs on one thread of each rank, which may start others by run_threads().
    void run(int ranks, const std::function<void(int rank, int size)>& body) {
        const job::Result result = job::run(options_for(GetParam(), ranks), [&](job::Rank& rank) {
            int provided = MPI_THREAD_SINGLE;
            ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided),
                      MPI_SUCCESS);
            ASSERT_EQ(provided, MPI_THREAD_MULTIPLE);
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
            MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
            body(rank.id(), rank.size());
            ASSERT_EQ(MPI_Finalize(), MPI_SUCCESS);
        });
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

inline const FabricAndKind real_clock[] = {{real_fabric(), job::Kind::threads}};

}  // namespace railyard::mpi

/// One suite where ranks may have threads.
#define RAILYARD_ON_THREADS(suite)                                                        \
    INSTANTIATE_TEST_SUITE_P(Clocks, suite, testing::ValuesIn(railyard::mpi::real_clock), \
                             railyard::mpi::fabric_name)
