#include "reproduce/verdict.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/kept.hpp"
#include "cli/output.hpp"
#include "cli/words.hpp"
#include "railyard/base/error.hpp"
#include "reproduce/sensitivity.hpp"
#include "results/file.hpp"

namespace railyard::cli {

namespace {

struct ReproduceWords {
    std::string paper, only, json, exceptions, numbers, time_budget;
    CLI::Option* json_option = nullptr;
    CLI::Option* sensitivity_option = nullptr;
    bool list = false, quiet = false, resume = false;
    unsigned jobs = 0;

    /// Where the JSON goes; empty if it was not asked for.
    std::string json_file() const {
        if (json_option->count() == 0) return "";
        return json.empty() ? standard_output : json;
    }
};

std::vector<reproduce::Exception> exceptions(const ReproduceWords& words) {
    if (words.exceptions.empty()) return reproduce::known_exceptions();
    return reproduce::read_exceptions(results::read_file(words.exceptions), words.exceptions,
                                      reproduce::papers());
}

int run(const ReproduceWords& words) {
    const auto& all = reproduce::papers();
    const auto chosen = reproduce::choose(all, words.paper, words.only);
    const auto excused = exceptions(words);
    const std::string file = words.json_file();
    const bool to_file = !file.empty() && file != standard_output;
    if (to_file) results::check_writable(file);
    if (words.list) {
        const auto tasks = reproduce::tasks(chosen, all);
        if (to_file)
            results::write_file(file, reproduce::list_as_json(tasks));
        else
            fmt::print("{}",
                       file.empty() ? reproduce::list(tasks) : reproduce::list_as_json(tasks));
        return 0;
    }

    if (words.resume && !to_file)
        throw UsageError("--resume: name the file that it was for, with --json FILE");
    const experiments::Carrying how{
        .jobs = words.jobs,
        .time_budget = time_budget(words.time_budget),
        .finished = words.resume ? read_kept(file) : std::vector<experiments::Finished>()};
    reproduce::Reproduction found;
    std::vector<reproduce::Sensitivity> sensitivities;
    {
        const ProgressLine line(!words.quiet);
        const auto progress = [&](std::string_view what) { line.show(what); };
        try {
            found = reproduce::reproduce(chosen, all, excused, progress, how);
        } catch (const experiments::Stopped& stopped) {
            if (!to_file) throw;
            throw experiments::Stopped(stopped.what() + keep(file, stopped.finished()),
                                       stopped.exit_code());
        }
        if (words.sensitivity_option->count() > 0)
            sensitivities = reproduce::sensitivities(chosen, all, excused, found, words.numbers,
                                                     progress, words.jobs);
    }
    const reproduce::Counts counts = reproduce::count(found.verdicts);
    const std::string json = reproduce::to_json(
        found.verdicts, found.rows, sensitivities.empty() ? "" : to_json(sensitivities));
    if (to_file) results::write_file(file, json);
    if (words.resume) forget_kept(file);
    if (file == standard_output)
        fmt::print("{}", json);
    else
        fmt::print("{}{}{}\n", reproduce::tables(found.verdicts),
                   sensitivities.empty() ? "" : tables(sensitivities) + "\n",
                   reproduce::summary(counts));
    return counts.good() ? 0 : 1;
}

}  // namespace

Command reproduce_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "reproduce", "Runs the papers' experiments on the models, and compares the figures");
    const auto words = std::make_shared<ReproduceWords>();
    app->add_option("--paper", words->paper, "Only this paper: liu04, petrini02, liu04pcie, ...")
        ->type_name("KEY");
    app->add_option("--only", words->only,
                    "Only records whose id or experiment matches: 'hotspot-*', 'liu04.latency.*'")
        ->type_name("PATTERN");
    words->json_option =
        app->add_option(
               "--json", words->json,
               "Write verdicts and rows there as JSON; '-' or nothing: to stdout, no tables")
            ->type_name("[FILE]")
            ->expected(0, 1);
    app->add_option("--exceptions", words->exceptions,
                    "Another list of records that are known to be off, or that nothing measures")
        ->type_name("FILE");
    words->sensitivity_option =
        app->add_option("--sensitivity", words->numbers,
                        "Also change every fitted or assumed number of the profiles by 10 %, or "
                        "those that match ('quadrics*', '* host.copy'), and tell which verdicts "
                        "flip; takes hours for all, and some 20 minutes for a --paper")
            ->type_name("[PATTERN]")
            ->expected(0, 1);
    add_jobs(*app, words->jobs);
    add_time_budget(*app, words->time_budget,
                    "How long it may take (10s, 600): after that nothing new begins");
    app->add_flag("--resume", words->resume,
                  "Go on with what an interrupted call with the same --json FILE has kept");
    app->add_flag("--list", words->list, "Only say which records there are, and where they run");
    app->add_flag("--quiet", words->quiet, "No progress on stderr");
    app->footer(
        "Examples:\n"
        "  railyard reproduce                              all of it\n"
        "  railyard reproduce --paper liu04 --only 'latency-*'\n"
        "  railyard reproduce --paper rashti07 --only 'mpi-*'\n"
        "  railyard reproduce --json verdicts.json\n"
        "  railyard reproduce --paper wu02 --sensitivity 'clan-via host.*'\n"
        "  railyard reproduce --list --only 'liu04pcie.*'");
    return {app, [words] { return run(*words); }};
}

}  // namespace railyard::cli
