#include "experiments/mpi/session.hpp"

#include <mpi.h>

#include <span>

#include "experiments/core/exchange.hpp"
#include "mpi/abi/call.hpp"

namespace railyard::experiments {

namespace {

namespace metric = results::metric;
namespace unit = results::unit;
using mpi::abi::Usage;

}  // namespace

MpiSession::MpiSession(Context& context) : context_(context) {
    fabric::Host& host = context.rank().host();
    const Time start = host.now();
    MPI_Init(nullptr, nullptr);
    init_time_ = host.now() - start;
}

void MpiSession::finish() {
    MPI_Finalize();
}

MpiSession::Means MpiSession::gather(std::string_view key) {
    job::Rank& rank = context_.rank();
    const Usage mine = mpi::abi::usage();
    rank.bootstrap().put(key, std::as_bytes(std::span(&mine, 1)));
    if (rank.id() != 0) return {};
    Usage sum;
    for (int r = 0; r < rank.size(); ++r) {
        const Usage usage = values_of<Usage>(rank, r, key).at(0);
        sum.queue_pairs += usage.queue_pairs;
        sum.connections += usage.connections;
        sum.used += usage.used;
        sum.bytes += usage.bytes;
    }
    const auto mean = [&](std::uint64_t total) { return static_cast<double>(total) / rank.size(); };
    return {.queue_pairs = mean(sum.queue_pairs),
            .connections = mean(sum.connections),
            .used = mean(sum.used),
            .bytes = mean(sum.bytes)};
}

void MpiSession::emit_connections(std::string_view key, const results::Parameters& parameters) {
    const Means means = gather(key);
    context_.emit(parameters, metric::vis_per_process, unit::vis,
                  results::single(means.queue_pairs));
}

void MpiSession::emit_connections_in_full(std::string_view key,
                                          const results::Parameters& parameters) {
    const Means means = gather(key);
    context_.emit(parameters, metric::vis_per_process, unit::vis,
                  results::single(means.queue_pairs));
    if (means.connections > 0)
        context_.emit(parameters, metric::resource_utilization, unit::fraction,
                      results::single(means.used / means.connections));
    context_.emit(parameters, metric::connection_memory, unit::bytes, results::single(means.bytes));
}

void MpiSession::emit_destinations(std::string_view key, const results::Parameters& parameters) {
    const Means means = gather(key);
    // Where nobody connects, nobody counts.
    if (means.connections > 0)
        context_.emit(parameters, metric::destinations_per_process, unit::processes,
                      results::single(means.used));
}

}  // namespace railyard::experiments
