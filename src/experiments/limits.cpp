/// limits: what the machine itself can do, measured by raw code. Every other result on this machine
/// is to be seen beside these.

#include <algorithm>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "experiments/raw_limits.hpp"
#include "experiments/raw_tcp.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

namespace metric = results::metric;
namespace unit = results::unit;

constexpr unsigned window = raw::default_window;

results::Parameters with_size(Bytes size) {
    return {{results::parameter::message_bytes, static_cast<std::int64_t>(size.count())}};
}

/// The sizes asked for; a message of no bytes has no rate.
std::vector<Bytes> sizes_of(const Context& context) {
    std::vector<Bytes> sizes = context.request().sizes;
    std::erase(sizes, Bytes(0));
    return sizes;
}

void emit(Context& context, results::Parameters parameters, std::string_view metric,
          std::string_view unit, const std::vector<double>& samples) {
    if (context.rank().id() != 0) return;
    context.emit(std::move(parameters), metric, unit, results::summarize(samples));
}

void announce(Context& context, std::string_view metric, Bytes size) {
    context.progress(std::string(metric) + " " + to_string(size));
}

void pipelines(Context& context, raw::Pair& pair) {
    for (const Bytes size : sizes_of(context)) {
        announce(context, metric::copy_pipeline, size);
        const raw::Cut cut = raw::best_cut(pair, size, window);
        auto parameters = with_size(size);
        parameters["chunk_bytes"] = static_cast<std::int64_t>(cut.chunk.count());
        parameters["ring_bytes"] = static_cast<std::int64_t>((cut.chunk * cut.depth).count());
        emit(context, std::move(parameters), metric::copy_pipeline, unit::megabytes_per_second,
             raw::copy_pipeline(pair, size, cut, window, window_sampling(context, size * window)));
    }
}

void readv(Context& context, raw::Pair& pair) {
    const std::string forbidden = raw::process_vm_readv_forbidden(pair);
    if (!forbidden.empty()) {
        context.progress("process_vm_readv: left out, the kernel does not allow it (" + forbidden +
                         ")");
        return;
    }
    for (const Bytes size : sizes_of(context)) {
        announce(context, metric::process_vm_readv, size);
        emit(context, with_size(size), metric::process_vm_readv, unit::megabytes_per_second,
             raw::process_vm_readv(pair, size, latency_sampling(context, size)));
    }
}

void tcp(Context& context, raw::Pair& pair) {
    raw::Tcp tcp(pair, "limits/tcp");
    for (const Bytes size : {Bytes(1), Bytes(8), Bytes(64), Bytes(1 << 10), Bytes(4 << 10)}) {
        announce(context, metric::tcp, size);
        emit(context, with_size(size), metric::tcp, unit::microseconds,
             tcp.latency(size, latency_sampling(context, size)));
    }
    for (const Bytes size : sizes_of(context)) {
        announce(context, metric::tcp, size);
        emit(context, with_size(size), metric::tcp, unit::megabytes_per_second,
             tcp.bandwidth(size, window, window_sampling(context, size * window)));
    }
}

}  // namespace

void limits(Context& context) {
    // The ring of the largest cut has to fit, and so have a hundred places for a cache line.
    Bytes bulk = std::max(largest_size(context), Bytes(1 << 20));
    for (const raw::Cut cut : raw::cuts())
        bulk = std::max(bulk, cut.chunk * cut.depth);
    raw::Pair pair(context.rank(), "limits", bulk);

    context.progress(metric::cache_line_handover);
    emit(context, {}, metric::cache_line_handover, unit::microseconds,
         raw::cache_line_handover(pair, latency_sampling(context, Bytes(8))));
    for (const Bytes size : sizes_of(context)) {
        announce(context, metric::copy, size);
        emit(context, with_size(size), metric::copy, unit::megabytes_per_second,
             raw::copy(pair, size, window, window_sampling(context, size * window)));
    }
    pipelines(context, pair);
    readv(context, pair);
    tcp(context, pair);
}

}  // namespace railyard::experiments
