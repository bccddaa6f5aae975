// What servers of PMI-1 and we say to each other.

#include "launch/managers/pmi_wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/managers/values.hpp"

namespace railyard::managers {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(PmiWire, WordsOfALineAreFoundByTheirKey) {
    const PmiLine line("cmd=get_result rc=0 msg=success value=(vector,(0,1,2))=x");
    EXPECT_TRUE(line.is("get_result"));
    EXPECT_TRUE(line.succeeded());
    EXPECT_EQ(line.find("value"), "(vector,(0,1,2))=x");
    EXPECT_EQ(line.find("val"), std::nullopt);
    EXPECT_EQ(line.find("alue"), std::nullopt);
    EXPECT_FALSE(PmiLine("rc=-1 cmd=get_result").succeeded());
    EXPECT_TRUE(PmiLine("rc=-1 cmd=get_result").is("get_result")) << "Slurm says rc first";
    EXPECT_EQ(PmiLine("").find("cmd"), std::nullopt);
    EXPECT_EQ(PmiLine("cmd=").find("cmd"), "");
}

std::vector<std::byte> bytes(std::size_t n) {
    std::vector<std::byte> all(n);
    for (std::size_t i = 0; i < n; ++i)
        all[i] = static_cast<std::byte>(i * 7 + i / 256);
    return all;
}

TEST(PmiWire, AnyBytesTravelAsWordsThatALineHasRoomFor) {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 4U, 255U, 524U, 525U, 526U, 1050U, 10000U}) {
        const auto words = as_words(bytes(n));
        for (const std::string& word : words) {
            EXPECT_LE(word.size(), 720u);
            EXPECT_EQ(word.find_first_of(" \n\t"), word.npos);
        }
        EXPECT_EQ(count_words(words.front()), words.size());
        EXPECT_THAT(from_words(words), Optional(bytes(n))) << n;
    }
}

TEST(PmiWire, WordsThatAreCutOrMissingAreNoticed) {
    auto words = as_words(bytes(2000));
    ASSERT_GT(words.size(), 2u);
    EXPECT_EQ(from_words(std::span(words).first(1)), std::nullopt);
    words.back() += " ";
    EXPECT_EQ(from_words(words), std::nullopt);
    for (const char* wrong : {"", ":", "0:", "1", "1:A", "1:A=", "1:AB!", "-1:AA", "1:AB"}) {
        const std::vector<std::string> one{wrong};
        EXPECT_EQ(from_words(one), std::nullopt) << wrong;
    }
}

TEST(PmiWire, NodesComeFromTheProcessMapping) {
    EXPECT_THAT(parse_process_mapping("(vector,(0,1,2),(1,1,1))", 3),
                Optional(ElementsAre(0, 0, 1)));
    EXPECT_THAT(parse_process_mapping("(vector,(0,2,2))", 4), Optional(ElementsAre(0, 0, 1, 1)));
    // Blocks are walked again until all ranks have a node.
    EXPECT_THAT(parse_process_mapping("(vector,(0,1,1))", 3), Optional(ElementsAre(0, 0, 0)));
    EXPECT_THAT(parse_process_mapping("(vector,(0,3,1))", 7),
                Optional(ElementsAre(0, 1, 2, 0, 1, 2, 0)));
    // Slurm, cyclic.
    EXPECT_THAT(parse_process_mapping("(vector,(0,2,1),(0,1,1),(0,1,1),(0,1,1))", 5),
                Optional(ElementsAre(0, 1, 0, 0, 0)));
    // Numbered densely, in the order of ranks.
    EXPECT_THAT(parse_process_mapping("(vector,(7,1,1),(3,1,1))", 2), Optional(ElementsAre(0, 1)));
    EXPECT_THAT(parse_process_mapping("(vector,(0,1000000000,1000000000))", 2),
                Optional(ElementsAre(0, 0)));
}

TEST(PmiWire, AMappingThatMakesNoSenseIsNone) {
    for (const char* wrong :
         {"", "(", "(vector)", "(vector,)", "(vector,(0,1))", "(vector,(0,0,1))",
          "(vector,(0,1,0))", "(vector,(-1,1,1))", "(vector,(0,1,1)", "(vector,(0,1,1)) ",
          "vector,(0,1,1)", "(vector,(0,1,99999999999))", "(vector,(0,1,1)(0,1,1))"})
        EXPECT_EQ(parse_process_mapping(wrong, 2), std::nullopt) << wrong;
}

TEST(PmiWire, NamesBecomeNumbers) {
    const std::vector<std::string> names{"b", "a", "b", "c"};
    EXPECT_THAT(number_nodes(names), ElementsAre(0, 1, 0, 2));
}

TEST(ManagerValues, ArePackedAndUnpacked) {
    NamedValues values{{"a", bytes(3)}, {"", {}}, {"long", bytes(1000)}};
    auto packed = pack(values);
    EXPECT_THAT(unpack(packed), Optional(values));
    EXPECT_THAT(unpack({}), Optional(NamedValues{}));
    packed.pop_back();
    EXPECT_EQ(unpack(packed), std::nullopt);
}

}  // namespace
}  // namespace railyard::managers
