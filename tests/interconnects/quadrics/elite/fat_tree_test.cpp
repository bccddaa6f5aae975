// The wiring of a fat tree: FT-1 to FT-4 and FT-6.

#include "interconnects/quadrics/elite/fat_tree.hpp"

#include <gmock/gmock.h>

#include <set>

#include "railyard/base/error.hpp"

namespace railyard::elite {
namespace {

/// The ways up and then down from one node to another, counted by following every link.
std::uint64_t count_ways(const FatTree& tree, const End& at, NodeId to, unsigned up,
                         unsigned down) {
    if (at.node) return at.id == to ? 1 : 0;
    std::uint64_t ways = 0;
    const unsigned first = up > 0 ? ports_down : 0;
    for (unsigned port = first; port < first + 4; ++port)
        if (const LinkId link = tree.out(at.id, port); link != no_link && up + down > 0)
            ways +=
                count_ways(tree, tree.far(link), to, up > 0 ? up - 1 : 0, up > 0 ? down : down - 1);
    return ways;
}

// FT-1.
TEST(EliteFatTree, HasSoManyNodesAndSwitches) {
    const unsigned nodes[] = {4, 16, 64, 256, 1024};
    const unsigned switches[] = {1, 8, 48, 256, 1280};
    for (unsigned n = 1; n <= 5; ++n) {
        const FatTree tree(n);
        EXPECT_EQ(tree.nodes(), nodes[n - 1]);
        EXPECT_EQ(tree.switches(), switches[n - 1]);
    }
    EXPECT_THROW(FatTree(0), UsageError);
    EXPECT_THROW(FatTree(11), UsageError);
}

// FT-2.
TEST(EliteFatTree, SwitchesHaveFourLinksDownAndFourUpButAtTheTop) {
    for (unsigned n = 1; n <= 4; ++n) {
        const FatTree tree(n);
        std::set<LinkId> used;
        for (SwitchId s = 0; s < tree.switches(); ++s)
            for (unsigned port = 0; port < ports; ++port) {
                const LinkId link = tree.out(s, port);
                const bool above_the_top = port >= ports_down && tree.level(s) == n;
                ASSERT_EQ(link == no_link, above_the_top);
                if (above_the_top) continue;
                EXPECT_TRUE(used.insert(link).second);
                const End near = tree.near(link);
                EXPECT_FALSE(near.node);
                EXPECT_EQ(near.id, s);
                EXPECT_EQ(near.port, port);
            }
        EXPECT_EQ(used.size() + tree.nodes(), 2 * tree.cables());
    }
}

// FT-6: joined when all digits but the l-th agree, counted from the last.
TEST(EliteFatTree, IsWiredDigitByDigit) {
    const FatTree tree(4);
    for (NodeId p = 0; p < tree.nodes(); ++p) {
        const End end = tree.far(tree.out(p));
        EXPECT_EQ(tree.level(end.id), 1U);
        EXPECT_EQ(tree.digits(end.id), p / 4);
    }
    for (SwitchId s = 0; s < tree.switches(); ++s) {
        const unsigned l = tree.level(s);
        std::set<SwitchId> above;
        for (unsigned port = ports_down; port < ports && l < 4; ++port) {
            const End end = tree.far(tree.out(s, port));
            EXPECT_EQ(tree.level(end.id), l + 1);
            const unsigned differ = tree.digits(s) ^ tree.digits(end.id);
            EXPECT_EQ(differ & ~(3U << 2 * (l - 1)), 0U);
            above.insert(end.id);
        }
        EXPECT_EQ(above.size(), l < 4 ? 4U : 0U);
    }
}

// FT-3, FT-4: 2l - 1 switches apart, by 4^(l-1) ways.
TEST(EliteFatTree, DistancesAndWaysFollowTheMeetingLevel) {
    const FatTree tree(3);
    for (NodeId a = 0; a < tree.nodes(); ++a)
        for (NodeId b = 0; b < tree.nodes(); ++b) {
            if (a == b) continue;
            const unsigned l = FatTree::meeting_level(a, b);
            EXPECT_EQ(l, a / 4 == b / 4 ? 1U : a / 16 == b / 16 ? 2U : 3U);
            EXPECT_EQ(FatTree::distance(a, b), 2 * l - 1);
            EXPECT_EQ(count_ways(tree, tree.far(tree.out(a)), b, l - 1, l), 1U << 2 * (l - 1));
            if (l > 1) {
                EXPECT_EQ(count_ways(tree, tree.far(tree.out(a)), b, l - 2, l - 1), 0U);
            }
        }
}

TEST(EliteFatTree, PartsHaveNames) {
    const FatTree tree(2);
    EXPECT_EQ(tree.cable_name(3), "the cable of node 3");
    EXPECT_EQ(tree.cable_name(16 + 4 * 2 + 1), "the cable of port 5 of switch 2 of level 1");
    EXPECT_EQ(tree.switch_name(tree.switch_at(2, 3)), "switch 3 of level 2");
}

}  // namespace
}  // namespace railyard::elite
