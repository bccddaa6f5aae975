#pragma once
/// Runs a program in virtual time, where all is known to the picosecond, and gives its record.

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "launch/job/job.hpp"
#include "mpi/recording/recorder.hpp"
#include "mpi/traces/run_record.hpp"

namespace railyard::mpi::traces {

/// Between MPI_Init and MPI_Finalize; `host` is the rank's, to compute on.
using Program = std::function<void(int rank, fabric::Host& host)>;

struct Recorded {
    RunRecord run;
    Time end;  ///< of the last rank
};

inline Recorded recorded(int ranks, const Program& program, const std::string& fabric = "ideal",
                         bool records = true) {
    std::vector<recording::HeapStore> stores;
    for (int rank = 0; rank < ranks; ++rank)
        stores.emplace_back(ranks);
    job::Options options;
    options.ranks = ranks;
    options.fabric = fabric;
    Time end;
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        recording::Recorder recorder(stores[static_cast<std::size_t>(rank.id())],
                                     {rank.id(), rank.size(), static_cast<int>(rank.node())},
                                     rank.host());
        if (records) calls::watch_calls(&recorder);
        MPI_Init(nullptr, nullptr);
        program(rank.id(), rank.host());
        MPI_Finalize();
        end = std::max(end, rank.host().now());
    });
    EXPECT_TRUE(result.ok) << result.failure;
    return {read_run(stores), end};
}

}  // namespace railyard::mpi::traces
