/// victim-flow: several ranks stream to one, and one of them to another rank as well, which nobody
/// else uses. What that flow, the victim, still gets: it shares a link with the others, not their
/// destination. Where a network holds up what cannot go on (credits), the link fills with what
/// waits for the one receiver, the more so the more there are who send to it; where switches take
/// everything in, all but the first of them make no difference.

#include <memory>
#include <string>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/user/bundle.hpp"

namespace railyard::experiments {

namespace {

constexpr int victim = 0;  ///< sends to the sink, and beside that to the receiver of all others
constexpr int receiver = 1;
constexpr int sink = 2;
constexpr int first_other = 3;  ///< from here on, ranks that send to the receiver only

constexpr unsigned messages_queued = 8;  ///< outstanding, of each stream
constexpr Bytes probe_size{8};           ///< whose latency is told

/// Messages of one size, one after the other, with so many outstanding.
class Stream {
  public:
    Stream(Pair& pair, fabric::Op op, Bytes size, unsigned depth = messages_queued)
        : pair_(pair), depth_(depth), source_(pair.local(), Bytes(0), size) {
        request_.op = op;
        request_.local = {&source_, 1};
        request_.remote = {&pair.peer_target(), Bytes(0)};
    }
    Stream(const Stream&) = delete;  // the request points into this object
    Stream& operator=(const Stream&) = delete;

    void post() {
        for (; posted_ - finished_ < depth_; ++posted_)
            pair_.post(request_);
    }
    /// Takes what has finished; false if nothing has.
    bool reap() {
        const unsigned n = pair_.poll_sent(posted_ - finished_);
        finished_ += n;
        return n > 0;
    }
    void drain() {
        pair_.wait_sent(static_cast<unsigned>(posted_ - finished_));
        finished_ = posted_;
    }
    std::uint64_t finished() const { return finished_; }

  private:
    Pair& pair_;
    unsigned depth_;
    fabric::Slice source_;
    fabric::WorkRequest request_;
    std::uint64_t posted_ = 0;
    std::uint64_t finished_ = 0;
};

class VictimFlow {
  public:
    explicit VictimFlow(Context& context) : context_(context), rank_(context.rank()) {
        const auto connect = [&](int one, int other) {
            const Pair::Options options{.buffer = largest_size(context),
                                        .memory = context.request().memory,
                                        .sends = messages_queued + 8,
                                        .peer = rank_.id() == one ? other : one};
            const std::string tag =
                "victim-flow/" + std::to_string(one) + "-" + std::to_string(other);
            return std::make_unique<Pair>(rank_, tag, options);
        };
        const int id = rank_.id();
        if (id == victim || id == sink) to_sink_ = connect(victim, sink);
        for (int i = 0; i < rank_.size(); ++i) {
            if (i == receiver || i == sink || (id != receiver && id != i)) continue;
            to_receiver_.push_back(connect(i, receiver));
        }
    }

    /// Beside so many who send to the receiver, of whom the victim's rank is the first.
    void measure(fabric::Op op, Bytes size, int senders) {
        const std::string key = "victim-flow/" + std::to_string(point_++);
        const Rates rates = steady_rates(
            context_, key, stream_sampling(size),
            [&](const Sampling& sampling, const std::string&) {
                return play(op, size, senders, [&](Stream* beside) {
                    Stream stream(*to_sink_, op, size);
                    const auto times = time_batches(rank_.host(), sampling, [&](unsigned n) {
                        run(stream, beside, stream.finished() + n);
                    });
                    stream.drain();
                    return megabytes_per_second(times, size * sampling.batch);
                });
            });
        const Sampling single = with_wishes(context_, messages_queued, 64, 16);
        const auto latencies = play(op, size, senders, [&](Stream* beside) {
            Stream stream(*to_sink_, op, probe_size, 1);
            const auto times = time_batches(rank_.host(), single, [&](unsigned n) {
                run(stream, beside, stream.finished() + n);
            });
            stream.drain();
            return microseconds(times, single.batch);
        });
        if (rank_.id() != victim) return;
        auto parameters = parameters_of(context_, op, size);
        parameters[results::parameter::senders] = std::int64_t{senders};
        context_.emit(parameters, results::metric::bandwidth, results::unit::megabytes_per_second,
                      results::summarize(rates.samples), rates.steady);
        context_.emit(std::move(parameters), results::metric::latency, results::unit::microseconds,
                      results::summarize(latencies));
    }

  private:
    Sampling stream_sampling(Bytes size) const {
        if (context_.virtual_time()) return with_wishes(context_, 4 * messages_queued, 64, 4);
        return queue_sampling(context_, size, messages_queued);
    }

    /// Until so many of the victim's have finished, whatever its other stream does.
    void run(Stream& stream, Stream* beside, std::uint64_t goal) {
        while (stream.finished() < goal) {
            stream.post();
            if (beside) beside->post();
            to_sink_->wait([&] {
                const bool other = beside && beside->reap();
                return stream.reap() || other;
            });
        }
    }

    /// All ranks do their part for as long as the victim measures; what it returns, for that one.
    template <class Measure>
    std::vector<double> play(fabric::Op op, Bytes size, int senders, Measure&& measure) {
        rank_.bootstrap().fence();
        const int id = rank_.id();
        std::vector<double> result;
        if (id == victim) {
            to_sink_->meet();
            Stream beside(pair(0), op, size);
            result = measure(senders > 0 ? &beside : nullptr);
            beside.drain();
            to_sink_->meet();
            tell(pair(0));
            hear(pair(0));
        } else if (id == sink) {
            // Here all the while, ready to make progress where a fabric needs that.
            to_sink_->meet();
            to_sink_->meet();
        } else if (id == receiver) {
            hear(pair(0));
            for (int i = 1; i < senders; ++i)
                tell(pair(i));
            for (int i = 1; i < senders; ++i)
                hear(pair(i));
            tell(pair(0));
        } else if (id < first_other + senders - 1) {
            send_until_told(op, size);
        }
        return result;
    }

    void send_until_told(fabric::Op op, Bytes size) {
        Pair& to = pair(0);
        Stream stream(to, op, size);
        for (bool told = false; !told;) {
            stream.post();
            to.wait([&] {
                told = to.poll_received(1) > 0;
                return stream.reap() || told;
            });
        }
        to.post_receives();
        stream.drain();
        tell(to);
    }

    static void tell(Pair& pair) {
        pair.notify();
        pair.settle();
    }
    static void hear(Pair& pair) {
        pair.wait_received();
        pair.post_receives();
    }
    Pair& pair(int i) { return *to_receiver_[static_cast<std::size_t>(i)]; }

    Context& context_;
    job::Rank& rank_;
    std::unique_ptr<Pair> to_sink_;
    /// Of a sender: with the receiver. Of the receiver: with the victim, and with the others.
    std::vector<std::unique_ptr<Pair>> to_receiver_;
    unsigned point_ = 0;
};

}  // namespace

void victim_flow(Context& context) {
    VictimFlow flow(context);
    const int most = context.rank().size() - 2;
    sweep(context, [&](fabric::Op op, Bytes size) {
        for (int senders = 0; size > Bytes(0) && senders <= most; ++senders)
            flow.measure(op, size, senders);
    });
    context.rank().bootstrap().fence();
}

}  // namespace railyard::experiments
