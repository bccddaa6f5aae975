// The list of records that are known to be off.

#include "reproduce/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "railyard/base/error.hpp"
#include "reproduce/check.hpp"

namespace railyard::reproduce {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string complaint(const std::string& text) {
    try {
        read_exceptions(text, "exceptions.toml", papers());
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

const std::string good =
    "[[exception]]\n"
    "id = \"liu04.host_overhead.gm\"\n"
    "reason = \"physics\"\n"
    "text = \"because\"\n";

TEST(Exceptions, AreReadWithTheirReasons) {
    const auto found = read_exceptions(good, "exceptions.toml", papers());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, "liu04.host_overhead.gm");
    EXPECT_EQ(found[0].reason, "physics");
    EXPECT_EQ(found[0].text, "because");
    EXPECT_TRUE(read_exceptions("", "exceptions.toml", papers()).empty());
}

TEST(Exceptions, ThatAreShippedCanBeRead) {
    for (const Exception& exception : known_exceptions())
        EXPECT_FALSE(exception.text.empty()) << exception.id;
}

TEST(Exceptions, MayBePatterns) {
    const std::string all_of_cg =
        "[[exception]]\nid = \"wu02.table2.cg.*\"\nreason = \"physics\"\n"
        "text = \"because\"\n";
    const auto found = read_exceptions(all_of_cg, "exceptions.toml", papers());
    EXPECT_EQ(found.size(), 8U);  // two sizes, two ways of connecting, VIs and their use
    for (const Exception& exception : found)
        EXPECT_THAT(exception.id, StartsWith("wu02.table2.cg."));
    EXPECT_THAT(complaint(all_of_cg + all_of_cg), HasSubstr("is listed twice"));
    EXPECT_EQ(complaint("[[exception]]\nid = \"wu03.*\"\nreason = \"physics\"\ntext = \"x\"\n"),
              "exceptions.toml:1: there is no record 'wu03.*'");
    // A pattern stands for results; parameters have nothing to be excused for.
    EXPECT_THAT(complaint("[[exception]]\nid = \"wu02.param.npb.*\"\nreason = \"physics\"\n"
                          "text = \"x\"\n"),
                HasSubstr("there is no record"));
}

// What nothing measures is listed, and nothing else is listed so.
TEST(Exceptions, ListAllThatIsNotMeasured) {
    const auto known = known_exceptions();
    for (const Record& record : papers()) {
        const auto check = check_of(record, papers());
        const auto* why = std::get_if<Unchecked>(&check);
        const auto listed = std::ranges::find(known, record.id, &Exception::id);
        EXPECT_EQ(why != nullptr && *why == Unchecked::not_measured,
                  listed != known.end() && excuses_measuring(listed->reason))
            << record.id;
    }
}

TEST(Exceptions, NameTheLineOfAMistake) {
    EXPECT_EQ(complaint("\n[[exception]]\nid = \"liu04.host_overhead.gmm\"\nreason = "
                        "\"physics\"\ntext = \"because\"\n"),
              "exceptions.toml:2: there is no record 'liu04.host_overhead.gmm'; did you mean "
              "'liu04.host_overhead.gm'?");
    EXPECT_EQ(complaint("[[exception]]\nid = \"liu04.host_overhead.gm\"\nreason = \"luck\"\n"
                        "text = \"because\"\n"),
              "exceptions.toml:1: reason: expected one of contradiction, physics, not understood, "
              "not reproducible, found 'luck'");
    EXPECT_EQ(complaint("[[exception]]\nid = \"liu04.host_overhead.gm\"\nreason = \"physics\"\n"),
              "exceptions.toml:1: text: missing");
    EXPECT_EQ(complaint("[[exception]]\nid = 3\n"), "exceptions.toml:2: id: expected a text");
    EXPECT_EQ(complaint("[[exception]]\nwhy = \"x\"\n"),
              "exceptions.toml:2: 'why': an exception has id, reason and text");
    EXPECT_EQ(complaint("\n\nexceptions = 1\n"),
              "exceptions.toml:3: 'exceptions': expected [[exception]]");
    EXPECT_THAT(complaint(good + good), StartsWith("exceptions.toml:5: "));
    EXPECT_THAT(complaint(good + good), HasSubstr("is listed twice"));
    EXPECT_THAT(complaint("[[exception]]\nid = \n"), StartsWith("exceptions.toml:2: "));
}

}  // namespace
}  // namespace railyard::reproduce
