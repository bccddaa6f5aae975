#include "launch/mpiexec/mpiexec.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "launch/job/guardian.hpp"
#include "launch/job/installation.hpp"
#include "launch/job/program_job.hpp"
#include "launch/mpiexec/call.hpp"
#include "launch/mpiexec/several_hosts.hpp"
#include "mpi/traces/report.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpiexec {

namespace {

namespace fs = std::filesystem;

/// On the standard error, if that takes it; where it does not, nobody can be told.
void say(const std::string& text) {
    // Where files may not grow, to be killed is no answer. Ranks have it as it was.
    const auto previous = ::signal(SIGXFSZ, SIG_IGN);
    std::fputs(text.c_str(), stderr);
    ::signal(SIGXFSZ, previous);
}

/// Whoever called us may have closed one of them: the next file that is opened, a pipe to a rank
/// for instance, would take its place.
void open_standard_files() {
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(file, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
}

/// So that a program linked with another library of the same ABI finds ours first.
void add_library_folder(job::Program& program) {
    static const std::string folder = job::library_folder();
    if (folder.empty()) return;
    constexpr const char* variable = "LD_LIBRARY_PATH";
    const char* inherited = std::getenv(variable);
    std::string others = inherited != nullptr ? inherited : "";
    for (const auto& [name, value] : program.environment)
        if (name == variable) others = value;
    program.environment.emplace_back(
        variable, others.empty() ? folder : fmt::format("{}:{}", folder, others));
}

/// So that the kernels run by their short names, which are others' too: in a build directory they
/// lie beside us, and where they were installed on nobody's path.
void add_program_folders(job::Program& program) {
    static const fs::path own = job::own_file().parent_path();
    for (const fs::path& folder : {own, own / "../" RAILYARD_LIBEXECDIR "/railyard"})
        program.folders.push_back(folder.lexically_normal().string());
}

/// What became of the others. A report of several lines names them all; where time or a signal
/// ended the job, it names no rank that was the first.
std::string_view aftermath(const job::Result& result, int ranks) {
    if (ranks == 1 || result.output_lost) return "";
    if (result.failure.find('\n') != std::string::npos) return "\n  all ranks were ended";
    return result.failure.starts_with("rank ") ? "; all other ranks were ended"
                                               : "; all ranks were ended";
}

int run(const std::string& name, Call& call) {
    for (const std::string& note : call.notes)
        say(fmt::format("{}: note: {}\n", name, note));
    int ranks = 0;
    for (job::Program& program : call.job.programs) {
        add_library_folder(program);
        add_program_folders(program);
        ranks += program.ranks;
    }
    if (is_for_several_hosts(call)) return run_on_several_hosts(name, call);
    const Descriptor guardian = job::guard_this_process();
    call.job.guardian = guardian.get();
    const bool is_recorded = call.recording.is_anything();
    if (is_recorded)
        call.job.kept = {call.recording_memory, mpi::traces::prepared_memory(call.recording)};
    const job::Result result = job::run_programs(call.job);
    if (!result.failure.empty())
        say(fmt::format("{}: {}{}\n", name, result.failure, aftermath(result, ranks)));
    if (is_recorded) say(mpi::traces::report(call.recording, result.kept));
    return result.exit_code;
}

int obey(const std::string& name, const std::vector<std::string>& words) {
    Call call = parse(words);
    switch (call.what) {
        case Call::What::help:
            fmt::print("{}", help(name));
            return 0;
        case Call::What::version:
            fmt::print("{} (Railyard) {}\n", name, RAILYARD_VERSION);
            return 0;
        case Call::What::run:
            return run(name, call);
    }
    return 0;
}

}  // namespace

int run_command(int argc, char** argv) {
    const std::string name = argc > 0 ? fs::path(argv[0]).filename().string() : "mpiexec";
    open_standard_files();
    const auto complain = [&](const std::exception& error, int exit_code) {
        say(fmt::format("{}: {}\n", name, error.what()));
        return exit_code;
    };
    try {
        const int exit_code = obey(name, {argv + std::min(argc, 1), argv + argc});
        // A full disk behind a redirection may have shown before, or shows only now.
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            throw system_error("cannot write to the standard output");
        return exit_code;
    } catch (const UsageError& error) {
        return complain(error, 2);
    } catch (const job::CannotStart& error) {
        return complain(error, error.exit_code());
    } catch (const std::bad_alloc&) {
        return complain(Error("no memory; is it limited (ulimit -v, ulimit -d)?"), 1);
    } catch (const std::exception& error) {
        return complain(error, 1);
    }
}

}  // namespace railyard::mpiexec
