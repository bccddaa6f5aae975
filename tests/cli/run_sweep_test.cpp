// `railyard run --with`, `--sweep`, `--placement`, `--node-memory`: one program with other values,
// and where its ranks are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "railyard/results/results.hpp"

namespace railyard::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// run_time of each run, in order.
std::vector<double> times(Arguments arguments) {
    const ScratchDirectory folder;
    const std::string file = folder.file("rows.json");
    arguments.insert(arguments.begin(), {"run", "--json", file});
    const Ended ended = railyard(arguments);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::vector<double> found;
    for (const results::Row& row : results::read(file).rows)
        if (row.metric == results::metric::run_time) found.push_back(row.value);
    return found;
}

TEST(RunSweep, AFasterLinkMakesLargeMessagesFaster) {
    const std::vector<double> found = times({"-n", "2", "--on", "infiniband-pcie", "--sweep",
                                             "link.rate=0.25x,0.5x,1x", "ring", "--size", "1M"});
    ASSERT_EQ(found.size(), 3U);
    EXPECT_GT(found[0], 1.5 * found[1]);
    EXPECT_GT(found[1], found[2]);
    EXPECT_THAT(times({"-n", "2", "--on", "infiniband-pcie", "ring", "--size", "1M"}),
                ElementsAre(found[2]));
    EXPECT_THAT(times({"-n", "2", "--on", "infiniband-pcie", "--with", "link.rate=0.5x", "ring",
                       "--size", "1M"}),
                ElementsAre(found[1]));
}

TEST(RunSweep, RanksAreSweptInTheOrderGiven) {
    const Ended ended = railyard({"run", "--on", "quadrics", "--sweep", "ranks=8,2,4", "barrier"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::size_t eight = ended.out.find("quadrics      8 ");
    const std::size_t two = ended.out.find("quadrics      2 ");
    ASSERT_NE(eight, std::string::npos) << ended.out;
    ASSERT_NE(two, std::string::npos) << ended.out;
    EXPECT_LT(eight, two);
}

TEST(RunSweep, NodeMemoryServesRanksOfANodeAlone) {
    const auto ring = [](const char* nodes, bool with_memory) {
        Arguments call{"-n", "4", "--on", "clan-via", "--nodes", nodes, "ring", "--size", "64"};
        if (with_memory) call.insert(call.begin(), "--node-memory");
        const std::vector<double> found = times(call);
        return found.empty() ? 0 : found.front();
    };
    EXPECT_EQ(ring("4", true), ring("4", false));
    EXPECT_LT(ring("2", true), 0.7 * ring("2", false));   // two of four hops
    EXPECT_LT(ring("1", true), 0.15 * ring("1", false));  // what the program times: no connecting
}

TEST(RunSweep, NodeMemoryIsRefusedWhereItHasNoPart) {
    EXPECT_THAT(railyard({"run", "--node-memory", "--on", "quadrics", "ring"}).err,
                HasSubstr("matches messages itself"));
    EXPECT_THAT(
        railyard({"run", "--node-memory", "--mpi", "paper", "--on", "clan-via", "ring"}).err,
        HasSubstr("--node-memory: is of our library"));
}

TEST(RunSweep, RowsAreThoseThatCompareReads) {
    const ScratchDirectory folder;
    const std::string file = folder.file("rows.json");
    const Ended ended = railyard({"run", "--json", file, "--csv", folder.file("rows.csv"), "--on",
                                  "quadrics,clan-via", "ring"});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const Ended compared = railyard({"compare", file, file});
    EXPECT_EQ(compared.exit_code, 0) << compared.err;
    EXPECT_THAT(compared.out, HasSubstr("run"));
}

TEST(RunSweep, MistakesAreToldBeforeAnythingRuns) {
    EXPECT_THAT(complaint({"run", "--on", "quadrics", "--with", "link.rat=2x", "ring"}),
                AllOf(HasSubstr("link.rat"), HasSubstr("link.rate")));
    EXPECT_THAT(complaint({"run", "--on", "quadrics", "--with", "2x", "ring"}),
                HasSubstr("link.rate=2x"));
    EXPECT_THAT(complaint({"run", "--on", "quadrics", "--with", "link.rate=fast", "ring"}),
                HasSubstr("rate"));
    EXPECT_THAT(complaint({"run", "--on", "quadrics", "--with", "link.rate=-1x", "ring"}),
                HasSubstr("more than 0"));
    EXPECT_THAT(complaint({"run", "-n", "4", "--sweep", "ranks=2,4", "ring"}),
                HasSubstr("say the same"));
    EXPECT_THAT(complaint({"run", "--json", "-", "ring"}), HasSubstr("name a file"));
}

TEST(Placement, IsByBlocksInTurnOrByFile) {
    const auto nodes = [](const Arguments& options) {
        Arguments call{"run", "-n", "4"};
        call.insert(call.end(), options.begin(), options.end());
        call.emplace_back("hello");
        return railyard(call).out;
    };
    EXPECT_THAT(nodes({"--nodes", "2"}), HasSubstr("rank 1 of 4 on node0"));
    EXPECT_THAT(nodes({"--nodes", "2", "--placement", "round-robin"}),
                AllOf(HasSubstr("rank 1 of 4 on node1"), HasSubstr("rank 2 of 4 on node0")));
    const ScratchDirectory folder;
    std::ofstream(folder.file("nodes")) << "3\n0 0\n3\n";
    EXPECT_THAT(nodes({"--placement", folder.file("nodes")}),
                AllOf(HasSubstr("rank 0 of 4 on node3"), HasSubstr("rank 2 of 4 on node0")));
    EXPECT_THAT(complaint({"run", "-n", "9", "--placement", folder.file("nodes"), "hello"}),
                HasSubstr("nodes of 4 ranks, and there are 9"));
    EXPECT_THAT(complaint({"run", "--placement", folder.file("none"), "hello"}), HasSubstr("none"));
}

}  // namespace
}  // namespace railyard::cli
