#include "experiments/core/sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "experiments/core/exchange.hpp"

namespace railyard::experiments {

namespace {

/// `wanted` iterations, but no more than move `budget`, and at least `least`.
unsigned affordable(unsigned wanted, unsigned least, Bytes budget, Bytes each) {
    if (each.count() == 0) return wanted;
    const std::uint64_t fit = budget / each;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(fit, std::min(least, wanted), wanted));
}

/// From here on, virtual time moves so many bytes that each repetition is felt, and a single one is
/// long enough to be steady.
constexpr Bytes bulk(4 << 20);

/// In real time, what is moved in a good part of a second: more makes no result any steadier, and
/// rows are many.
constexpr Bytes enough(1 << 30);

}  // namespace

Sampling with_wishes(const Context& context, unsigned warmup, unsigned iterations,
                     unsigned samples) {
    const Request& request = context.request();
    iterations = std::max(1U, request.iterations.value_or(iterations));
    samples = std::min(samples, iterations);
    return {request.warmup.value_or(warmup), samples, iterations / samples};
}

Sampling latency_sampling(const Context& context, Bytes size) {
    // Two rounds bring a model's caches and queues to their steady state; all further are alike. An
    // even batch, since two sides that start askew take turns in being early.
    if (context.virtual_time())
        return size < bulk ? with_wishes(context, 2, 6, 3) : with_wishes(context, 2, 2, 1);
    const unsigned wanted = context.request().quick ? 1'000 : 10'000;
    const unsigned n = context.afford(affordable(wanted, 100, enough, size), 20);
    // Reading the clock takes about as long as a small message: it must be lost among many.
    const unsigned least_batch = size < Bytes(4 << 10) ? 100 : 10;
    const unsigned total = context.request().iterations.value_or(n);
    return with_wishes(context, std::max(10U, n / 10), n,
                       std::clamp(total / least_batch, 10U, 100U));
}

Sampling window_sampling(const Context& context, Bytes bytes_per_window) {
    if (context.virtual_time()) {
        const unsigned windows = bytes_per_window < bulk ? 2 : 1;
        return with_wishes(context, 1, windows, windows);
    }
    const bool quick = context.request().quick;
    const unsigned least = quick ? 5 : 10;
    const unsigned n =
        context.afford(affordable(quick ? 20 : 100, least, enough * 2, bytes_per_window), 3);
    return with_wishes(context, n < least ? 1 : std::max(2U, n / 10), n, 100);
}

Sampling queue_sampling(const Context& context, Bytes size, unsigned queue) {
    if (context.virtual_time()) {
        if (size * queue < bulk) return with_wishes(context, queue, 2 * queue, 2);
        // One sample is a stream of its own (queued_stream), and so long that how it begins and
        // ends does not count, as a second run shows; the first message warms up what there is.
        return with_wishes(context, 1, affordable(queue, 4, bulk * 4, size), 1);
    }
    const bool quick = context.request().quick;
    const unsigned samples = quick ? 5 : size * queue * 20 <= enough ? 20 : 10;
    const unsigned wanted = queue * (quick ? 20 : 100);
    // A batch is at least one queue: that many may finish at a single stroke.
    const unsigned n = context.afford(affordable(wanted, samples * queue, enough, size), 3 * queue);
    return with_wishes(context, queue, n, std::min(samples, std::max(1U, n / queue)));
}

Sampling twice(const Context& context, Sampling sampling) {
    if (!context.request().warmup) sampling.warmup *= 2;
    sampling.batch *= 2;
    return sampling;
}

bool agree(const std::vector<double>& shorter, const std::vector<double>& longer) {
    if (shorter.empty() || longer.empty()) return false;
    const double before = results::summarize(shorter).p50;
    return std::ranges::all_of(
        longer, [&](double sample) { return std::abs(sample - before) <= steady_within * before; });
}

bool settles(const Context& context) {
    return context.virtual_time() && !context.request().iterations;
}

bool tell(job::Rank& rank, const std::string& key, bool mine) {
    if (rank.id() != 0) return values_of<char>(rank, 0, key).at(0) != 0;
    const char word = mine ? 1 : 0;
    rank.bootstrap().put(key, std::as_bytes(std::span(&word, 1)));
    return mine;
}

Duration clock_cost(fabric::Host& host) {
    std::array<Duration, 101> costs;
    for (Duration& cost : costs) {
        const Time start = host.now();
        cost = host.now() - start;
    }
    const auto middle = costs.begin() + costs.size() / 2;
    std::nth_element(costs.begin(), middle, costs.end());
    return *middle;
}

std::vector<double> microseconds(const std::vector<Duration>& batches, double operations) {
    std::vector<double> result;
    result.reserve(batches.size());
    for (const Duration d : batches)
        result.push_back(d.microseconds() / operations);
    return result;
}

std::vector<double> megabytes_per_second(const std::vector<Duration>& batches, Bytes bytes) {
    std::vector<double> result;
    result.reserve(batches.size());
    // Bytes a microsecond are MB a second.
    for (const Duration d : batches)
        result.push_back(static_cast<double>(bytes.count()) / d.microseconds());
    return result;
}

std::vector<Bytes> doubling(Bytes first, Bytes last) {
    std::vector<Bytes> sizes;
    for (Bytes size = first; size <= last; size = size * 2)
        sizes.push_back(size);
    return sizes;
}

}  // namespace railyard::experiments
