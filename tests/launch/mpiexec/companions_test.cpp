// Programs that come with mpiexec and are on nobody's path.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// mpiexec, as it lies where it was installed, with programs that print where they are.
class MpiexecCompanions : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "railyard-companions-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        prefix_ = name;
        fs::create_directories(prefix_ / "work");
        fs::create_directories(prefix_ / "bin");
        fs::copy_file(RAILYARD_BIN "/mpiexec", prefix_ / "bin/mpiexec");
    }
    void TearDown() override { fs::remove_all(prefix_); }

    void program(const std::string& folder, const std::string& name) const {
        fs::create_directories(prefix_ / folder);
        const fs::path path = prefix_ / folder / name;
        std::ofstream(path) << "#!/bin/sh\necho " << folder << "\n";
        fs::permissions(path, fs::perms::owner_all);
    }
    /// Calls it in `work`, with the folder `path` in front of PATH.
    Ended call(const std::string& name) const {
        const std::string path = (prefix_ / "path").string() + ":" + std::getenv("PATH");
        return command((prefix_ / "bin/mpiexec").string(),
                       {"-env", "PATH", path, "-wdir", (prefix_ / "work").string(), name});
    }
    const fs::path& prefix() const { return prefix_; }

  private:
    fs::path prefix_;
};

TEST_F(MpiexecCompanions, AreFoundWhereTheyWereInstalled) {
    program("libexec/railyard", "companion");
    EXPECT_EQ(call("companion").out, "libexec/railyard\n");
}

TEST_F(MpiexecCompanions, AreFoundBesideIt) {
    program("bin", "companion");
    EXPECT_EQ(call("companion").out, "bin\n");
}

TEST_F(MpiexecCompanions, ComeAfterAllOthers) {
    program("libexec/railyard", "companion");
    program("bin", "companion");
    program("work", "companion");
    EXPECT_EQ(call("companion").out, "work\n");
    program("path", "companion");
    EXPECT_EQ(call("companion").out, "path\n");
}

TEST_F(MpiexecCompanions, AreNotHiddenByAFolderOfTheSameName) {
    program("libexec/railyard", "companion");
    fs::create_directories(prefix() / "work/companion");
    EXPECT_EQ(call("companion").out, "libexec/railyard\n");
}

TEST_F(MpiexecCompanions, ThatAreNotThereAreNotMissed) {
    const Ended ended = call("companion");
    EXPECT_EQ(ended.exit_code, 127);
    EXPECT_EQ(
        ended.err,
        "mpiexec: cannot run companion: it is neither in PATH nor in the working directory\n");
}

TEST(Mpiexec, RunsKernelsByTheirNames) {
    const Ended ended = mpiexec({"-n", "4", "-wdir", "/", "cg", "--class", "S"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("Verification    =               SUCCESSFUL"));
}

}  // namespace
}  // namespace railyard::mpiexec
