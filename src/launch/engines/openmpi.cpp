// In the words of mpirun, the launcher of Open MPI.

#include <fmt/format.h>

#include "launch/engines/words.hpp"
#include "railyard/base/error.hpp"

namespace railyard::engines {

void add_openmpi_words(Command& command, const HostJob& job,
                       std::span<const std::string> variables) {
    auto& words = command.words;
    // More ranks than slots go round again, as with the others.
    words.emplace_back("--oversubscribe");
    if (job.as_root) words.emplace_back("--allow-run-as-root");
    if (job.label_output) words.emplace_back("--tag-output");
    if (job.bound) words.insert(words.end(), {"--bind-to", *job.bound ? "core" : "none"});
    if (job.launcher == "fork")
        throw UsageError(
            "--launcher: Open MPI cannot take this host for several; --engine hydra can");
    if (!job.launcher.empty()) words.insert(words.end(), {"--mca", "plm_rsh_agent", job.launcher});
    if (!job.interface.empty())
        words.insert(words.end(), {"--mca", "oob_tcp_if_include", job.interface});
    const std::string hosts = host_list(job.hosts);
    for (std::size_t i = 0; i < job.programs.size(); ++i) {
        const job::Program& program = job.programs[i];
        if (i > 0) words.emplace_back(":");
        if (!hosts.empty()) words.insert(words.end(), {"--host", hosts});
        words.insert(words.end(), {"-n", std::to_string(program.ranks)});
        // To other hosts goes only what is named.
        for (const std::string& name : variables)
            words.insert(words.end(), {"-x", name});
        for (const auto& [name, value] : program.environment)
            words.insert(words.end(), {"-x", fmt::format("{}={}", name, value)});
        if (!program.directory.empty()) words.insert(words.end(), {"-wdir", program.directory});
        words.insert(words.end(), program.arguments.begin(), program.arguments.end());
    }
}

}  // namespace railyard::engines
