#include "launch/peers/messages.hpp"

#include <gtest/gtest.h>

namespace railyard::peers {
namespace {

/// Cut short anywhere, or with something behind it, it is not read at all.
template <class Message>
void is_whole_or_nothing(const Message& message) {
    const std::string text = message.text();
    for (std::size_t n = 0; n < text.size(); ++n)
        EXPECT_FALSE(Message::parse(std::string_view(text).substr(0, n))) << n;
    EXPECT_FALSE(Message::parse(text + "x"));
}

TEST(PeerMessages, ComeBack) {
    const auto put = RankPut::parse(RankPut{2, "key", std::string("\0x", 2)}.text());
    ASSERT_TRUE(put);
    EXPECT_EQ(put->rank, 2u);
    EXPECT_EQ(put->value, std::string("\0x", 2));
    const auto failure = Failure::parse(Failure{{"it broke", 3, job::Ending::Cause::abort}}.text());
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->ending.failure, "it broke");
    EXPECT_EQ(failure->ending.exit_code, 3);
    EXPECT_EQ(failure->ending.cause, job::Ending::Cause::abort);
    EXPECT_EQ(parse_number(number_text(9)), 9u);
    EXPECT_FALSE(parse_number(number_text(1ull << 32)));
    is_whole_or_nothing(RankPut{2, "key", "value"});
    is_whole_or_nothing(Failure{{"it broke", 3, job::Ending::Cause::abort}});
}

}  // namespace
}  // namespace railyard::peers
