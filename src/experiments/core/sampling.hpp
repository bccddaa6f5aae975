#pragma once
/// How often things are done, and how the times of many repetitions become a row's statistics.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/host.hpp"
#include "railyard/results/row.hpp"

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

/// A rate in virtual time, measured until it is steady.
struct Rates {
    std::vector<double> samples{};  ///< of the last run, where they are known: on rank 0
    bool steady = true;             ///< two runs agreed, or the user said how long to measure
    Sampling sampling{};            ///< of the last run
};

/// Two runs agree if no sample of the longer differs from the other's median by more than this
/// share.
inline constexpr double steady_within = 0.005;
/// The last run is 2^(this - 1) times as long as the first.
inline constexpr unsigned most_runs = 8;

/// The same, twice as long, but for a warm-up that the user asked for.
Sampling twice(const Context& context, Sampling sampling);
/// Whether two runs agree; false where one of them says nothing.
bool agree(const std::vector<double>& shorter, const std::vector<double>& longer);
/// Whether another run follows, by the user's wishes and the clock.
bool settles(const Context& context);

/// How much one measures that does not settle, and how all ranks learn what rank 0 found.
struct Settling {
    unsigned most = most_runs;
    /// What rank 0 says, for all ranks that call it; `key` is unique in the job. Not for ranks that
    /// owe their peers progress.
    std::function<bool(const std::string& key, bool mine)> tell{};
};
/// By the job's bootstrap.
bool tell(job::Rank& rank, const std::string& key, bool mine);

/// Calls `measure(sampling, key)`, which gives rank 0 its samples, and in virtual time again with
/// runs twice as long until two agree: what begins and ends a stream, and caches that fill on the
/// way, then count for nothing. All ranks call it alike; each run's key is its own. Where the user
/// says how many iterations, there is one run.
template <class Measure>
Rates steady_rates(Context& context, const std::string& key, const Sampling& first,
                   Measure&& measure, const Settling& settling = {}) {
    Rates rates{measure(first, key + "/run0"), true, first};
    if (!settles(context)) return rates;
    for (unsigned run = 1; run < settling.most; ++run) {
        const std::string own = key + "/run" + std::to_string(run);
        rates.sampling = twice(context, rates.sampling);
        std::vector<double> longer = measure(rates.sampling, own);
        const bool mine = agree(rates.samples, longer);
        rates.steady =
            settling.tell ? settling.tell(own, mine) : tell(context.rank(), own + "/steady", mine);
        rates.samples = std::move(longer);
        if (rates.steady) break;
    }
    return rates;
}

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
