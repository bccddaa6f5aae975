#include "launch/job/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "launch/job/anonymous_memory.hpp"
#include "launch/job/interrupts.hpp"
#include "launch/job/program_job.hpp"

namespace railyard::job {

namespace {

/// Which step of the child's failed, and why. Written by the child into our memory.
struct Failure {
    enum class Step { none, directory, exec };
    Step step = Step::none;
    int error = 0;
};

[[noreturn]] void give_up(Failure& failure, Failure::Step step) {
    failure = {step, errno};
    ::_exit(127);
}

[[noreturn]] void become(const Spawn& what, pid_t parent, const std::function<void()>& prepare,
                         SignalsBlocked& signals, Failure& failure) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(128 + SIGKILL);
    if (what.input >= 0) ::dup2(what.input, STDIN_FILENO);
    if (what.output >= 0) ::dup2(what.output, STDOUT_FILENO);
    if (what.errors >= 0) ::dup2(what.errors, STDERR_FILENO);
    if (what.kept >= 0) ::fcntl(what.kept, F_SETFD, 0);
    if (what.directory != nullptr && ::chdir(what.directory) != 0)
        give_up(failure, Failure::Step::directory);
    prepare();
    signals.release();
    ::execve(what.path, what.arguments, what.environment);
    give_up(failure, Failure::Step::exec);
}

// A function of its own: it returns twice, and no variable of the caller's may live in between.
[[gnu::noinline]] pid_t vfork_into(const Spawn& what, const std::function<void()>& prepare,
                                   SignalsBlocked& signals, Failure& failure) {
    const pid_t parent = ::getpid();
    const pid_t pid = ::vfork();
    if (pid == 0) become(what, parent, prepare, signals, failure);
    return pid;
}

CannotStart explain(const Spawn& what, const Failure& failure) {
    const char* reason = ::strerror(failure.error);
    if (failure.step == Failure::Step::directory)
        return CannotStart(fmt::format("cannot work in {}: {}", what.directory, reason), 126);
    if (failure.error == ENOEXEC)
        return CannotStart(fmt::format("cannot run {}: it is neither a program for this machine "
                                       "nor a script with a first line such as #!/bin/sh",
                                       what.path),
                           126);
    if (failure.error == ENOENT)
        return CannotStart(
            fmt::format("cannot run {}: the interpreter or loader that it names is not there",
                        what.path),
            126);
    return CannotStart(fmt::format("cannot run {}: {}", what.path, reason), 126);
}

}  // namespace

pid_t spawn(const Spawn& what, const std::function<void()>& prepare) {
    SignalsBlocked signals;
    // Shared on purpose: under some tools vfork is a fork, and its child has memory of its own.
    const AnonymousMemory shared(Bytes(sizeof(Failure)));
    Failure& failure = *new (shared.span().data()) Failure;
    const pid_t pid = vfork_into(what, prepare, signals, failure);
    if (pid < 0)
        throw CannotStart(fmt::format("cannot start a process: {}; start fewer ranks, or raise the "
                                      "limit (ulimit -u)",
                                      ::strerror(errno)),
                          1);
    if (failure.step == Failure::Step::none) return pid;
    ::waitpid(pid, nullptr, 0);
    throw explain(what, failure);
}

}  // namespace railyard::job
