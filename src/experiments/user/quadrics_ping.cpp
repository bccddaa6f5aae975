/// quadrics-ping-uni and quadrics-ping-bi: latency and bandwidth for every placement of the two
/// buffers, and through the tagged port; one side sends, or both at once. petrini02 figs. 6, 7.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "experiments/core/exchange.hpp"
#include "experiments/core/experiment.hpp"
#include "experiments/user/procedures.hpp"
#include "experiments/user/tagged_pair.hpp"
#include "railyard/memory.hpp"
#include "railyard/results/row.hpp"
#include "railyard/traits.hpp"

namespace railyard::experiments {

namespace {

using fabric::Op;

/// Where the two ends of a transfer lie: in main memory or in the adapter's own.
struct Ends {
    fabric::Home source = fabric::Home::host;
    fabric::Home destination = fabric::Home::host;
};

/// "main" or "elan", the words of petrini02: the latter stands for the adapter of any fabric.
std::string_view home_name(fabric::Home home) {
    return home == fabric::Home::host ? "main" : "elan";
}

/// All combinations that the fabric has, main to main first.
std::vector<Ends> ends_of(const fabric::Traits& traits) {
    using fabric::Home;
    if (!traits.adapter_memory) return {Ends{}};
    return {{Home::host, Home::host},
            {Home::adapter, Home::adapter},
            {Home::adapter, Home::host},
            {Home::host, Home::adapter}};
}

/// Adds `source` and `destination`.
void name_ends(results::Parameters& parameters, const Ends& ends) {
    parameters[results::parameter::source] = std::string(home_name(ends.source));
    parameters[results::parameter::destination] = std::string(home_name(ends.destination));
}

/// Where the paper's plots of latency end.
constexpr Bytes largest_latency(4096);
/// What `cross` takes of a buffer: two messages on cache lines of their own.
constexpr Bytes latency_buffer = 2 * largest_latency + Bytes(256);

class Ping {
  public:
    Ping(Context& context, Ways ways, std::string_view tag)
        : context_(context), ways_(ways), tag_(tag) {}

    void placement(const Ends& ends) {
        const std::string where =
            std::string(home_name(ends.source)) + "->" + std::string(home_name(ends.destination));
        unsigned deepest = 16;
        for (const unsigned queue : context_.request().queues)
            deepest = std::max(deepest, queue);
        Pair pair(context_.rank(), tag_ + "/" + where,
                  {.buffer = std::max(largest_size(context_), latency_buffer),
                   .sends = deepest,
                   .local_home = ends.source,
                   .target_home = ends.destination});
        for (const Bytes size : context_.request().sizes) {
            context_.progress(where + " " + to_string(size));
            for (const Op op : context_.request().ops) {
                if (size <= largest_latency && finds(pair, ends, op, size))
                    emit_latency(size, fabric::name(op), ends, latency(pair, op, size));
                if (op == Op::rdma_write && size > Bytes(0))
                    for (const unsigned queue : context_.request().queues)
                        emit_bandwidth(size, fabric::name(op), ends, queue,
                                       bandwidth(pair, size, queue, where));
            }
        }
        pair.part();
    }

    void tagged() {
        TaggedPair pair(context_.rank(), tag_ + "/tagged", largest_size(context_));
        for (const Bytes size : context_.request().sizes) {
            context_.progress("tagged " + to_string(size));
            if (size <= largest_latency) {
                const auto sampling = latency_sampling(context_, size);
                emit_latency(size, tagged_op, {},
                             ways_ == Ways::one ? pair.ping_pong(size, sampling)
                                                : pair.cross(size, sampling));
            }
            if (size == Bytes(0)) continue;
            for (const unsigned queue : context_.request().queues) {
                emit_bandwidth(
                    size, tagged_op, {}, queue,
                    steady_rates(context_, tag_ + "/tagged/" + std::to_string(point_++),
                                 window_sampling(context_, size * queue),
                                 [&](const Sampling& sampling, const std::string&) {
                                     return halved(pair.windows(size, queue, ways_, sampling));
                                 }));
            }
        }
        context_.rank().bootstrap().fence();
    }

  private:
    /// Beside the names of operations on queue pairs: a message matched by the adapter.
    static constexpr std::string_view tagged_op = "tagged";

    /// Can the receiver find such a message? Memory of the adapter is no place for a processor to
    /// watch; there, and for messages of no bytes, it takes a completion.
    static bool finds(const Pair& pair, const Ends& ends, Op op, Bytes size) {
        const fabric::Traits& traits = pair.traits();
        if (op == Op::rdma_write_imm) return traits.write_immediate;
        return op == Op::rdma_write && size > Bytes(0) && ends.destination == fabric::Home::host &&
               traits.placement == fabric::Placement::last_byte_last;
    }

    std::vector<double> latency(Pair& pair, Op op, Bytes size) {
        const auto sampling = latency_sampling(context_, size);
        return ways_ == Ways::one ? ping_pong(pair, op, size, sampling)
                                  : cross(pair, op, size, sampling);
    }

    Rates bandwidth(Pair& pair, Bytes size, unsigned queue, const std::string& where) {
        return steady_rates(
            context_, tag_ + where + std::to_string(point_++),
            queue_sampling(context_, size, queue),
            [&](const Sampling& sampling, const std::string& key) {
                const auto mine = queued_stream(pair, Op::rdma_write, size, queue, ways_, sampling);
                return ways_ == Ways::one ? mine
                                          : halved(rates_of_both(context_.rank(), key, mine));
            });
    }

    /// petrini02 shows half of the two-way traffic.
    std::vector<double> halved(std::vector<double> rates) const {
        if (ways_ == Ways::both)
            for (double& rate : rates)
                rate /= 2;
        return rates;
    }

    results::Parameters parameters(Bytes size, std::string_view op, const Ends& ends) const {
        results::Parameters parameters{
            {results::parameter::message_bytes, static_cast<std::int64_t>(size.count())},
            {results::parameter::op, std::string(op)}};
        name_ends(parameters, ends);
        return parameters;
    }
    void emit_latency(Bytes size, std::string_view op, const Ends& ends,
                      const std::vector<double>& samples) {
        context_.emit(parameters(size, op, ends), results::metric::latency,
                      results::unit::microseconds, results::summarize(samples));
    }
    void emit_bandwidth(Bytes size, std::string_view op, const Ends& ends, unsigned queue,
                        const Rates& rates) {
        if (rates.samples.empty()) return;  // the passive side
        auto named = parameters(size, op, ends);
        named[results::parameter::queue] = std::int64_t{queue};
        context_.emit(std::move(named),
                      ways_ == Ways::one ? results::metric::bandwidth
                                         : results::metric::bandwidth_per_direction,
                      results::unit::megabytes_per_second, results::summarize(rates.samples),
                      rates.steady);
    }

    Context& context_;
    Ways ways_;
    std::string tag_;
    unsigned point_ = 0;
};

void measure_ping(Context& context, Ways ways, std::string_view tag) {
    const fabric::Traits& traits = context.rank().nic().traits();
    const auto asked = [&](Op op) {
        return std::ranges::find(context.request().ops, op) != context.request().ops.end();
    };
    Ping ping(context, ways, tag);
    if (asked(Op::rdma_write) || asked(Op::rdma_write_imm)) {
        for (const Ends& ends : ends_of(traits))
            ping.placement(ends);
        if (!traits.adapter_memory)
            context.left_out("placement on the adapter: it has no memory of its own");
    }
    if (!asked(Op::send)) return;
    if (traits.tagged)
        ping.tagged();
    else
        context.left_out("the tagged port: there is none");
}

}  // namespace

void quadrics_ping_uni(Context& context) {
    measure_ping(context, Ways::one, "quadrics-ping-uni");
}

void quadrics_ping_bi(Context& context) {
    measure_ping(context, Ways::both, "quadrics-ping-bi");
}

}  // namespace railyard::experiments
