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

namespace {

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

constexpr job::ManyRanks crash_of_a_rank{
    .running =
        [] {
            Process* const process = Process::here();
            return process != nullptr ? process->rank().id() : -1;
        },
    .others =
        [] {
            Process* const process = Process::here();
            const std::string waits =
                process != nullptr ? process->rank().waits_of_others() : std::string();
            return waits.empty() ? waits : "meanwhile:" + waits + "\n";
        },
};

}  // namespace

Executable::Executable(const Options& options) {
    expect_runnable(loader::ElfFile(options.path));
    LibraryChoice choice{options.shared, options.private_ones};
    loader::Program::Options program{options.path};
    for (auto& [name, path] : libraries_of(options.path, options.library_folder)) {
        if (choice.is_of_process(name)) continue;
        if (choice.is_shared(name)) {
            if (::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
                throw Error(fmt::format("--share {}: {}", name, ::dlerror()));
            continue;
        }
        program.libraries.emplace(name, path);
    }
    choice.expect_all_used();
    program_ = std::make_unique<loader::Program>(program, imports_);
    job::report_crashes(crash_of_a_rank);
}

int Executable::run(job::Rank& rank, const Start& start) const {
    auto process = std::make_unique<Process>(*program_, rank, start);
    const int code = process->run();
    // Threads of it may run on, in code and data that must stay then.
    if (process->has_threads()) static_cast<void>(process.release());
    return code;
}

}  // namespace railyard::executables
