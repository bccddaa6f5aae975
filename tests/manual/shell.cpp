#include "manual/shell.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "manual/page.hpp"
#include "results/file.hpp"

namespace railyard::manual {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds patience{280};
/// Stands before the exit code of each command, in what the shell prints.
constexpr const char* ends_here = "\001ended ";

fs::path bin() {
    return RAILYARD_BIN;
}

[[noreturn]] void become_bash(const fs::path& folder, const std::string& script,
                              const fs::path& out) {
    ::setpgid(0, 0);
    const int in = ::open("/dev/null", O_RDONLY);
    const int to = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    ::dup2(in, STDIN_FILENO);
    ::dup2(to, STDOUT_FILENO);
    ::dup2(to, STDERR_FILENO);
    const char* path = std::getenv("PATH");
    ::setenv("PATH", (bin().string() + ":" + (path != nullptr ? path : "/usr/bin:/bin")).c_str(),
             1);
    ::setenv("HOME", folder.c_str(), 1);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    if (::chdir(folder.c_str()) == 0)
        ::execlp("bash", "bash", "--norc", "-c", script.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
}

/// Also ends what is left of it.
int wait_for(pid_t pid) {
    const auto until = std::chrono::steady_clock::now() + patience;
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > until) ::kill(-pid, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ::kill(-pid, SIGKILL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void compile(const fs::path& program, const fs::path& to) {
    const std::string command = "'" + (bin() / "mpicc").string() + "' -g -o '" + to.string() +
                                "' '" + program.string() + "' -lm";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

}  // namespace

fs::path source() {
    return RAILYARD_SOURCE_DIR;
}

std::string read_source(const std::string& path) {
    return results::read_file(source() / path);
}

Shell::Shell() {
    std::string name = (fs::temp_directory_path() / "railyard-manual-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = name;
    for (const fs::directory_entry& entry : fs::directory_iterator(source())) {
        const fs::path file = entry.path().filename();
        if (file != "build" && !file.string().starts_with('.'))
            fs::create_symlink(entry.path(), folder_ / file);
    }
    fs::create_directory(folder_ / "build");
    fs::create_symlink(bin().parent_path(), folder_ / "build/release");
}

Shell::~Shell() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void Shell::write(const std::string& file, const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    results::write_file(folder_ / file, text);
}

void Shell::add_programs(const std::string& text) const {
    for (const char* programs : {"examples", "tests/manual/programs"})
        for (const fs::directory_entry& entry : fs::directory_iterator(source() / programs)) {
            const std::string name = entry.path().stem().string();
            if (entry.path().extension() == ".c" && text.find("./" + name) != text.npos)
                compile(entry.path(), folder_ / name);
        }
}

Ended Shell::run(const std::string& script) const {
    const fs::path out = folder_.string() + ".out";
    const pid_t pid = ::fork();
    if (pid == 0) become_bash(folder_, script, out);
    Ended ended;
    ended.exit_code = wait_for(pid);
    ended.output = split_lines(results::read_file(out));
    fs::remove(out);
    return ended;
}

std::vector<Ended> Shell::run(const std::vector<std::string>& commands) const {
    std::string script;
    for (const std::string& command : commands)
        script += command + "\n__code=$?; printf '\\n" + std::string(ends_here) +
                  "%d\\n' $__code; (exit $__code)\n";
    std::vector<Ended> all(1);
    for (const std::string& line : run("true\n" + script).output) {
        if (!line.starts_with(ends_here)) {
            all.back().output.push_back(line);
            continue;
        }
        all.back().exit_code = std::stoi(line.substr(std::string(ends_here).size()));
        // The line break that goes before the mark, where the output ended with one itself.
        if (!all.back().output.empty() && all.back().output.back().empty())
            all.back().output.pop_back();
        all.emplace_back();
    }
    if (all.size() > commands.size()) all.pop_back();
    all.resize(commands.size());
    return all;
}

}  // namespace railyard::manual
