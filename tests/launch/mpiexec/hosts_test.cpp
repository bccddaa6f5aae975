// Jobs on several hosts: network namespaces where they can be made, and this machine under other
// names for what needs no network of its own.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <thread>

#include "launch/mpiexec/namespaces.hpp"
#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Words with(Words first, const Words& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

/// A launcher of our own, in a folder that goes with it.
class Script {
  public:
    explicit Script(const std::string& text) {
        std::string name = ::testing::TempDir() + "railyard-script-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        folder_ = name;
        std::ofstream(path()) << "#!/bin/sh\n" << text;
        std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
    }
    ~Script() { std::filesystem::remove_all(folder_); }
    Script(const Script&) = delete;
    Script& operator=(const Script&) = delete;

    std::string path() const { return folder_ / "launch"; }

  private:
    std::filesystem::path folder_;
};

class MpiexecHosts : public NothingLeft {
  protected:
    /// Ranks 0 and 1 on host a, 2 on b, all of them this machine; they have the mark.
    Words three(const Words& words) const {
        return with(with({"--launcher", "fork", "--hosts", "a:2,b", rank_program()}, words),
                    {mark()});
    }
    static std::string message(const Ended& ended) {
        return std::regex_replace(ended.err, std::regex("pid [0-9]+"), "pid N");
    }
};

TEST_F(MpiexecHosts, RanksMeetAcrossThem) {
    const Ended ended = mpiexec(three({"meet"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out),
              (std::multiset<std::string>{"rank 0 of 3, next is 1", "rank 1 of 3, next is 2",
                                          "rank 2 of 3, next is 0"}));
}

TEST_F(MpiexecHosts, NeedNoStandardFiles) {
    for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"}) {
        const Ended ended = command("/bin/sh", with({"-c", std::string("exec \"$@\" ") + closed,
                                                     "sh", RAILYARD_BIN "/mpiexec"},
                                                    three({"meet"})));
        EXPECT_EQ(ended.exit_code, 0) << closed << ended.err;
    }
}

TEST_F(MpiexecHosts, OutputHasLabelsAndInputGoesToRank0) {
    const Ended ended = mpiexec({"-l", "--launcher", "fork", "--hosts", "a,b", "sh", "-c",
                                 "cat; echo \"no newline at the end\" | tr -d '\\n' >&2"},
                                std::string(100'000, 'i') + "\n");
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_TRUE(ended.out == "[0] " + std::string(100'000, 'i') + "\n") << ended.out.size();
    EXPECT_EQ(lines(ended.err), (std::multiset<std::string>{"[0] no newline at the end",
                                                            "[1] no newline at the end"}));
}

TEST_F(MpiexecHosts, AllThatIsPrintedComes) {
    const Ended ended = mpiexec({"--launcher", "fork", "--hosts", "a:2,b:2", "sh", "-c",
                                 "head -c 1000000 /dev/zero | tr '\\0' x"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(std::ranges::count(ended.out, 'x'), 4'000'000);
}

TEST_F(MpiexecHosts, EnvironmentAndDirectoryTravel) {
    ::setenv("RAILYARD_TEST_WORD", "travelled", 1);
    const Ended ended =
        mpiexec({"--launcher", "fork", "--hosts", "a,b", "-genv", "OTHER", "too", "sh", "-c",
                 "echo $RAILYARD_TEST_WORD $OTHER $RAILYARD_SIZE in $(pwd)"});
    const std::string line = "travelled too 2 in " + std::filesystem::current_path().string();
    EXPECT_EQ(lines(ended.out), (std::multiset<std::string>{line, line}));
}

TEST_F(MpiexecHosts, ADirectoryIsSeenFromHere) {
    const Script elsewhere("cd /\nshift\nexec \"$@\"\n");
    const std::string folder = std::filesystem::path(elsewhere.path()).parent_path();
    const std::string seen = std::filesystem::relative(folder).string();
    const Ended ended =
        mpiexec({"--launcher", elsewhere.path(), "--hosts", "a", "-wdir", seen, "pwd", "-P"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, std::filesystem::canonical(folder).string() + "\n");
}

TEST_F(MpiexecHosts, SeveralProgramsAreOneJob) {
    const Ended ended = mpiexec({"-l", "--launcher", "fork", "--hosts", "a:2,b:2", "-n", "1",
                                 "echo", "one", ":", "-n", "3", "echo", "others"});
    EXPECT_EQ(lines(ended.out),
              (std::multiset<std::string>{"[0] one", "[1] others", "[2] others", "[3] others"}));
}

TEST_F(MpiexecHosts, ByAFailureOfOneRankAllEnd) {
    struct Case {
        Words words;
        int exit_code;
        std::string message;
    };
    const std::vector<Case> cases{
        {{"abort", "42"}, 42, "mpiexec: rank 1 (pid N on host a) ended the job: it had enough"},
        {{"exit", "7"}, 7, "mpiexec: rank 1 (pid N on host a) exited with code 7"},
        {{"signal", "11"}, 139, "mpiexec: rank 1 (pid N on host a) was killed by signal 11"},
        {{"exit", "0"}, 1, "mpiexec: rank 1 (pid N on host a) ended without taking leave"},
        {{"deaf"}, 3, "mpiexec: rank 1 (pid N on host a) ended the job: it had enough"}};
    for (const Case& one : cases) {
        const Ended ended = mpiexec(three(one.words));
        EXPECT_EQ(ended.exit_code, one.exit_code);
        EXPECT_LT(ended.seconds, within(2));
        EXPECT_THAT(message(ended), StartsWith(one.message));
        EXPECT_EQ(lines(ended.err).size(), 1u) << ended.err;
        EXPECT_EQ(left(), 0u);
    }
}

TEST_F(MpiexecHosts, WhatALostHostPrintedIsShown) {
    // More than is ever on the way, so that some of it has come when the agent goes.
    const Ended ended = mpiexec({"-l", "--launcher", "fork", "--hosts", "a,b", "sh", "-c",
                                 "[ $RAILYARD_RANK = 0 ] || exec sleep 100; "
                                 "head -c 1000000 /dev/zero | tr '\\0' x; kill -9 $PPID"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.out, StartsWith("[0] xxx"));
    EXPECT_THAT(ended.err, StartsWith("mpiexec: host a (rank 0) was lost: "));
}

TEST_F(MpiexecHosts, ByTheTimeLimitAndByInterrupts) {
    const Ended late = mpiexec(with({"--timeout", "0.3"}, three({"wait"})));
    EXPECT_EQ(late.exit_code, 124);
    EXPECT_LT(late.seconds, within(2.3));
    Started call("mpiexec", three({"catch", std::to_string(SIGUSR1)}));
    ASSERT_TRUE(call.printed(3));
    ::kill(call.pid(), SIGINT);
    const Ended ended = call.end();
    EXPECT_EQ(ended.exit_code, 128 + SIGINT);
    EXPECT_EQ(ended.err, "mpiexec: interrupted; all other ranks were ended\n");
}

TEST_F(MpiexecHosts, ByAnInterruptAlsoIfNobodyReadsTheirOutput) {
    const Script scratch("");
    const std::string fifo = scratch.path() + "-output";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const int unread = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
    Started call("/bin/sh", {"-c", "exec \"$0\" --launcher fork --hosts a,b sh -c \"$1\" > \"$2\"",
                             RAILYARD_BIN "/mpiexec",
                             "echo $$ > " + scratch.path() + "$RAILYARD_RANK; exec yes", fifo});
    // Until the pipe is full, and then until the ranks are gone.
    for (int filled = 0; filled < 60'000; ::usleep(1000))
        ASSERT_EQ(::ioctl(unread, FIONREAD, &filled), 0);
    ::kill(call.pid(), SIGINT);
    for (const char* rank : {"0", "1"}) {
        pid_t pid = 0;
        std::ifstream(scratch.path() + rank) >> pid;
        while (pid > 0 && ::kill(pid, 0) == 0)
            ::usleep(1000);
    }
    ::kill(call.pid(), SIGINT);
    EXPECT_EQ(call.end().exit_code, 128 + SIGINT);
    ::close(unread);
}

TEST_F(MpiexecHosts, SignalsArePassedOn) {
    Started call("mpiexec", three({"catch", std::to_string(SIGUSR1)}));
    ASSERT_TRUE(call.printed(3));
    ::kill(call.pid(), SIGUSR1);
    EXPECT_EQ(call.end().exit_code, 1);
}

TEST_F(MpiexecHosts, WhenTheLauncherIsKilledNothingStays) {
    Started call("mpiexec", three({"catch", std::to_string(SIGHUP)}));
    ASSERT_TRUE(call.printed(3));
    ::kill(call.pid(), SIGKILL);
    EXPECT_EQ(call.end().exit_code, -SIGKILL);
    EXPECT_EQ(left(), 0u);
}

TEST_F(MpiexecHosts, ALauncherThatTakesABreakIsNotDead) {
    Started call("mpiexec", {"--heartbeat", "1", "--launcher", "fork", "--hosts", "a,b", "sh", "-c",
                             "echo; head -c 1000000 /dev/zero | tr '\\0' x"});
    ASSERT_TRUE(call.printed(1));
    ::kill(call.pid(), SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    ::kill(call.pid(), SIGCONT);
    const Ended ended = call.end();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out.size(), 2'000'002u);
}

/// Exit code and the one message.
void cannot_start(const Words& words, int exit_code, const std::string& why) {
    const Ended ended = mpiexec(words);
    EXPECT_EQ(ended.exit_code, exit_code);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, HasSubstr(why));
}

TEST_F(MpiexecHosts, ComplaintsNameTheHostAndTheCause) {
    cannot_start({"--launcher", "fork", "--hosts", "a,b", "./gone"}, 127,
                 ": cannot run ./gone: there is no such file");
    cannot_start({"--launcher", "fork", "--hosts", "a,b", "-wdir", "/gone", "echo"}, 126,
                 ": cannot work in /gone: there is no such directory");
    cannot_start({"--launcher", "no-such-launcher", "--hosts", "a,b", "echo"}, 127,
                 "cannot run no-such-launcher");
    cannot_start({"--launcher", "false", "--hosts", "a,b", "echo"}, 1,
                 "exited with code 1 before an agent had called from there");
}

TEST_F(MpiexecHosts, OptionsThatAreWrong) {
    cannot_start({"--hosts", "a:x", "echo"}, 2, "mpiexec: --hosts: expected a host");
    cannot_start({"--hostfile", "/no/such/file", "echo"}, 2, "mpiexec: --hostfile: cannot read");
    cannot_start({"--launcher", "", "--hosts", "a", "echo"}, 2, "mpiexec: --launcher: expected");
    cannot_start({"--heartbeat", "0", "--hosts", "a", "echo"}, 2, "--heartbeat: expected seconds");
    cannot_start({"--hosts", "a", "echo", ":", "--hosts", "b", "echo"}, 2,
                 "--hosts: hosts were named before");
    cannot_start({"--ppn", "none", "--hosts", "a", "echo"}, 2, "--ppn: expected a number");
    cannot_start({"--listen", "nowhere:x", "--launcher", "fork", "--hosts", "a", "echo"}, 2,
                 "expected an address");
    cannot_start({"--agent"}, 2, "it is not for people");
}

TEST_F(MpiexecHosts, TheSecretIsNoArgument) {
    // A launcher that tells what it was called with, and what it was told, instead of doing it.
    const Script tell("echo \"called: $*\"\nsed -n 2p > $0-told\n");
    const Ended ended = mpiexec({"--launcher", tell.path(), "--hosts", "a", "echo"});
    std::string secret;
    std::ifstream(tell.path() + "-told") >> secret;
    EXPECT_EQ(secret.size(), 64u);
    EXPECT_THAT(ended.err, HasSubstr("called: a "));
    EXPECT_EQ(ended.err.find(secret), std::string::npos);
}

class MpiexecNamespaces : public MpiexecHosts {
  protected:
    void SetUp() override {
        MpiexecHosts::SetUp();
        if (!hosts_.missing().empty()) GTEST_SKIP() << hosts_.missing();
    }
    Words on_hosts(const Words& words) const {
        return with(with({"--launcher", Namespaces::launcher, "--heartbeat", "2", "--hosts",
                          hosts_.list(2), rank_program()},
                         words),
                    {mark()});
    }

    Namespaces hosts_{2};
};

TEST_F(MpiexecNamespaces, RanksMeet) {
    const Ended ended = mpiexec(on_hosts({"meet"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out).size(), 4u);
}

TEST_F(MpiexecNamespaces, AnMpiProgramRunsOverSharedMemoryInsideAndANetworkBetween) {
    const Ended ended = mpiexec({"--launcher", Namespaces::launcher, "--hosts", hosts_.list(2),
                                 "--timeout", "60", "cg", "--class", "S"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("SUCCESSFUL"));
}

TEST_F(MpiexecNamespaces, ThisHostMayBeOneOfThem) {
    const Ended ended =
        mpiexec({"--launcher", Namespaces::launcher, "--hosts", "localhost," + hosts_[0],
                 "--timeout", "60", "cg", "--class", "S"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("SUCCESSFUL"));
}

TEST_F(MpiexecNamespaces, AHostWithoutACableIsLost) {
    Started call("mpiexec", on_hosts({"catch", std::to_string(SIGHUP)}));
    ASSERT_TRUE(call.printed(4));
    hosts_.unplug(1);
    const Ended ended = call.end();
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, StartsWith("mpiexec: host " + hosts_[1] + " (ranks 2, 3) was lost: "));
    EXPECT_LT(ended.seconds, 10);
    // Its ranks end too, as soon as the host misses us.
    for (int i = 0; i < 5 && left() != 0; ++i) {
    }
}

}  // namespace
}  // namespace railyard::mpiexec
