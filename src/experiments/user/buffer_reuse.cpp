/// buffer-reuse-fifo: a stream that goes round a number of buffers. Up to the size of the adapter's
/// translation cache their number does not matter. liu04 fig. 9.
/// buffer-reuse-percent: latency and bandwidth when only a part of the messages use a buffer that
/// was used before. liu04 figs. 10a, 10b.

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "experiments/core/experiment.hpp"
#include "experiments/user/procedures.hpp"

namespace railyard::experiments {

namespace {

constexpr std::array<unsigned, 5> reuse_percents{0, 25, 50, 75, 100};
/// Four messages hold each of these shares evenly.
constexpr unsigned period = 4;

constexpr Bytes latency_size(4 << 10);
constexpr Bytes bandwidth_size(512 << 10);
constexpr fabric::Op reuse_op = fabric::Op::rdma_write;

/// Of buffers that are used once.
constexpr Bytes most_fresh(256 << 20);

/// The user's own numbers, as far as there is memory for as many buffers, in whole periods.
Sampling adapted(const Context& context, Sampling sampling, Bytes size) {
    const Request& request = context.request();
    sampling.warmup = request.warmup.value_or(sampling.warmup);
    if (request.iterations) {
        sampling.samples = std::clamp(*request.iterations / period, 1U, sampling.samples);
        sampling.batch = *request.iterations / sampling.samples;
    }
    const auto fit = static_cast<unsigned>(most_fresh / size) / 2;
    sampling.warmup = std::min(sampling.warmup, fit);
    sampling.batch = std::min(sampling.batch, fit / sampling.samples);
    sampling.batch = std::max(1U, sampling.batch / period) * period;
    return sampling;
}

Sampling latency_counts(const Context& context) {
    if (context.virtual_time()) return adapted(context, {4, 2, 8}, latency_size);
    return adapted(context, {100, context.request().quick ? 10U : 40U, 100}, latency_size);
}

/// A batch is at least one queue: that many may finish at a single stroke.
Sampling bandwidth_counts(const Context& context, unsigned queue) {
    if (context.virtual_time()) return adapted(context, {period, 1, 2 * queue}, bandwidth_size);
    return adapted(context, {queue, context.request().quick ? 3U : 8U, queue}, bandwidth_size);
}

/// Buffers that nothing has used before, registered, and the order in which to use them.
struct Fresh {
    Fresh(Context& context, std::string_view test, unsigned reuse, Bytes size,
          std::uint64_t messages, unsigned sends)
        : places(reuse_pattern(static_cast<unsigned>(messages), reuse, size)),
          pair(context.rank(),
               "buffer-reuse-percent/" + std::string(test) + "/" + std::to_string(reuse),
               {.buffer = std::ranges::max(places) + size,
                .memory = context.request().memory,
                .sends = sends}) {}

    std::vector<Bytes> places;
    Pair pair;
};

void emit_reuse(Context& context, unsigned reuse, results::Parameters parameters,
                std::string_view metric, std::string_view unit, const std::vector<double>& samples,
                bool steady = true) {
    if (context.rank().id() != 0) return;
    parameters[results::parameter::reuse_percent] = std::int64_t{reuse};
    context.emit(std::move(parameters), metric, unit, results::summarize(samples), steady);
}

void measure_latency(Context& context, unsigned reuse) {
    const Sampling sampling = latency_counts(context);
    Fresh fresh(context, "latency", reuse, latency_size, sampling.total(), 128);
    if (watchable(context, fresh.pair, reuse_op, latency_size)) {
        Line line(fresh.pair, reuse_op, latency_size);
        const auto samples =
            ping_pong(line, sampling, [&](unsigned round) { line.move_to(fresh.places[round]); });
        emit_reuse(context, reuse, parameters_of(context, reuse_op, latency_size),
                   results::metric::latency, results::unit::microseconds, samples);
    }
    fresh.pair.part();
}

void measure_bandwidth(Context& context, unsigned reuse, unsigned queue) {
    const std::string test = "bandwidth/" + std::to_string(queue);
    const Sampling first = bandwidth_counts(context, queue);
    const Rates rates = steady_rates(
        context, test + "/" + std::to_string(reuse), first,
        [&](const Sampling& sampling, const std::string& key) {
            Fresh fresh(context, key, reuse, bandwidth_size, sampling.total(), queue);
            auto samples = queued_stream(fresh.pair, reuse_op, bandwidth_size, queue, Ways::one,
                                         sampling, fresh.places);
            fresh.pair.part();
            return samples;
        },
        // As far as there is memory for fresh buffers.
        {.most =
             static_cast<unsigned>(std::bit_width(most_fresh / (first.total() * bandwidth_size)))});
    auto parameters = parameters_of(context, reuse_op, bandwidth_size);
    parameters[results::parameter::queue] = std::int64_t{queue};
    emit_reuse(context, reuse, std::move(parameters), results::metric::bandwidth,
               results::unit::megabytes_per_second, rates.samples, rates.steady);
}

}  // namespace

std::vector<Bytes> reuse_pattern(unsigned messages, unsigned reuse_percent, Bytes size) {
    std::vector<Bytes> places;
    places.reserve(messages);
    unsigned fresh = 0;
    unsigned owed = 0;  // hundredths of a fresh buffer
    for (unsigned i = 0; i < messages; ++i) {
        owed += 100 - reuse_percent;
        if (owed < 100) {
            places.push_back(Bytes(0));
            continue;
        }
        owed -= 100;
        places.push_back(++fresh * size);
    }
    return places;
}

void buffer_reuse_percent(Context& context) {
    for (const unsigned reuse : reuse_percents) {
        context.progress("latency, reuse " + std::to_string(reuse) + " %");
        measure_latency(context, reuse);
    }
    for (const unsigned queue : context.request().queues) {
        for (const unsigned reuse : reuse_percents) {
            context.progress("bandwidth, reuse " + std::to_string(reuse) + " %");
            measure_bandwidth(context, reuse, queue);
        }
    }
}

namespace {

/// Every buffer is used before the clock starts, and equally often in each batch.
Sampling whole_rounds(const Context& context, Bytes size, unsigned queue, unsigned buffers) {
    Sampling sampling = queue_sampling(context, size, queue);
    if (context.request().iterations) return sampling;
    sampling.warmup = std::max(sampling.warmup, buffers);
    sampling.batch = (sampling.batch + buffers - 1) / buffers * buffers;
    return sampling;
}

void measure_round(Context& context, unsigned buffers, unsigned queue) {
    const std::string tag =
        "buffer-reuse-fifo/" + std::to_string(buffers) + "/" + std::to_string(queue);
    unsigned point = 0;
    Pair pair(context.rank(), tag,
              {.buffer = buffers * largest_size(context),
               .memory = context.request().memory,
               .sends = queue,
               .receives = 4});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        std::vector<Bytes> places;
        for (unsigned i = 0; i < buffers; ++i)
            places.push_back(i * size);
        const Rates rates = steady_rates(context, tag + "/" + std::to_string(point++),
                                         whole_rounds(context, size, queue, buffers),
                                         [&](const Sampling& sampling, const std::string&) {
                                             return queued_stream(pair, op, size, queue, Ways::one,
                                                                  sampling, places);
                                         });
        if (!pair.first()) return;
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::queue] = std::int64_t{queue};
        parameters[results::parameter::buffers] = std::int64_t{buffers};
        context.emit(std::move(parameters), results::metric::bandwidth,
                     results::unit::megabytes_per_second, results::summarize(rates.samples),
                     rates.steady);
    });
    pair.part();
}

}  // namespace

void buffer_reuse_fifo(Context& context) {
    for (const unsigned queue : context.request().queues)
        for (const unsigned buffers : context.request().buffers)
            measure_round(context, buffers, queue);
}

}  // namespace railyard::experiments
