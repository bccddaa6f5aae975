#include "launch/agents/host_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::agents {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// Cut short anywhere, or with something behind it, it is not read at all.
template <class Message>
void is_whole_or_nothing(const Message& message) {
    const std::string text = message.text();
    for (std::size_t n = 0; n < text.size(); ++n)
        EXPECT_FALSE(Message::parse(std::string_view(text).substr(0, n))) << n;
    EXPECT_FALSE(Message::parse(text + "x"));
}

TEST(HostMessages, AStartSaysAll) {
    job::Program program;
    program.ranks = 3;
    program.arguments = {"./hello", "two words"};
    program.environment = {{"A", "1"}, {"B", ""}};
    program.directory = "/var/work";
    program.folders = {"/opt"};
    const Start start{.host = 1,
                      .nodes = {0, 1, 1},
                      .programs = {program, program},
                      .fabric = "shm",
                      .pin = false,
                      .first_on_machine = 2,
                      .ranks_on_machine = 4,
                      .environment = {"PATH=/bin"}};
    const auto got = Start::parse(start.text());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->host, 1u);
    EXPECT_THAT(got->nodes, ElementsAre(0, 1, 1));
    ASSERT_EQ(got->programs.size(), 2u);
    EXPECT_EQ(got->programs[1].ranks, 3);
    EXPECT_EQ(got->programs[1].arguments, program.arguments);
    EXPECT_THAT(got->programs[1].environment, ElementsAre(Pair("A", "1"), Pair("B", "")));
    EXPECT_EQ(got->programs[1].directory, "/var/work");
    EXPECT_EQ(got->programs[1].folders, program.folders);
    EXPECT_EQ(got->fabric, "shm");
    EXPECT_FALSE(got->pin);
    EXPECT_EQ(got->first_on_machine, 2u);
    EXPECT_EQ(got->ranks_on_machine, 4u);
    EXPECT_EQ(got->environment, start.environment);
    is_whole_or_nothing(start);
}

TEST(HostMessages, OthersComeBackToo) {
    const auto put = RankPut::parse(RankPut{2, "key", std::string("\0x", 2)}.text());
    ASSERT_TRUE(put);
    EXPECT_EQ(put->rank, 2u);
    EXPECT_EQ(put->value, std::string("\0x", 2));
    const auto failure = Failure::parse(Failure{{"it broke", 3, job::Ending::Cause::abort}}.text());
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->ending.failure, "it broke");
    EXPECT_EQ(failure->ending.exit_code, 3);
    EXPECT_EQ(failure->ending.cause, job::Ending::Cause::abort);
    const auto printed = Printed::parse(Printed{1, true, "oh\n"}.text());
    ASSERT_TRUE(printed);
    EXPECT_TRUE(printed->is_error);
    EXPECT_EQ(printed->bytes, "oh\n");
    EXPECT_EQ(Here::parse(Here{3, "boot"}.text())->machine, "boot");
    EXPECT_EQ(parse_number(number_text(9)), 9u);
    EXPECT_FALSE(parse_number(number_text(1ull << 32)));
    is_whole_or_nothing(RankPut{2, "key", "value"});
    is_whole_or_nothing(Failure{{"it broke", 3, job::Ending::Cause::abort}});
    is_whole_or_nothing(Printed{1, true, "oh\n"});
    is_whole_or_nothing(Here{3, "boot"});
}

TEST(AgentCall, ComesBackFromItsLines) {
    const AgentCall call{.secret = tls::Secret::make(),
                         .host = 2,
                         .name = "node b",
                         .heartbeat = Duration::ms(1500),
                         .addresses = {"[10.0.0.1]:4711", "[::1]:4711"}};
    const auto got = AgentCall::parse(call.text());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->secret.hex(), call.secret.hex());
    EXPECT_EQ(got->host, 2u);
    EXPECT_EQ(got->name, "node b");
    EXPECT_EQ(got->heartbeat, Duration::ms(1500));
    EXPECT_EQ(got->addresses, call.addresses);
    // Without its last line it is not whole.
    const std::string text = call.text();
    EXPECT_FALSE(AgentCall::parse(std::string_view(text).substr(0, text.size() - 1)));
    EXPECT_FALSE(AgentCall::parse("hello\n\n"));
}

}  // namespace
}  // namespace railyard::agents
