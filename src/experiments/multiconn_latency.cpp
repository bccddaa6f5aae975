/// multiconn-latency: a ping-pong over many connections at once. In each round a message goes out
/// over every connection, one after the other, and as many come back. rashti07 fig. 2.

#include <algorithm>

#include "experiments/connections.hpp"
#include "experiments/sampling.hpp"
#include "experiments/stamp.hpp"

namespace railyard::experiments {

namespace {

/// Rounds, not messages: the more connections, the fewer.
Sampling sampling_for(const Context& context, Bytes size, std::size_t connections) {
    Sampling sampling = latency_sampling(context, size * connections);
    if (context.virtual_time()) return sampling;
    const auto fewer = [&](unsigned n) {
        return std::max(2U, n / static_cast<unsigned>(connections));
    };
    return {fewer(sampling.warmup), sampling.samples, fewer(sampling.batch)};
}

std::vector<double> rounds(Bundle& bundle, Slots& slots, const Sampling& sampling) {
    Stamp sent;
    Stamp seen;
    const auto send = [&] {
        const std::byte stamp = sent.next();
        for (std::size_t i = 0; i < slots.count(); ++i) {
            slots.out(i) = stamp;
            bundle.post_quietly(i, slots.request(i));
        }
    };
    const auto await = [&] {
        const std::byte stamp = seen.next();
        std::size_t next = 0;
        bundle.wait([&] {
            while (next < slots.count() && fabric::arrived(slots.in(next), stamp))
                ++next;
            return next == slots.count();
        });
    };
    bundle.meet();
    const auto times = time_batches(bundle.host(), sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            if (bundle.first()) send();
            await();
            if (!bundle.first()) send();
        }
    });
    bundle.meet();
    return microseconds(times, 2.0 * sampling.batch * static_cast<double>(slots.count()));
}

}  // namespace

void multiconn_latency(Context& context) {
    if (context.rank().nic().traits().placement != fabric::Placement::last_byte_last)
        return context.left_out("all: this fabric does not place the last byte last");
    constexpr unsigned sends = 16;
    for_connections(context, "multiconn-latency", sends,
                    [&](Bundle& bundle, Slots& slots, Bytes size, const std::string&) {
                        const auto samples =
                            rounds(bundle, slots, sampling_for(context, size, slots.count()));
                        context.emit(connection_parameters(context, size, slots.count()),
                                     results::metric::normalized_latency,
                                     results::unit::microseconds, results::summarize(samples));
                    });
}

}  // namespace railyard::experiments
