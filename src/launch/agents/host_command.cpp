#include "launch/agents/host_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "launch/agents/host_list.hpp"
#include "launch/job/program_job.hpp"
#include "launch/job/spawn.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cluster {

namespace {

/// As a shell reads it back.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

}  // namespace

bool HostCommand::takes_network_names(const std::vector<std::string>& launcher) {
    const std::string name = std::filesystem::path(launcher.front()).filename().string();
    return name == "ssh" || name == "rsh";
}

std::vector<std::string> HostCommand::words(const std::vector<std::string>& launcher,
                                            const std::string& host,
                                            const std::vector<std::string>& agent) {
    if (is_here(host) || launcher == std::vector<std::string>{"fork"}) return agent;
    std::vector<std::string> all = launcher;
    all.push_back(host);
    // These give their words to a shell on the other side; others run them as they are.
    for (const std::string& word : agent)
        all.push_back(takes_network_names(launcher) ? quoted(word) : word);
    return all;
}

HostCommand::HostCommand(const std::vector<std::string>& words, const std::string& input,
                         const std::function<void()>& prepare)
    : text_(fmt::format("{}", fmt::join(words, " "))) {
    const std::string path = job::find_program({.ranks = 1, .arguments = words});
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe");
    const Descriptor read(ends[0]);
    const Descriptor write(ends[1]);
    if (::write(write.get(), input.data(), input.size()) != static_cast<ssize_t>(input.size()))
        throw system_error("cannot write to a pipe");
    // What it says is about the job, not of it.
    const job::Spawn what{.path = path.c_str(),
                          .arguments = arguments.data(),
                          .environment = environ,
                          .input = read.get(),
                          .output = STDERR_FILENO};
    pid_ = job::spawn(what, prepare);
    process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (process_) return;
    const Error error = system_error(fmt::format("cannot watch `{}`", text_));
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    throw error;
}

HostCommand::~HostCommand() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::optional<std::string> HostCommand::ending() {
    siginfo_t info{};
    if (pid_ <= 0 || ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG) != 0 ||
        info.si_pid == 0)
        return std::nullopt;
    pid_ = -1;
    process_.reset();
    if (info.si_code == CLD_EXITED) return fmt::format("exited with code {}", info.si_status);
    const char* meaning = ::sigdescr_np(info.si_status);
    return fmt::format("was killed by signal {} ({})", info.si_status,
                       meaning != nullptr ? meaning : "unknown");
}

}  // namespace railyard::cluster
