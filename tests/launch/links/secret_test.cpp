#include "launch/links/secret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "railyard/base/error.hpp"

namespace railyard::links {
namespace {

std::string hex(const Secret::Bytes& bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

TEST(Secret, IsDifferentEachTimeAndComesBackFromItsText) {
    const Secret one = Secret::make();
    EXPECT_NE(one.hex(), Secret::make().hex());
    EXPECT_EQ(Secret::parse(one.hex())->hex(), one.hex());
    EXPECT_FALSE(Secret::parse("12"));
    EXPECT_FALSE(Secret::parse(std::string(64, 'x')));
}

TEST(Secret, SignsAsTheRfcSays) {
    // RFC 4231, test case 6 hashes its key first, as of_words does: 131 bytes of 0xaa.
    const Secret secret = Secret::of_words(std::string(131, '\xaa'));
    EXPECT_EQ(hex(secret.sign({"Test Using Larger Than Block-Size Key", " - Hash Key First"})),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Secret, OfWordsNeedsEnoughOfThem) {
    EXPECT_EQ(Secret::of_words("sixteen letters.").hex(),
              Secret::of_words("  sixteen letters.\n").hex());
    EXPECT_THROW(Secret::of_words("too short"), UsageError);
}

TEST(Secret, InAFileIsForItsOwnerAlone) {
    const std::string file = ::testing::TempDir() + "railyard-secret";
    std::ofstream(file) << "nobody would ever guess this\n";
    ::chmod(file.c_str(), 0600);
    EXPECT_EQ(Secret::of_file(file).hex(), Secret::of_words("nobody would ever guess this").hex());
    ::chmod(file.c_str(), 0640);
    try {
        Secret::of_file(file);
        ADD_FAILURE() << "others may read it";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("chmod 600"));
    }
    ::remove(file.c_str());
    EXPECT_THROW(Secret::of_file(file), UsageError);
}

}  // namespace
}  // namespace railyard::links
