#include "launch/mpiexec/several_hosts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/job/fabrics.hpp"
#include "launch/job/join.hpp"
#include "launch/job/kept_memory.hpp"
#include "launch/job/spawn.hpp"
#include "mpi/traces/report.hpp"
#include "railyard/base/error.hpp"

extern char** environ;

namespace railyard::mpiexec {

namespace {

namespace fs = std::filesystem;
using engines::Engine;

/// What belongs to this host, or to this call.
bool stays_here(std::string_view name) {
    constexpr std::array<std::string_view, 4> whole{"HOSTNAME", "PWD", "OLDPWD", "_"};
    constexpr std::array<std::string_view, 9> beginnings{
        "SSH_", "BASH_FUNC_", "PMI_", "PMIX_", "OMPI_", "OPAL_", "SLURM_", "HYDI_", "RAILYARD_JOB"};
    return std::ranges::find(whole, name) != whole.end() ||
           std::ranges::any_of(beginnings,
                               [&](std::string_view begin) { return name.starts_with(begin); });
}

std::vector<std::string> travelling_variables() {
    std::vector<std::string> names;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        const std::string_view name = text.substr(0, text.find('='));
        if (!name.empty() && !stays_here(name)) names.emplace_back(name);
    }
    return names;
}

/// A program that is on nobody's path, by where it is; others by their names, which may mean
/// something on the other hosts alone.
void resolve(job::Program& program) {
    if (!program.directory.empty()) program.directory = fs::absolute(program.directory).string();
    try {
        const std::string file = job::find_program(program);
        const bool is_companion =
            std::ranges::any_of(program.folders, [&](const std::string& folder) {
                return file == fs::path(folder) / program.arguments[0];
            });
        if (is_companion || file.starts_with("./")) program.arguments[0] = file;
    } catch (const job::CannotStart&) {
        return;  // not here
    }
}

/// In the environment, which all engines pass on; what is a program's own stays with it.
void set_for_all(const Call& call) {
    const auto set = [](const std::string& name, const std::string& value) {
        ::setenv(name.c_str(), value.c_str(), 1);
    };
    for (const auto& [name, value] : call.environment)
        set(name, value);
    if (call.heartbeat) {
        set("RAILYARD_HEARTBEAT", fmt::format("{:.0f}", call.heartbeat->seconds()));
        for (const char* of_fabric : {"RAILYARD_IWARP_PATIENCE", "RAILYARD_OFI_PATIENCE"})
            set(of_fabric, fmt::format("{} s", call.heartbeat->seconds()));
    }
    if (call.fabric_chosen)
        set("RAILYARD_FABRIC", job::FabricPair::for_hosts(call.job.fabric).text());
    // What a rank of ours starts is no rank of its job.
    for (const char* name : {job::Invitation::variable, "RAILYARD_RANK", "RAILYARD_SIZE"})
        ::unsetenv(name);
}

/// Those that are in the environment by now are said once.
std::vector<job::Program> programs_of(const Call& call) {
    std::vector<job::Program> programs = call.job.programs;
    for (job::Program& program : programs) {
        std::erase_if(program.environment, [&](const auto& variable) {
            return std::ranges::find(call.environment, variable) != call.environment.end();
        });
        resolve(program);
    }
    return programs;
}

/// Nobody said how many: as many as the allocation has tasks.
void count_ranks_of_allocation(const Call& call, std::vector<job::Program>& programs) {
    const char* tasks = std::getenv("SLURM_NTASKS");
    if (call.counted || !call.hosts.empty() || programs.size() != 1 || tasks == nullptr) return;
    programs[0].ranks = std::max(1, std::atoi(tasks));
}

/// Where the trace will be, or here: other hosts are likely to see that, too.
std::unique_ptr<job::KeptFiles> make_kept_files(const Call& call, const engines::HostJob& job) {
    const fs::path where = fs::absolute(call.recording.trace.empty() ? "." : call.recording.trace);
    auto files = std::make_unique<job::KeptFiles>(
        job::KeptMemoryOptions{call.recording_memory, mpi::traces::prepared_memory(call.recording)},
        job::ranks_of(job.programs), call.recording.trace.empty() ? where : where.parent_path());
    ::setenv(job::KeptFiles::variable, files->folder().c_str(), 1);
    return files;
}

}  // namespace

bool is_for_several_hosts(const Call& call) {
    if (call.engine) return true;
    if (call.hosts.empty()) return engines::is_allocation(engines::own_surroundings());
    return !std::ranges::all_of(
        call.hosts, [](const engines::HostSlots& host) { return engines::is_here(host.name); });
}

int run_on_several_hosts(const std::string& name, const Call& call) {
    if (call.has_deadlock_timeout)
        throw UsageError(
            "--deadlock-timeout: on one host only: there our own launcher sees who waits for whom");
    const engines::Found found = find_engine(call.engine, engines::own_surroundings());
    set_for_all(call);
    engines::HostJob job{.programs = programs_of(call),
                         .hosts = call.hosts,
                         .launcher = call.launcher,
                         .interface = call.interface,
                         .bound = call.bound,
                         .limit = call.job.time_limit,
                         .label_output = call.job.label_output,
                         .as_root = call.as_root};
    if (found.engine == Engine::slurm) count_ranks_of_allocation(call, job.programs);
    const auto files = call.recording.is_anything() ? make_kept_files(call, job) : nullptr;
    const engines::Command command =
        command_of(found.engine, found.program, job, travelling_variables());
    if (call.verbose)
        std::fputs(fmt::format("{}: runs {}\n", name, text_of(command)).c_str(), stderr);
    if (!files) hand_over(command);
    const int exit_code = engines::run(command);
    std::fputs(mpi::traces::report(call.recording, files->used()).c_str(), stderr);
    return exit_code;
}

}  // namespace railyard::mpiexec
