#include "interconnects/virtual/model/fault_plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace railyard::model {
namespace {

constexpr faults::Layout star{.levels = 0, .ports = 2, .nodes = 8};
constexpr faults::Layout tree{.levels = 3, .ports = 1, .nodes = 40};

std::shared_ptr<fabric::FaultReport> fresh() {
    return std::make_shared<fabric::FaultReport>();
}

/// The cables that die with a switch: those to its four nodes or switches below, and above.
TEST(FaultPlan, ASwitchTakesAllItsLinksWithIt) {
    using Direction = FaultPlan::Direction;
    const auto count = [](const std::string& where) {
        FaultPlan plan(faults::parse_script("[[fault]]\nwhat = 'switch'\nwhere = '" + where + "'\n",
                                            "f.toml", tree),
                       tree, fresh());
        unsigned links = 0;
        for (fabric::NodeId node = 0; node < 64; ++node)
            links += plan.link(Direction::out, 0, node) ? 1 : 0;
        for (const unsigned level : {1U, 2U})
            for (unsigned number = 0; number < 64; ++number)
                links += plan.link(Direction::up, level, number) ? 1 : 0;
        return links;
    };
    EXPECT_EQ(count("switch 3 of level 1"), 8U);
    EXPECT_EQ(count("switch 7 of level 2"), 8U);
    EXPECT_EQ(count("switch 7 of level 3"), 4U);
}

TEST(FaultPlan, BitErrorsComeAtTheirRate) {
    FaultPlan plan(
        faults::parse_script("[[fault]]\nwhat = 'bit-errors'\nwhere = 'node 0'\nrate = 1e-5\n",
                             "f.toml", star),
        star, fresh());
    Health* const health = plan.link(FaultPlan::Direction::out, 0, 0);
    ASSERT_NE(health, nullptr);
    EXPECT_EQ(plan.link(FaultPlan::Direction::out, 0, 1), nullptr);
    unsigned lost = 0;
    for (unsigned i = 0; i < 10'000; ++i)
        lost += health->lets_through(Time(), Bytes(1250)) ? 0 : 1;  // 10,000 bits: 9.5 %
    EXPECT_NEAR(lost, 952, 100);
    EXPECT_EQ(plan.report().faults.at(0).packets, lost);
}

}  // namespace
}  // namespace railyard::model
