// `railyard secret`, and what the secrets of others are told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "cli/program.hpp"

namespace railyard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(SecretCommand, PrintsANewOneEachTime) {
    const Ended one = railyard({"secret"});
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_THAT(one.out, MatchesRegex("[0-9a-f]{64}\n"));
    EXPECT_NE(one.out, railyard({"secret"}).out);
}

TEST(SecretCommand, WritesAFileForItsOwnerAlone) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("key");
    EXPECT_EQ(railyard({"secret", file}).out, "");
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_THAT(complaint({"secret", file}), HasSubstr("is there already"));
}

TEST(SecretCommand, SaysHowItIsUsed) {
    const Ended help = railyard({"secret", "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  railyard secret"));
    EXPECT_THAT(help.out, HasSubstr("--secret-file key"));
}

TEST(SecretCommand, IsTheRemedyForSecretsThatCanBeGuessed) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("key");
    std::ofstream(file) << "nobody would ever guess this\n";
    ::chmod(file.c_str(), 0600);
    const std::string said = complaint(
        {"measure", "latency-uni", "--on", "iwarp", "--peer", "127.0.0.1", "--secret-file", file});
    EXPECT_THAT(said, HasSubstr("at least 128 random bits"));
    EXPECT_THAT(said, HasSubstr("`railyard secret` makes a good one"));
}

}  // namespace
}  // namespace railyard::cli
