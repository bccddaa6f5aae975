#include "launch/job/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/topology.hpp"
#include "helpers.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {
namespace {

using ::testing::HasSubstr;

std::string refusal(const Options& options) {
    try {
        make_plan(options);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Plan, RefusesWhatMakesNoSense) {
    Options options;
    options.ranks = 0;
    EXPECT_THAT(refusal(options), HasSubstr("at least 1 rank, not 0"));
    options.ranks = -3;
    EXPECT_THAT(refusal(options), HasSubstr("not -3"));

    options = {};
    options.fabric = "smh";
    EXPECT_THAT(refusal(options), HasSubstr("did you mean 'shm'?"));
    options.fabric = "carrier-pigeon";
    EXPECT_THAT(refusal(options), HasSubstr("there are: shm, iwarp, ofi, ideal"));

    options = {};
    options.nodes = {0, 1, 2};
    EXPECT_THAT(refusal(options), HasSubstr("2 ranks needs a node for each, not 3"));

    options = {};
    options.kind = Kind::fibers;
    EXPECT_THAT(refusal(options), HasSubstr("'shm' runs in real time"));
    options.fabric = "ideal";
    EXPECT_EQ(refusal(options), "accepted");
    options.kind = Kind::processes;
    EXPECT_THAT(refusal(options), HasSubstr("'ideal' runs in virtual time"));
    options.kind = Kind::threads;
    EXPECT_THAT(refusal(options), HasSubstr("not threads"));
}

TEST(Plan, GivesEachRankACoreWhileThereAreEnough) {
    const int cores = static_cast<int>(allowed_cores().size());
    Options options;
    options.ranks = cores;
    const Plan enough = make_plan(options);
    EXPECT_EQ(enough.cores.size(), static_cast<std::size_t>(cores));
    EXPECT_FALSE(enough.shares_core);

    options.pin = false;
    EXPECT_TRUE(make_plan(options).cores.empty());
    EXPECT_FALSE(make_plan(options).shares_core);

    options.pin = true;
    options.ranks = cores + 1;
    EXPECT_TRUE(make_plan(options).cores.empty());
    EXPECT_TRUE(make_plan(options).shares_core);
}

TEST(Plan, AskedForByRunToo) {
    Options options;
    options.ranks = 0;
    EXPECT_THROW(run(options, [](Rank&) {}), UsageError);
}

}  // namespace
}  // namespace railyard::job
