/// Every experiment on MPI, with the paper and figure it comes from and what it measures by
/// default.

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/mpi/applications.hpp"
#include "experiments/mpi/recordings.hpp"
#include "experiments/mpi/suite.hpp"
#include "railyard/traits.hpp"

namespace railyard::experiments {

namespace {

// The jobs that experiments consist of: the library's settings that are compared, and numbers of
// ranks. Each function that yields them is an Experiment's `variants`.

namespace parameter = results::parameter;

/// How connections are made: as rows call it, and as the library's setting does.
struct ConnectionMode {
    const char* name;
    const char* setting;
};
constexpr std::array modes{ConnectionMode{"static", "static-peer"},
                           ConnectionMode{"on-demand", "on-demand"}};

Variant with_mode(const ConnectionMode& mode) {
    return {.parameters = {{parameter::mode, std::string(mode.name)}},
            .settings = {{"connections", mode.setting}}};
}

Variant with_processes(Variant variant, int processes) {
    variant.parameters[parameter::processes] = std::int64_t{processes};
    variant.ranks = processes;
    return variant;
}

/// With the paper's library: its algorithms, and no memory that goes round connections.
Variant with_application(Variant variant, const char* application, int processes) {
    variant = with_processes(std::move(variant), processes);
    variant.parameters[parameter::application] = application;
    variant.settings.emplace_back("algorithms", table_two_algorithms);
    variant.settings.emplace_back("wildcard-connects", "on");
    variant.settings.emplace_back("shared-memory", "off");
    return variant;
}

/// Ranks cost little in virtual time; for real, those beyond the cores are slow.
std::vector<int> rank_counts(const fabric::Traits& traits, std::optional<int> ranks,
                             std::vector<int> in_virtual_time, std::vector<int> for_real) {
    if (ranks) return {*ranks};
    return traits.clock == fabric::Clock::virtual_time ? in_virtual_time : for_real;
}

std::vector<unsigned> port_counts(const fabric::Traits& traits) {
    return traits.ports >= 2 ? std::vector{1U, 2U} : std::vector{1U};
}

/// {ports}: one, and two where the fabric has them.
std::vector<Variant> one_or_two_ports(const fabric::Traits& traits, std::optional<int>) {
    std::vector<Variant> all;
    for (const unsigned ports : port_counts(traits))
        all.push_back({.parameters = {{parameter::ports, std::int64_t{ports}}},
                       .settings = {{"ports", std::to_string(ports)}}});
    return all;
}

/// {ports, mode}: the same, and messages are striped over two.
std::vector<Variant> striping(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<Variant> all = one_or_two_ports(traits, ranks);
    if (all.size() == 2) {
        all[1].parameters[parameter::mode] = "striping";
        all[1].settings.emplace_back("rails", "striping");
    }
    return all;
}

/// {registration_cache}: as it is, and without.
std::vector<Variant> registration_cache(const fabric::Traits&, std::optional<int>) {
    return {{.parameters = {{parameter::registration_cache, "yes"}}},
            {.parameters = {{parameter::registration_cache, "no"}},
             .settings = {{"registration-cache", "0"}}}};
}

/// {mode}: connections made at the start, or when they are needed.
std::vector<Variant> connections(const fabric::Traits&, std::optional<int>) {
    std::vector<Variant> all;
    for (const ConnectionMode& mode : modes)
        all.push_back(with_mode(mode));
    return all;
}

/// {mode, processes}: all three policies, where the fabric has them.
std::vector<Variant> policies(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<ConnectionMode> offered{{"on-demand", "on-demand"},
                                        {"static peer-to-peer", "static-peer"}};
    if (traits.client_server) offered.push_back({"static client-server", "static-client-server"});
    std::vector<Variant> all;
    for (const int processes : rank_counts(traits, ranks, {2, 4, 8, 16, 32}, {2, 4, 8}))
        for (const ConnectionMode& mode : offered)
            all.push_back(with_processes(with_mode(mode), processes));
    return all;
}

/// {application, mode, processes}
std::vector<Variant> applications(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<Variant> all;
    const auto add = [&](const char* application, int processes) {
        for (const ConnectionMode& mode : modes)
            all.push_back(with_application(with_mode(mode), application, processes));
    };
    for (const MpiProgram& program : mpi_programs())
        for (const int processes : rank_counts(traits, ranks, {16, 32}, {16}))
            add(program.name, processes);
    for (const MpiKernel& kernel : mpi_kernels())
        for (const int processes : rank_counts(traits, ranks, {16, kernel.square ? 36 : 32}, {16}))
            if (runs_on(kernel, processes)) add(kernel.application, processes);
    return all;
}

/// {application, mode, processes}: NAS kernels alone.
std::vector<Variant> kernels_on_demand(const fabric::Traits& traits, std::optional<int> ranks) {
    const ConnectionMode on_demand = modes[1];
    std::vector<Variant> all;
    for (const MpiKernel& kernel : mpi_kernels()) {
        // CG is the one kernel that wu02's Table 1 has, and the table goes to 1024.
        const bool tabled = std::string_view(kernel.application) == "CG";
        const auto usual = tabled ? std::vector{64, 1024} : std::vector{64};
        for (const int processes : rank_counts(traits, ranks, usual, {16}))
            if (runs_on(kernel, processes))
                all.push_back(
                    with_application(with_mode(on_demand), kernel.application, processes));
    }
    return all;
}

/// {application, class, mode, processes}: in virtual time all that are recorded; where bytes move,
/// the small ones run.
std::vector<Variant> kernels_both_ways(const fabric::Traits& traits, std::optional<int> ranks) {
    const bool replays = traits.clock == fabric::Clock::virtual_time;
    std::vector<Variant> all;
    const auto add = [&](const MpiKernel& kernel, const std::string& problem_class, int processes) {
        for (const ConnectionMode& mode : modes) {
            all.push_back(with_application(with_mode(mode), kernel.application, processes));
            all.back().parameters[parameter::problem_class] = problem_class;
            // Calls are made again whatever their messages say.
            if (replays) all.back().settings.emplace_back("payload", "off");
        }
    };
    for (const MpiKernel& kernel : mpi_kernels()) {
        if (!replays && runs_on(kernel, ranks.value_or(4))) add(kernel, "W", ranks.value_or(4));
        for (const RecordedKernel& recorded : recorded_kernels())
            if (replays && recorded.kernel == kernel.kernel &&
                ranks.value_or(recorded.ranks) == recorded.ranks)
                add(kernel, recorded.problem_class, recorded.ranks);
    }
    return all;
}

/// {collective, mode, processes}
std::vector<Variant> collectives(const fabric::Traits& traits, std::optional<int> ranks) {
    std::vector<Variant> all;
    for (const char* collective :
         {"allreduce", "bcast", "reduce", "barrier", "allgather", "alltoall"})
        for (const int processes : rank_counts(traits, ranks, {2, 4, 8}, {2, 4}))
            for (const ConnectionMode& mode : modes) {
                Variant variant = with_processes(with_mode(mode), processes);
                variant.parameters[parameter::collective] = collective;
                all.push_back(std::move(variant));
            }
    return all;
}

/// {mode, processes}: by the network where it has something to offer, and by messages; up to the
/// largest machines where that is the question.
std::vector<Variant> by_network_and_messages(const fabric::Traits& traits,
                                             std::optional<int> ranks) {
    const bool offers = traits.network_barrier || traits.network_broadcast;
    const std::vector<int> in_virtual_time =
        offers ? std::vector{4, 16, 64, 256, 1024} : std::vector{4, 16, 64};
    std::vector<Variant> all;
    for (const int processes : rank_counts(traits, ranks, in_virtual_time, {2, 4}))
        for (const char* const mode : {"network", "messages"}) {
            const bool network = std::string_view(mode) == "network";
            if (network && !offers) continue;
            const char* const choice = network ? "on" : "off";
            all.push_back(with_processes(
                {.parameters = {{parameter::mode, std::string(mode)}},
                 .settings = {{"network-barrier", choice}, {"network-broadcast", choice}}},
                processes));
        }
    return all;
}

}  // namespace

// In network_collectives.cpp.
void network_collectives(Context& context);
// In applications.cpp.
void vi_count(Context& context);
void destinations_per_process(Context& context);
void npb_cpu_time(Context& context);
void collective_latency(Context& context);

namespace {

/// A procedure of the suite that has the experiment's name.
template <Rounds rounds>
void by_suite(Context& context) {
    MpiSession session(context);
    run_procedure(context, session, procedure_named(context.experiment().name), rounds);
    session.finish();
}

/// The same, of rates.
template <Rounds rounds>
void by_steady_suite(Context& context) {
    MpiSession session(context);
    run_steady_procedure(context, session, procedure_named(context.experiment().name), rounds);
    session.finish();
}

/// As many as one likes; whether a machine holds them is seen when they run.
constexpr int any_ranks = 1 << 16;

std::vector<Bytes> mpi_latency_sizes() {
    return doubling(Bytes(1), Bytes(64 << 10));
}
std::vector<Bytes> mpi_bandwidth_sizes() {
    return doubling(Bytes(1), Bytes(1 << 20));
}
/// Every power of two and an eighth above: what changes with a switch of protocols, between two
/// powers, shows as a dip or a jump.
std::vector<Bytes> with_eighths(Bytes first, Bytes last) {
    std::vector<Bytes> sizes;
    for (const Bytes size : doubling(first, last)) {
        sizes.push_back(size);
        if (size >= Bytes(512) && size < last) sizes.push_back(size + size / 8);
    }
    return sizes;
}
/// wu02's MVICH switches at 5000 bytes.
std::vector<Bytes> mvich_sizes() {
    std::vector<Bytes> sizes = with_eighths(Bytes(4), Bytes(32 << 10));
    sizes.push_back(Bytes(5000));
    std::ranges::sort(sizes);
    return sizes;
}
std::vector<Bytes> queue_sizes() {
    return {Bytes(1),       Bytes(64),       Bytes(256),      Bytes(1 << 10),
            Bytes(4 << 10), Bytes(16 << 10), Bytes(64 << 10), Bytes(1 << 20)};
}
std::vector<Bytes> collective_sizes() {
    return {Bytes(8), Bytes(64), Bytes(256), Bytes(1 << 10), Bytes(4 << 10), Bytes(16 << 10)};
}

/// What all have in common; the summary is the suite's, if the procedure is.
std::vector<Experiment> as_mpi(std::vector<Experiment> experiments) {
    for (Experiment& experiment : experiments) {
        experiment.mpi = true;
        experiment.takes_memory = false;
        if (experiment.summary.empty())
            experiment.summary = procedure_named(experiment.name).summary;
    }
    return experiments;
}

std::vector<Experiment> between_two() {
    return {
        {.name = "mpi-latency",
         .source = "liu04pcie fig. 12; rashti07 fig. 3",
         .run = by_suite<ping_pong_rounds>,
         .variants = one_or_two_ports,
         .defaults = {.sizes = mpi_latency_sizes()}},
        {.name = "mpi-bandwidth-uni-multiport",
         .source = "liu04pcie fig. 13",
         .run = by_steady_suite<window_rounds>,
         .variants = striping,
         .defaults = {.sizes = with_eighths(Bytes(1), Bytes(1 << 20)), .window = 64}},
        {.name = "mpi-bandwidth-bi-multiport",
         .source = "liu04pcie fig. 14",
         .run = by_steady_suite<window_rounds>,
         .variants = striping,
         .defaults = {.sizes = mpi_bandwidth_sizes(), .window = 64}},
        {.name = "mpi-bandwidth-uni",
         .source = "rashti07 fig. 4",
         .run = by_steady_suite<window_rounds>,
         .defaults = {.sizes = with_eighths(Bytes(1), Bytes(1 << 20)), .window = 64}},
        {.name = "mpi-bandwidth-pingpong",
         .source = "rashti07 fig. 4",
         .run = by_suite<ping_pong_rounds>,
         .defaults = {.sizes = mpi_bandwidth_sizes()}},
        {.name = "mpi-bandwidth-bothway",
         .source = "rashti07 fig. 4",
         .run = by_steady_suite<window_rounds>,
         .defaults = {.sizes = mpi_bandwidth_sizes(), .window = 64}},
        {.name = "mpi-logp",
         .source = "rashti07 fig. 5",
         .run = by_suite<train_rounds>,
         .defaults = {.sizes = with_eighths(Bytes(1), Bytes(512 << 10))}},
        {.name = "mpi-buffer-reuse",
         .source = "rashti07 fig. 6",
         .run = by_suite<reuse_rounds>,
         .variants = registration_cache,
         .defaults = {.sizes = mpi_bandwidth_sizes()}},
        {.name = "mpi-unexpected-queue",
         .source = "rashti07 fig. 7",
         .run = by_suite<queue_rounds>,
         .defaults = {.sizes = queue_sizes(), .queues = {1000}}},
        {.name = "mpi-receive-queue",
         .source = "rashti07 fig. 8",
         .run = by_suite<queue_rounds>,
         .defaults = {.sizes = queue_sizes(), .queues = {1000}}},
        {.name = "mvich-latency-bandwidth",
         .source = "wu02 figs. 1a, 1b",
         .run = by_suite<thousand_rounds>,
         .variants = connections,
         .defaults = {.sizes = mvich_sizes(), .window = 64}},
    };
}

std::vector<Experiment> among_many() {
    return {
        {.name = "vi-count",
         .summary = "connections that ranks of programs make, and the share that they use",
         .source = "wu02 table 2",
         .run = vi_count,
         .most_ranks = any_ranks,
         .variants = applications},
        {.name = "destinations-per-process",
         .summary = "to how many ranks a rank of a NAS kernel sends",
         .source = "wu02 table 1",
         .run = destinations_per_process,
         .most_ranks = any_ranks,
         .variants = kernels_on_demand},
        {.name = "npb-cpu-time",
         .summary = "the time that NAS kernels take, with static connections and on demand",
         .source = "wu02 figs. 3, 4",
         .run = npb_cpu_time,
         .most_ranks = any_ranks,
         .variants = kernels_both_ways},
        {.name = "allreduce-latency",
         .summary = "collective operations over and over, the mean of rank 0",
         .source = "wu02 figs. 2a, 2b",
         .run = collective_latency,
         .most_ranks = any_ranks,
         .variants = collectives,
         .defaults = {.sizes = collective_sizes()}},
        {.name = "network-collectives",
         .summary = "barrier and broadcast by the network itself and by messages, until the last "
                    "rank is through",
         .source = "petrini02; no figure",
         .run = network_collectives,
         .most_ranks = any_ranks,
         .variants = by_network_and_messages,
         .defaults = {.sizes = {Bytes(8), Bytes(4 << 10)}}},
        {.name = "mpi-init-time",
         .source = "wu02 figs. 5a, 5b",
         .run = by_suite<collective_rounds>,
         .most_ranks = any_ranks,
         .variants = policies},
    };
}

}  // namespace

std::vector<Experiment> mpi_experiments() {
    std::vector<Experiment> all = between_two();
    std::ranges::move(among_many(), std::back_inserter(all));
    return as_mpi(std::move(all));
}

}  // namespace railyard::experiments
