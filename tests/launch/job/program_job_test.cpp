#include "launch/job/program_job.hpp"

#include <gtest/gtest.h>

#include "launch/job/plan.hpp"

namespace railyard::job {
namespace {

TEST(ProgramRanks, NeedOnlyTheProgramsOfRanksThatAreHere) {
    const std::vector<Program> programs{{.ranks = 2, .arguments = {"true"}},
                                        {.ranks = 1, .arguments = {"./gone"}}};
    Plan plan;
    plan.ranks = 3;
    const SharedMemory::Handle board;
    const KeptMemories kept({}, {});
    EXPECT_NO_THROW(ProgramRanks(programs, plan, {0, 1}, board, kept));
    EXPECT_NO_THROW(ProgramRanks(programs, plan, {1}, board, kept));
    EXPECT_THROW(ProgramRanks(programs, plan, {0, 2}, board, kept), CannotStart);
    EXPECT_THROW(ProgramRanks(programs, plan, {2}, board, kept), CannotStart);
}

TEST(ProgramRanks, AreCounted) {
    EXPECT_EQ(ranks_of({{.ranks = 2, .arguments = {"a"}}, {.ranks = 3, .arguments = {"b"}}}), 5);
    EXPECT_THROW(ranks_of({{.ranks = 0, .arguments = {"a"}}}), UsageError);
    EXPECT_THROW(ranks_of({{.ranks = 1, .arguments = {}}}), UsageError);
}

}  // namespace
}  // namespace railyard::job
