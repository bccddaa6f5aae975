// Calls that are wrong, and programs that cannot be started.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// The call is wrong: exit code 2, and nothing runs.
std::string complaint(const Words& words) {
    const Ended ended = mpiexec(words);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.out, "");
    return ended.err;
}

TEST(MpiexecUsage, AProgramIsNeeded) {
    EXPECT_EQ(complaint({}), "mpiexec: run what? Name a program, as in `mpiexec -n 4 ./hello`\n");
    EXPECT_EQ(complaint({"-n", "2"}), complaint({}));
    EXPECT_EQ(complaint({"echo", ":"}), "mpiexec: a program is missing after ':'\n");
}

TEST(MpiexecUsage, UnknownOptionsGetTheNearest) {
    EXPECT_EQ(complaint({"--lable", "echo"}),
              "mpiexec: unknown option '--lable'; `mpiexec --help` lists all\n");
    EXPECT_EQ(complaint({"--tiemout", "5", "echo"}),
              "mpiexec: unknown option '--tiemout'; did you mean '--timeout'? `mpiexec --help` "
              "lists all\n");
}

TEST(MpiexecUsage, OptionsNeedTheirWords) {
    EXPECT_EQ(complaint({"-n"}), "mpiexec: -n: expected a word after it\n");
    EXPECT_EQ(complaint({"-env", "A"}), "mpiexec: -env: expected 2 words after it\n");
    EXPECT_EQ(complaint({"--stats=yes", "echo"}),
              "mpiexec: --stats=yes: takes no words after it, and none behind '='\n");
}

TEST(MpiexecUsage, BadValuesSayWhatIsAllowed) {
    for (const char* ranks : {"0", "-1", "two", "2x", "65537", ""})
        EXPECT_EQ(complaint({"-n", ranks, "echo"}),
                  std::string("mpiexec: -n: expected a number of ranks from 1 to 65536, found '") +
                      ranks + "'\n");
    for (const char* seconds : {"0", "-3", "soon", "nan"})
        EXPECT_THAT(complaint({"--timeout", seconds, "echo"}), HasSubstr("expected seconds"));
    EXPECT_EQ(complaint({"--bind-to", "chair", "echo"}),
              "mpiexec: --bind-to: expected core or none, found 'chair'\n");
    for (const char* wrong : {"x", "1", "-3", ""})
        EXPECT_EQ(complaint({"--max-connections", wrong, "echo"}),
                  std::string("mpiexec: --max-connections: expected a number from 2 on, found '") +
                      wrong + "'\n");
    EXPECT_EQ(complaint({"--connections", "never", "echo"}),
              "mpiexec: --connections: expected one of on-demand, static-peer, "
              "static-client-server, found 'never'\n");
    EXPECT_THAT(complaint({"-env", "A=1", "2", "echo"}), HasSubstr("-env: expected the name"));
    EXPECT_THAT(complaint({"-x", "=1", "echo"}), HasSubstr("-x: expected NAME"));
    EXPECT_THAT(complaint({"--set", "eager", "echo"}), HasSubstr("--set: expected a setting"));
}

TEST(MpiexecUsage, ModelsAreForRailyardRun) {
    EXPECT_EQ(complaint({"--on", "quadrics", "echo"}),
              "mpiexec: --on: quadrics is a model, in virtual time, and mpiexec runs programs for "
              "real; `railyard run --on quadrics` runs built-in MPI programs on models\n");
    EXPECT_THAT(complaint({"--on", "smh", "echo"}), HasSubstr("there is no fabric 'smh'"));
}

class MpiexecPrograms : public ::testing::Test {
  protected:
    MpiexecPrograms() {
        folder_ = ::testing::TempDir() + "railyard-mpiexec-XXXXXX";
        if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    }
    ~MpiexecPrograms() override { std::filesystem::remove_all(folder_); }

    std::string file(const std::string& name, const std::string& text, mode_t mode) const {
        const std::string path = folder_ + "/" + name;
        std::ofstream(path) << text;
        ::chmod(path.c_str(), mode);
        return path;
    }
    const std::string& folder() const { return folder_; }

    static void cannot_run(const Words& words, int exit_code, const std::string& why) {
        const Ended ended = mpiexec(words);
        EXPECT_EQ(ended.exit_code, exit_code);
        EXPECT_EQ(ended.out, "");
        EXPECT_THAT(ended.err, HasSubstr(why));
        EXPECT_EQ(lines(ended.err).size(), 1u) << ended.err;
    }

  private:
    std::string folder_;
};

TEST_F(MpiexecPrograms, ThatAreNotThere) {
    cannot_run({"-n", "4", folder() + "/gone"}, 127, "/gone: there is no such file");
    cannot_run({"no-such-program-anywhere"}, 127, "neither in PATH nor in the working directory");
    cannot_run({""}, 127, "a program has a name");
}

TEST_F(MpiexecPrograms, ThatCannotBeRun) {
    cannot_run({"-n", "4", folder()}, 126, "it is a directory");
    cannot_run({file("plain", "text", 0644)}, 126, "chmod +x");
    cannot_run({"-n", "4", file("odd", "text", 0755)}, 126, "neither a program for this machine");
    cannot_run({file("lost", "#!/no/such/interpreter\n", 0755)}, 126, "is not there");
    cannot_run({"-wdir", folder() + "/gone", "echo"}, 126, "there is no such directory");
}

TEST_F(MpiexecPrograms, AreSeenFromTheirFolder) {
    file("mine", "#!/bin/sh\necho mine\n", 0755);
    EXPECT_EQ(mpiexec({"-wdir", folder(), "./mine"}).out, "mine\n");
    EXPECT_EQ(mpiexec({"-wdir", folder(), "mine"}).out, "mine\n");
}

TEST_F(MpiexecPrograms, OptionsBehindThemAreTheirs) {
    EXPECT_EQ(mpiexec({"echo", "-n", "2", "--label"}).out, "2 --label");
    EXPECT_EQ(mpiexec({"-n", "1", "--", "echo", "x"}).out, "x\n");
}

}  // namespace
}  // namespace railyard::mpiexec
