#pragma once
/// How often things are done, and how the times of many repetitions become a row's statistics.

#include <cstdint>
#include <utility>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/host.hpp"
#include "results/row.hpp"

namespace railyard::experiments {

/// `warmup` iterations that count for nothing, then `samples` times `batch` iterations. A batch is
/// timed as a whole, since one small message takes no longer than reading the clock.
struct Sampling {
    unsigned warmup = 0;
    unsigned samples = 1;
    unsigned batch = 1;

    /// All iterations, warming up included.
    std::uint64_t total() const { return warmup + std::uint64_t{samples} * batch; }

    friend bool operator==(const Sampling&, const Sampling&) = default;
};

/// These numbers, or the user's own, where given; `samples` batches at most.
Sampling with_wishes(const Context& context, unsigned warmup, unsigned iterations,
                     unsigned samples);
/// For ping-pongs and single operations: 1000 to warm up and 10,000 that count, in 100 batches, as
/// liu04pcie has them; fewer where the messages are large.
Sampling latency_sampling(const Context& context, Bytes size);
/// For windows of messages: 10 to warm up, 100 that count, each a sample; fewer where they are
/// large.
Sampling window_sampling(const Context& context, Bytes bytes_per_window);
/// For a stream of messages with `queue` outstanding: `queue` to warm up and 100 times `queue` that
/// count, in 20 batches; fewer where they are large. An iteration is one message.
Sampling queue_sampling(const Context& context, Bytes size, unsigned queue);

/// Runs `run(n)`, which does n iterations, and returns how long each batch took.
template <class Run>
std::vector<Duration> time_batches(fabric::Host& host, const Sampling& sampling, Run&& run) {
    std::vector<Duration> times;
    times.reserve(sampling.samples);
    run(sampling.warmup);
    for (unsigned i = 0; i < sampling.samples; ++i) {
        const Time start = host.now();
        run(sampling.batch);
        times.push_back(host.now() - start);
    }
    return times;
}

/// What reading the clock adds to a time: nothing in virtual time.
Duration clock_cost(fabric::Host& host);

/// Each batch's mean time for one of its `operations`, in microseconds.
std::vector<double> microseconds(const std::vector<Duration>& batches, double operations);
/// Each batch's rate, in MB/s, when `bytes` moved in it.
std::vector<double> megabytes_per_second(const std::vector<Duration>& batches, Bytes bytes);

/// 2^0 … 2^22 and the like: every power of two from `first` to `last`, both included.
std::vector<Bytes> doubling(Bytes first, Bytes last);

}  // namespace railyard::experiments
