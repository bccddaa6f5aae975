// Nobody leaves a barrier before all have come.

#include "mpi/collectives/collectives.hpp"

#include <gtest/gtest.h>

#include "mpi/collectives/forced.hpp"

namespace railyard::mpi {
namespace {

class Barrier : public testing::TestWithParam<int> {};

TEST_P(Barrier, HoldsAllUntilTheLastHasCome) {
    for_each_algorithm(Collective::barrier, GetParam(), 6, [](const MemoryJob::Options& options) {
        int came = 0;
        MemoryJob(options).run([&](Team& team) {
            for (int round = 1; round <= 3; ++round) {
                ++came;
                barrier(team);
                EXPECT_GE(came, round * options.ranks);
            }
        });
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Barrier, some_ranks());

}  // namespace
}  // namespace railyard::mpi
