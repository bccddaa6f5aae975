/// host-overhead-bandwidth: how much of the processor a computation can have before a stream of
/// messages suffers. liu04 fig. 7.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "experiments/core/sampling.hpp"
#include "experiments/core/sweep.hpp"
#include "experiments/user/bundle.hpp"

namespace railyard::experiments {

namespace {

/// Bandwidth has begun to fall when this share of the best is lost.
constexpr double noticeable = 0.02;
/// Computation for each message, in parts of the time that a message takes without any: close
/// together where processor and network both are nearly busy.
constexpr std::array computation_parts{0.0,   0.25, 0.5,  0.75, 0.9,  0.95, 0.98, 0.99, 0.995,
                                       0.999, 1.0,  1.01, 1.02, 1.05, 1.1,  1.25, 1.5,  2.0};

/// More digits than anyone needs, but fewer than a double has.
double rounded(double value) {
    return std::round(value * 1e4) / 1e4;
}

/// A stream in which each message is followed by a computation.
class BusyStream {
  public:
    BusyStream(Pair& pair, fabric::Op op, Bytes size, unsigned queue, const Sampling& sampling)
        : pair_(pair), sampling_(sampling), source_(pair.local(), Bytes(0), size), queue_(queue) {
        request_.op = op;
        request_.local = {&source_, 1};
        if (op == fabric::Op::rdma_write) request_.remote = {&pair.peer_target(), Bytes(0)};
    }
    BusyStream(const BusyStream&) = delete;  // the request points into this object
    BusyStream& operator=(const BusyStream&) = delete;

    /// The rate of each batch, in MB/s. Both ranks call it; the passive one need not know how long
    /// is computed.
    std::vector<double> run(Duration computation) {
        std::vector<Duration> times;
        pair_.meet();
        if (pair_.first())
            times = send(computation);
        else if (request_.op == fabric::Op::send)
            receive();
        pair_.meet();
        return megabytes_per_second(times, source_.length * sampling_.batch);
    }

  private:
    std::vector<Duration> send(Duration computation) {
        // The queue is full before the first computation: from then on, a message is posted when
        // one has finished and the processor has time, whichever is later.
        for (unsigned i = 0; i < queue_; ++i)
            pair_.post(request_);
        auto times = time_batches(pair_.host(), sampling_, [&](unsigned n) {
            for (; n > 0; --n) {
                pair_.wait_sent();
                pair_.post(request_);
                pair_.host().compute(computation);
            }
        });
        pair_.wait_sent(queue_);
        return times;
    }
    void receive() {
        for (std::uint64_t n = queue_ + sampling_.total(); n > 0; --n) {
            pair_.wait_received();
            pair_.post_receives();
        }
    }

    Pair& pair_;
    Sampling sampling_;
    fabric::Slice source_;
    fabric::WorkRequest request_;
    unsigned queue_;
};

/// The stream with ever longer computations, and the rows that come of it. The passive rank goes
/// through the same steps, but only rank 0 knows how long is computed.
class Shares {
  public:
    Shares(Context& context, BusyStream& stream, results::Parameters parameters, Bytes size)
        : context_(context), stream_(stream), parameters_(std::move(parameters)), size_(size) {}

    void run() {
        curve();
        drop();
    }

  private:
    bool first() const { return context_.rank().id() == 0; }
    /// The time of a message at this rate.
    Duration period(double rate) const {
        return Duration::from_seconds(static_cast<double>(size_.count()) / rate * 1e-6);
    }
    double share_percent(Duration computation, double rate) const {
        return rate == 0 ? 0 : std::min(100.0, 100 * (computation / period(rate)));
    }

    void curve() {
        double alone = 0;
        for (const double part : computation_parts) {
            const Duration computation =
                alone == 0 ? Duration() : Duration::from_seconds(period(alone).seconds() * part);
            const auto rates = stream_.run(computation);
            if (!first()) continue;
            const auto statistics = results::summarize(rates);
            if (part == 0) alone = statistics.p50;
            best_ = std::max(best_, statistics.p50);
            auto parameters = parameters_;
            parameters[results::parameter::computation_us] = rounded(computation.microseconds());
            parameters[results::parameter::cpu_share_percent] =
                rounded(share_percent(computation, statistics.p50));
            context_.emit(std::move(parameters), results::metric::bandwidth,
                          results::unit::megabytes_per_second, statistics);
        }
    }

    /// The longest computation that costs no noticeable bandwidth, by halving an interval.
    void drop() {
        const unsigned steps = context_.virtual_time() ? 16 : 10;
        Duration longest{};
        double share = 0;
        Duration too_long = first() ? period(best_) * 2 : Duration();
        for (unsigned i = 0; i < steps; ++i) {
            const Duration middle = longest + (too_long - longest) / 2;
            const auto rates = stream_.run(middle);
            if (!first()) continue;
            const double rate = results::summarize(rates).p50;
            if (rate < (1 - noticeable) * best_) {
                too_long = middle;
                continue;
            }
            longest = middle;
            share = share_percent(middle, rate);
        }
        if (first())
            context_.emit(parameters_, results::metric::cpu_share_before_bandwidth_drop,
                          results::unit::percent, results::single(share));
    }

    Context& context_;
    BusyStream& stream_;
    results::Parameters parameters_;
    Bytes size_;
    double best_ = 0;
};

void measure_overhead(Context& context, unsigned queue) {
    Pair pair(context.rank(), "host-overhead-bandwidth/" + std::to_string(queue),
              {.buffer = largest_size(context),
               .memory = context.request().memory,
               .sends = queue,
               .receives = 2 * queue + 1});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::queue] = std::int64_t{queue};
        BusyStream stream(pair, op, size, queue, queue_sampling(context, size, queue));
        Shares(context, stream, std::move(parameters), size).run();
    });
    pair.part();
}

}  // namespace

void host_overhead_bandwidth(Context& context) {
    for (const unsigned queue : context.request().queues)
        measure_overhead(context, queue);
}

}  // namespace railyard::experiments
