// Routes and tables: EL-9, RT-1, RT-2, RT-5, BC-3, FA-7.

#include "interconnects/quadrics/elite/routing.hpp"

#include <gmock/gmock.h>

#include <set>

#include "railyard/base/error.hpp"

namespace railyard::elite {
namespace {

/// All parts that a packet with this route may pass; fails the test where it ends elsewhere.
std::set<std::pair<int, std::uint32_t>> parts(const FatTree& tree, const Route& route, NodeId from,
                                              NodeId to) {
    std::set<std::pair<int, std::uint32_t>> all;
    std::vector<LinkId> links{tree.out(from)};
    for (unsigned i = 0; i <= route.size(); ++i) {
        std::vector<LinkId> next;
        for (const LinkId link : links) {
            all.insert({0, tree.cable(link)});
            const End end = tree.far(link);
            EXPECT_EQ(end.node, i == route.size());
            if (end.node) {
                EXPECT_EQ(end.id, to);
                continue;
            }
            all.insert({1, end.id});
            for (unsigned port = 0; port < ports; ++port)
                if (route[i].mask() >> port & 1) next.push_back(tree.out(end.id, port));
        }
        links = next;
    }
    return all;
}

// RT-1, RT-2: a tag is a flit of 16 bits; groups up, single links down.
TEST(EliteRoute, HasATagASwitch) {
    const FatTree tree(3);
    for (NodeId from = 0; from < 64; ++from)
        for (NodeId to = 0; to < 64; ++to) {
            if (from == to) continue;
            for (const Routing routing : {Routing::adaptive, Routing::fixed}) {
                const Route route = *find_route(tree, from, to, routing);
                EXPECT_EQ(route.size(), FatTree::distance(from, to));
                const auto passed = parts(tree, route, from, to);
                if (routing == Routing::fixed) {
                    EXPECT_EQ(passed.size(), 2 * route.size() + 1);
                }
            }
        }
    EXPECT_EQ(find_route(tree, 0, 63)->operator[](0), Tag::group(0xf0));
    EXPECT_NE(Tag::group(0x10), Tag::link(4));
    static_assert(sizeof(Tag) == 2);
    EXPECT_THROW(static_cast<void>(find_route(tree, 3, 3)), UsageError);
    EXPECT_THROW(static_cast<void>(find_route(tree, 3, 64)), UsageError);
}

// FA-7: around any one part but those that a node has no second of; and around many.
TEST(EliteRoute, AvoidsPartsWhereItCan) {
    const FatTree tree(3);
    const NodeId from = 6;
    for (const NodeId to : {5U, 9U, 33U}) {
        const auto all = parts(tree, *find_route(tree, from, to), from, to);
        for (const auto& [kind, id] : all) {
            const Part part = kind == 0 ? Part::cable(id) : Part::switch_of(id);
            const bool only_one = (kind == 0 && id < 64) || (kind == 1 && id < 16);
            const auto route = find_route(tree, from, to, Routing::adaptive, {part});
            EXPECT_EQ(route.has_value(), !only_one);
            if (route) {
                EXPECT_FALSE(parts(tree, *route, from, to).contains({kind, id}));
            }
        }
    }
    // Of the sixteen switches at the top, all but one; each is a way.
    for (std::uint32_t left = 0; left < 16; ++left) {
        std::vector<Part> avoid;
        for (std::uint32_t w = 0; w < 16; ++w)
            if (w != left) avoid.push_back(Part::switch_of(tree.switch_at(3, w)));
        const auto route = find_route(tree, 0, 63, Routing::adaptive, avoid);
        ASSERT_TRUE(route);
        EXPECT_TRUE(parts(tree, *route, 0, 63).contains({1, tree.switch_at(3, left)}));
        avoid.push_back(Part::switch_of(tree.switch_at(3, left)));
        EXPECT_FALSE(find_route(tree, 0, 63, Routing::adaptive, avoid));
        EXPECT_TRUE(find_route(tree, 0, 15, Routing::adaptive, avoid));
    }
}

// BC-3: digits of a first and a last node are all that the tags can hold.
TEST(EliteRoute, ABroadcastNamesARange) {
    const FatTree tree(2);
    const Route route = *find_broadcast(tree, 0, 3, 9);
    EXPECT_TRUE(route.is_broadcast());
    ASSERT_EQ(route.size(), 3U);
    EXPECT_EQ(route[1], Tag::range(0, 2));
    EXPECT_EQ(route[2], Tag::range(3, 1));
    EXPECT_EQ(route[2].mask(true, false), 0b1000U);   // the left edge
    EXPECT_EQ(route[2].mask(false, false), 0b1111U);  // between
    EXPECT_EQ(route[2].mask(false, true), 0b0011U);   // the right edge
    EXPECT_EQ(find_broadcast(tree, 0, {5, 3, 4}), *find_broadcast(tree, 0, 3, 5));
    EXPECT_THROW(static_cast<void>(find_broadcast(tree, 0, {3, 5})), UsageError);
    EXPECT_THROW(static_cast<void>(find_broadcast(tree, 0, 5, 3)), UsageError);
    EXPECT_THROW(static_cast<void>(find_broadcast(tree, 0, 5, 16)), UsageError);
}

// EL-9: tables side by side map virtual processors to tags.
TEST(EliteRoutingTable, MapsVirtualProcessorsToTags) {
    const FatTree tree(2);
    RoutingTable plain(tree, 1);
    RoutingTable mapped(tree, 1, Routing::fixed, {9, 4});
    EXPECT_EQ(*plain.to(9), *find_route(tree, 1, 9));
    EXPECT_EQ(*mapped.to(0), *find_route(tree, 1, 9, Routing::fixed));
    EXPECT_EQ(*mapped.to(1), *find_route(tree, 1, 4, Routing::fixed));
    EXPECT_THROW(static_cast<void>(mapped.to(2)), UsageError);

    Route by_hand;
    by_hand.add(Tag::link(3));
    plain.set(9, by_hand);
    EXPECT_EQ(*plain.to(9), by_hand);
    EXPECT_EQ(*mapped.to(0), *find_route(tree, 1, 9, Routing::fixed));

    mapped.avoid(Part::cable(9));
    mapped.avoid(Part::cable(9));
    EXPECT_EQ(mapped.avoided().size(), 1U);
    EXPECT_EQ(mapped.to(0), nullptr);
    EXPECT_NE(mapped.to(1), nullptr);
    mapped.forget_faults();
    EXPECT_NE(mapped.to(0), nullptr);
}

}  // namespace
}  // namespace railyard::elite
