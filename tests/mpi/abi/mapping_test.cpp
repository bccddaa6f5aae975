// Which rank gets which place of a grid, on machines that hwloc makes up.

#include "mpi/communicators/mapping.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/topology.hpp"

namespace railyard::mpi {
namespace {

using ::testing::ElementsAre;
using Dimensions = std::vector<Cartesian::Dimension>;

/// Ranks bound to these cores of a machine, all on one node.
std::vector<Whereabouts> bound(const Hardware& machine, const std::vector<int>& cores,
                               int node = 0) {
    std::vector<Whereabouts> all;
    for (const int core : cores) {
        Whereabouts at;
        at[0] = node;
        const auto parts = machine.holding(std::vector<int>{core});
        std::copy(parts.begin(), parts.end(), at.begin() + 1);
        all.push_back(at);
    }
    return all;
}

/// Ranks of which only the node is known.
std::vector<Whereabouts> unbound(const std::vector<int>& nodes) {
    std::vector<Whereabouts> all;
    for (const int node : nodes) {
        Whereabouts at;
        at.fill(-1);
        at[0] = node;
        all.push_back(at);
    }
    return all;
}

std::vector<int> up_to(int ranks) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Pairs of neighbours of which both are in the same part of a kind.
int together(const Cartesian& grid, const std::vector<int>& order,
             const std::vector<Whereabouts>& ranks, std::size_t kind) {
    int count = 0;
    const auto at = [&](int place) {
        return ranks[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])];
    };
    for (int place = 0; place < grid.ranks(); ++place)
        for (std::size_t i = 0; i < grid.dimensions().size(); ++i) {
            const int next = grid.neighbour(place, i, 1);
            if (next >= 0)
                count += at(place)[0] == at(next)[0] && at(place)[kind] == at(next)[kind];
        }
    return count;
}

constexpr std::size_t package = 1;
constexpr std::size_t l3 = 3;

TEST(Mapping, UnboundRanksOfOneNodeStayWhereTheyAre) {
    EXPECT_EQ(placed(Cartesian(Dimensions{{2}, {3}}), unbound({0, 0, 0, 0, 0, 0})), up_to(6));
    // One core has nothing to choose from either.
    const Hardware one = made_up_hardware("package:1 core:1 pu:1");
    EXPECT_EQ(placed(Cartesian(Dimensions{{2}, {2}}), bound(one, {0, 0, 0, 0})), up_to(4));
}

TEST(Mapping, RanksDealtOutToPackagesInTurnComeTogether) {
    const Hardware machine = made_up_hardware("package:2 l3:1 core:4 pu:1");
    // Even ranks in one package, odd ones in the other.
    const auto ranks = bound(machine, {0, 4, 1, 5, 2, 6, 3, 7});
    const Cartesian line(Dimensions{{8}});
    EXPECT_THAT(placed(line, ranks), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
    const Cartesian grid(Dimensions{{2}, {4}});
    const auto order = placed(grid, ranks);
    // Two squares: 4 edges in each, 2 between them. In their own order, ranks have 4 of one column.
    EXPECT_EQ(together(grid, order, ranks, package), 8);
    EXPECT_EQ(together(grid, up_to(8), ranks, package), 4);
}

TEST(Mapping, CachesHaveBlocksInTheirPackagesBlocks) {
    const Hardware machine = made_up_hardware("package:2 l3:2 core:4 pu:1");
    const auto ranks = bound(machine, up_to(16));
    const Cartesian grid(Dimensions{{4}, {4}});
    const auto order = placed(grid, ranks);
    // Rows would leave 12 of 24 edges in a cache; squares leave 16.
    EXPECT_EQ(together(grid, up_to(16), ranks, l3), 12);
    EXPECT_EQ(together(grid, order, ranks, l3), 16);
    EXPECT_EQ(together(grid, order, ranks, package), 20);
    // Each rank has one place.
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, up_to(16));
}

TEST(Mapping, NodesCountFirst) {
    const Hardware machine = made_up_hardware("package:2 l3:1 core:2 pu:1");
    // Ranks in turn on two nodes, and there in turn in two packages.
    std::vector<Whereabouts> ranks;
    for (const int core : {0, 2, 1, 3})
        for (const int node : {0, 1})
            ranks.push_back(bound(machine, {core}, node).front());
    const Cartesian line(Dimensions{{8}});
    EXPECT_THAT(placed(line, ranks), ElementsAre(0, 4, 2, 6, 1, 5, 3, 7));
}

TEST(Mapping, PackagesThatDifferArePassedOver) {
    const Hardware machine = made_up_hardware("package:2 l3:1 core:4 pu:1");
    // Three and one: no blocks of one size, but the order of the tree.
    const auto ranks = bound(machine, {0, 4, 1, 2});
    EXPECT_THAT(placed(Cartesian(Dimensions{{4}}), ranks), ElementsAre(0, 2, 3, 1));
    // One that may run anywhere: nothing is known of all.
    auto some = ranks;
    some[3] = unbound({0}).front();
    EXPECT_EQ(placed(Cartesian(Dimensions{{4}}), some), up_to(4));
}

TEST(Mapping, ARingIsNotCutMoreThanItMustBe) {
    const Hardware machine = made_up_hardware("package:2 l3:1 core:3 pu:1");
    const auto ranks = bound(machine, {0, 3, 1, 4, 2, 5});
    const Cartesian ring(Dimensions{{6, true}});
    const auto order = placed(ring, ranks);
    EXPECT_EQ(together(ring, order, ranks, package), 4);
}

TEST(Mapping, GraphsGrowAlongTheTree) {
    const Hardware machine = made_up_hardware("package:2 l3:1 core:2 pu:1");
    const auto ranks = bound(machine, {0, 2, 1, 3});
    // A line of four.
    const int neighbours[] = {1, 0, 2, 1, 3, 2};
    const Graph line({1, 3, 5, 6}, neighbours);
    EXPECT_THAT(placed(line, ranks), ElementsAre(0, 2, 1, 3));
}

}  // namespace
}  // namespace railyard::mpi
