#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/settings.hpp"
#include "cli/words.hpp"
#include "job/job.hpp"
#include "programs/programs.hpp"

namespace railyard::cli {

namespace {

/// The options as they were typed; an empty word was not given.
struct Words {
    std::string ranks, on, nodes, ranks_per_node, mpi, connections, algorithms, trace;
    std::vector<std::string> settings;
    bool stats = false;
};

constexpr unsigned most_ranks = 1 << 16;

void add_options(CLI::App& app, Words& words) {
    const auto add = [&](const char* name, std::string& word, const char* type, const char* help) {
        app.add_option(name, word, help)->type_name(type);
    };
    add("-n,--ranks", words.ranks, "N", "How many ranks (default: 2)");
    add("--on", words.on, "FABRIC",
        "On which fabric, one that runs in virtual time (default: ideal)");
    add("--nodes", words.nodes, "N", "On how many nodes (default: one for each rank)");
    add("--ranks-per-node", words.ranks_per_node, "N",
        "The same from the other side: ranks 0 to N-1 are on node 0, and so on");
    add("--mpi", words.mpi, "LIBRARY",
        "Whose ways the MPI library has: native (ours), or paper (that of the fabric's papers)");
    add("--connections", words.connections, "POLICY",
        "When ranks connect: on-demand, static-peer, static-client-server");
    add("--algorithms", words.algorithms, "COLLECTIVE=ALGORITHM,...",
        "Algorithms of collectives, in place of those chosen by size");
    app.add_option("--set", words.settings, "A setting of the MPI library (see mpi-info)")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    add("--trace", words.trace, "FILE", "Write there what each part did and when, for Perfetto");
    app.add_flag("--stats", words.stats, "Print the library's counters at the end");
}

const programs::Program& program_named(const std::string& name) {
    if (const programs::Program* program = programs::find(name)) return *program;
    if (name.find('/') != std::string::npos)
        throw UsageError(
            fmt::format("{} is a file, and only built-in programs run in virtual time so far "
                        "(`railyard run --help` lists them); for real, start it with `mpiexec {}`",
                        name, name));
    std::vector<std::string> names;
    for (const programs::Program& program : programs::all())
        names.emplace_back(program.name);
    throw UsageError(unknown("program", name, names, "railyard run --help"));
}

const fabric::Traits& virtual_fabric(const std::string& name) {
    const fabric::Traits& traits = fabric_named(name.empty() ? "ideal" : name);
    if (traits.clock == fabric::Clock::virtual_time) return traits;
    throw UsageError(
        fmt::format("--on: {} moves bytes, and `railyard run` runs in virtual time; programs on {} "
                    "are started with `mpiexec --on {}`",
                    traits.name, traits.name, traits.name));
}

std::vector<fabric::NodeId> nodes(const Words& words, unsigned ranks) {
    if (!words.nodes.empty() && !words.ranks_per_node.empty())
        throw UsageError("--nodes and --ranks-per-node say the same; give one of them");
    unsigned per_node = 1;
    if (!words.ranks_per_node.empty())
        per_node = parse_count("--ranks-per-node", words.ranks_per_node, 1, most_ranks);
    if (!words.nodes.empty()) {
        const unsigned count = parse_count("--nodes", words.nodes, 1, ranks);
        per_node = (ranks + count - 1) / count;
    }
    std::vector<fabric::NodeId> all(ranks);
    for (unsigned rank = 0; rank < ranks; ++rank)
        all[rank] = rank / per_node;
    return all;
}

void apply_settings(const Words& words, const fabric::Traits& fabric) {
    check_settings(fabric);
    if (!words.mpi.empty()) apply_setting(fabric, "--mpi", "library", words.mpi);
    if (!words.connections.empty())
        apply_setting(fabric, "--connections", "connections", words.connections);
    if (!words.algorithms.empty())
        apply_setting(fabric, "--algorithms", "algorithms", words.algorithms);
    for (const std::string& word : words.settings)
        apply_setting(fabric, "--set", word);
    if (words.stats) apply_setting(fabric, "--stats", "stats", "on");
}

/// A program's words as main has them; one copy a rank, since programs may write into them.
class Arguments {
  public:
    explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
        for (std::string& word : words_)
            pointers_.push_back(word.data());
        pointers_.push_back(nullptr);
    }
    int count() const { return static_cast<int>(words_.size()); }
    char** values() { return pointers_.data(); }

  private:
    std::vector<std::string> words_;
    std::vector<char*> pointers_;
};

int run(const Words& words, const std::vector<std::string>& program_words) {
    if (program_words.empty())
        throw UsageError("run what? Name a program; `railyard run --help` lists them");
    if (program_words.front().starts_with('-'))
        throw UsageError(fmt::format("unknown option '{}'; `railyard run --help` lists all",
                                     program_words.front()));
    const programs::Program& program = program_named(program_words.front());
    const fabric::Traits& fabric = virtual_fabric(words.on);
    job::Options options;
    const unsigned ranks = words.ranks.empty() ? 2 : parse_count("-n", words.ranks, 1, most_ranks);
    options.ranks = static_cast<int>(ranks);
    options.fabric = fabric.name;
    options.nodes = nodes(words, ranks);
    options.trace = words.trace;
    apply_settings(words, fabric);

    std::vector<int> codes(ranks, 0);
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        Arguments arguments(program_words);
        codes[static_cast<std::size_t>(rank.id())] =
            program.main(arguments.count(), arguments.values());
    });
    std::fflush(stdout);
    if (!result.ok) {
        fmt::print(stderr, "railyard: {}\n", result.failure);
        return result.exit_code;
    }
    const auto failed = std::ranges::find_if(codes, [](int code) { return code != 0; });
    return failed != codes.end() ? *failed : 0;
}

std::string list_of_programs() {
    std::string text = "Programs (each has --help):\n";
    for (const programs::Program& program : programs::all())
        text += fmt::format("  {:<12}{}\n", program.name, program.purpose);
    return text;
}

}  // namespace

Command run_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand("run", "Runs a built-in MPI program in virtual time");
    const auto words = std::make_shared<Words>();
    add_options(*app, *words);
    app->prefix_command();
    app->footer(
        list_of_programs() +
        "\nExamples:\n"
        "  railyard run -n 16 --on quadrics ring\n"
        "  railyard run -n 16 --on infiniband-pcie --ranks-per-node 2 allreduce --size 64K\n"
        "  railyard run -n 32 --on berkeley-via --connections static-peer --stats "
        "all-to-all");
    return {app, [app, words] { return run(*words, app->remaining()); }};
}

}  // namespace railyard::cli
