#include "experiments/mpi_rounds.hpp"

#include <algorithm>

namespace railyard::experiments {

namespace {

/// As many as move that much, within limits.
unsigned fitting(Bytes budget, Bytes each, unsigned least, unsigned most) {
    if (each.count() == 0) return most;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(budget / each, least, most));
}

/// A library uses the buffers that it keeps for a peer in turn, and an adapter meets each of them
/// for the first time once: the steady state begins after that.
constexpr unsigned round_of_buffers = 40;

}  // namespace

Sampling ping_pong_rounds(const Context& context, Bytes size) {
    if (context.virtual_time()) return with_wishes(context, round_of_buffers, 6, 1);
    return latency_sampling(context, size);
}

Sampling window_rounds(const Context& context, Bytes size) {
    const Bytes window = size * context.request().window;
    if (context.virtual_time())
        return with_wishes(context, 1, fitting(Bytes(256 << 20), window, 3, 16), 1);
    const bool quick = context.request().quick;
    const unsigned n = fitting(Bytes(8ULL << 30), window, 20, quick ? 20 : 100);
    return with_wishes(context, 2, n, 10);
}

Sampling train_rounds(const Context& context, Bytes size) {
    if (context.virtual_time())
        return with_wishes(context, 2, fitting(Bytes(16 << 20), size, 4, 1024), 1);
    const unsigned most = context.request().quick ? 1'000 : 10'000;
    return with_wishes(context, 100, fitting(Bytes(4ULL << 30), size, 100, most), 10);
}

Sampling reuse_rounds(const Context& context, Bytes) {
    if (context.virtual_time()) return with_wishes(context, round_of_buffers, 8, 1);
    return with_wishes(context, 100, context.request().quick ? 256 : 1000, 10);
}

Sampling queue_rounds(const Context& context, Bytes) {
    if (context.virtual_time()) return with_wishes(context, round_of_buffers, 4, 1);
    return with_wishes(context, 100, context.request().quick ? 500 : 5'000, 50);
}

Sampling thousand_rounds(const Context& context, Bytes) {
    return with_wishes(context, 0, 1'000, 1);
}

Sampling collective_rounds(const Context& context, Bytes size) {
    if (context.virtual_time())
        return with_wishes(context, 4, fitting(Bytes(1 << 20), size, 4, 20), 1);
    const unsigned most = context.request().quick ? 200 : 2'000;
    return with_wishes(context, 20, fitting(Bytes(1ULL << 30), size, 20, most), 20);
}

}  // namespace railyard::experiments
