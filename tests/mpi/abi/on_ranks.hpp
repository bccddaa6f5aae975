#pragma once
/// Runs a function on every rank of a job, between MPI_Init and MPI_Finalize: for real as threads,
/// and in virtual time as fibers.

#include <gmock/gmock.h>
#include <mpi.h>

#include <functional>
#include <string>

#include "launch/job/job.hpp"
#include "mpi/real_fabric.hpp"

namespace railyard::mpi {

struct FabricAndKind {
    std::string fabric;
    job::Kind kind;
};

inline void PrintTo(const FabricAndKind& on, std::ostream* out) {
    *out << on.fabric;
}

inline job::Options options_for(const FabricAndKind& on, int ranks) {
    job::Options options;
    options.ranks = ranks;
    options.fabric = on.fabric;
    options.kind = on.kind;
    options.nodes = nodes_for(on.fabric, ranks);
    return options;
}

/// Errors are returned, so that tests can look at them.
inline job::Result run_on(const FabricAndKind& on, int ranks,
                          const std::function<void(int rank, int size)>& body) {
    return job::run(options_for(on, ranks), [&](job::Rank&) {
        ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        int rank = -1;
        int size = -1;
        ASSERT_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
        ASSERT_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
        body(rank, size);
        ASSERT_EQ(MPI_Finalize(), MPI_SUCCESS);
    });
}

class OnRanks : public testing::TestWithParam<FabricAndKind> {
  protected:
    void run(int ranks, const std::function<void(int rank, int size)>& body) {
        const job::Result result = run_on(GetParam(), ranks, body);
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

inline const FabricAndKind both_clocks[] = {{real_fabric(), job::Kind::threads},
                                            {"ideal", job::Kind::fibers}};

inline std::string fabric_name(const testing::TestParamInfo<FabricAndKind>& info) {
    return test_name(info.param.fabric);
}

}  // namespace railyard::mpi

/// One suite on a fabric of each clock.
#define RAILYARD_ON_BOTH_CLOCKS(suite)                                                     \
    INSTANTIATE_TEST_SUITE_P(Clocks, suite, testing::ValuesIn(railyard::mpi::both_clocks), \
                             railyard::mpi::fabric_name)
