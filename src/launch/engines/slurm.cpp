// In the words of srun, the launcher of Slurm.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launch/engines/words.hpp"
#include "railyard/base/error.hpp"

namespace railyard::engines {

namespace {

/// The program behind env(1), which sets what srun has no option for.
std::vector<std::string> words_of(const job::Program& program) {
    std::vector<std::string> words;
    if (!program.directory.empty() || !program.environment.empty()) words.emplace_back("env");
    if (!program.directory.empty()) words.insert(words.end(), {"-C", program.directory});
    for (const auto& [name, value] : program.environment)
        words.push_back(fmt::format("{}={}", name, value));
    words.insert(words.end(), program.arguments.begin(), program.arguments.end());
    return words;
}

/// srun's files of programs know quotes of both kinds, and nothing to put them into each other.
std::string quoted(const std::string& word) {
    const bool has_single = word.find('\'') != std::string::npos;
    if (word.find_first_of("%\n") != std::string::npos ||
        (has_single && word.find_first_of("\"\\") != std::string::npos))
        throw UsageError(fmt::format(
            "where there are several programs, srun takes no word with %, line ends or both kinds "
            "of quotes, such as '{}'; put it into a script",
            word));
    return has_single ? fmt::format("\"{}\"", word) : fmt::format("'{}'", word);
}

std::string programs_file(const std::vector<job::Program>& programs) {
    std::string text;
    int first = 0;
    for (const job::Program& program : programs) {
        text += fmt::format("{}-{}", first, first + program.ranks - 1);
        for (const std::string& word : words_of(program))
            text += ' ' + quoted(word);
        text += '\n';
        first += program.ranks;
    }
    return text;
}

void add_file(Command& command, std::string text) {
    command.files.push_back({command.words.size(), std::move(text)});
    command.words.emplace_back();
}

}  // namespace

void add_slurm_words(Command& command, const HostJob& job) {
    auto& words = command.words;
    if (!job.launcher.empty() || !job.interface.empty())
        throw UsageError(
            "--launcher and --iface: Slurm has daemons on its hosts, and takes neither");
    // Without the second, the others of a rank that is killed wait for ever.
    words.insert(words.end(), {"--mpi=pmi2", "--kill-on-bad-exit=1"});
    if (job.label_output) words.emplace_back("--label");
    if (job.bound) words.push_back(fmt::format("--cpu-bind={}", *job.bound ? "cores" : "none"));
    const int ranks = job::ranks_of(job.programs);
    words.push_back(fmt::format("--ntasks={}", ranks));
    // More ranks than the allocation has cores are no mistake here.
    words.emplace_back("--overcommit");
    if (!job.hosts.empty()) {
        words.insert(words.end(), {"--distribution=arbitrary", "--nodelist"});
        add_file(command, fmt::format("{}\n", fmt::join(place_ranks(job.hosts, ranks), "\n")));
    }
    if (job.programs.size() > 1) {
        words.emplace_back("--multi-prog");
        return add_file(command, programs_file(job.programs));
    }
    const std::vector<std::string> program = words_of(job.programs[0]);
    words.insert(words.end(), program.begin(), program.end());
}

}  // namespace railyard::engines
