#include "base/code_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

[[gnu::noinline]] int place_to_find(int n) {
    return n + 1;
}

TEST(CodePlaces, AreFoundByFileAndFunction) {
    const auto address = reinterpret_cast<std::uintptr_t>(&place_to_find);
    const CodePlace place = find_code_place(address + 1);
    EXPECT_THAT(std::string(place.file.data()), EndsWith("base_test"));
    EXPECT_THAT(std::string(place.function.data()), HasSubstr("place_to_find"));
    EXPECT_EQ(place.in_function, 1U);
    EXPECT_GT(place.in_file, 0U);
    EXPECT_EQ(place_to_find(1), 2);
}

TEST(CodePlaces, AreNoneWhereThereIsNoCode) {
    EXPECT_EQ(find_code_place(16).file[0], '\0');
    int local = 0;
    EXPECT_EQ(find_code_place(reinterpret_cast<std::uintptr_t>(&local)).file[0], '\0');
}

TEST(CodePlaces, FixedTextHoldsWhatFits) {
    FixedText<12> text;
    text << "at 0x";
    text.number(0xbeef, 16) << ", "
                            << "and more";
    EXPECT_EQ(text.view(), "at 0xbeef, a");
}

}  // namespace
}  // namespace railyard
