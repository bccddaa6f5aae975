// railyard-soak: random MPI programs, one after the other, on real fabrics and on models.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "base/rank_local.hpp"
#include "driver/ledger.hpp"
#include "driver/run.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "traffic/random.hpp"
#include "traffic/traffic.hpp"

namespace railyard::soak {

namespace {

struct TrafficWords {
    std::vector<std::string> fabrics{"shm"};
    std::uint64_t seed = 0;
    std::uint64_t messages = 0;
    std::uint64_t each = 50'000;
    int seconds = 0;
    int runs = 0;
    int shrink_runs = 60;
    int limit = 600;
    int wrong_at = -1;
    CaseLimits limits;
    std::string ledger = "build/soak/ledger.txt";
    bool keep_on = false;
};

/// The rank as a thread of it finds it (base/rank_local.hpp).
constexpr ThreadHook threads_of_rank{
    .rank_here = [] { return static_cast<void*>(rank_local::here); },
    .join_rank = [](void* rank) { rank_local::here = static_cast<RankLocal*>(rank); }};

int report(const Case& one, const Outcome& outcome, const TrafficWords& words) {
    fmt::print("{}\nThis run {}. Repeat it with:\n  {}\n", outcome.output, outcome.verdict,
               shell_command(one));
    std::fflush(stdout);
    if (words.shrink_runs == 0) return 1;
    const Case smaller = shrink(one, outcome, words.shrink_runs, [](const std::string& step) {
        fmt::print("  smaller: {}\n", step);
        std::fflush(stdout);
    });
    fmt::print("The smallest that fails, too:\n  {}\n", shell_command(smaller));
    std::fflush(stdout);
    return 1;
}

int traffic_runs(const TrafficWords& words) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    const Ledger ledger(words.ledger);
    const auto from = words.seed != 0
                          ? words.seed
                          : static_cast<std::uint64_t>(
                                std::chrono::system_clock::now().time_since_epoch().count());
    std::uint64_t messages = 0;
    int code = 0;
    CaseLimits limits = words.limits;
    limits.messages = words.each;
    for (int i = 0;; ++i) {
        const auto seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (words.runs > 0 ? i >= words.runs
                           : seconds >= words.seconds && messages >= words.messages)
            break;
        const auto place = static_cast<std::size_t>(i);
        const std::string& fabric = words.fabrics[place % words.fabrics.size()];
        // A seed that is given is that of the first run; the others follow from it.
        const std::uint64_t seed = i == 0 ? from : mix(from, place) >> 16;
        Case one = draw_case(seed, fabric, limits);
        one.wrong_at = words.wrong_at;
        const Outcome outcome = run(one, words.limit);
        ledger.add(one, outcome);
        messages += outcome.messages;
        fmt::print(
            "{:<20} seed {:<16} {:>2} ranks {} threads {:>9} messages {:>13} bytes {:>6.1f} s {}\n",
            one.fabric + (one.faults.empty() ? "" : "!"), seed, one.ranks, one.threads,
            outcome.messages, outcome.bytes, outcome.seconds, outcome.verdict);
        std::fflush(stdout);
        if (outcome.ok || outcome.verdict == "slow") continue;
        code = report(one, outcome, words);
        if (!words.keep_on) break;
    }
    fmt::print("\nAll runs of {}:\n{}", words.ledger, to_text(ledger.sums()));
    return code;
}

struct PlayWords {
    std::string fabric = "ideal";
    int ranks = 2;
    int nodes = 0;
    std::string faults;
    std::vector<std::string> words;
};

/// One run in this process: in virtual time, or on a fabric inside nodes and another between them.
int play(const PlayWords& words) {
    job::Options options;
    options.ranks = words.ranks;
    options.fabric = words.fabric;
    for (int rank = 0; words.nodes > 0 && rank < words.ranks; ++rank)
        options.nodes.push_back(static_cast<fabric::NodeId>(rank * words.nodes / words.ranks));
    const auto body = [&](job::Rank& rank) {
        std::vector<std::string> own{"traffic"};
        own.insert(own.end(), words.words.begin(), words.words.end());
        std::vector<char*> pointers;
        for (std::string& word : own)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);
        const int code = traffic(static_cast<int>(own.size()), pointers.data(), threads_of_rank);
        if (code != 0) rank.abort(code, "the traffic was not as it should be");
    };
    job::Faults faults{words.faults, {}};
    const job::Result result = words.faults.empty() ? job::run(options, body)
                                                    : job::run_with_faults(options, faults, body);
    if (!result.ok) fmt::print(stderr, "{}\n", result.failure);
    return result.ok ? 0 : std::max(result.exit_code, 1);
}

int main_of(int argc, char** argv) {
    CLI::App app("Random MPI programs with every byte checked");
    app.require_subcommand(1);
    TrafficWords words;
    CLI::App* const runs = app.add_subcommand("traffic", "Runs many, and keeps a ledger of them");
    runs->add_option("--on", words.fabrics, "Fabrics, taken in turn: real, pairs, models")
        ->delimiter(',');
    runs->add_option("--seed", words.seed, "Of the first run (default: by the clock)");
    runs->add_option("--messages", words.messages, "At least so many in all");
    runs->add_option("--seconds", words.seconds, "At least so long");
    runs->add_option("--runs", words.runs, "So many runs, in place of the two");
    runs->add_option("--each", words.each, "Messages of one run, about (default: 50000)");
    runs->add_option("--limit", words.limit, "Seconds after which a run is ended (default: 600)");
    runs->add_option("--most-ranks", words.limits.most_ranks, "(default: 12)");
    runs->add_option("--most-threads", words.limits.most_threads, "(default: 4)");
    runs->add_option("--faults", words.limits.faults, "A script for half of the runs on models");
    runs->add_flag("--large", words.limits.large, "Few and large messages");
    runs->add_flag("!--no-cancelled-sends", words.limits.cancel_sends, "No MPI_Cancel of sends");
    runs->add_flag("!--no-settings", words.limits.settings, "All settings as they are by default");
    runs->add_option("--shrink-runs", words.shrink_runs,
                     "To make a failing run smaller (default: 60)");
    runs->add_option("--ledger", words.ledger, "(default: build/soak/ledger.txt)");
    runs->add_flag("--keep-on", words.keep_on, "Go on after a failure");
    runs->add_option("--wrong-at", words.wrong_at, "Wrong bytes in that round: a test of the test");
    PlayWords played;
    CLI::App* const one =
        app.add_subcommand("play", "One run in this process; behind -- its words");
    one->add_option("--on", played.fabric);
    one->add_option("-n", played.ranks);
    one->add_option("--nodes", played.nodes);
    one->add_option("--faults", played.faults);
    one->add_option("words", played.words);
    CLI::App* const totals = app.add_subcommand("totals", "What the ledger says");
    totals->add_option("--ledger", words.ledger);
    CLI11_PARSE(app, argc, argv);
    if (runs->parsed()) return traffic_runs(words);
    if (one->parsed()) return play(played);
    fmt::print("{}", to_text(Ledger(words.ledger).sums()));
    return 0;
}

}  // namespace

}  // namespace railyard::soak

int main(int argc, char** argv) {
    try {
        return railyard::soak::main_of(argc, argv);
    } catch (const railyard::Error& error) {
        fmt::print(stderr, "railyard-soak: {}\n", error.what());
        return 2;
    }
}
