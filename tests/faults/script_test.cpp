#include "faults/script.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "railyard/base/error.hpp"

namespace railyard::faults {
namespace {

using namespace literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Layout star{.levels = 0, .ports = 2, .nodes = 8};
constexpr Layout tree{.levels = 3, .ports = 1, .nodes = 40};

Fault one(const std::string& lines, const Layout& layout = star) {
    const Script script = parse_script("[[fault]]\n" + lines, "f.toml", layout);
    EXPECT_EQ(script.faults.size(), 1U);
    return script.faults.at(0);
}

std::string mistake(const std::string& text, const Layout& layout = star) {
    try {
        parse_script(text, "f.toml", layout);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(FaultScript, SaysWhatWhereWhenAndForHowLong) {
    const Fault fault =
        one("what = 'link'\nwhere = 'node 3, link 1 in'\nat = '2 us'\nfor = '1 ms'");
    EXPECT_EQ(fault.what, Fault::What::link);
    EXPECT_EQ(fault.where, (Place{Place::Kind::node_link, 3, 1, Place::Way::back}));
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
    const Script script = parse_script(
        "seed = 9\n[[fault]]\nwhat = 'bit-errors'\nwhere = 'all links'\nrate = 1e-9\n[[fault]]\n"
        "what = 'flapping-link'\nwhere = 'node 2'\nat = '1 ms'\nfor = '1 s'\ndown = '3 us'\n"
        "up = '0.5 us'\n",
        "f.toml", tree);
    EXPECT_EQ(parse_script(to_toml(script, tree), "f.toml", tree), script);
}

}  // namespace
}  // namespace railyard::faults
