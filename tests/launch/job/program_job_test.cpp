#include "launch/job/program_job.hpp"

#include <gtest/gtest.h>

#include "railyard/base/error.hpp"

namespace railyard::job {
namespace {

TEST(ProgramRanks, AreCounted) {
    EXPECT_EQ(ranks_of({{.ranks = 2, .arguments = {"a"}}, {.ranks = 3, .arguments = {"b"}}}), 5);
    EXPECT_THROW(ranks_of({{.ranks = 0, .arguments = {"a"}}}), UsageError);
    EXPECT_THROW(ranks_of({{.ranks = 1, .arguments = {}}}), UsageError);
}

}  // namespace
}  // namespace railyard::job
