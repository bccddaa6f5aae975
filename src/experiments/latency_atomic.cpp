/// latency-atomic: one atomic after the other on one word of the peer, whole operation.
/// liu04pcie fig. 5.

#include "experiments/procedures.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

void latency_atomic(Context& context) {
    constexpr Bytes word(8);
    Pair pair(context.rank(), "latency-atomic",
              {.buffer = word, .memory = context.request().memory});
    for (const fabric::Op op : context.request().ops) {
        announce(context, op, word);
        const auto samples = one_sided(pair, op, word, latency_sampling(context, word));
        if (!pair.first()) continue;
        context.emit(parameters_of(context, op, word), results::metric::latency,
                     results::unit::microseconds, results::summarize(samples));
    }
    pair.part();
}

}  // namespace railyard::experiments
