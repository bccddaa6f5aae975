#include "launch/job/find_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace railyard::job {

namespace {

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
