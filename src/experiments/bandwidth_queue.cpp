/// bandwidth-uni-queue and bandwidth-bi-queue: a stream with so many messages outstanding; one side
/// sends, or both at once. liu04 figs. 3, 5.

#include <string>

#include "experiments/procedures.hpp"
#include "experiments/rates.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

void measure_queue(Context& context, unsigned queue, Ways ways, const std::string& tag,
                   std::string_view metric) {
    Pair pair(context.rank(), tag,
              {.buffer = largest_size(context),
               .memory = context.request().memory,
               .sends = queue,
               .receives = 2 * queue + 1});
    unsigned point = 0;
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        auto samples =
            queued_stream(pair, op, size, queue, ways, queue_sampling(context, size, queue));
        if (ways == Ways::both) {
            samples =
                sum_of_both(context.rank(), tag + "/rates/" + std::to_string(point++), samples);
        }
        if (!pair.first()) return;
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::queue] = std::int64_t{queue};
        context.emit(std::move(parameters), metric, results::unit::megabytes_per_second,
                     results::summarize(samples));
    });
    pair.part();
}

void measure_queues(Context& context, Ways ways, const std::string& tag, std::string_view metric) {
    for (const unsigned queue : context.request().queues)
        measure_queue(context, queue, ways, tag + "/" + std::to_string(queue), metric);
}

}  // namespace

void bandwidth_uni_queue(Context& context) {
    measure_queues(context, Ways::one, "bandwidth-uni-queue", results::metric::bandwidth);
}

void bandwidth_bi_queue(Context& context) {
    measure_queues(context, Ways::both, "bandwidth-bi-queue", results::metric::bandwidth_aggregate);
}

}  // namespace railyard::experiments
