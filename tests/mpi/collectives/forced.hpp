#pragma once
/// Every algorithm that a collective has, the automatic choice included, asked for in turn.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "mpi/collectives/algorithms.hpp"
#include "mpi/collectives/memory_job.hpp"

namespace railyard::mpi {

/// Calls `test` with options for each: `times` seeds, sends buffered or not in turn, cores shared
/// or not in turn, nodes not shared, or by ranks in a row, or by others in turn, and done at once
/// or recorded first; but not barriers, which give nothing to look at when all is over.
inline void for_each_algorithm(Collective collective, int ranks, int times,
                               const std::function<void(const MemoryJob::Options&)>& test) {
    std::vector<Algorithm> algorithms = {Algorithm::automatic};
    for (const Algorithm algorithm : algorithms_of(collective))
        algorithms.push_back(algorithm);
    for (const Algorithm algorithm : algorithms)
        for (int i = 0; i < times; ++i) {
            MemoryJob::Options options;
            options.ranks = ranks;
            options.algorithms[collective] = algorithm;
            options.recorded = collective != Collective::barrier && (i % 4 == 1 || i % 4 == 2);
            options.circumstances.shares_cores = i % 4 >= 2;
            options.buffered = i % 2 == 1;
            for (int rank = 0; rank < ranks && i % 3 > 0; ++rank)
                options.nodes.push_back(
                    static_cast<std::uint32_t>(i % 3 == 1 ? rank / 3 : rank * rank % 3));
            options.seed = static_cast<std::uint64_t>(i) + 1;
            SCOPED_TRACE(testing::Message()
                         << name(collective) << "=" << name(algorithm) << " ranks " << ranks
                         << " seed " << options.seed << (options.recorded ? " recorded" : ""));
            try {
                test(options);
            } catch (const std::exception& e) {
                FAIL() << e.what();
            }
            if (testing::Test::HasFailure()) return;
        }
}

inline auto some_ranks() {
    return testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16);
}

}  // namespace railyard::mpi
