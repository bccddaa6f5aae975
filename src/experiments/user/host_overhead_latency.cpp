/// host-overhead-latency: the processor time that a message takes of sender and receiver together.
/// liu04 fig. 6.

#include <string>

#include "experiments/core/exchange.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/core/sweep.hpp"
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

}  // namespace railyard::experiments
