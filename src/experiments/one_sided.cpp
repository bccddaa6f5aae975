#include <cstring>

#include "experiments/procedures.hpp"

namespace railyard::experiments {

std::vector<double> one_sided(Pair& pair, fabric::Op op, Bytes size, const Sampling& sampling) {
    const fabric::Slice here(pair.local(), Bytes(0), size);
    fabric::WorkRequest request;
    request.op = op;
    request.local = {&here, 1};
    request.remote = {&pair.peer_target(), Bytes(0)};
    // A compare-and-swap of nought for nought succeeds, and writes, every time.
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

}  // namespace railyard::experiments
