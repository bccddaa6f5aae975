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

struct Ground {
    std::string fabric;
    job::Kind kind;
};

inline void PrintTo(const Ground& ground, std::ostream* out) {
    *out << ground.fabric;
}

inline job::Options options_for(const Ground& ground, int ranks) {
    job::Options options;
    options.ranks = ranks;
    options.fabric = ground.fabric;
    options.kind = ground.kind;
    options.nodes = nodes_for(ground.fabric, ranks);
    return options;
}

/// Errors are returned, so that tests can look at them.
inline job::Result run_on(const Ground& ground, int ranks,
                          const std::function<void(int rank, int size)>& body) {
    return job::run(options_for(ground, ranks), [&](job::Rank&) {
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

class OnRanks : public testing::TestWithParam<Ground> {
  protected:
    void run(int ranks, const std::function<void(int rank, int size)>& body) {
        const job::Result result = run_on(GetParam(), ranks, body);
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

inline const Ground grounds[] = {{real_fabric(), job::Kind::threads}, {"ideal", job::Kind::fibers}};

inline std::string ground_name(const testing::TestParamInfo<Ground>& info) {
    return test_name(info.param.fabric);
}

}  // namespace railyard::mpi

/// One suite on all grounds.
#define RAILYARD_ON_ALL_GROUNDS(suite)                                                  \
    INSTANTIATE_TEST_SUITE_P(Grounds, suite, testing::ValuesIn(railyard::mpi::grounds), \
                             railyard::mpi::ground_name)
