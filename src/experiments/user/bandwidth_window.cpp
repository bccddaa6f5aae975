/// bandwidth-uni-window and bandwidth-bi-window: windows of messages, each answered by one small
/// reply; one side sends, or both at once. liu04pcie figs. 6, 7.

#include "experiments/core/sweep.hpp"
#include "experiments/user/procedures.hpp"

namespace railyard::experiments {

namespace {

/// One side's windows: what it posts, and how it learns that the peer's window is complete.
class Windows {
  public:
    Windows(Pair& pair, fabric::Op op, Bytes size, unsigned window)
        : pair_(pair), op_(op), window_(window) {
        // A written window is found by the last byte of its last message, which therefore comes
        // from a buffer of its own; the others leave that byte at 0. Where the fabric does not
        // place it last, or there is none, an empty send follows the window.
        watched_ = op == fabric::Op::rdma_write && size > Bytes(0) &&
                   pair.traits().placement == fabric::Placement::last_byte_last;
        body_ = fabric::Slice(pair.local(), Bytes(0), size);
        last_ = fabric::Slice(pair.local(), size, size);
        requests_.resize(window);
        for (auto& request : requests_) {
            request.op = op;
            request.flags = fabric::Flags::unsignalled;
            request.local = {&body_, 1};
            if (op == fabric::Op::rdma_write) request.remote = {&pair.peer_target(), Bytes(0)};
        }
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
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        const auto samples =
            windows(pair, op, size, window, ways, window_sampling(context, size * window));
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::window] = std::int64_t{window};
        context.emit(std::move(parameters), metric, results::unit::megabytes_per_second,
                     results::summarize(samples));
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

}  // namespace railyard::experiments
