// In the words of hydra, the launcher of MPICH.

#include <fmt/format.h>

#include "launch/engines/words.hpp"
#include "railyard/base/error.hpp"

namespace railyard::engines {

namespace {

/// One word, since it is the name of a file for hydra.
void add_launcher(std::vector<std::string>& words, const std::string& launcher) {
    if (launcher.empty()) return;
    if (launcher == "fork" || launcher == "ssh" || launcher == "rsh") {
        words.insert(words.end(), {"-launcher", launcher});
        return;
    }
    if (launcher.find(' ') != std::string::npos)
        throw UsageError(fmt::format(
            "--launcher: hydra takes a command of one word that is called as `COMMAND HOST "
            "WORD...`, found '{}'; make it a script",
            launcher));
    // That of rsh: ssh has options of its own before the host.
    words.insert(words.end(), {"-launcher", "rsh", "-launcher-exec", launcher});
}

}  // namespace

void add_hydra_words(Command& command, const HostJob& job) {
    auto& words = command.words;
    if (job.label_output) words.emplace_back("-prepend-rank");
    if (job.bound) words.insert(words.end(), {"-bind-to", *job.bound ? "core" : "none"});
    add_launcher(words, job.launcher);
    if (!job.interface.empty()) words.insert(words.end(), {"-iface", job.interface});
    if (!job.hosts.empty()) words.insert(words.end(), {"-hosts", host_list(job.hosts)});
    // One directory is all that hydra has: where programs have different ones, env(1) goes there.
    for (std::size_t i = 0; i < job.programs.size(); ++i) {
        const job::Program& program = job.programs[i];
        if (i > 0) words.emplace_back(":");
        words.insert(words.end(), {"-n", std::to_string(program.ranks)});
        for (const auto& [name, value] : program.environment)
            words.insert(words.end(), {"-env", name, value});
        if (!program.directory.empty()) words.insert(words.end(), {"env", "-C", program.directory});
        words.insert(words.end(), program.arguments.begin(), program.arguments.end());
    }
}

}  // namespace railyard::engines
