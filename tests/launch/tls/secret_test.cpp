#include "launch/tls/secret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "railyard/base/error.hpp"

namespace railyard::tls {
namespace {

using ::testing::HasSubstr;

constexpr const char* digits = "00112233445566778899aabbccddeeff";

std::string complaint_about(std::string_view text) {
    try {
        Secret::parse(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "it was taken";
}

TEST(Secret, IsDifferentEachTimeAndComesBackFromItsText) {
    const Secret one = Secret::make();
    EXPECT_EQ(8 * one.bytes().size(), Secret::usual_bits);
    EXPECT_NE(one.hex(), Secret::make().hex());
    EXPECT_EQ(Secret::parse(one.hex()).hex(), one.hex());
    EXPECT_THROW(Secret::parse("12"), UsageError);
    EXPECT_THROW(Secret::parse(std::string(64, 'x')), UsageError);
}

TEST(Secret, IsReadAsItIsWritten) {
    EXPECT_EQ(Secret::parse(digits).hex(), digits);
    EXPECT_EQ(Secret::parse("  00112233445566778899AABBCCDDEEFF\n").hex(), digits);
    EXPECT_EQ(Secret::parse(digits).bytes()[3], 0x33);
}

TEST(Secret, OfLessThan128BitsIsRefusedWithTheRemedy) {
    const std::string short_one = std::string(digits).substr(1);
    EXPECT_THAT(complaint_about(short_one), HasSubstr("at least 128 random bits"));
    for (const std::string& weak :
         {short_one, std::string("too short"), std::string("sixteen letters."),
          std::string("nobody would ever guess this, though it is long"), std::string(64, '0'),
          std::string(), std::string(digits) + "0"})
        EXPECT_NE(complaint_about(weak), "it was taken") << weak;
    EXPECT_THAT(complaint_about("sixteen letters."), HasSubstr("`railyard secret`"));
    EXPECT_THAT(complaint_about(std::string(64, '0')), HasSubstr("only 1 different"));
}

TEST(Secret, InAFileIsForItsOwnerAlone) {
    const std::string file = ::testing::TempDir() + "railyard-secret";
    std::ofstream(file) << digits << "\n";
    ::chmod(file.c_str(), 0600);
    EXPECT_EQ(Secret::of_file(file).hex(), digits);
    ::chmod(file.c_str(), 0640);
    try {
        Secret::of_file(file);
        ADD_FAILURE() << "others may read it";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("chmod 600"));
    }
    ::remove(file.c_str());
    EXPECT_THROW(Secret::of_file(file), UsageError);
}

}  // namespace
}  // namespace railyard::tls
