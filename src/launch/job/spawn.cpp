#include "launch/job/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>

#include "launch/job/board.hpp"
#include "launch/job/program_job.hpp"
#include "launch/job/signals_and_limits.hpp"

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
    // A session is what the kernel shares the processors out to, and what is ended as one.
    ::setsid();
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
    // Not posix_spawn: what a rank's process is to be before it is the program, that cannot say.
    const pid_t pid = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (pid == 0)
        become(what, parent, prepare, signals, failure);  // NOLINT(clang-analyzer-unix.Vfork)
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

namespace fs = std::filesystem;

constexpr int not_there = 127;
constexpr int not_runnable = 126;

bool runnable(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

/// The last value counts, as it will in the program's own environment.
std::string search_path(const Program& program) {
    const char* ours = std::getenv("PATH");
    std::string path = ours != nullptr ? ours : "/usr/local/bin:/usr/bin:/bin";
    for (const auto& [name, value] : program.environment)
        if (name == "PATH") path = value;
    return path;
}

void check_directory(const Program& program) {
    std::error_code failed;
    if (program.directory.empty() || fs::is_directory(program.directory, failed)) return;
    throw CannotStart(
        fmt::format("cannot work in {}: there is no such directory", program.directory),
        not_runnable);
}

CannotStart complaint(const std::string& name, const fs::path& path) {
    std::error_code failed;
    if (!fs::exists(path, failed))
        return CannotStart(fmt::format("cannot run {}: there is no such file", name), not_there);
    if (fs::is_directory(path, failed))
        return CannotStart(fmt::format("cannot run {}: it is a directory", name), not_runnable);
    return CannotStart(
        fmt::format("cannot run {}: it may not be executed; see `chmod +x {}`", name, name),
        not_runnable);
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

std::string find_program(const Program& program) {
    check_directory(program);
    const std::string& name = program.arguments.front();
    const fs::path here = program.directory.empty() ? fs::path(".") : fs::path(program.directory);
    if (name.empty()) throw CannotStart("cannot run '': a program has a name", not_there);
    if (name.find('/') != std::string::npos) {
        if (!runnable(here / name)) throw complaint(name, here / name);
        return name;
    }
    const std::string path = search_path(program);
    for (std::string_view rest = path; !rest.empty();) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
        if (runnable(candidate)) return fs::absolute(candidate).string();
    }
    if (runnable(here / name)) return "./" + name;
    for (const std::string& folder : program.folders)
        if (runnable(fs::path(folder) / name)) return (fs::path(folder) / name).string();
    if (fs::exists(here / name)) throw complaint("./" + name, here / name);
    throw CannotStart(
        fmt::format("cannot run {}: it is neither in PATH nor in the working directory", name),
        not_there);
}

}  // namespace railyard::job
