/// user-pingpong: latency by ping-pong, and the bandwidth that follows from it. RDMA writes are
/// watched in memory; messages go through the tagged port where the fabric has one, as MX's do.
/// rashti07 fig. 1.

#include <memory>
#include <string>

#include "experiments/core/sweep.hpp"
#include "experiments/user/procedures.hpp"
#include "experiments/user/tagged_pair.hpp"

namespace railyard::experiments {

namespace {

using fabric::Op;

/// What a message of that size reaches when it alone is under way: bytes a microsecond are MB/s.
std::vector<double> bandwidth_of(const std::vector<double>& latencies, Bytes size) {
    std::vector<double> rates;
    for (const double latency : latencies)
        rates.push_back(static_cast<double>(size.count()) / latency);
    return rates;
}

void emit_ping_pong(Context& context, Op op, Bytes size, bool tagged,
                    const std::vector<double>& latencies) {
    auto parameters = parameters_of(context, op, size);
    parameters[results::parameter::level] = std::string(tagged ? "tagged" : "queue_pair");
    // Buffers of a tagged port are the user's: it registers them itself.
    if (tagged) parameters[results::parameter::memory] = std::string(name(Memory::user));
    context.emit(parameters, results::metric::latency, results::unit::microseconds,
                 results::summarize(latencies));
    context.emit(std::move(parameters), results::metric::bandwidth,
                 results::unit::megabytes_per_second,
                 results::summarize(bandwidth_of(latencies, size)));
}

}  // namespace

void user_pingpong(Context& context) {
    Pair pair(context.rank(), "user-pingpong",
              {.buffer = largest_size(context), .memory = context.request().memory});
    std::unique_ptr<TaggedPair> tagged;
    if (pair.traits().tagged)
        tagged = std::make_unique<TaggedPair>(context.rank(), "user-pingpong/tagged",
                                              largest_size(context));
    sweep(context, [&](Op op, Bytes size) {
        if (size == Bytes(0) || !watchable(context, pair, op, size)) return;
        const Sampling sampling = latency_sampling(context, size);
        const bool matched = tagged && op == Op::send;
        emit_ping_pong(
            context, op, size, matched,
            matched ? tagged->ping_pong(size, sampling) : ping_pong(pair, op, size, sampling));
    });
    pair.part();
}

}  // namespace railyard::experiments
