// `railyard run --faults`: programs that survive, and one that cannot.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "results/file.hpp"

namespace railyard::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RunWithFaults : public ::testing::Test {
  protected:
    std::string script(const std::string& text) const {
        results::write_file(scratch_.file("faults.toml"), text);
        return scratch_.file("faults.toml");
    }
    ScratchDirectory scratch_;
};

constexpr const char* bit_errors =
    "[[fault]]\nwhat = 'bit-errors'\nwhere = 'all links'\nrate = 1e-6\n";

TEST_F(RunWithFaults, AProgramSurvivesAndTheSummarySaysWhatItCost) {
    for (const char* fabric : {"quadrics", "infiniband-pcie", "myrinet2000-gm", "mx10g-myrinet",
                               "neteffect-iwarp", "clan-via"}) {
        const Arguments call{"run",
                             "-n",
                             "8",
                             "--on",
                             fabric,
                             "--faults",
                             script(bit_errors),
                             "--fault-cost",
                             "all-to-all",
                             "--size=16K"};
        const Ended ended = railyard(call);
        EXPECT_EQ(ended.exit_code, 0) << fabric << ended.err;
        EXPECT_THAT(ended.out, Not(HasSubstr("WRONG"))) << fabric;
        EXPECT_THAT(ended.err, AllOf(HasSubstr("faults: 1 of 1 struck"), HasSubstr("sent again"),
                                     HasSubstr("without faults")))
            << fabric;
        const Ended again = railyard(call);
        EXPECT_EQ(again.out, ended.out) << fabric;
        EXPECT_EQ(again.err, ended.err) << fabric;
    }
}

TEST_F(RunWithFaults, TheSummaryIsThereAsJson) {
    const Ended ended =
        railyard({"run", "-n", "8", "--on", "quadrics", "--faults", script(bit_errors), "--summary",
                  "json", "all-to-all", "--size=16K"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const auto faults = nlohmann::json::parse(ended.out).at(0).at("faults");
    EXPECT_EQ(faults.at("struck"), 1);
    EXPECT_EQ(faults.at("script").at(0).at("packets"),
              faults.at("packets_lost").get<int>() + faults.at("acknowledgments_lost").get<int>());
    EXPECT_GT(faults.at("retransmitted"), 0);
}

TEST_F(RunWithFaults, AProgramHearsWhichRankCannotBeReached) {
    for (const char* fabric : {"quadrics", "infiniband-pcie", "mx10g-myrinet", "clan-via"}) {
        const Ended ended =
            railyard({"run", "-n", "2", "--on", fabric, "--faults",
                      script("[[fault]]\nwhat = 'link'\nwhere = 'node 1, link 0'\nat = '500 us'\n"),
                      "ping-pong", "--iterations", "100000"});
        EXPECT_NE(ended.exit_code, 0) << fabric;
        EXPECT_THAT(ended.err, HasSubstr("cannot reach rank ")) << fabric;
        EXPECT_THAT(ended.err, HasSubstr("given up")) << fabric;
    }
}

TEST_F(RunWithFaults, AWrongScriptIsRefusedBeforeAnythingRuns) {
    EXPECT_THAT(complaint({"run", "-n", "4", "--on", "quadrics", "--faults",
                           script("[[fault]]\nwhat = 'link'\nwhere = 'node 7'\n"), "ring"}),
                AllOf(HasSubstr("faults.toml:3:9: where: "), HasSubstr("node 0 to node 3")));
    EXPECT_THAT(complaint({"run", "--on", "ideal", "--faults", script(""), "ring"}),
                HasSubstr("fabric 'ideal' has no faults"));
    EXPECT_THAT(complaint({"run", "--on", "quadrics", "--faults", "nowhere.toml", "ring"}),
                HasSubstr("nowhere.toml: there is no such file of faults"));
    EXPECT_THAT(complaint({"run", "--on", "quadrics", "--fault-cost", "ring"}),
                HasSubstr("--faults"));
}

}  // namespace
}  // namespace railyard::cli
