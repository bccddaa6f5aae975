#pragma once
/// The procedures of the experiments as plain functions on a Pair, for the experiments themselves
/// and for the benchmarks, which run them beside the raw limits. Both ranks call them alike; what
/// they return is of interest on rank 0. Those of a single message are made of a Line.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiments/core/sampling.hpp"
#include "experiments/user/bundle.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/work.hpp"

namespace railyard::experiments {

/// Ping-pong: half of each round trip, in us. send, rdma_write (watched), rdma_write_imm.
///
/// The samples are spread over so many places of the pair's buffers, a page apart: a real CPU's
/// cache lines differ in speed by their address, and a single one would make the result a matter of
/// luck. The buffers hold that many pages.
std::vector<double> ping_pong(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling,
                              unsigned places = 1);

/// Both sides send at once, then wait for the peer's message: each iteration, in us. The pair's
/// buffers hold two messages each, on cache lines of their own.
std::vector<double> cross(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling);

/// One request after the other from rank 0, with a passive peer: each whole operation, in us.
/// rdma_read, fetch_add, compare_swap (both on the first eight bytes).
std::vector<double> one_sided(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling);

/// Whether the receiver can find this message as ping_pong() and cross() have it. A written message
/// needs a last byte, and a fabric that places it last; where that is not so, says that it is left
/// out.
bool watchable(Context& context, const Pair& pair, fabric::Op op, Bytes size);

enum class Ways : std::uint8_t { one, both };

/// Windows of messages, each answered by one small reply: MB/s, of both directions together if both
/// sides send. send, rdma_write. The pair keeps window + 1 receives posted; its local buffer holds
/// two messages.
std::vector<double> windows(Pair& pair, fabric::Op op, Bytes size, unsigned window, Ways ways,
                            const Sampling& sampling);

/// `n` windows of one side: sent, and answered when the peer's has come.
template <class Side>
void play_windows(Side& side, bool sends, bool receives, unsigned n) {
    for (; n > 0; --n) {
        if (sends) side.send();
        if (receives) {
            side.await();
            side.reply();
        }
        if (sends) side.await_reply();
    }
}

/// A stream that never has more than `queue` and, once filled, never less than half of it
/// outstanding: MB/s of what this side sends. An iteration is a message, and batches are counted
/// where messages finish, in the middle of the stream. send, rdma_write. The pair keeps at least
/// two queues of receives posted. Messages use these places of the pair's buffers in turn.
std::vector<double> queued_stream(Pair& pair, fabric::Op op, Bytes size, unsigned queue, Ways ways,
                                  const Sampling& sampling,
                                  const std::vector<Bytes>& places = {Bytes(0)});

/// Which buffer each message uses when only some of them use the common one: the places of
/// `messages` buffers of `size`, in the order of use. So many percent are the common one, at 0;
/// each of the others is used once, and they are spread evenly (Bresenham).
std::vector<Bytes> reuse_pattern(unsigned messages, unsigned reuse_percent, Bytes size);

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
