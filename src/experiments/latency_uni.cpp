/// latency-uni: half of a ping-pong. liu04 fig. 2; liu04pcie figs. 2, 3.

#include <algorithm>

#include "experiments/procedures.hpp"
#include "experiments/stamp.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

/// `send` answers, `await` waits for the peer's message, `tidy` does what may be done later.
template <class Send, class Await, class Tidy>
std::vector<double> play(Pair& pair, const Sampling& sampling, Send send, Await await, Tidy tidy) {
    pair.meet();
    const auto rounds = [&](unsigned n) {
        if (pair.first()) {
            for (; n > 0; --n) {
                send();
                await();
                tidy();
            }
        } else {
            for (; n > 0; --n) {
                await();
                send();
                tidy();
            }
        }
    };
    const auto times = time_batches(pair.host(), sampling, rounds);
    pair.meet();
    return microseconds(times, 2.0 * sampling.batch);
}

std::vector<double> ping_pong_at(Pair& pair, fabric::Op op, Bytes at, Bytes size,
                                 const Sampling& sampling) {
    const fabric::Slice source(pair.local(), at, size);
    fabric::WorkRequest request;
    request.op = op;
    request.local = {&source, 1};
    if (op != fabric::Op::send) request.remote = {&pair.peer_target(), at};

    if (op == fabric::Op::rdma_write) {
        std::byte* const out = source.data() + size.count() - 1;
        std::byte* const in = pair.target().data() + (at + size).count() - 1;
        *in = std::byte{0};
        Stamp sent;
        Stamp seen;
        return play(
            pair, sampling,
            [&] {
                // The peer has answered the message before this one, so its source is free again.
                *out = sent.next();
                pair.post_quietly(request);
            },
            [&] { pair.wait_arrived(in, seen.next()); }, [] {});
    }
    return play(
        pair, sampling, [&] { pair.post_quietly(request); }, [&] { pair.wait_received(); },
        [&] { pair.post_receives(); });
}

constexpr Bytes page(4096);
/// In virtual time every line is like every other, and the paper has one buffer.
constexpr unsigned real_places = 50;

unsigned places_for(const Context& context, Bytes size) {
    return context.virtual_time() || size > page / 2 ? 1 : real_places;
}

}  // namespace

std::vector<double> ping_pong(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling,
                              unsigned places) {
    places = std::min(places, sampling.samples);
    Sampling here = sampling;
    std::vector<double> all;
    for (unsigned i = 0; i < places; ++i) {
        // A page each, and in it a line that differs from page to page.
        const Bytes at = places == 1 ? Bytes(0) : i * page + i * 11 % 32 * Bytes(64);
        here.samples = sampling.samples / places + (i < sampling.samples % places ? 1 : 0);
        const auto samples = ping_pong_at(pair, op, at, size, here);
        all.insert(all.end(), samples.begin(), samples.end());
        here.warmup = std::min(20U, sampling.warmup);  // the code is warm, the next line is not
    }
    return all;
}

void latency_uni(Context& context) {
    const Bytes buffer = std::max(largest_size(context), places_for(context, Bytes(1)) * page);
    Pair pair(context.rank(), "latency-uni",
              {.buffer = buffer, .memory = context.request().memory});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (!watchable(context, pair, op, size)) return;
        const auto samples =
            ping_pong(pair, op, size, latency_sampling(context, size), places_for(context, size));
        context.emit(parameters_of(context, op, size), results::metric::latency,
                     results::unit::microseconds, results::summarize(samples));
    });
    pair.part();
}

}  // namespace railyard::experiments
