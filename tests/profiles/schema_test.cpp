#include "profiles/schema.hpp"

#include <gtest/gtest.h>

namespace railyard::profiles {
namespace {

TEST(ProfileValue, TextsAreQuotedForToml) {
    EXPECT_EQ(toml(Literal("a \"b\" \\ \n")), R"("a \"b\" \\ \u000a")");
    EXPECT_EQ(toml(Literal(true)), "true");
    EXPECT_EQ(toml(Literal(std::int64_t{8})), "8");
    EXPECT_EQ(toml(Literal(0.0989)), "0.0989");
    EXPECT_EQ(plain(Literal("0.9 us")), "0.9 us");
}

}  // namespace
}  // namespace railyard::profiles
