#include "cli/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "results/file.hpp"

namespace railyard::cli {

namespace {

namespace fs = std::filesystem;

// The build says where it is.
constexpr const char* program = RAILYARD_PROGRAM;

[[noreturn]] void become_program(const Arguments& arguments, const Environment& environment) {
    std::vector<char*> words{const_cast<char*>(program)};
    for (const std::string& argument : arguments)
        words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    for (const std::string& variable : environment)
        ::putenv(const_cast<char*>(variable.c_str()));
    ::execv(program, words.data());
    ::_exit(127);
}

void redirect(int to, const std::string& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(fd, to);
    ::close(fd);
}

int wait_for(pid_t pid) {
    int status = 0;
    if (::waitpid(pid, &status, 0) != pid) throw std::runtime_error("waitpid failed");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Ended run(const Arguments& arguments, const Environment& environment, const std::string& out,
          const std::string& err) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        redirect(STDOUT_FILENO, out);
        redirect(STDERR_FILENO, err);
        become_program(arguments, environment);
    }
    Ended ended;
    ended.exit_code = wait_for(pid);
    ended.err = results::read_file(err);
    return ended;
}

}  // namespace

Ended railyard(const Arguments& arguments, const Environment& environment) {
    const ScratchDirectory scratch;
    const std::string out = scratch.file("out");
    Ended ended = run(arguments, environment, out, scratch.file("err"));
    ended.out = results::read_file(out);
    return ended;
}

Ended railyard_into(const std::string& output, const Arguments& arguments) {
    const ScratchDirectory scratch;
    return run(arguments, {}, output, scratch.file("err"));
}

std::string complaint(const Arguments& arguments) {
    const Ended ended = railyard(arguments);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.out, "");
    return ended.err;
}

OnTerminal::OnTerminal(const Arguments& arguments) {
    int side = -1;
    if (::openpty(&terminal_, &side, nullptr, nullptr, nullptr) != 0)
        throw std::runtime_error("openpty failed");
    pid_ = ::fork();
    if (pid_ == 0) {
        ::close(terminal_);
        redirect(STDOUT_FILENO, "/dev/null");
        ::dup2(side, STDERR_FILENO);
        ::close(side);
        become_program(arguments, {});
    }
    ::close(side);
}

OnTerminal::~OnTerminal() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    ::close(terminal_);
}

bool OnTerminal::read_some() {
    pollfd ready{terminal_, POLLIN, 0};
    if (::poll(&ready, 1, 10'000) <= 0) return false;
    char buffer[4096];
    // Fails once the last process on the other side has gone.
    const ssize_t n = ::read(terminal_, buffer, sizeof buffer);
    if (n <= 0) return false;
    shown_.append(buffer, static_cast<std::size_t>(n));
    return true;
}

bool OnTerminal::shows(const std::string& text) {
    while (shown_.find(text) == std::string::npos)
        if (!read_some()) return false;
    return true;
}

void OnTerminal::interrupt() {
    ::kill(pid_, SIGINT);
}

Ended OnTerminal::end() {
    while (read_some()) {
    }
    Ended ended;
    ended.exit_code = wait_for(pid_);
    ended.err = shown_;
    pid_ = -1;
    return ended;
}

ScratchDirectory::ScratchDirectory() {
    std::string name = (fs::temp_directory_path() / "railyard-cli-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
    fs::remove_all(path_);
}

std::size_t ScratchDirectory::files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
}

}  // namespace railyard::cli
