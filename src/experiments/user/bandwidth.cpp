/// bandwidth-uni-window and bandwidth-bi-window: windows of messages, each answered by one small
/// reply; one side sends, or both at once. liu04pcie figs. 6, 7.

#include <algorithm>
#include <string>

#include "experiments/core/exchange.hpp"
#include "experiments/core/experiment.hpp"
#include "experiments/user/procedures.hpp"

namespace railyard::experiments {

namespace {

/// One side's windows: what it posts, and how it learns that the peer's window is complete.
class Windows {
  public:
    Windows(Pair& pair, fabric::Op op, Bytes size, unsigned window)
        : pair_(pair), op_(op), window_(window) {
        // A written window is found by the last byte of its last message, which therefore comes
        // from a buffer of its own; the others leave that byte as it is, or at 0. Where the fabric
        // does not place it last, or there is none, an empty send follows the window.
        watched_ = op == fabric::Op::rdma_write && size > Bytes(0) &&
                   pair.traits().placement == fabric::Placement::last_byte_last;
        body_ = fabric::Slice(pair.local(), Bytes(0), size);
        last_ = fabric::Slice(pair.local(), size, size);
        requests_.resize(window);
        for (auto& request : requests_) {
            request.op = op;
            request.flags = fabric::Flags::unsignalled;
            request.content = Bytes(0);  // nobody looks at it
            request.local = {&body_, 1};
            if (op == fabric::Op::rdma_write) request.remote = {&pair.peer_target(), Bytes(0)};
        }
        requests_.back().content = size;
        requests_.back().local = {&last_, 1};
        requests_.back().flags = fabric::Flags::none;
        if (watched_) {
            body_.data()[size.count() - 1] = std::byte{0};
            pair.target().data()[size.count() - 1] = std::byte{0};
        }
        reply_.op = fabric::Op::send;
    }
    Windows(const Windows&) = delete;  // requests point into this object
    Windows& operator=(const Windows&) = delete;

    void send() {
        if (watched_) last_.data()[last_.length.count() - 1] = sent_.next();
        pair_.post(requests_);
        if (op_ == fabric::Op::rdma_write && !watched_) pair_.post_quietly(reply_);
    }
    void await() {
        if (watched_) {
            pair_.wait_arrived(pair_.target().data() + last_.length.count() - 1, seen_.next());
            return;
        }
        const unsigned messages = op_ == fabric::Op::send ? window_ : 1;
        pair_.wait_received(messages);
        pair_.post_receives(messages);
    }
    void reply() { pair_.post_quietly(reply_); }
    void await_reply() {
        pair_.wait_received();
        pair_.post_receives();
        pair_.wait_sent();  // the window's last message; long done
    }

  private:
    Pair& pair_;
    fabric::Op op_;
    unsigned window_;
    bool watched_ = false;
    fabric::Slice body_;
    fabric::Slice last_;
    std::vector<fabric::WorkRequest> requests_;
    fabric::WorkRequest reply_;  ///< an empty send
    Stamp sent_;
    Stamp seen_;
};

}  // namespace

std::vector<double> windows(Pair& pair, fabric::Op op, Bytes size, unsigned window, Ways ways,
                            const Sampling& sampling) {
    Windows side(pair, op, size, window);
    const bool sends = pair.first() || ways == Ways::both;
    const bool receives = !pair.first() || ways == Ways::both;
    pair.meet();
    const auto times = time_batches(pair.host(), sampling,
                                    [&](unsigned n) { play_windows(side, sends, receives, n); });
    pair.meet();
    const unsigned directions = ways == Ways::both ? 2 : 1;
    return megabytes_per_second(times, size * window * directions * sampling.batch);
}

namespace {

void measure_windows(Context& context, Ways ways, std::string_view tag, std::string_view metric) {
    const unsigned window = context.request().window;
    Pair pair(context.rank(), tag,
              {.buffer = 2 * largest_size(context),
               .memory = context.request().memory,
               .sends = window + 8,
               .receives = window + 1});
    unsigned point = 0;
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        const Rates rates = steady_rates(context, std::string(tag) + "/" + std::to_string(point++),
                                         window_sampling(context, size * window),
                                         [&](const Sampling& sampling, const std::string&) {
                                             return windows(pair, op, size, window, ways, sampling);
                                         });
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::window] = std::int64_t{window};
        context.emit(std::move(parameters), metric, results::unit::megabytes_per_second,
                     results::summarize(rates.samples), rates.steady);
    });
    pair.part();
}

}  // namespace

void bandwidth_uni_window(Context& context) {
    measure_windows(context, Ways::one, "bandwidth-uni-window", results::metric::bandwidth);
}

void bandwidth_bi_window(Context& context) {
    measure_windows(context, Ways::both, "bandwidth-bi-window",
                    results::metric::bandwidth_aggregate);
}

// bandwidth-uni-queue and bandwidth-bi-queue: a stream with so many messages outstanding; one side
// sends, or both at once. liu04 figs. 3, 5.

namespace {

/// One side's stream: what it has posted, what has finished, and when.
class QueuedStream {
  public:
    QueuedStream(Pair& pair, fabric::Op op, Bytes size, unsigned queue,
                 std::span<const Bytes> places)
        : pair_(pair), size_(size), places_(places), sources_(queue), requests_(queue) {
        for (unsigned i = 0; i < queue; ++i) {
            sources_[i] = fabric::Slice(pair.local(), places_[0], size);
            requests_[i].op = op;
            requests_[i].content = Bytes(0);  // nobody looks at it
            requests_[i].local = {&sources_[i], 1};
            if (op == fabric::Op::rdma_write)
                requests_[i].remote = {&pair.peer_target(), places_[0]};
        }
    }
    QueuedStream(const QueuedStream&) = delete;  // requests point into this object
    QueuedStream& operator=(const QueuedStream&) = delete;

    /// Sends `sampling`'s messages while it receives `expected`, and returns the rate of each
    /// batch. Many batches are one stream. A single one is a stream of its own, from nothing
    /// outstanding to nothing outstanding: an adapter may take turns between messages, so that a
    /// whole queue finishes at a single stroke, and no moment on the way tells how far they are.
    std::vector<double> run(const Sampling& sampling, std::uint64_t expected) {
        const std::uint64_t total = sampling.total();
        Marks marks(sampling, pair_.host().now());
        marks.look(pair_.host(), 0);
        if (sampling.samples == 1) send(sampling.warmup, expected, marks);
        send(total, expected, marks);
        marks.end(pair_.host(), finished_);
        receive(expected);
        return marks.rates(size_);
    }
    void receive(std::uint64_t expected) {
        pair_.wait([&] {
            reap(expected);
            return received_ >= expected;
        });
    }

  private:
    /// The clock, read whenever another batch is complete.
    class Marks {
      public:
        Marks(const Sampling& sampling, Time begin)
            : next_(sampling.warmup), batch_(sampling.batch), begin_(begin) {
            marks_.reserve(sampling.samples + 2);
        }
        void look(fabric::Host& host, std::uint64_t finished) {
            if (finished < next_) return;
            marks_.push_back({host.now(), finished});
            while (next_ <= finished)
                next_ += batch_;
        }
        /// A short stream may finish within one look; it is then one sample, warm-up included.
        void end(fabric::Host& host, std::uint64_t finished) {
            if (marks_.size() < 2) marks_ = {{begin_, 0}, {host.now(), finished}};
        }
        std::vector<double> rates(Bytes size) const {
            std::vector<double> result;
            for (std::size_t i = 1; i < marks_.size(); ++i) {
                const auto messages = marks_[i].finished - marks_[i - 1].finished;
                result.push_back(static_cast<double>(messages * size.count()) /
                                 (marks_[i].at - marks_[i - 1].at).microseconds());
            }
            return result;
        }

      private:
        struct Mark {
            Time at;
            std::uint64_t finished;
        };
        std::uint64_t next_;
        unsigned batch_;
        Time begin_;
        std::vector<Mark> marks_;
    };

    /// Until so many have finished in all.
    void send(std::uint64_t total, std::uint64_t expected, Marks& marks) {
        const auto queue = static_cast<unsigned>(requests_.size());
        const unsigned half = std::max(1U, queue / 2);
        post(std::min<std::uint64_t>(queue, total - posted_));
        for (std::uint64_t goal = finished_ + half; finished_ < total; goal += half) {
            goal = std::min(goal, total);
            pair_.wait([&] {
                reap(expected);
                return finished_ >= goal;
            });
            marks.look(pair_.host(), finished_);
            // Those that finished beyond the goal wait for their turn: half a queue at a time.
            post(std::min<std::uint64_t>(half, total - posted_));
        }
    }
    void post(std::uint64_t n) {
        if (places_.size() > 1)
            for (std::uint64_t i = 0; i < n; ++i)
                sources_[i].offset = requests_[i].remote.offset =
                    places_[(posted_ + i) % places_.size()];
        pair_.post(std::span(requests_).first(n));
        posted_ += n;
    }
    void reap(std::uint64_t expected) {
        if (finished_ < posted_) finished_ += pair_.poll_sent(posted_ - finished_);
        if (received_ < expected) {
            const unsigned n = pair_.poll_received(expected - received_);
            pair_.post_receives(n);
            received_ += n;
        }
    }

    Pair& pair_;
    Bytes size_;
    std::span<const Bytes> places_;
    std::vector<fabric::Slice> sources_;
    std::vector<fabric::WorkRequest> requests_;
    std::uint64_t posted_ = 0;
    std::uint64_t finished_ = 0;
    std::uint64_t received_ = 0;
};

}  // namespace

std::vector<double> queued_stream(Pair& pair, fabric::Op op, Bytes size, unsigned queue, Ways ways,
                                  const Sampling& sampling, const std::vector<Bytes>& places) {
    const bool sends = pair.first() || ways == Ways::both;
    const bool receives = !pair.first() || ways == Ways::both;
    const std::uint64_t expected = receives && op == fabric::Op::send ? sampling.total() : 0;
    QueuedStream stream(pair, op, size, queue, places);
    std::vector<double> rates;
    pair.meet();
    if (sends)
        rates = stream.run(sampling, expected);
    else
        stream.receive(expected);
    pair.meet();
    return rates;
}

namespace {

void measure_queue(Context& context, unsigned queue, Ways ways, const std::string& tag,
                   std::string_view metric) {
    Pair pair(context.rank(), tag,
              {.buffer = largest_size(context),
               .memory = context.request().memory,
               .sends = queue,
               .receives = 2 * queue + 1});
    unsigned point = 0;
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        const Rates rates = steady_rates(
            context, tag + "/rates/" + std::to_string(point++),
            queue_sampling(context, size, queue),
            [&](const Sampling& sampling, const std::string& key) {
                const auto mine = queued_stream(pair, op, size, queue, ways, sampling);
                return ways == Ways::both ? rates_of_both(context.rank(), key, mine) : mine;
            });
        if (!pair.first()) return;
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::queue] = std::int64_t{queue};
        context.emit(std::move(parameters), metric, results::unit::megabytes_per_second,
                     results::summarize(rates.samples), rates.steady);
    });
    pair.part();
}

void measure_queues(Context& context, Ways ways, const std::string& tag, std::string_view metric) {
    for (const unsigned queue : context.request().queues)
        measure_queue(context, queue, ways, tag + "/" + std::to_string(queue), metric);
}

}  // namespace

void bandwidth_uni_queue(Context& context) {
    measure_queues(context, Ways::one, "bandwidth-uni-queue", results::metric::bandwidth);
}

void bandwidth_bi_queue(Context& context) {
    measure_queues(context, Ways::both, "bandwidth-bi-queue", results::metric::bandwidth_aggregate);
}

}  // namespace railyard::experiments
