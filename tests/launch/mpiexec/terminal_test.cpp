// Jobs at a terminal: what is typed there reaches the ranks, though these are in sessions of their
// own.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// mpiexec in the foreground of a terminal, started by something that watches it as a shell does.
class OnTerminal {
  public:
    explicit OnTerminal(const Words& words) {
        int told[2];
        if (::pipe2(told, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
        told_ = told[0];
        shell_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
        if (shell_ == 0) be_shell(words, told[1]);
        ::close(told[1]);
        int job = 0;
        if (::read(told_, &job, sizeof job) != sizeof job) throw std::runtime_error("no job");
        job_ = job;
    }
    ~OnTerminal() {
        ::kill(-job_, SIGKILL);
        ::kill(shell_, SIGKILL);
        ::waitpid(shell_, nullptr, 0);
        hang_up();
        ::close(told_);
    }

    pid_t job() const { return job_; }
    void type(const std::string& text) const {
        EXPECT_EQ(::write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    /// Reads until that was shown; false after twenty seconds.
    bool shows(const std::string& text) {
        for (int i = 0; i < 400; ++i) {
            if (shown_.find(text) != std::string::npos) return true;
            pollfd ready{terminal_, POLLIN, 0};
            if (::poll(&ready, 1, 50) != 1) continue;
            char piece[4096];
            const ssize_t n = ::read(terminal_, piece, sizeof piece);
            if (n > 0) shown_.append(piece, static_cast<std::size_t>(n));
        }
        return false;
    }
    const std::string& shown() const { return shown_; }
    void resize() const {
        const winsize size{40, 100, 0, 0};
        ::ioctl(terminal_, TIOCSWINSZ, &size);
    }
    void hang_up() {
        if (terminal_ >= 0) ::close(terminal_);
        terminal_ = -1;
    }
    /// What the shell hears next of the job: how waitpid has it; -1 after twenty seconds.
    int status() const {
        int status = -1;
        pollfd ready{told_, POLLIN, 0};
        if (::poll(&ready, 1, 20'000) == 1 && ::read(told_, &status, sizeof status) > 0)
            return status;
        return -1;
    }

  private:
    [[noreturn]] static void be_shell(const Words& words, int told) {
        ::signal(SIGTTOU, SIG_IGN);
        ::signal(SIGHUP, SIG_IGN);
        const pid_t job = ::fork();
        if (job == 0) {
            ::setpgid(0, 0);
            ::tcsetpgrp(STDIN_FILENO, ::getpid());
            for (const int number : {SIGTTOU, SIGHUP})
                ::signal(number, SIG_DFL);
            std::vector<char*> arguments{const_cast<char*>("mpiexec")};
            for (const std::string& word : words)
                arguments.push_back(const_cast<char*>(word.c_str()));
            arguments.push_back(nullptr);
            ::execv(RAILYARD_BIN "/mpiexec", arguments.data());
            ::_exit(99);
        }
        ::setpgid(job, job);
        static pid_t to_hear_of_it = 0;
        to_hear_of_it = job;
        ::signal(SIGHUP, [](int) { ::kill(-to_hear_of_it, SIGHUP); });
        const auto tell = [&](int what) { return ::write(told, &what, sizeof what) > 0; };
        tell(job);
        int status = 0;
        while (::waitpid(job, &status, WUNTRACED) == job && tell(status) && WIFSTOPPED(status)) {
        }
        ::_exit(0);
    }

    int terminal_ = -1;
    int told_ = -1;
    pid_t shell_ = -1;
    pid_t job_ = -1;
    std::string shown_;
};

/// Words of /proc/PID/stat behind the program's name: the state, the parent, the group, the
/// session.
std::vector<std::string> state_of(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream rest(text.substr(std::min(text.size(), text.find(')') + 1)));
    std::vector<std::string> words;
    for (std::string word; rest >> word;)
        words.push_back(word);
    words.resize(std::max<std::size_t>(words.size(), 4));
    return words;
}

/// What stands behind a word on the line where it is.
std::string after(const std::string& text, const std::string& word) {
    const auto at = text.find(word);
    if (at == std::string::npos) return {};
    const auto start = at + word.size();
    return text.substr(start, text.find_first_of("\r\n", start) - start);
}

class MpiexecTerminal : public NothingLeft {};

TEST_F(MpiexecTerminal, RanksHaveSessionsOfTheirOwn) {
    const Ended ended = mpiexec({"-n", "2", "sh", "-c", "cat /proc/$$/stat; : " + mark()});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    std::set<std::string> sessions;
    std::istringstream out(ended.out);
    for (std::string line; std::getline(out, line);) {
        std::istringstream words(line);
        std::string pid, name, state, parent, group, session;
        words >> pid >> name >> state >> parent >> group >> session;
        EXPECT_EQ(session, pid) << line;
        EXPECT_EQ(group, pid) << line;
        sessions.insert(session);
    }
    EXPECT_EQ(sessions.size(), 2u);
    EXPECT_FALSE(sessions.contains(std::to_string(::getsid(0))));
}

TEST_F(MpiexecTerminal, WhatIsTypedGoesToRankZero) {
    OnTerminal run({"-n", "2", "sh", "-c",
                    "if test $RAILYARD_RANK = 0; then printf 'name? '; read a; echo got $a; "
                    "cat; test -t 1 && echo terminal; fi # " +
                        mark()});
    ASSERT_TRUE(run.shows("name? ")) << run.shown();
    run.type("rail yard\n");
    ASSERT_TRUE(run.shows("got rail yard")) << run.shown();
    run.type("more\n");
    ASSERT_TRUE(run.shows("more\r\nmore")) << run.shown();  // echoed, and copied
    run.type("\x04");                                       // the end of the input
    const int status = run.status();
    ASSERT_TRUE(WIFEXITED(status)) << run.shown();
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_TRUE(run.shows("terminal"));
}

TEST_F(MpiexecTerminal, StopsAndGoesOnWithItsRanks) {
    // The child forks no more: between vfork and exec its own child could be stopped first, and it
    // would wait for that instead.
    OnTerminal run(
        {"-n", "1", "sh", "-c",
         "echo rank $$; sh -c 'echo child $$; echo ready; exec sleep 1000'; : " + mark()});
    ASSERT_TRUE(run.shows("ready"));  // and so both lines before it
    run.type("\x1a");
    const int stopped = run.status();
    ASSERT_TRUE(WIFSTOPPED(stopped)) << stopped;
    EXPECT_EQ(WSTOPSIG(stopped), SIGTSTP);
    const auto becomes = [&](const char* word, bool is_stopped) {
        for (int i = 0; i < 1000; ++i, ::usleep(10'000))
            if ((state_of(after(run.shown(), word))[0] == "T") == is_stopped) return true;
        return false;
    };
    EXPECT_TRUE(becomes("rank ", true));
    EXPECT_TRUE(becomes("child ", true));
    ::kill(-run.job(), SIGCONT);
    EXPECT_TRUE(becomes("rank ", false));
    EXPECT_TRUE(becomes("child ", false));
    run.type("\x03");
    const int status = run.status();
    ASSERT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
}

TEST_F(MpiexecTerminal, EndsByItsKeysAndItsHangUp) {
    const Words words{"-n", "2", "sh", "-c", "echo ready; sleep 100; : " + mark()};
    OnTerminal quit(words);
    ASSERT_TRUE(quit.shows("ready"));
    quit.type("\x1c");
    EXPECT_EQ(WEXITSTATUS(quit.status()), 128 + SIGQUIT);
    OnTerminal hung(words);
    ASSERT_TRUE(hung.shows("ready"));
    hung.hang_up();
    EXPECT_EQ(WEXITSTATUS(hung.status()), 128 + SIGHUP);
}

TEST_F(MpiexecTerminal, RanksHearOfItsSize) {
    OnTerminal run(
        {"-n", "1", "sh", "-c",
         "trap 'echo resized; exit 0' WINCH; echo ready; while :; do sleep 0.05; done # " +
             mark()});
    ASSERT_TRUE(run.shows("ready"));
    run.resize();
    EXPECT_TRUE(run.shows("resized")) << run.shown();
    EXPECT_EQ(run.status(), 0);
}

}  // namespace
}  // namespace railyard::mpiexec
