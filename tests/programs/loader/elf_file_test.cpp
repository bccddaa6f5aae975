// What is read of executables and libraries, and what is refused.

#include "programs/loader/elf_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "programs/loader/thread_room.hpp"
#include "railyard/base/error.hpp"

namespace railyard::loader {
namespace {

using ::testing::HasSubstr;

std::string why_refused(const std::filesystem::path& path) {
    try {
        const ElfFile file(path);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(ElfFile, KnowsThisProgram) {
    const ElfFile file("/proc/self/exe");
    EXPECT_TRUE(file.is_position_independent());
    EXPECT_THAT(file.interpreter(), HasSubstr("ld-linux"));
    EXPECT_NE(file.entry(), 0U);
    EXPECT_NE(file.unwind_table(), 0U);
    EXPECT_TRUE(std::ranges::any_of(
        file.needed(), [](const std::string& name) { return name.starts_with("libc.so"); }));
    EXPECT_TRUE(std::ranges::any_of(file.symbols(), [](const Symbol& symbol) {
        return symbol.name == "__libc_start_main" && !symbol.defined && !symbol.version.empty();
    }));
    EXPECT_FALSE(file.relocations().empty());
}

class Scratch : public ::testing::Test {
  protected:
    std::filesystem::path write(const std::string& bytes) {
        const std::filesystem::path path =
            std::filesystem::temp_directory_path() / ("elf-" + std::to_string(::getpid()));
        std::ofstream(path, std::ios::binary) << bytes;
        made_ = path;
        return path;
    }
    void TearDown() override { std::filesystem::remove(made_); }

    std::filesystem::path made_;
};

using ElfFiles = Scratch;

TEST_F(ElfFiles, OfOtherKindsAreRefused) {
    EXPECT_THAT(why_refused(write("")), HasSubstr("no executable"));
    EXPECT_THAT(why_refused(write("#!/bin/sh\n")), HasSubstr("a script"));
    EXPECT_THAT(why_refused(write("\x7f"
                                  "ELF and no more")),
                HasSubstr("no executable"));
    EXPECT_THAT(why_refused("/no/such/file"), HasSubstr("/no/such/file"));
    EXPECT_THAT(why_refused("/"), HasSubstr("no file"));
}

TEST_F(ElfFiles, ThatEndTooEarlyAreRefused) {
    std::ifstream in("/proc/self/exe", std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    const Segment last = ElfFile("/proc/self/exe").segments().back();
    for (const std::size_t length : {100UL, 1000UL, last.file_offset + last.file_size - 1})
        EXPECT_NE(why_refused(write(whole.substr(0, length))), "") << length;
}

TEST(ThreadRoom, IsGivenOutFromTheThreadPointerOn) {
    thread_room::Plan plan;
    std::ptrdiff_t executable = 0, library = 0, none = 0;
    ASSERT_TRUE(plan.add(12, 8, executable));
    ASSERT_TRUE(plan.add(100, 64, library));
    EXPECT_EQ(library % 64, 0);
#if defined(__x86_64__)
    EXPECT_EQ(executable, -16);  // as the linker has it: the end is at the thread pointer
    EXPECT_EQ(library, -128);
#else
    EXPECT_EQ(executable, 16);
#endif
    EXPECT_GE(plan.used(), 112U);
    EXPECT_FALSE(plan.add(thread_room::size, 1, none));
}

}  // namespace
}  // namespace railyard::loader
