/// latency-bi: both sides send at the same time. liu04 fig. 4.

#include <array>

#include "experiments/procedures.hpp"
#include "experiments/stamp.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

/// From one buffer to the next: they share no cache line.
Bytes stride_of(Bytes size) {
    return (size + Bytes(127)) / 128 * 128;
}

template <class Send, class Await>
std::vector<double> play(Pair& pair, const Sampling& sampling, Send send, Await await) {
    pair.meet();
    const auto times = time_batches(pair.host(), sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            send();
            await();
        }
    });
    pair.meet();
    return microseconds(times, sampling.batch);
}

}  // namespace

std::vector<double> cross(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling) {
    // Two buffers in turn. One side may be a whole message ahead of the other, never two: when it
    // writes to a buffer again, the peer has answered what came there before.
    const Bytes stride = stride_of(size);
    std::array<fabric::Slice, 2> sources;
    std::array<fabric::WorkRequest, 2> requests;
    for (unsigned i = 0; i < 2; ++i) {
        sources[i] = fabric::Slice(pair.local(), i * stride, size);
        requests[i].op = op;
        requests[i].local = {&sources[i], 1};
        if (op != fabric::Op::send) requests[i].remote = {&pair.peer_target(), i * stride};
    }

    unsigned turn = 0;
    if (op == fabric::Op::rdma_write) {
        std::array<std::byte*, 2> in{};
        for (unsigned i = 0; i < 2; ++i) {
            in[i] = pair.target().data() + (i * stride + size).count() - 1;
            *in[i] = std::byte{0};
        }
        Stamp stamp;
        std::byte value{};
        return play(
            pair, sampling,
            [&] {
                turn ^= 1;
                value = stamp.next();
                sources[turn].data()[size.count() - 1] = value;
                pair.post_quietly(requests[turn]);
            },
            [&] { pair.wait_arrived(in[turn], value); });
    }
    return play(
        pair, sampling, [&] { pair.post_quietly(requests[turn ^= 1]); },
        [&] {
            pair.wait_received();
            pair.post_receives();
        });
}

void latency_bi(Context& context) {
    Pair pair(context.rank(), "latency-bi",
              {.buffer = 2 * stride_of(largest_size(context)), .memory = context.request().memory});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (!watchable(context, pair, op, size)) return;
        const auto samples = cross(pair, op, size, latency_sampling(context, size));
        context.emit(parameters_of(context, op, size), results::metric::latency,
                     results::unit::microseconds, results::summarize(samples));
    });
    pair.part();
}

}  // namespace railyard::experiments
