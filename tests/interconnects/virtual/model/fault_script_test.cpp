#include "interconnects/virtual/model/fault_script.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "interconnects/virtual/model/fault_plan.hpp"
#include "railyard/base/error.hpp"

namespace railyard::model {
namespace {

using namespace literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Ground star{Topology::crossbar, 1, 2, 8};
constexpr Ground tree{Topology::fat_tree, 3, 1, 40};

Fault one(const std::string& lines, const Ground& ground = star) {
    const FaultScript script = parse_faults("[[fault]]\n" + lines, "f.toml", ground);
    EXPECT_EQ(script.faults.size(), 1U);
    return script.faults.at(0);
}

std::string mistake(const std::string& text, const Ground& ground = star) {
    try {
        parse_faults(text, "f.toml", ground);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(FaultScript, SaysWhatWhereWhenAndForHowLong) {
    const Fault fault =
        one("what = 'link'\nwhere = 'node 3, link 1 in'\nat = '2 us'\nfor = '1 ms'");
    EXPECT_EQ(fault.what, Fault::What::link);
    EXPECT_EQ(fault.where, (FaultPlace{FaultPlace::Kind::node_link, 3, 1, FaultPlace::Way::back}));
    EXPECT_FALSE(fault.is_on(Time::at(1999_ns)));
    EXPECT_TRUE(fault.is_on(Time::at(2_us)));
    EXPECT_TRUE(fault.is_on(Time::at(1001_us)));
    EXPECT_FALSE(fault.is_on(Time::at(1002_us)));
}

TEST(FaultScript, WithoutTimesItIsThereFromTheBeginningToTheEnd) {
    const Fault fault = one("what = 'switch'\nwhere = 'switch 0'");
    EXPECT_TRUE(fault.is_on(Time()));
    EXPECT_TRUE(fault.is_on(Time::at(100_s)));
}

TEST(FaultScript, AFlappingLinkIsDownFirstThenUp) {
    const Fault fault =
        one("what = 'flapping-link'\nwhere = 'node 0'\nat = '10 us'\ndown = '2 us'\nup = '3 us'");
    EXPECT_FALSE(fault.is_on(Time::at(9_us)));
    EXPECT_TRUE(fault.is_on(Time::at(11_us)));
    EXPECT_FALSE(fault.is_on(Time::at(12_us)));
    EXPECT_TRUE(fault.is_on(Time::at(15_us)));
}

TEST(FaultScript, PlacesAreThoseOfTracesAndReadBack) {
    for (const char* text : {"all links", "node 39", "node 0, link 0", "node 0, link 0 out",
                             "switches, link 63 of level 2", "switches, link 5 of level 1, up"})
        EXPECT_EQ(
            to_string(one(fmt::format("what = 'link'\nwhere = '{}'", text), tree).where, tree),
            text);
    for (const char* text : {"switch 15 of level 3", "switch 0 of level 1"})
        EXPECT_EQ(
            to_string(one(fmt::format("what = 'switch'\nwhere = '{}'", text), tree).where, tree),
            text);
}

TEST(FaultScript, AMistakeIsToldWithItsPlaceAndWhatIsAllowed) {
    EXPECT_THAT(mistake("[[fault]]\nwhat = 'lnk'\n"),
                AllOf(StartsWith("f.toml:2:8: what: "), HasSubstr("'link'")));
    EXPECT_THAT(mistake("[[fault]]\nwhat = 'link'\nwhere = 'node 8'\n"),
                AllOf(StartsWith("f.toml:3:9: where: there is no place 'node 8'"),
                      HasSubstr("node 0 to node 7")));
    EXPECT_THAT(mistake("[[fault]]\nwhat = 'link'\n"),
                AllOf(StartsWith("f.toml:1:1: where: "), HasSubstr("node 0 to node 7")));
    EXPECT_THAT(mistake("[[fault]]\nwhat = 'link'\nwhere = 'node 1'\nat = 5\n"),
                AllOf(StartsWith("f.toml:4:6: at: "), HasSubstr("'0.9 us'")));
    EXPECT_THAT(mistake("[[fault]]\nwhat = 'link'\nwhere = 'node 1'\nrate = 0.1\n"),
                HasSubstr("a fault 'link' has no such key"));
    EXPECT_THAT(mistake("[[fault]]\nwhat = 'bit-errors'\nwhere = 'node 1'\n"),
                HasSubstr("rate: it is missing"));
    EXPECT_THAT(mistake("[[fault]]\nwhat = 'switch'\nwhere = 'node 1'\n"),
                HasSubstr("strikes a switch"));
    EXPECT_THAT(mistake("[fault]\nwhat = 'link'\n"), HasSubstr("[[fault]]"));
    EXPECT_THAT(mistake("seeds = 1\n"), HasSubstr("'seed'"));
    EXPECT_THAT(mistake("seed = \n"), StartsWith("f.toml:1:"));
}

TEST(FaultScript, AllMistakesAreToldAtOnceByLine) {
    const std::string text = mistake("[[fault]]\nwhat = 'x'\n[[fault]]\nwhat = 'y'\nseed = 1\n");
    EXPECT_THAT(text, AllOf(StartsWith("f.toml:2:"), HasSubstr("\nf.toml:4:")));
}

TEST(FaultScript, IsPrintedAsItReads) {
    const FaultScript script = parse_faults(
        "seed = 9\n[[fault]]\nwhat = 'bit-errors'\nwhere = 'all links'\nrate = 1e-9\n[[fault]]\n"
        "what = 'flapping-link'\nwhere = 'node 2'\nat = '1 ms'\nfor = '1 s'\ndown = '3 us'\n"
        "up = '0.5 us'\n",
        "f.toml", tree);
    EXPECT_EQ(parse_faults(to_toml(script, tree), "f.toml", tree), script);
}

std::shared_ptr<fabric::FaultReport> fresh() {
    return std::make_shared<fabric::FaultReport>();
}

/// The cables that die with a switch: those to its four nodes or switches below, and above.
TEST(FaultPlan, ASwitchTakesAllItsLinksWithIt) {
    using Direction = FaultPlan::Direction;
    const auto count = [](const std::string& where) {
        FaultPlan plan(
            parse_faults("[[fault]]\nwhat = 'switch'\nwhere = '" + where + "'\n", "f.toml", tree),
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
    FaultPlan plan(parse_faults("[[fault]]\nwhat = 'bit-errors'\nwhere = 'node 0'\nrate = 1e-5\n",
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
