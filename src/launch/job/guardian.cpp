#include "launch/job/guardian.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "launch/job/signals_and_limits.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

/// Whether the signal means something to this process, and is not ignored on purpose (nohup, or a
/// job in a script's background).
bool is_heeded(int number) {
    struct sigaction now {};
    return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN;
}

std::vector<pid_t> children() {
    std::ifstream list(fmt::format("/proc/self/task/{}/children", ::getpid()));
    std::vector<pid_t> all;
    for (pid_t child = 0; list >> child;)
        all.push_back(child);
    return all;
}

sigset_t guarded_signals() {
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, SIGCHLD);
    for (const int number : {SIGINT, SIGTERM})
        if (is_heeded(number)) sigaddset(&all, number);
    for (const int number : signals_passed_on)
        if (is_heeded(number)) sigaddset(&all, number);
    for (const int number : signals_of_terminals)
        if (is_heeded(number)) sigaddset(&all, number);
    return all;
}

/// What is typed, on its way to the launcher: a pipe, so that only one process ever reads the
/// terminal, and none while the terminal is somebody else's.
class TypedInput {
  public:
    /// Without a pipe there is nothing to do.
    explicit TypedInput(Descriptor write) : write_(std::move(write)) {}

    /// What to wait for: room in the pipe, then input. Says for how long at most, in ms.
    int prepare(pollfd& pipe, pollfd& input) const {
        pipe = {write_.get(), 0, 0};  // an error, that nobody reads any more, is told of anyway
        input = {-1, POLLIN, 0};
        if (!write_) return -1;
        if (!is_in_foreground()) return 500;
        pollfd room{write_.get(), POLLOUT, 0};
        if (::poll(&room, 1, 0) == 1)
            input.fd = STDIN_FILENO;
        else
            pipe.events = POLLOUT;
        return -1;
    }

    void advance(const pollfd& pipe, const pollfd& input) {
        if ((pipe.revents & (POLLERR | POLLHUP)) != 0) return write_.reset();
        if (input.revents == 0) return;
        std::array<char, PIPE_BUF> typed;  // so much goes into a pipe that has room
        const ssize_t n = ::read(STDIN_FILENO, typed.data(), typed.size());
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (n <= 0 || ::write(write_.get(), typed.data(), static_cast<std::size_t>(n)) != n)
            write_.reset();  // the end of the input, or nobody who wants it
    }

  private:
    static bool is_in_foreground() {
        // A terminal that is not ours has no foreground to be in.
        const pid_t group = ::tcgetpgrp(STDIN_FILENO);
        return group < 0 || group == ::getpgrp();
    }

    Descriptor write_;
};

class Guardian {
  public:
    Guardian(pid_t launcher, const sigset_t& signals, Descriptor input)
        : launcher_(launcher),
          signals_(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)),
          input_(std::move(input)) {
        if (!signals_) throw system_error("cannot make a signal descriptor");
    }

    /// The exit code of the launcher.
    int run() {
        for (;;) {
            std::array<pollfd, 3> ready{{{signals_.get(), POLLIN, 0}, {}, {}}};
            const int patience = input_.prepare(ready[1], ready[2]);
            const int n = ::poll(ready.data(), ready.size(), patience);
            if (take_signals()) return exit_code();
            if (n > 0) input_.advance(ready[1], ready[2]);
        }
    }

    bool launcher_was_killed() const { return !WIFEXITED(status_); }

  private:
    /// True when the launcher has ended.
    bool take_signals() {
        signalfd_siginfo signal{};
        bool ended = false;
        while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
            const auto number = static_cast<int>(signal.ssi_signo);
            if (number == SIGCHLD) {
                ended |= reap();
            } else if (!ended) {
                ::kill(launcher_, number);
                if (asks_to_end(number)) asked_ = number;
                if (number == SIGTSTP) stop();
            }
        }
        return ended;
    }

    /// As the shell expects it of who was told to; then all go on together.
    void stop() {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, SIGTSTP);
        ::raise(SIGTSTP);
        ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);  // here it stops
        ::pthread_sigmask(SIG_BLOCK, &one, nullptr);
        ::kill(launcher_, SIGCONT);
    }

    bool reap() {
        int status = 0;
        bool ended = false;
        for (;;) {
            const pid_t pid = ::waitpid(-1, &status, WNOHANG);
            if (pid <= 0) return ended;
            if (pid != launcher_) continue;  // an orphan
            status_ = status;
            ended = true;
        }
    }

    int exit_code() const {
        if (WIFEXITED(status_)) return WEXITSTATUS(status_);
        const int signal = WTERMSIG(status_);
        if (signal != asked_) {
            const char* meaning = ::sigdescr_np(signal);
            const std::string text = fmt::format(
                "{}: the launcher was killed by signal {} ({}); all ranks were ended\n",
                ::program_invocation_short_name, signal, meaning != nullptr ? meaning : "unknown");
            std::fputs(text.c_str(), stderr);
        }
        return 128 + signal;
    }

    pid_t launcher_;
    Descriptor signals_;
    TypedInput input_;
    int asked_ = 0;
    int status_ = 0;
};

[[noreturn]] void guard(pid_t launcher, const sigset_t& signals, Descriptor input,
                        std::span<const pid_t> spared) {
    // What the launcher leaves behind when it is killed becomes our child then.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    Guardian guardian(launcher, signals, std::move(input));
    const int code = guardian.run();
    // A launcher that ends by itself has left nothing.
    if (guardian.launcher_was_killed()) end_descendants(spared);
    std::fflush(nullptr);
    ::_exit(code);
}

}  // namespace

Descriptor guard_this_process() {
    Pipe alive = make_pipe();
    Pipe typed;
    const bool is_terminal = ::isatty(STDIN_FILENO) == 1;
    if (is_terminal) typed = make_pipe();
    const sigset_t signals = guarded_signals();
    // A shell that became this process may have left it children, which are none of the job's.
    const std::vector<pid_t> own = children();
    sigset_t previous;
    ::pthread_sigmask(SIG_BLOCK, &signals, &previous);
    // Where children are ignored, nobody learns how they end.
    struct sigaction plain {};
    struct sigaction of_children {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &plain, &of_children);
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    if (pid < 0) {
        const Error error = system_error("cannot start a process");
        ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
        throw Error(std::string(error.what()) + "; raise the limit (ulimit -u), or end others");
    }
    if (pid > 0) {
        alive.read.reset();
        typed.read.reset();
        guard(pid, signals, std::move(typed.write), own);
    }
    ::sigaction(SIGCHLD, &of_children, nullptr);
    ::setsid();
    if (is_terminal) {
        // Programs expect of their input that it blocks.
        ::fcntl(typed.read.get(), F_SETFL, 0);
        ::dup2(typed.read.get(), STDIN_FILENO);
    }
    ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    return std::move(alive.read);
}

void end_descendants(std::span<const pid_t> spared) {
    // Killing one may make its children ours, so it is done until there are none. One that is not
    // ours to kill (it has become another user) is not waited for.
    for (bool any = true; std::exchange(any, false);) {
        std::vector<pid_t> killed;
        for (const pid_t child : children())
            if (std::ranges::find(spared, child) == spared.end() && ::kill(child, SIGKILL) == 0)
                killed.push_back(child);
        for (const pid_t child : killed) {
            any = true;
            while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
    }
}

}  // namespace railyard::job
