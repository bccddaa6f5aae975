#include "soak/kills/watched_job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace railyard::soak {

namespace {

namespace fs = std::filesystem;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

void redirect(int to, const fs::path& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(fd, to);
    ::close(fd);
}

}  // namespace

WatchedJob::WatchedJob(const std::vector<std::string>& words) : start_(now()) {
    static int count = 0;
    mark_ = fmt::format("RAILYARD_SOAK_MARK={}-{}", ::getpid(), count++);
    std::string name = (fs::temp_directory_path() / "railyard-soak-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = name;
    fs::create_directory(folder_ / "tmp");
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::putenv(mark_.data());
    ::setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
    redirect(STDOUT_FILENO, folder_ / "out");
    redirect(STDERR_FILENO, folder_ / "err");
    // In a script's background these are ignored, and would be by the job.
    for (const int number : {SIGINT, SIGQUIT, SIGHUP})
        ::signal(number, SIG_DFL);
    // What a test runner left open would count against limits.
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execvp(arguments[0], arguments.data());
    ::_exit(99);
}

WatchedJob::~WatchedJob() {
    for (const Process& process : processes())
        ::kill(process.pid, SIGKILL);
    if (!ended_) ::waitpid(pid_, nullptr, 0);
    fs::remove_all(folder_);
}

double WatchedJob::seconds() const {
    return now() - start_;
}

std::vector<Process> WatchedJob::processes() const {
    std::vector<Process> found;
    const std::string whole = mark_ + '\0';
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator("/proc", gone)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (read(entry.path() / "environ").find(whole) == std::string::npos) continue;
        Process process;
        process.pid = std::stoi(name);
        const std::string stat = read(entry.path() / "stat");
        const auto end = stat.rfind(')');
        if (end == std::string::npos) continue;
        std::istringstream(stat.substr(end + 1)) >> process.state >> process.parent;
        process.command = read(entry.path() / "cmdline");
        std::ranges::replace(process.command, '\0', ' ');
        found.push_back(process);
    }
    return found;
}

std::string WatchedJob::where_they_are() const {
    std::string text;
    for (const Process& process : processes()) {
        text += fmt::format("{} {} {}\n", process.pid, process.state, process.command);
        for (const char* file : {"wchan", "stack"})
            text += read(fmt::format("/proc/{}/{}", process.pid, file)) + "\n";
    }
    return text;
}

bool WatchedJob::ends_within(double seconds) {
    for (const double until = now() + seconds; !ended_ && now() < until; ::usleep(2000)) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) continue;
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        ended_ = true;
    }
    return ended_;
}

std::vector<Process> WatchedJob::left_after(double seconds) const {
    std::vector<Process> left;
    for (const double until = now() + seconds;; ::usleep(5000)) {
        left = processes();
        if (left.empty() || now() > until) return left;
    }
}

std::vector<std::string> WatchedJob::files_left() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "tmp"))
        names.push_back(entry.path());
    return names;
}

std::string WatchedJob::output() const {
    return read(folder_ / "out");
}

std::string WatchedJob::errors() const {
    return read(folder_ / "err");
}

}  // namespace railyard::soak
