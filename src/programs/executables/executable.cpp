#include "programs/executables/executable.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "launch/job/crash_report.hpp"
#include "programs/executables/libraries.hpp"
#include "programs/executables/process.hpp"
#include "programs/loader/elf_file.hpp"
#include "programs/loader/thread_room.hpp"
#include "railyard/base/error.hpp"

namespace railyard::executables {

namespace fs = std::filesystem;

namespace {

/// As a shell does.
fs::path find_executable(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        if (!fs::exists(name)) throw Error(name + ": no such file");
        return name;
    }
    const char* const path = std::getenv("PATH");
    for (std::string_view rest = path != nullptr ? path : ""; !rest.empty();) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        const fs::path found = fs::path(rest.substr(0, end)) / name;
        if (::access(found.c_str(), X_OK) == 0 && fs::is_regular_file(found)) return found;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    throw Error(name + ": no such program on the PATH");
}

/// What can be told before anything runs.
void expect_runnable(const loader::ElfFile& file) {
    const std::string path = file.path().string();
    if (file.interpreter().empty())
        throw Error(fmt::format(
            "{}: linked statically, so its MPI cannot be replaced; link it with shared libraries "
            "(without -static)",
            path));
    if (!file.is_position_independent())
        throw Error(fmt::format(
            "{}: not position-independent, so ranks cannot each have a copy; build it with -fPIE "
            "and link it with -pie, or start it with mpiexec",
            path));
    for (const char* const function : {"fork", "vfork", "daemon"})
        if (std::ranges::any_of(file.symbols(), [&](const loader::Symbol& symbol) {
                return !symbol.defined && symbol.name == function;
            }))
            throw Error(
                fmt::format("{}: it calls {}(), and in virtual time all ranks are one "
                            "process; start it with mpiexec",
                            path, function));
    if (std::ranges::none_of(file.symbols(), [](const loader::Symbol& symbol) {
            return symbol.name == "__libc_start_main";
        }))
        throw Error(fmt::format("{}: a shared library, and no program", path));
    if (!loader::thread_room::is_there())
        throw Error("this build of Railyard has no room for thread-local variables of programs");
}

}  // namespace

Executable::Executable(const Options& options) : path_(find_executable(options.name)) {
    expect_runnable(loader::ElfFile(path_));
    LibraryChoice choice{options.shared, options.private_ones};
    loader::Program::Options program{path_};
    for (auto& [name, path] : libraries_of(path_, options.library_folder)) {
        if (choice.is_of_process(name)) continue;
        if (choice.is_shared(name)) {
            if (::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
                throw Error(fmt::format("--share {}: {}", name, ::dlerror()));
            continue;
        }
        private_libraries_.push_back(name);
        program.libraries.emplace(name, path);
    }
    choice.expect_all_used();
    program_ = std::make_unique<loader::Program>(program, imports_);
    job::report_crashes([] {
        Process* const process = Process::here();
        return process != nullptr ? process->rank().id() : -1;
    });
}

int Executable::run(job::Rank& rank, const Run& run) const {
    const Process::Options options{.words = run.words,
                                   .label_output = run.label_output,
                                   .charge_computation = run.charge_computation};
    auto process = std::make_unique<Process>(*program_, rank, options);
    const int code = process->run();
    // Threads of it may run on, in code and data that must stay then.
    if (process->has_threads()) static_cast<void>(process.release());
    return code;
}

}  // namespace railyard::executables
