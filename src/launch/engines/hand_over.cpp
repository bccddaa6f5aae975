// How this process becomes an engine, or waits for one.

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launch/engines/engine.hpp"
#include "railyard/base/error.hpp"

namespace railyard::engines {

namespace {

/// A file without a name, which the command inherits; its name there.
std::string name_of_file(const std::string& text) {
    const int file = ::memfd_create("railyard", 0);
    if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw system_error("cannot make a file in memory");
    return fmt::format("/proc/self/fd/{}", file);
}

constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// Those that are passed on wait until they are asked for, while this lives.
class SignalsHeld {
  public:
    SignalsHeld() {
        sigemptyset(&held_);
        sigaddset(&held_, SIGCHLD);
        for (const int signal : passed_on)
            sigaddset(&held_, signal);
        ::sigprocmask(SIG_BLOCK, &held_, &before_);
    }
    ~SignalsHeld() { restore(); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

    void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
    siginfo_t next() const {
        siginfo_t signal{};
        while (::sigwaitinfo(&held_, &signal) < 0) {
        }
        return signal;
    }

  private:
    sigset_t held_{};
    sigset_t before_{};
};

}  // namespace

void hand_over(const Command& command) {
    std::vector<std::string> words = command.words;
    for (const Command::File& file : command.files)
        words[file.word] = name_of_file(file.text);
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    throw job::CannotStart(fmt::format("cannot run {}: {}", words[0], std::strerror(errno)),
                           errno == ENOENT ? 127 : 126);
}

int run(const Command& command) {
    const SignalsHeld signals;
    const pid_t child = ::fork();
    if (child < 0) throw system_error("cannot start a process");
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        signals.restore();
        // Nothing of this process is the child's to end.
        int code = 1;
        try {
            hand_over(command);
        } catch (const job::CannotStart& error) {
            ::fputs(fmt::format("{}\n", error.what()).c_str(), stderr);
            code = error.exit_code();
        } catch (const std::exception& error) {
            ::fputs(fmt::format("{}\n", error.what()).c_str(), stderr);
        }
        ::_exit(code);
    }
    for (;;) {
        const siginfo_t signal = signals.next();
        int status = 0;
        if (::waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        // A terminal has told it as well.
        if (signal.si_signo != SIGCHLD && signal.si_code != SI_KERNEL)
            ::kill(child, signal.si_signo);
    }
}

}  // namespace railyard::engines
