#include "results/gzip.hpp"

#include <gmock/gmock.h>

#include <string>

#include "railyard/base/error.hpp"

namespace railyard::results {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// Several steps long, and not all of it alike.
std::string long_text() {
    std::string text;
    for (int i = 0; text.size() < 1'000'000; ++i)
        text += std::to_string(i * 7919 % 1000) + " ";
    return text;
}

TEST(Gzip, GivesBackWhatItTook) {
    for (const std::string& text : {std::string(), std::string("a\0b", 3), long_text()}) {
        const std::string packed = gzip(text);
        EXPECT_TRUE(is_gzip(packed));
        EXPECT_EQ(gunzip(packed, "a.gz"), text);
        EXPECT_EQ(gzip(text), packed) << "no time of day is in it";
    }
    EXPECT_LT(gzip(long_text()).size(), long_text().size() / 20);
    EXPECT_FALSE(is_gzip("plain"));
}

TEST(Gzip, DamageIsNoticed) {
    const std::string packed = gzip(long_text());
    const auto expect = [](const std::string& bytes, const char* what) {
        EXPECT_THAT([&] { gunzip(bytes, "a.gz"); },
                    ThrowsMessage<Error>(AllOf(StartsWith("a.gz: "), HasSubstr(what))));
    };
    for (const std::size_t size : {std::size_t{2}, packed.size() / 2, packed.size() - 1})
        expect(packed.substr(0, size), "damaged or cut off");
    std::string wrong = packed;
    wrong[wrong.size() / 2] ^= 1;
    expect(wrong, "damaged or cut off");
    expect(packed + "x", "more stands behind");
}

TEST(Gzip, FillsNoMemory) {
    const std::string bomb = gzip(std::string(3 << 20, '0'));
    EXPECT_EQ(gunzip(bomb, "a.gz", 3 << 20).size(), 3U << 20);
    EXPECT_THAT([&] { gunzip(bomb, "a.gz", 1 << 20); },
                ThrowsMessage<Error>(HasSubstr("more than 1048576 bytes when decompressed")));
}

}  // namespace
}  // namespace railyard::results
