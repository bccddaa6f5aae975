#include "railyard/base/status.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

namespace railyard {
namespace {

constexpr int codes = static_cast<int>(Code::invalid) + 1;

TEST(Status, IsOkUnlessToldOtherwise) {
    const Status status;
    EXPECT_TRUE(status.ok());
    EXPECT_FALSE(status.again());
    EXPECT_FALSE(status.failed());
    EXPECT_EQ(status.code(), Code::ok);
}

TEST(Status, BackPressureIsNeitherSuccessNorFailure) {
    const Status status = Code::again;
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(status.again());
    EXPECT_FALSE(status.failed());
}

TEST(Status, EveryOtherCodeIsAFailure) {
    for (int i = static_cast<int>(Code::again) + 1; i < codes; ++i) {
        const Status status = static_cast<Code>(i);
        EXPECT_TRUE(status.failed()) << i;
        EXPECT_FALSE(status.ok()) << i;
        EXPECT_FALSE(status.again()) << i;
    }
}

TEST(Status, ComparesByCode) {
    EXPECT_EQ(Status(Code::flushed), Status(Code::flushed));
    EXPECT_NE(Status(Code::flushed), Status());
    EXPECT_TRUE(Status(Code::no_right) == Code::no_right);
}

TEST(Status, EveryCodeHasAShortLowerCaseNameOfItsOwn) {
    std::set<std::string> seen;
    for (int i = 0; i < codes; ++i) {
        const std::string text(name(static_cast<Code>(i)));
        EXPECT_TRUE(seen.insert(text).second) << text;
        EXPECT_NE(text, "unknown status") << i;
        for (const char c : text)
            EXPECT_TRUE(c == ' ' || std::islower(static_cast<unsigned char>(c))) << text;
    }
    EXPECT_EQ(name(Code::out_of_bounds), "out of bounds");
    EXPECT_EQ(Status(Code::receiver_not_ready).name(), "receiver not ready");
}

TEST(Status, AByteThatIsNoCodeStillHasAName) {
    EXPECT_EQ(name(static_cast<Code>(codes)), "unknown status");
    EXPECT_EQ(name(static_cast<Code>(255)), "unknown status");
}

}  // namespace
}  // namespace railyard
