#include "railyard/base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace railyard {
namespace {

TEST(Error, SystemErrorSaysWhatAndWhy) {
    errno = ENOENT;
    const Error error = system_error("cannot open profile.toml");
    EXPECT_EQ(error.what(), std::string("cannot open profile.toml: ") + std::strerror(ENOENT));
}

TEST(Error, TooFewDescriptorsHaveARemedy) {
    errno = EMFILE;
    EXPECT_NE(std::string(system_error("cannot make a pipe").what()).find("ulimit -n"),
              std::string::npos);
}

TEST(Error, AUsageErrorIsAnError) {
    EXPECT_THROW(throw UsageError("no such fabric"), Error);
    try {
        throw UsageError("no such fabric");
    } catch (const std::exception& e) {
        EXPECT_STREQ(e.what(), "no such fabric");
    }
}

}  // namespace
}  // namespace railyard
