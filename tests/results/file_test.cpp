#include "results/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "railyard/base/error.hpp"

namespace railyard::results {
namespace {

namespace fs = std::filesystem;

/// A directory that is gone after the test, with all that is in it.
class File : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "railyard-file-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { fs::remove_all(directory_); }

    std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(directory_), fs::directory_iterator()));
    }

    fs::path directory_;
};

std::string complaint_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST_F(File, IsWrittenAndReadWhole) {
    const fs::path path = directory_ / "a";
    std::string content(100'000, 'x');
    content += std::string("\0\r\n", 3);
    write_file(path, content);
    EXPECT_EQ(read_file(path), content);
    write_file(path, "short");
    EXPECT_EQ(read_file(path), "short");
    EXPECT_EQ(files(), 1u);
}

TEST_F(File, KeepsItsMode) {
    const fs::path path = directory_ / "a";
    write_file(path, "old");
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    write_file(path, "new");
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(File, BehindALinkIsReplacedAndTheLinkStays) {
    write_file(directory_ / "real", "old");
    fs::create_symlink("real", directory_ / "link");
    write_file(directory_ / "link", "new");
    EXPECT_TRUE(fs::is_symlink(directory_ / "link"));
    EXPECT_EQ(read_file(directory_ / "real"), "new");
}

TEST_F(File, ThatIsAStreamIsWrittenInto) {
    write_file("/dev/null", "gone");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    check_writable("/dev/null");
}

TEST_F(File, InAMissingDirectoryIsRefused) {
    const fs::path path = directory_ / "no" / "a";
    const std::string expected = "cannot write '" + path.string() + "': No such file or directory";
    EXPECT_EQ(complaint_of([&] { check_writable(path); }), expected);
    EXPECT_EQ(complaint_of([&] { write_file(path, "x"); }), expected);
}

TEST_F(File, ThatIsADirectoryIsRefused) {
    EXPECT_EQ(complaint_of([&] { check_writable(directory_); }),
              "cannot write '" + directory_.string() + "': Is a directory");
}

TEST_F(File, CheckedForWritingIsLeftAlone) {
    check_writable(directory_ / "new");
    EXPECT_EQ(files(), 0u);
    write_file(directory_ / "old", "content");
    check_writable(directory_ / "old");
    EXPECT_EQ(read_file(directory_ / "old"), "content");
    EXPECT_EQ(files(), 1u);
}

TEST_F(File, StaysAsItWasWhenWritingFails) {
    const fs::path path = directory_ / "a";
    write_file(path, "old");
    // In a process of its own, which may not write more than 1000 bytes to a file.
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1000, 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const std::string what = complaint_of([&] { write_file(path, std::string(5000, 'x')); });
        const bool right = what == "cannot write '" + path.string() + "': File too large";
        ::_exit(right ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace railyard::results
