/// buffer-reuse-fifo: a stream that goes round a number of buffers. Up to the size of the adapter's
/// translation cache their number does not matter. liu04 fig. 9.

#include <algorithm>
#include <string>

#include "experiments/procedures.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

/// Every buffer is used before the clock starts, and equally often in each batch.
Sampling whole_rounds(const Context& context, Bytes size, unsigned queue, unsigned buffers) {
    Sampling sampling = queue_sampling(context, size, queue);
    if (context.request().iterations) return sampling;
    sampling.warmup = std::max(sampling.warmup, buffers);
    sampling.batch = (sampling.batch + buffers - 1) / buffers * buffers;
    return sampling;
}

void measure(Context& context, unsigned buffers, unsigned queue) {
    Pair pair(context.rank(),
              "buffer-reuse-fifo/" + std::to_string(buffers) + "/" + std::to_string(queue),
              {.buffer = buffers * largest_size(context),
               .memory = context.request().memory,
               .sends = queue,
               .receives = 4});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        std::vector<Bytes> places;
        for (unsigned i = 0; i < buffers; ++i)
            places.push_back(i * size);
        const auto samples = queued_stream(pair, op, size, queue, Ways::one,
                                           whole_rounds(context, size, queue, buffers), places);
        if (!pair.first()) return;
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::queue] = std::int64_t{queue};
        parameters[results::parameter::buffers] = std::int64_t{buffers};
        context.emit(std::move(parameters), results::metric::bandwidth,
                     results::unit::megabytes_per_second, results::summarize(samples));
    });
    pair.part();
}

}  // namespace

void buffer_reuse_fifo(Context& context) {
    for (const unsigned queue : context.request().queues)
        for (const unsigned buffers : context.request().buffers)
            measure(context, buffers, queue);
}

}  // namespace railyard::experiments
