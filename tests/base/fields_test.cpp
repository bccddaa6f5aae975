#include "base/fields.hpp"

#include <gtest/gtest.h>

namespace railyard {
namespace {

TEST(Fields, ComeBack) {
    const std::string bytes =
        FieldWriter().number(7).text("seven").texts({"a", "", "b"}).number(~0ull).take();
    FieldReader in(bytes);
    EXPECT_EQ(in.small_number(), 7u);
    EXPECT_EQ(in.text(), "seven");
    EXPECT_EQ(in.texts(), (std::vector<std::string>{"a", "", "b"}));
    EXPECT_FALSE(in.complete());
    EXPECT_EQ(in.number(), ~0ull);
    EXPECT_TRUE(in.complete());
}

TEST(Fields, AnythingCutShortIsSeen) {
    const std::string bytes = FieldWriter().number(7).text("seven").texts({"a"}).take();
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        FieldReader in(std::string_view(bytes).substr(0, n));
        in.number();
        in.text();
        in.texts();
        EXPECT_FALSE(in.ok()) << n;
    }
}

TEST(Fields, LengthsAreNotBelieved) {
    const std::string bytes = FieldWriter().number(1ull << 60).take();
    EXPECT_EQ(FieldReader(bytes).text(), "");
    EXPECT_TRUE(FieldReader(bytes).texts().empty());
    FieldReader in(bytes);
    EXPECT_EQ(in.small_number(), 0u);
    EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace railyard
