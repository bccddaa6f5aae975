#include "railyard/library/job.hpp"

#include <gmock/gmock.h>

#include "railyard/results/results.hpp"

namespace railyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LibraryJob, ValuesOfAllRanksAreGatheredInTheirOrder) {
    for (const char* fabric : {"shm", "ideal"}) {
        const JobResult result = run({.fabric = fabric, .ranks = 3}, [](Rank& rank) {
            const std::vector<int> all = rank.gather("squares", rank.id() * rank.id());
            if (rank.id() == 2)
                rank.deliver(std::to_string(all[0]) + std::to_string(all[1]) +
                             std::to_string(all[2]));
        });
        EXPECT_TRUE(result.ok) << result.failure;
        EXPECT_THAT(result.delivered, ElementsAre("014")) << fabric;
    }
}

TEST(LibraryJob, WhatARankThrowsIsNamedWithTheRank) {
    const JobResult result =
        run({.fabric = "shm", .ranks = 2, .kind = RankKind::threads}, [](Rank& rank) {
            if (rank.id() == 1) throw Error("lost my way");
            rank.fence();
        });
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.failure, HasSubstr("rank 1 failed: lost my way"));
    EXPECT_EQ(result.exit_code, 1);
}

TEST(LibraryJob, AnAbortGivesItsExitCode) {
    for (const char* fabric : {"shm", "ideal"}) {
        const JobResult result = run({.fabric = fabric}, [](Rank& rank) {
            if (rank.id() == 0) rank.abort(7, "enough");
            rank.fence();
        });
        EXPECT_EQ(result.exit_code, 7) << fabric;
        EXPECT_THAT(result.failure, HasSubstr("enough"));
    }
}

TEST(LibraryJob, ValuesOfAnotherSizeAreRefused) {
    const JobResult result = run({.fabric = "ideal"}, [](Rank& rank) {
        if (rank.id() == 0)
            rank.put("value", {});
        else
            rank.gather("value", 1);
    });
    EXPECT_THAT(result.failure, HasSubstr("rank 0 has put a value of another size"));
}

TEST(LibraryJob, NodesAreAsTheJobSays) {
    const JobResult result =
        run({.fabric = "ideal", .ranks = 3, .nodes = {0, 4, 4}}, [](Rank& rank) {
            if (rank.node() != (rank.id() == 0 ? 0U : 4U)) throw Error("another node");
        });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(LibraryJob, AJobThatMakesNoSenseDoesNotStart) {
    const auto nothing = [](Rank&) {};
    EXPECT_THROW(run({.fabric = "nosuch"}, nothing), UsageError);
    EXPECT_THROW(run({.ranks = 0}, nothing), UsageError);
    EXPECT_THROW(run({.fabric = "quadrics", .faults = "/nowhere/faults.toml"}, nothing), Error);
    EXPECT_THROW(run({.fabric = "shm", .faults = "faults.toml"}, nothing), UsageError);
}

TEST(LibraryJob, TheVersionIsThatOfResults) {
    EXPECT_EQ(version(), results::version());
}

}  // namespace
}  // namespace railyard
