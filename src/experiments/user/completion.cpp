/// completion-polling and completion-blocking: what it costs to be told of an RDMA write, rather
/// than to watch memory for it. liu04 figs. 8a, 8b.

#include <string>

#include "experiments/core/sweep.hpp"
#include "experiments/user/line.hpp"
#include "experiments/user/procedures.hpp"

namespace railyard::experiments {

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
