// Places of a script are the same parts on the machine as in the generic model.

#include "interconnects/quadrics/fabric/machine_faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/script.hpp"
#include "interconnects/virtual/model/fault_plan.hpp"

namespace railyard::quadrics {
namespace {

using model::FaultPlan;
using ::testing::ElementsAre;

faults::Layout layout_of(unsigned dimension) {
    return {dimension, 1, static_cast<fabric::NodeId>(faults::power_of_four(dimension))};
}

FaultParts parts(const std::string& place, unsigned dimension = 2) {
    return parts_of(faults::parse_place(place, layout_of(dimension)), elite::FatTree(dimension));
}

TEST(FaultParts, OfNodes) {
    EXPECT_EQ(parts("all links").cables.size(), 32U);
    EXPECT_THAT(parts("node 7").cables, ElementsAre(7));
    const FaultParts out = parts("node 7, link 0 out");
    EXPECT_THAT(out.cables, ElementsAre(7));
    EXPECT_TRUE(out.up);
    EXPECT_FALSE(out.down);
    EXPECT_FALSE(parts("node 7, link 0 in").up);
    EXPECT_TRUE(parts("node 7, link 0 in").down);
    EXPECT_FALSE(parts("node 7").whole_switch);
}

TEST(FaultParts, OfSwitches) {
    const elite::FatTree tree(3);
    const FaultParts found = parts("switch 5 of level 2", 3);
    EXPECT_EQ(found.whole_switch, tree.switch_at(2, 5));
    EXPECT_EQ(tree.switch_name(*found.whole_switch), "switch 5 of level 2");
    EXPECT_TRUE(found.cables.empty());
    EXPECT_FALSE(parts("switches, link 9 of level 1, up").down);
    EXPECT_FALSE(parts("switches, link 9 of level 1, down").up);
}

FaultPlan plan_with_dead(const faults::Place& a_switch, const faults::Layout& layout) {
    faults::Fault fault;
    fault.what = faults::Fault::What::network_switch;
    fault.where = a_switch;
    return {{1, {fault}}, layout, std::make_shared<fabric::FaultReport>()};
}

/// Does the generic model lose packets on that link if that switch is dead?
bool ends_there(const faults::Layout& layout, const faults::Place& a_switch, unsigned level,
                std::uint64_t number) {
    FaultPlan plan = plan_with_dead(a_switch, layout);
    return plan.link(FaultPlan::Direction::up, level, number) != nullptr;
}

TEST(FaultParts, CablesBetweenSwitchesEndWhereThoseOfTheGenericModelDo) {
    for (const unsigned dimension : {2U, 3U}) {
        const faults::Layout layout = layout_of(dimension);
        const elite::FatTree tree(dimension);
        std::set<elite::CableId> seen;
        for (unsigned level = 1; level < dimension; ++level)
            for (std::uint64_t number = 0; number < layout.links(); ++number) {
                const elite::CableId cable = cable_between(tree, level, number);
                EXPECT_TRUE(seen.insert(cable).second);
                const elite::LinkId up = tree.up(cable);
                const std::set<elite::SwitchId> ends{tree.near(up).id, tree.far(up).id};
                for (unsigned at = 1; at <= dimension; ++at)
                    for (std::uint32_t w = 0; w < layout.switches(); ++w)
                        ASSERT_EQ(ends.contains(tree.switch_at(at, w)),
                                  ends_there(layout, {faults::Place::Kind::network_switch, w, at},
                                             level, number))
                            << "link " << number << " of level " << level << ", switch " << w
                            << " of level " << at;
            }
    }
}

TEST(FaultParts, NodesHangOnTheSameSwitches) {
    const faults::Layout layout = layout_of(2);
    const elite::FatTree tree(2);
    FaultPlan plan = plan_with_dead({faults::Place::Kind::network_switch, 2, 1}, layout);
    for (elite::NodeId node = 0; node < 16; ++node)
        EXPECT_EQ(tree.leaf_of(node) == tree.switch_at(1, 2),
                  plan.link(FaultPlan::Direction::in, 0, node) != nullptr);
}

}  // namespace
}  // namespace railyard::quadrics
