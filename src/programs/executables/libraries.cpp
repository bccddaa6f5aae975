#include "programs/executables/libraries.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/descriptor.hpp"
#include "programs/loader/elf_file.hpp"
#include "railyard/base/error.hpp"

namespace railyard::executables {

namespace fs = std::filesystem;

namespace {

/// What the dynamic linker says that it would load for the executable.
std::string list_of(const std::string& linker, const fs::path& executable,
                    const std::string& first) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("a pipe");
    const Descriptor read(ends[0]);
    Descriptor write(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, write.get(), STDOUT_FILENO);
    const char* const inherited = std::getenv("LD_LIBRARY_PATH");
    std::string folders = first;
    if (inherited != nullptr && *inherited != '\0')
        folders += (folders.empty() ? "" : ":") + std::string(inherited);
    std::vector<std::string> words{linker, "--list"};
    if (!folders.empty()) words.insert(words.end(), {"--library-path", folders});
    words.push_back(executable.string());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    const int error =
        ::posix_spawn(&child, linker.c_str(), &actions, nullptr, pointers.data(), ::environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        errno = error;
        throw system_error(linker);
    }
    write.reset();
    std::string text;
    std::array<char, 4096> piece;
    for (ssize_t n = 0; (n = ::read(read.get(), piece.data(), piece.size())) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        text.append(piece.data(), static_cast<std::size_t>(n));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return text;
}

/// "libfoo.so.1" is meant by "libfoo.so.1", "libfoo.so" and "libfoo".
bool is_meant(std::string_view library, std::string_view name) {
    if (name.empty() || !library.starts_with(name)) return false;
    const std::string_view rest = library.substr(name.size());
    return rest.empty() || rest.starts_with('.') || name.ends_with(".so");
}

}  // namespace

std::vector<std::pair<std::string, fs::path>> libraries_of(const fs::path& executable,
                                                           const std::string& first) {
    const std::string linker = loader::ElfFile(executable).interpreter();
    const std::string text = list_of(linker, fs::absolute(executable), first);
    std::vector<std::pair<std::string, fs::path>> all;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        const std::size_t arrow = line.find(" => ");
        if (arrow == std::string_view::npos) continue;
        const std::string name(line.substr(0, arrow));
        const std::string_view place = line.substr(arrow + 4);
        if (place.starts_with("not found"))
            throw Error(
                fmt::format("{} needs {}, which is not to be found; install it, or name "
                            "its folder in LD_LIBRARY_PATH",
                            executable.string(), name));
        all.emplace_back(name, fs::path(place.substr(0, place.rfind(" ("))));
    }
    if (all.empty()) throw Error(fmt::format("{}: {} cannot load it", executable.string(), linker));
    return all;
}

LibraryChoice::LibraryChoice(const std::vector<std::string>& shared,
                             const std::vector<std::string>& private_ones) {
    for (const std::string& name : shared)
        shared_.push_back({name});
    for (const std::string& name : private_ones)
        private_.push_back({name});
}

bool LibraryChoice::is_among(std::vector<Name>& names, std::string_view library) {
    bool found = false;
    for (Name& name : names)
        if (is_meant(library, name.text)) found = name.used = true;
    return found;
}

bool LibraryChoice::is_of_process(std::string_view library) {
    constexpr std::string_view ours[] = {"libc.so",   "libm.so",    "libpthread.so", "libdl.so",
                                         "librt.so",  "libutil.so", "libgcc_s.so",   "ld-linux",
                                         "libmpi.so", "libmpich.so"};
    // A name that was given for one of them is refused, as it is not used.
    return std::ranges::any_of(ours,
                               [&](std::string_view name) { return library.starts_with(name); });
}

bool LibraryChoice::is_shared(std::string_view library) {
    const bool is_private = is_among(private_, library);
    return is_among(shared_, library) && !is_private;
}

void LibraryChoice::expect_all_used() const {
    for (const auto* const names : {&shared_, &private_})
        for (const Name& name : *names)
            if (!name.used)
                throw UsageError(fmt::format(
                    "{} {}: the program has no such library, or it is one that cannot be chosen "
                    "(the C library's and MPI's are shared)",
                    names == &shared_ ? "--share" : "--private", name.text));
}

}  // namespace railyard::executables
