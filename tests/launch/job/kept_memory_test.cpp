#include "launch/job/kept_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "railyard/base/error.hpp"

namespace railyard::job {
namespace {

TEST(KeptFiles, HoldWhatRanksHaveUsed) {
    std::filesystem::path folder;
    {
        const KeptFiles files({.size = Bytes(1 << 20), .begins_with = std::string(16, 'b')}, 2,
                              ::testing::TempDir());
        folder = files.folder();
        ::setenv(KeptFiles::variable, files.folder().c_str(), 1);
        const SharedMemory memory = kept_file_of(1);
        EXPECT_FALSE(kept_file_of(1)) << "it is for one process";
        ASSERT_EQ(memory.size(), Bytes(1 << 20));
        EXPECT_EQ(std::memcmp(memory.data(), "bbbbbbbbbbbbbbbb", 16), 0);
        EXPECT_EQ(memory.data()[16], std::byte{});
        const std::uint64_t used = 20;
        std::memcpy(memory.data(), &used, sizeof used);
        std::memcpy(memory.data() + 16, "last", 4);
        const std::uint64_t nothing = 0;
        ::setenv(KeptFiles::variable, files.folder().c_str(), 1);
        std::memcpy(kept_file_of(0).data(), &nothing, sizeof nothing);
        EXPECT_EQ(files.used()[0], "");
        EXPECT_EQ(files.used()[1].substr(8), "bbbbbbbblast");
        ::setenv(KeptFiles::variable, files.folder().c_str(), 1);
        EXPECT_THROW(kept_file_of(2), Error);
        ::unsetenv(KeptFiles::variable);
    }
    EXPECT_FALSE(std::filesystem::exists(folder));
    EXPECT_FALSE(kept_file_of(0));
}

TEST(KeptFiles, ThatCannotBeMadeLeaveNothing) {
    const std::filesystem::path place = ::testing::TempDir() + "railyard-kept";
    std::filesystem::create_directory(place);
    EXPECT_THROW(KeptFiles({.size = Bytes(std::uint64_t{1} << 62), .begins_with = {}}, 2, place),
                 Error);
    EXPECT_TRUE(std::filesystem::is_empty(place));
    std::filesystem::remove(place);
}

TEST(KeptFiles, NeedAPlace) {
    EXPECT_THROW(KeptFiles({.size = Bytes(4096), .begins_with = {}}, 1, "/no/such/place"), Error);
}

}  // namespace
}  // namespace railyard::job
