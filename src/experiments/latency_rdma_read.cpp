/// latency-rdma-read: one read after the other, whole operation. liu04pcie fig. 4.

#include "experiments/procedures.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

void latency_rdma_read(Context& context) {
    Pair pair(context.rank(), "latency-rdma-read",
              {.buffer = largest_size(context), .memory = context.request().memory});
    sweep(context, [&](fabric::Op op, Bytes size) {
        const auto samples = one_sided(pair, op, size, latency_sampling(context, size));
        if (!pair.first()) return;
        context.emit(parameters_of(context, op, size), results::metric::latency,
                     results::unit::microseconds, results::summarize(samples));
    });
    pair.part();
}

}  // namespace railyard::experiments
