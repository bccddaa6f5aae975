#include "launch/mpiexec/started.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace railyard::mpiexec::testing {

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

void redirect(int to, const fs::path& path, int flags) {
    const int fd = ::open(path.c_str(), flags, 0600);
    ::dup2(fd, to);
    ::close(fd);
}

std::string path_of(const std::string& command) {
    return command.find('/') != std::string::npos ? command : RAILYARD_BIN "/" + command;
}

/// But for those of Open MPI's own ranks, which may run beside us.
std::set<std::string> shared_memory_files() {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator("/dev/shm"))
        if (const std::string name = entry.path().filename(); !name.starts_with("vader_segment"))
            names.insert(name);
    return names;
}

}  // namespace

std::string rank_program() {
    return RAILYARD_RANK_PROGRAM;
}

Started::Started(const std::string& command, const Words& words, const std::string& input)
    : start_(now()) {
    std::string name = (fs::temp_directory_path() / "railyard-launcher-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = name;
    std::ofstream(folder_ / "in") << input;
    std::vector<char*> arguments;
    const std::string path = path_of(command);
    arguments.push_back(const_cast<char*>(path.c_str()));
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    redirect(STDIN_FILENO, folder_ / "in", O_RDONLY);
    redirect(STDOUT_FILENO, folder_ / "out", O_WRONLY | O_CREAT | O_APPEND);
    redirect(STDERR_FILENO, folder_ / "err", O_WRONLY | O_CREAT | O_APPEND);
    ::execv(path.c_str(), arguments.data());
    ::_exit(99);
}

Started::~Started() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    fs::remove_all(folder_);
}

bool Started::printed(std::size_t wanted) const {
    for (const double until = now() + 10; now() < until; ::usleep(2000))
        if (lines(read(folder_ / "out")).size() >= wanted) return true;
    return false;
}

Ended Started::end() {
    int status = 0;
    if (::waitpid(pid_, &status, 0) != pid_) throw std::runtime_error("waitpid failed");
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read(folder_ / "out"),
            read(folder_ / "err"), now() - start_};
}

Ended mpiexec(const Words& words, const std::string& input) {
    return Started("mpiexec", words, input).end();
}

Ended command(const std::string& command, const Words& words) {
    return Started(command, words).end();
}

std::multiset<std::string> lines(const std::string& text) {
    std::multiset<std::string> found;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        found.insert(line);
    return found;
}

void NothingLeft::SetUp() {
    mark_ = "railyard-mark-" + std::to_string(::getpid()) + "-" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    files_ = shared_memory_files();
}

std::size_t NothingLeft::left() const {
    std::size_t count = 0;
    for (const double until = now() + 2; now() < until; ::usleep(5000)) {
        count = 0;
        for (const auto& entry : fs::directory_iterator("/proc"))
            if (read(entry.path() / "cmdline").find(mark_) != std::string::npos) ++count;
        if (count == 0) break;
    }
    return count;
}

void NothingLeft::TearDown() {
    EXPECT_EQ(left(), 0u) << "processes are left";
    EXPECT_EQ(shared_memory_files(), files_) << "files are left in /dev/shm";
}

}  // namespace railyard::mpiexec::testing
