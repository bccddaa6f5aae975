#pragma once
/// Messages to and fro on a pair, one at a time each way: how one is sent, and how its arrival is
/// found. What a ping-pong, a hot spot and their like are made of.

#include <cstddef>
#include <cstdint>

#include "experiments/core/sampling.hpp"
#include "experiments/user/bundle.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/work.hpp"

namespace railyard::experiments {

/// How the receiver learns of a message.
enum class Notice : std::uint8_t {
    memory,      ///< it watches the last byte of the buffer
    completion,  ///< a receive completes
    extra_send,  ///< a receive completes, by an empty send that follows the message
};

/// Both sides make one alike, then meet, and only then use it.
class Line {
  public:
    struct Options {
        fabric::Op op = fabric::Op::rdma_write;
        Bytes size;
        Notice notice = Notice::memory;
        fabric::Wait wait = fabric::Wait::spin;  ///< for a completion: spin or sleep
        Bytes at{};                              ///< where in the buffers
    };
    Line(Pair& pair, const Options& options) : pair_(pair), options_(options), size_(options.size) {
        request_.op = options.op;
        request_.local = {&source_, 1};
        move_to(options.at);
        if (watched()) pair_.target().data()[(options.at + size_).count() - 1] = std::byte{0};
    }
    /// Writes are watched, all else completes a receive.
    Line(Pair& pair, fabric::Op op, Bytes size, Bytes at = Bytes(0))
        : Line(pair, {.op = op,
                      .size = size,
                      .notice = op == fabric::Op::rdma_write ? Notice::memory : Notice::completion,
                      .at = at}) {}
    Line(const Line&) = delete;  // the request points into this object
    Line& operator=(const Line&) = delete;

    Pair& pair() { return pair_; }

    /// Messages now come from, and go to, this place of either side's buffers. The last byte there
    /// is not what the next message brings: 0, or an earlier message's.
    void move_to(Bytes at) {
        source_ = fabric::Slice(pair_.local(), at, size_);
        if (request_.op != fabric::Op::send) request_.remote = {&pair_.peer_target(), at};
        if (watched()) in_ = pair_.target().data() + (at + size_).count() - 1;
    }

    /// The peer has answered the message before this one, so its source is free again.
    void send() {
        if (watched()) source_.data()[size_.count() - 1] = sent_.next();
        pair_.post_quietly(request_);
        if (options_.notice == Notice::extra_send) pair_.post_quietly(empty_);
    }
    void await() {
        if (watched())
            pair_.wait_arrived(in_, seen_.next());
        else if (options_.wait == fabric::Wait::sleep)
            pair_.sleep_until_received();
        else
            pair_.wait_received();
    }
    /// What may be done when there is time: the receive that the message took is posted again.
    void tidy() {
        if (!watched()) pair_.post_receives();
    }

  private:
    bool watched() const { return options_.notice == Notice::memory; }

    Pair& pair_;
    Options options_;
    Bytes size_;
    fabric::Slice source_;
    fabric::WorkRequest request_;
    fabric::WorkRequest empty_;  ///< an empty send
    const std::byte* in_ = nullptr;
    Stamp sent_;
    Stamp seen_;
};

/// Ping-pong: half of each round trip, in us. `before(round)` is called on both sides before each.
template <class Before>
std::vector<double> ping_pong(Line& line, const Sampling& sampling, Before&& before) {
    Pair& pair = line.pair();
    unsigned round = 0;
    pair.meet();
    const auto times = time_batches(pair.host(), sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            before(round++);
            if (pair.first()) line.send();
            line.await();
            if (!pair.first()) line.send();
            line.tidy();
        }
    });
    pair.meet();
    return microseconds(times, 2.0 * sampling.batch);
}
inline std::vector<double> ping_pong(Line& line, const Sampling& sampling) {
    return ping_pong(line, sampling, [](unsigned) {});
}

}  // namespace railyard::experiments
