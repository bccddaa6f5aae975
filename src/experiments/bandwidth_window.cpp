/// bandwidth-uni-window and bandwidth-bi-window: windows of messages, each answered by one small
/// reply; one side sends, or both at once. liu04pcie figs. 6, 7.

#include "experiments/procedures.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

void measure_windows(Context& context, Ways ways, std::string_view tag, std::string_view metric) {
    const unsigned window = context.request().window;
    Pair pair(context.rank(), tag,
              {.buffer = 2 * largest_size(context),
               .memory = context.request().memory,
               .sends = window + 8,
               .receives = window + 1});
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (size == Bytes(0)) return;
        const auto samples =
            windows(pair, op, size, window, ways, window_sampling(context, size * window));
        auto parameters = parameters_of(context, op, size);
        parameters[results::parameter::window] = std::int64_t{window};
        context.emit(std::move(parameters), metric, results::unit::megabytes_per_second,
                     results::summarize(samples));
    });
    pair.part();
}

}  // namespace

void bandwidth_uni_window(Context& context) {
    measure_windows(context, Ways::one, "bandwidth-uni-window", results::metric::bandwidth);
}

void bandwidth_bi_window(Context& context) {
    measure_windows(context, Ways::both, "bandwidth-bi-window",
                    results::metric::bandwidth_aggregate);
}

}  // namespace railyard::experiments
