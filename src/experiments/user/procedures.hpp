#pragma once
/// The procedures of the experiments as plain functions on a Pair, for the experiments themselves
/// and for the benchmarks, which run them beside the raw limits. Both ranks call them alike; what
/// they return is of interest on rank 0.

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

}  // namespace railyard::experiments
