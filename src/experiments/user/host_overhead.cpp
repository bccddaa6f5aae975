/// host-overhead-latency: the processor time that a message takes of sender and receiver together.
/// liu04 fig. 6.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "experiments/core/exchange.hpp"
#include "experiments/core/experiment.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/user/bundle.hpp"
#include "experiments/user/procedures.hpp"

namespace railyard::experiments {

namespace {

/// Adds up the processor time of one rank's communication. A Host in virtual time knows it; for
/// real it is the time inside the calls, without the polls that found nothing.
class Meter {
  public:
    explicit Meter(fabric::Host& host) : host_(host), clock_(clock_cost(host)) {}

    template <class Call>
    void call(Call&& call) {
        const Time start = host_.now();
        call();
        add(host_.now() - start);
    }
    /// `poll()` tells how many it has found.
    template <class Poll>
    bool found(Poll&& poll) {
        const Time start = host_.now();
        if (poll() == 0) return false;
        add(host_.now() - start);
        return true;
    }
    Duration spent() const { return host_.worked().value_or(in_calls_); }

  private:
    void add(Duration duration) { in_calls_ += std::max(Duration(), duration - clock_); }

    fabric::Host& host_;
    Duration clock_;  ///< what reading it takes
    Duration in_calls_;
};

/// One side of a ping-pong in which every step is metered.
class Side {
  public:
    Side(Pair& pair, fabric::Op op, Bytes size)
        : pair_(pair), meter_(pair.host()), source_(pair.local(), Bytes(0), size) {
        request_.op = op;
        request_.local = {&source_, 1};
        if (op != fabric::Op::rdma_write) return;
        request_.remote = {&pair.peer_target(), Bytes(0)};
        out_ = source_.data() + size.count() - 1;
        in_ = pair.target().data() + size.count() - 1;
        *in_ = std::byte{0};
    }
    Side(const Side&) = delete;  // the request points into this object
    Side& operator=(const Side&) = delete;

    Duration spent() const { return meter_.spent(); }

    void rounds(unsigned n) {
        for (; n > 0; --n) {
            if (pair_.first()) send();
            await();
            if (!pair_.first()) send();
            // The message is on its way, so this is off its path.
            pair_.wait([&] { return meter_.found([&] { return pair_.poll_sent(1); }); });
        }
    }

  private:
    void send() {
        if (out_ != nullptr) *out_ = sent_.next();
        meter_.call([&] { pair_.post(request_); });
    }
    void await() {
        // A look at memory is no call, and too short to be timed.
        if (in_ != nullptr) return pair_.wait_arrived(in_, seen_.next());
        pair_.wait([&] { return meter_.found([&] { return pair_.poll_received(1); }); });
        meter_.call([&] { pair_.post_receives(); });
    }

    Pair& pair_;
    Meter meter_;
    fabric::Slice source_;
    fabric::WorkRequest request_;
    std::byte* out_ = nullptr;
    std::byte* in_ = nullptr;
    Stamp sent_;
    Stamp seen_;
};

/// What this side's work for each message comes to, in us, batch by batch. In a round it sends one
/// message and receives one, so the sum of both sides is what two messages take.
std::vector<double> work(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling) {
    Side side(pair, op, size);
    std::vector<Duration> batches;
    pair.meet();
    side.rounds(sampling.warmup);
    for (unsigned i = 0; i < sampling.samples; ++i) {
        const Duration before = side.spent();
        side.rounds(sampling.batch);
        batches.push_back(side.spent() - before);
    }
    pair.meet();
    return microseconds(batches, 2.0 * sampling.batch);
}

}  // namespace

void host_overhead_latency(Context& context) {
    constexpr std::string_view tag = "host-overhead-latency";
    Pair pair(context.rank(), tag,
              {.buffer = largest_size(context), .memory = context.request().memory});
    unsigned point = 0;
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (!watchable(context, pair, op, size)) return;
        const auto samples =
            sum_of_both(context.rank(), std::string(tag) + "/" + std::to_string(point++),
                        work(pair, op, size, latency_sampling(context, size)));
        context.emit(parameters_of(context, op, size), results::metric::host_overhead,
                     results::unit::microseconds, results::summarize(samples));
    });
    pair.part();
}

// host-overhead-bandwidth: how much of the processor a computation can have before a stream of
// messages suffers. liu04 fig. 7.

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
    BusyStream(Pair& pair, fabric::Op op, Bytes size, unsigned queue)
        : pair_(pair), source_(pair.local(), Bytes(0), size), queue_(queue) {
        request_.op = op;
        request_.local = {&source_, 1};
        if (op == fabric::Op::rdma_write) request_.remote = {&pair.peer_target(), Bytes(0)};
    }
    BusyStream(const BusyStream&) = delete;  // the request points into this object
    BusyStream& operator=(const BusyStream&) = delete;

    /// The rate of each batch, in MB/s. Both ranks call it; the passive one need not know how long
    /// is computed.
    std::vector<double> run(const Sampling& sampling, Duration computation) {
        std::vector<Duration> times;
        pair_.meet();
        if (pair_.first())
            times = send(sampling, computation);
        else if (request_.op == fabric::Op::send)
            receive(sampling);
        pair_.meet();
        return megabytes_per_second(times, source_.length * sampling.batch);
    }

  private:
    std::vector<Duration> send(const Sampling& sampling, Duration computation) {
        // A message is posted when there is room in the queue and the processor has time, whichever
        // is later. A batch is a stream of its own, from nothing outstanding to nothing
        // outstanding: an adapter may take turns between messages, so that a whole queue finishes
        // at a stroke, and what is taken out of it later says nothing of the network.
        return time_batches(pair_.host(), sampling, [&](unsigned n) {
            unsigned outstanding = 0;
            for (; n > 0; --n) {
                if (outstanding == queue_) {
                    pair_.wait_sent();
                    --outstanding;
                }
                pair_.post(request_);
                ++outstanding;
                pair_.host().compute(computation);
            }
            pair_.wait_sent(outstanding);
        });
    }
    void receive(const Sampling& sampling) {
        for (std::uint64_t n = sampling.total(); n > 0; --n) {
            pair_.wait_received();
            pair_.post_receives();
        }
    }

    Pair& pair_;
    fabric::Slice source_;
    fabric::WorkRequest request_;
    unsigned queue_;
};

/// The stream with ever longer computations, and the rows that come of it. The passive rank goes
/// through the same steps, but only rank 0 knows how long is computed.
class Shares {
  public:
    Shares(Context& context, BusyStream& stream, results::Parameters parameters, Bytes size,
           const Sampling& sampling, std::string key)
        : context_(context),
          stream_(stream),
          parameters_(std::move(parameters)),
          size_(size),
          sampling_(sampling),
          key_(std::move(key)) {}

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
        unsigned point = 0;
        for (const double part : computation_parts) {
            const Duration computation =
                alone == 0 ? Duration() : Duration::from_seconds(period(alone).seconds() * part);
            const Rates rates = steady_rates(
                context_, key_ + "/" + std::to_string(point++), sampling_,
                [&](const Sampling& s, const std::string&) { return stream_.run(s, computation); });
            // What is enough for one part need not be for the next, but is a good place to begin.
            if (part == 0) sampling_ = rates.sampling;
            if (!first()) continue;
            const auto statistics = results::summarize(rates.samples);
            if (part == 0) alone = statistics.p50;
            best_ = std::max(best_, statistics.p50);
            auto parameters = parameters_;
            parameters[results::parameter::computation_us] = rounded(computation.microseconds());
            parameters[results::parameter::cpu_share_percent] =
                rounded(share_percent(computation, statistics.p50));
            context_.emit(std::move(parameters), results::metric::bandwidth,
                          results::unit::megabytes_per_second, statistics, rates.steady);
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
            const auto rates = stream_.run(sampling_, middle);
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
    Sampling sampling_;
    std::string key_;
    double best_ = 0;
};

void measure_overhead(Context& context, unsigned queue) {
    const std::string tag = "host-overhead-bandwidth/" + std::to_string(queue);
    unsigned point = 0;
    Pair pair(context.rank(), tag,
              {.buffer = largest_size(context),
               .memory = context.request().memory,
               .sends = queue,
               .receives = 2 * queue + 1});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::queue] = std::int64_t{queue};
        BusyStream stream(pair, op, size, queue);
        Shares(context, stream, std::move(parameters), size, queue_sampling(context, size, queue),
               tag + "/" + std::to_string(point++))
            .run();
    });
    pair.part();
}

}  // namespace

void host_overhead_bandwidth(Context& context) {
    for (const unsigned queue : context.request().queues)
        measure_overhead(context, queue);
}

}  // namespace railyard::experiments
