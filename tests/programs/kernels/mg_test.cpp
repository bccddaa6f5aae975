// MG in virtual time: the published result at all numbers of ranks, with and without receives from
// any source, and the published partners.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "kernels/mg/levels.hpp"
#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {
namespace {

class Mg : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Mg, VerifiesClassS) {
    const auto [fabric, ranks] = GetParam();
    const VirtualRun whole = run({"mg"}, ranks, fabric);
    EXPECT_TRUE(whole.verified()) << whole.failure << whole.output << whole.errors;
}

// From 16 on there are ranks without points on the coarsest grid; at 512 for two grids.
INSTANTIATE_TEST_SUITE_P(OnIdeal, Mg,
                         testing::Combine(testing::Values("ideal"),
                                          testing::Values(1, 2, 4, 8, 16, 32, 64, 512)));
INSTANTIATE_TEST_SUITE_P(OnAModel, Mg,
                         testing::Combine(testing::Values("clan-via"), testing::Values(2, 8, 16)));

TEST(MgRanks, OthersAreRefused) {
    for (const int ranks : {3, 6, 12})
        expect_refused({"mg"}, ranks,
                       "class S runs on a power of two of ranks (1, 2, 4, 8, ...), up to 4096");
}

/// As published: on each grid, the next that has points, along each axis.
std::vector<std::set<int>> partners(const std::array<int, 3>& grid) {
    const auto [px, py, pz] = grid;
    std::vector<std::set<int>> all;
    for (int rank = 0; rank < px * py * pz; ++rank) {
        std::set<int>& own = all.emplace_back();
        const std::array<int, 3> at = {rank % px, rank / px % py, rank / px / py};
        for (int points = 2; points <= 32; points *= 2) {
            bool sits_out = false;
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (points < grid[axis] && (at[axis] + 1) % (grid[axis] / points) != 0)
                    sits_out = true;
            for (std::size_t axis = 0; axis < 3 && !sits_out; ++axis)
                for (const int side : {-1, 1}) {
                    std::array<int, 3> to = at;
                    to[axis] += side * std::max(1, grid[axis] / points) + grid[axis];
                    to[axis] %= grid[axis];
                    own.insert((to[2] * py + to[1]) * px + to[0]);
                }
        }
        own.erase(rank);
    }
    return all;
}

TEST(MgRanks, TalkToThePublishedPartners) {
    struct Line {
        std::array<int, 3> grid;
        int least, in_all, most;
    };
    for (const auto& [grid, least, in_all, most] : {Line{{1, 2, 2}, 2, 8, 2},
                                                    {{2, 2, 2}, 3, 24, 3},
                                                    {{2, 2, 4}, 4, 72, 5},
                                                    {{2, 4, 4}, 5, 176, 7},
                                                    {{4, 4, 4}, 6, 408, 9}}) {
        const int ranks = grid[0] * grid[1] * grid[2];
        EXPECT_EQ(multigrid::ranks_along_axes(ranks), grid);
        const VirtualRun whole = run({"mg", "--iterations", "1"}, ranks, "ideal");
        EXPECT_TRUE(whole.ended_well) << whole.failure;
        EXPECT_EQ(whole.partners, partners(grid));
        EXPECT_EQ(whole.wildcards, 0);
        std::vector<int> counts;
        for (const auto& own : whole.partners)
            counts.push_back(static_cast<int>(own.size()));
        EXPECT_EQ(*std::ranges::min_element(counts), least);
        EXPECT_EQ(*std::ranges::max_element(counts), most);
        EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), in_all);
    }
}

TEST(MgAnySource, GivesTheSameWithWildcards) {
    for (const char* fabric : {"ideal", "berkeley-via"}) {
        const VirtualRun named = run({"mg"}, 16, fabric);
        const VirtualRun wild = run({"mg", "--any-source"}, 16, fabric);
        EXPECT_TRUE(wild.verified()) << wild.failure << wild.output << wild.errors;
        EXPECT_GT(wild.wildcards, 0);
        EXPECT_EQ(wild.sends, named.sends);
        const auto values = [](const std::string& output) {
            return output.substr(0, output.find("Benchmark Completed"));
        };
        EXPECT_EQ(values(wild.output), values(named.output));
    }
}

}  // namespace
}  // namespace railyard::kernels
