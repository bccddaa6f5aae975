#include "launch/mpiexec/call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "launch/job/job.hpp"
#include "launch/mpiexec/operands.hpp"
#include "railyard/base/error.hpp"
#include "railyard/traits.hpp"

namespace railyard::mpiexec {

namespace {

using job::Program;
using Words = std::span<const std::string>;

constexpr int most_ranks = 1 << 16;

int parse_ranks(const std::string& text) {
    const auto value = parse_number<int>(text);
    if (!value || *value < 1 || *value > most_ranks)
        throw UsageError(fmt::format("-n: expected a number of ranks from 1 to {}, found '{}'",
                                     most_ranks, text));
    return *value;
}

Duration parse_seconds(std::string_view option, const std::string& text) {
    const auto value = parse_number<double>(text);
    if (!value || !(*value > 0) || *value > 1e6)
        throw UsageError(
            fmt::format("{}: expected seconds, such as 60 or 0.5, found '{}'", option, text));
    return Duration::from_seconds(*value);
}

std::string one_of(std::string_view option, const std::string& word,
                   std::span<const std::string_view> allowed) {
    if (std::ranges::find(allowed, word) != allowed.end()) return word;
    throw UsageError(
        fmt::format("{}: expected one of {}, found '{}'", option, fmt::join(allowed, ", "), word));
}

void choose_fabric(Call& call, const std::string& name) {
    const fabric::Traits* traits = job::find_fabric(name);
    if (traits == nullptr)
        throw UsageError(
            fmt::format("--on: there is no fabric '{}'; `railyard fabrics` lists all", name));
    if (traits->clock == fabric::Clock::virtual_time)
        throw UsageError(
            fmt::format("--on: {} is a model, in virtual time, and mpiexec runs programs for real; "
                        "`railyard run --on {}` runs built-in MPI programs on models",
                        name, name));
    call.job.fabric = traits->name;
    call.fabric_chosen = true;
}

void bind(Call& call, const std::string& to) {
    constexpr std::array<std::string_view, 3> each_its_own{"core", "hwthread",
                                                           "core:overload-allowed"};
    constexpr std::array<std::string_view, 7> wider{"socket",  "package", "numa",   "board",
                                                    "l1cache", "l2cache", "l3cache"};
    if (std::ranges::find(each_its_own, to) != each_its_own.end()) {
        call.job.pin = true;
        call.bound = true;
        return;
    }
    call.job.pin = false;
    call.bound = false;
    if (to == "none") return;
    if (std::ranges::find(wider, to) == wider.end())
        throw UsageError(fmt::format("--bind-to: expected core or none, found '{}'", to));
    call.notes.push_back(fmt::format(
        "--bind-to {}: ranks are bound to single cores or not at all; they are not", to));
}

void export_variable(Call& call, const std::string& word) {
    const auto equals = word.find('=');
    if (equals == 0 || word.empty())
        throw UsageError(fmt::format("-x: expected NAME or NAME=VALUE, found '{}'", word));
    if (equals != std::string::npos)
        call.environment.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    else if (std::getenv(word.c_str()) == nullptr)
        call.notes.push_back(fmt::format("-x {}: it is not set here, so not there either", word));
}

void check_name(std::string_view option, const std::string& name) {
    if (name.empty() || name.find('=') != std::string::npos)
        throw UsageError(
            fmt::format("{}: expected the name of a variable and then its value, "
                        "found '{}'",
                        option, name));
}

/// "eager-limit=4K" as RAILYARD_MPI_EAGER_LIMIT=4K.
void set_setting(Call& call, const std::string& word) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
        throw UsageError(fmt::format(
            "--set: expected a setting such as eager-limit=4K, found '{}'; `railyard mpi-info` "
            "lists them",
            word));
    std::string variable = "RAILYARD_MPI_";
    for (const char c : word.substr(0, equals))
        variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    call.environment.emplace_back(variable, word.substr(equals + 1));
}

std::vector<Option> own_options() {
    constexpr auto shown = [](Call::What what) {
        return [what](Call& call, Program&, Words) { call.what = what; };
    };
    return {
        {{"n", "np", "c"},
         1,
         "-n, -np N",
         "How many ranks of the program that follows (default: 1, or one a slot of --hosts)",
         [](Call& call, Program& program, Words w) {
             program.ranks = parse_ranks(w[0]);
             call.counted = true;
         }},
        {{"env"},
         2,
         "-env NAME VALUE",
         "Sets a variable for the program that follows",
         [](Call&, Program& program, Words w) {
             check_name("-env", w[0]);
             program.environment.emplace_back(w[0], w[1]);
         }},
        {{"genv"},
         2,
         "-genv NAME VALUE",
         "Sets a variable for all programs",
         [](Call& call, Program&, Words w) {
             check_name("-genv", w[0]);
             call.environment.emplace_back(w[0], w[1]);
         }},
        {{"x"},
         1,
         "-x NAME[=VALUE]",
         "The same, as Open MPI writes it",
         [](Call& call, Program&, Words w) { export_variable(call, w[0]); }},
        {{"wdir", "wd"},
         1,
         "-wdir DIR",
         "Where the program that follows works (default: here)",
         [](Call&, Program& program, Words w) { program.directory = w[0]; }},
        {{"l", "label", "prepend-rank", "tag-output"},
         0,
         "-l, --label",
         "Begins each line of output with its rank",
         [](Call& call, Program&, Words) { call.job.label_output = true; }},
        {{"bind-to"},
         1,
         "--bind-to core|none",
         "Whether each rank has a core of its own (default: core, if there are enough)",
         [](Call& call, Program&, Words w) { bind(call, w[0]); }},
        {{"on"},
         1,
         "--on FABRIC",
         "The fabric, one that moves bytes (default: shm, and between hosts ofi or iwarp)",
         [](Call& call, Program&, Words w) { choose_fabric(call, w[0]); }},
        {{"connections"},
         1,
         "--connections POLICY",
         "When ranks connect: on-demand (default), static-peer, static-client-server",
         [](Call& call, Program&, Words w) {
             constexpr std::array<std::string_view, 3> all{"on-demand", "static-peer",
                                                           "static-client-server"};
             call.environment.emplace_back("RAILYARD_MPI_CONNECTIONS",
                                           one_of("--connections", w[0], all));
         }},
        {{"max-connections"},
         1,
         "--max-connections N",
         "Connections of a rank at a time: idle ones are closed and come back on demand",
         [](Call& call, Program&, Words w) {
             about("--max-connections", [&] {
                 const auto most = number_within<std::uint32_t>(
                     w[0], 2, std::numeric_limits<std::uint32_t>::max(), "a number from 2 on");
                 set_setting(call, fmt::format("max-connections={}", most));
             });
         }},
        {{"set"},
         1,
         "--set NAME=VALUE",
         "A setting of the MPI library (`railyard mpi-info` lists them)",
         [](Call& call, Program&, Words w) { set_setting(call, w[0]); }},
        {{"stats"},
         0,
         "--stats",
         "Prints the library's counters at the end",
         [](Call& call, Program&, Words) {
             call.environment.emplace_back("RAILYARD_MPI_STATS", "1");
         }},
        {{"timeout"},
         1,
         "--timeout SECONDS",
         "Ends the job after that time, with exit code 124",
         [](Call& call, Program&, Words w) {
             call.job.time_limit = parse_seconds("--timeout", w[0]);
         }},
        {{"check"},
         0,
         "--check",
         "Looks for mistakes that are dear to find: calls of ranks that do not match, and more",
         [](Call& call, Program&, Words) { set_setting(call, "check=on"); }},
        {{"deadlock-timeout"},
         1,
         "--deadlock-timeout S",
         "Ends a job all of whose ranks wait so long, says who for whom; code 35 (--check: 10)",
         [](Call& call, Program&, Words w) {
             const Duration timeout = parse_seconds("--deadlock-timeout", w[0]);
             call.has_deadlock_timeout = true;
             set_setting(call, fmt::format("deadlock-timeout={} us", timeout.microseconds()));
         }},
        {{"help", "h"}, 0, "-h, --help", "Shows this", shown(Call::What::help)},
        {{"version", "V"}, 0, "-V, --version", "Shows the version", shown(Call::What::version)},
    };
}

/// Those that are about seeing a run (docs/debugging.md).
std::vector<Option> recording_options() {
    return {
        {{"trace"},
         1,
         "--trace FILE",
         "Writes there what each rank did and when, for Perfetto",
         [](Call& call, Program&, Words w) {
             if (w[0].empty()) throw UsageError("--trace: expected a file");
             call.recording.trace = w[0];
         }},
        {{"trace-from"},
         1,
         "--trace-from SECONDS",
         "Leaves out of it what was over before, counted from MPI_Init",
         [](Call& call, Program&, Words w) {
             call.recording.from = parse_seconds("--trace-from", w[0]);
         }},
        {{"trace-to"},
         1,
         "--trace-to SECONDS",
         "Leaves out of it what began later; nothing more is recorded",
         [](Call& call, Program&, Words w) {
             call.recording.to = parse_seconds("--trace-to", w[0]);
         }},
        {{"trace-memory"},
         1,
         "--trace-memory SIZE",
         "For the records of each rank (default: 1G; 40 bytes a call, and a message)",
         [](Call& call, Program&, Words w) {
             about("--trace-memory", [&] {
                 call.recording_memory = parse_bytes(w[0]);
                 if (call.recording_memory < Bytes(1 << 20))
                     throw UsageError(fmt::format("expected 1M or more, found '{}'", w[0]));
             });
         }},
        {{"summary"},
         0,
         "--summary[=text|json]",
         "Tells at the end who sent what to whom, and who waited for whom",
         [](Call& call, Program&, Words w) {
             constexpr std::array<std::string_view, 2> all{"text", "json"};
             const bool json = !w.empty() && one_of("--summary", w[0], all) == "json";
             call.recording.summary =
                 json ? mpi::traces::SummaryForm::json : mpi::traces::SummaryForm::text;
         },
         true},
    };
}

/// Options of other launchers that change nothing here; with a note where somebody may miss it.
Option ignored(std::vector<std::string_view> names, std::size_t operands, std::string note = {}) {
    const std::string first(names.front());
    return {std::move(names), operands, "", "", [first, note](Call& call, Program&, Words) {
                if (!note.empty()) call.notes.push_back(fmt::format("-{}: {}", first, note));
            }};
}

std::vector<Option> foreign_options() {
    const std::string no_such_part = "ignored: this library has other settings (see --set)";
    return {
        ignored({"oversubscribe", "genvall", "envall", "quiet", "q"}, 0),
        ignored({"use-hwthread-cpus", "nooversubscribe", "report-bindings"}, 0),
        ignored({"map-by", "rank-by", "rmk"}, 1, "ignored: ranks go to hosts in their order"),
        ignored({"mca", "gmca"}, 2, no_such_part),
        ignored({"pml"}, 1, no_such_part),
    };
}

}  // namespace

std::span<const Option> options() {
    static const std::vector<Option> all = [] {
        std::vector<Option> list = own_options();
        std::ranges::move(host_options(), std::back_inserter(list));
        std::ranges::move(recording_options(), std::back_inserter(list));
        std::ranges::move(foreign_options(), std::back_inserter(list));
        return list;
    }();
    return all;
}

}  // namespace railyard::mpiexec
