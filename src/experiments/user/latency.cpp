/// latency-uni, latency-bi, latency-rdma-read and latency-atomic: one message or operation at a
/// time, and how long it takes. liu04 figs. 2, 4; liu04pcie figs. 2 to 5.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "experiments/core/experiment.hpp"
#include "experiments/user/procedures.hpp"
#include "experiments/user/tagged_pair.hpp"

namespace railyard::experiments {

namespace {

constexpr Bytes page(4096);
/// In virtual time every line is like every other, and the paper has one buffer.
constexpr unsigned real_places = 50;

unsigned places_for(const Context& context, Bytes size) {
    return context.virtual_time() || size > page / 2 ? 1 : real_places;
}

/// Both sides: `send`, then `await` the peer's message.
template <class Send, class Await>
std::vector<double> play_crossing(Pair& pair, const Sampling& sampling, Send send, Await await) {
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

void emit_latency(Context& context, fabric::Op op, Bytes size, const std::vector<double>& samples) {
    if (context.rank().id() != 0) return;
    context.emit(parameters_of(context, op, size), results::metric::latency,
                 results::unit::microseconds, results::summarize(samples));
}

}  // namespace

bool watchable(Context& context, const Pair& pair, fabric::Op op, Bytes size) {
    if (op != fabric::Op::rdma_write) return true;
    const bool placed = pair.traits().placement == fabric::Placement::last_byte_last;
    if (placed && size > Bytes(0)) return true;
    context.progress(placed
                         ? "rdma_write of no bytes: left out, there is no last byte to watch"
                         : "rdma_write: left out, this fabric does not place the last byte last");
    return false;
}

std::vector<double> ping_pong(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling,
                              unsigned places) {
    places = std::min(places, sampling.samples);
    Sampling here = sampling;
    std::vector<double> all;
    for (unsigned i = 0; i < places; ++i) {
        // A page each, and in it a line that differs from page to page.
        const Bytes at = places == 1 ? Bytes(0) : i * page + i * 11 % 32 * Bytes(64);
        here.samples = sampling.samples / places + (i < sampling.samples % places ? 1 : 0);
        Line line(pair, op, size, at);
        const auto samples = ping_pong(line, here);
        all.insert(all.end(), samples.begin(), samples.end());
        here.warmup = std::min(20U, sampling.warmup);  // the code is warm, the next line is not
    }
    return all;
}

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
        return play_crossing(
            pair, sampling,
            [&] {
                turn ^= 1;
                value = stamp.next();
                sources[turn].data()[size.count() - 1] = value;
                pair.post_quietly(requests[turn]);
            },
            [&] { pair.wait_arrived(in[turn], value); });
    }
    return play_crossing(
        pair, sampling, [&] { pair.post_quietly(requests[turn ^= 1]); },
        [&] {
            pair.wait_received();
            pair.post_receives();
        });
}

std::vector<double> one_sided(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling) {
    const fabric::Slice here(pair.local(), Bytes(0), size);
    fabric::WorkRequest request;
    request.op = op;
    request.local = {&here, 1};
    request.remote = {&pair.peer_target(), Bytes(0)};
    // A compare-and-swap of 0 for 0 succeeds, and writes, every time.
    if (op == fabric::Op::fetch_add) request.operand = 1;
    std::memset(pair.target().data(), 0, sizeof(std::uint64_t));

    std::vector<Duration> times;
    pair.meet();
    if (pair.first()) {
        times = time_batches(pair.host(), sampling, [&](unsigned n) {
            for (; n > 0; --n) {
                pair.post(request);
                pair.wait_sent();
            }
        });
    }
    // The passive side is in here all the while, ready to make progress where a fabric needs that.
    pair.meet();
    return microseconds(times, sampling.batch);
}

void latency_uni(Context& context) {
    const Bytes buffer = std::max(largest_size(context), places_for(context, Bytes(1)) * page);
    Pair pair(context.rank(), "latency-uni",
              {.buffer = buffer, .memory = context.request().memory});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (!watchable(context, pair, op, size)) return;
        emit_latency(
            context, op, size,
            ping_pong(pair, op, size, latency_sampling(context, size), places_for(context, size)));
    });
    pair.part();
}

void latency_bi(Context& context) {
    Pair pair(context.rank(), "latency-bi",
              {.buffer = 2 * stride_of(largest_size(context)), .memory = context.request().memory});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (watchable(context, pair, op, size))
            emit_latency(context, op, size, cross(pair, op, size, latency_sampling(context, size)));
    });
    pair.part();
}

void latency_rdma_read(Context& context) {
    Pair pair(context.rank(), "latency-rdma-read",
              {.buffer = largest_size(context), .memory = context.request().memory});
    sweep(context, [&](fabric::Op op, Bytes size) {
        emit_latency(context, op, size, one_sided(pair, op, size, latency_sampling(context, size)));
    });
    pair.part();
}

void latency_atomic(Context& context) {
    constexpr Bytes word(8);
    Pair pair(context.rank(), "latency-atomic",
              {.buffer = word, .memory = context.request().memory});
    for (const fabric::Op op : context.request().ops) {
        announce(context, op, word);
        emit_latency(context, op, word, one_sided(pair, op, word, latency_sampling(context, word)));
    }
    pair.part();
}

// user-pingpong: latency by ping-pong, and the bandwidth that follows from it. RDMA writes are
// watched in memory; messages go through the tagged port where the fabric has one, as MX's do.
// rashti07 fig. 1.

namespace {

using fabric::Op;

/// What a message of that size reaches when it alone is under way: bytes a microsecond are MB/s.
std::vector<double> bandwidth_of(const std::vector<double>& latencies, Bytes size) {
    std::vector<double> rates;
    rates.reserve(latencies.size());
    for (const double latency : latencies)
        rates.push_back(static_cast<double>(size.count()) / latency);
    return rates;
}

void emit_ping_pong(Context& context, Op op, Bytes size, bool tagged,
                    const std::vector<double>& latencies) {
    auto parameters = parameters_of(context, op, size);
    parameters[results::parameter::level] = std::string(tagged ? "tagged" : "queue_pair");
    // Buffers of a tagged port are the user's: it registers them itself.
    if (tagged) parameters[results::parameter::memory] = std::string(name(Memory::user));
    context.emit(parameters, results::metric::latency, results::unit::microseconds,
                 results::summarize(latencies));
    context.emit(std::move(parameters), results::metric::bandwidth,
                 results::unit::megabytes_per_second,
                 results::summarize(bandwidth_of(latencies, size)));
}

}  // namespace

void user_pingpong(Context& context) {
    Pair pair(context.rank(), "user-pingpong",
              {.buffer = largest_size(context), .memory = context.request().memory});
    std::unique_ptr<TaggedPair> tagged;
    if (pair.traits().tagged)
        tagged = std::make_unique<TaggedPair>(context.rank(), "user-pingpong/tagged",
                                              largest_size(context));
    sweep(context, [&](Op op, Bytes size) {
        if (size == Bytes(0) || !watchable(context, pair, op, size)) return;
        const Sampling sampling = latency_sampling(context, size);
        const bool matched = tagged && op == Op::send;
        emit_ping_pong(
            context, op, size, matched,
            matched ? tagged->ping_pong(size, sampling) : ping_pong(pair, op, size, sampling));
    });
    pair.part();
}

// completion-polling and completion-blocking: what it costs to be told of an RDMA write, rather
// than to watch memory for it. liu04 figs. 8a, 8b.

namespace {

std::string_view method_of(Notice notice) {
    switch (notice) {
        case Notice::memory:
            return "memory";
        case Notice::completion:
            return "immediate";
        case Notice::extra_send:
            return "extra send";
    }
    return "";
}

/// The fabric's own way to tell of a write; an ordinary send behind it where there is none.
Line::Options told(const fabric::Traits& traits, Bytes size, fabric::Wait wait) {
    if (traits.write_immediate)
        return {.op = fabric::Op::rdma_write_imm,
                .size = size,
                .notice = Notice::completion,
                .wait = wait};
    return {.op = fabric::Op::rdma_write, .size = size, .notice = Notice::extra_send, .wait = wait};
}

void measure_completion(Context& context, std::string_view tag, fabric::Wait wait) {
    Pair pair(context.rank(), tag,
              {.buffer = largest_size(context), .memory = context.request().memory});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (!watchable(context, pair, op, size)) return;
        auto parameters = parameters_of(context, op, size);
        const auto run = [&](const Line::Options& options) {
            Line line(pair, options);
            auto samples = ping_pong(line, latency_sampling(context, size));
            parameters[results::parameter::method] = std::string(method_of(options.notice));
            context.emit(parameters, results::metric::latency, results::unit::microseconds,
                         results::summarize(samples));
            return samples;
        };
        const auto watched = run({.op = op, .size = size, .notice = Notice::memory});
        auto overhead = run(told(pair.traits(), size, wait));
        for (std::size_t i = 0; i < overhead.size(); ++i)
            overhead[i] -= watched[i];
        context.emit(parameters, results::metric::completion_overhead, results::unit::microseconds,
                     results::summarize(overhead));
    });
    pair.part();
}

}  // namespace

void completion_polling(Context& context) {
    measure_completion(context, "completion-polling", fabric::Wait::spin);
}

void completion_blocking(Context& context) {
    measure_completion(context, "completion-blocking", fabric::Wait::sleep);
}

}  // namespace railyard::experiments
