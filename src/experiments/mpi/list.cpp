/// Every experiment on MPI, with the paper and figure it comes from and what it measures by
/// default.

#include <algorithm>
#include <iterator>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/mpi/suite.hpp"
#include "experiments/mpi/variants.hpp"

namespace railyard::experiments {

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
         .run = by_suite<window_rounds>,
         .variants = striping,
         .defaults = {.sizes = with_eighths(Bytes(1), Bytes(1 << 20)), .window = 64}},
        {.name = "mpi-bandwidth-bi-multiport",
         .source = "liu04pcie fig. 14",
         .run = by_suite<window_rounds>,
         .variants = striping,
         .defaults = {.sizes = mpi_bandwidth_sizes(), .window = 64}},
        {.name = "mpi-bandwidth-uni",
         .source = "rashti07 fig. 4",
         .run = by_suite<window_rounds>,
         .defaults = {.sizes = with_eighths(Bytes(1), Bytes(1 << 20)), .window = 64}},
        {.name = "mpi-bandwidth-pingpong",
         .source = "rashti07 fig. 4",
         .run = by_suite<ping_pong_rounds>,
         .defaults = {.sizes = mpi_bandwidth_sizes()}},
        {.name = "mpi-bandwidth-bothway",
         .source = "rashti07 fig. 4",
         .run = by_suite<window_rounds>,
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
