/// What a message costs in virtual time when there are many ranks: a halo without arithmetic, as
/// `railyard run` runs it, beside the same in SimGrid's SMPI; and how that cost grows.

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/programs.hpp"
#include "bench/smpi.hpp"
#include "bench/suite.hpp"

namespace railyard::bench {

namespace {

struct Halo {
    int ranks = 64;
    int steps = 100;
    std::string size = "512";
    int dimensions = 2;
    std::string fabric = "infiniband-pcie";
    std::string options{};  ///< of `railyard run`
};

std::string command(const Halo& halo, int steps) {
    return fmt::format(
        "'{}/railyard' run --summary json --profile-self --on {} -n {} {} halo --size {} "
        "--dimensions {} --iterations {} 2>/dev/null",
        own_folder().string(), halo.fabric, halo.ranks, halo.options, halo.size, halo.dimensions,
        steps);
}

/// What `--profile-self` says of a run.
struct Run {
    double seconds;
    double messages;
    double memory;  ///< bytes
};

Run run(const Halo& halo, int steps) {
    const auto self = nlohmann::json::parse(output_of(command(halo, steps))).at(0).at("self");
    return {self.at("processor_seconds"), self.at("messages"), self.at("memory_bytes")};
}

/// Seconds a message, once all is set up: by two runs, of which one is longer.
double seconds_a_message(const Halo& halo) {
    const Run few = run(halo, 1);
    const Run many = run(halo, 1 + halo.steps);
    return (many.seconds - few.seconds) / (many.messages - few.messages);
}

double median_of(unsigned rounds, const Halo& halo) {
    std::vector<double> all;
    for (unsigned i = 0; i < rounds; ++i)
        all.push_back(seconds_a_message(halo));
    return median(all);
}

/// Few enough rounds that all of it takes a minute or two.
unsigned rounds_on(int ranks, const Settings& settings) {
    return ranks >= 1024 ? std::min(settings.rounds, 3U) : settings.rounds;
}

int steps_on(int ranks) {
    constexpr int messages = 400'000;
    return std::max(4, messages / (4 * ranks));
}

/// The same of SMPI: four messages a rank and round.
double smpi_seconds_a_message(const Exchanges& exchanges, int ranks, int rounds) {
    const double few = processor_seconds(exchanges.smpi(ranks, "halo 1"));
    const double many =
        processor_seconds(exchanges.smpi(ranks, fmt::format("halo {}", rounds + 1)));
    return (many - few) / (4.0 * ranks * rounds);
}

void halos(const Settings& settings, const Report& report) {
    const Exchanges exchanges(1024);
    std::map<int, double> cost;
    for (const int ranks : {64, 256, 1024, 4096}) {
        const Halo halo{.ranks = ranks, .steps = steps_on(ranks)};
        cost[ranks] = median_of(rounds_on(ranks, settings), halo);
        Figure figure{.name = fmt::format("virtual-scale/halo/{}", ranks),
                      .unit = "million/s",
                      .ours = 1e-6 / cost[ranks],
                      .note = "messages of 512 B on infiniband-pcie"};
        if (ranks == 64) figure.target = Target{Target::Kind::at_least, 0.5, 0, true};
        if (ranks == 4096) figure.target = Target{Target::Kind::at_least, 0.25, 0, true};
        // On more ranks SMPI takes minutes.
        if (exchanges.has_smpi() && ranks <= 1024) {
            figure.reference =
                1e-6 / smpi_seconds_a_message(exchanges, ranks, std::max(4, steps_on(ranks) / 8));
            figure.ratio = figure.ours / *figure.reference;
            figure.note += ", beside SMPI";
        }
        report(figure);
    }
    report({.name = "virtual-scale/growth",
            .unit = "times",
            .ours = cost[4096] / cost[64],
            .target = Target{Target::Kind::at_most, 2, 0, true},
            .note = "cost of a message on 4,096 ranks beside 64"});
}

}  // namespace

void virtual_scale(const Settings& settings, const Report& report) {
    halos(settings, report);
    for (const int ranks : {64, 1024}) {
        const Run one = run({.ranks = ranks}, 1);
        report({.name = fmt::format("virtual-scale/memory/{}", ranks),
                .unit = "KiB",
                .ours = one.memory / ranks / 1024,
                .target = Target{Target::Kind::at_most, 64, 0, true},
                .note = "a rank of the halo, its connections and stack included"});
    }
    report({.name = "virtual-scale/reproduce",
            .unit = "s",
            .ours = processor_seconds("'" + own_folder().string() +
                                      "/railyard' reproduce --quiet > /dev/null"),
            .target = Target{Target::Kind::at_most, 30, 0, true},
            .note = "all records of the papers, processor time"});
}

/// For docs/performance.md; scripts/cost-plots draws them.
void virtual_cost(const Settings& settings, const Report& report) {
    const unsigned rounds = std::min(settings.rounds, 3U);
    const auto tell = [&](const std::string& name, const Halo& halo, const std::string& note) {
        report({.name = "virtual-cost/" + name,
                .unit = "us",
                .ours = median_of(rounds, halo) * 1e6,
                .note = note});
    };
    for (const int ranks : {16, 64, 256, 1024, 4096})
        tell(fmt::format("ranks/{}", ranks), {.ranks = ranks, .steps = steps_on(ranks)},
             "512 B on infiniband-pcie, by ranks");
    for (const char* const size : {"8", "64", "512", "4K", "16K", "64K", "256K"})
        tell(fmt::format("size/{}", size), {.ranks = 64, .steps = 60, .size = size},
             "64 ranks on infiniband-pcie, by bytes");
    for (const int dimensions : {1, 2, 3})
        tell(fmt::format("peers/{}", 2 * dimensions),
             {.ranks = 1024, .steps = 40 / dimensions, .dimensions = dimensions},
             "1,024 ranks on infiniband-pcie, by peers of a rank");
    for (const char* const fabric : {"ideal", "infiniband-pcie", "clan-via", "berkeley-via",
                                     "myrinet2000-gm", "mx10g-myrinet", "quadrics"})
        tell(fmt::format("model/{}", fabric), {.ranks = 256, .steps = 40, .fabric = fabric},
             "256 ranks, 512 B, by model");
}

}  // namespace railyard::bench
