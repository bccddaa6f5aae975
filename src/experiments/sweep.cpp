#include "experiments/sweep.hpp"

#include <algorithm>
#include <string>

#include "base/quantity.hpp"

namespace railyard::experiments {

Bytes largest_size(const Context& context) {
    const auto& sizes = context.request().sizes;
    return sizes.empty() ? Bytes(0) : std::ranges::max(sizes);
}

results::Parameters parameters_of(const Context& context, fabric::Op op, Bytes size) {
    namespace parameter = results::parameter;
    return {{parameter::message_bytes, static_cast<std::int64_t>(size.count())},
            {parameter::op, std::string(fabric::name(op))},
            {parameter::memory, std::string(name(context.request().memory))}};
}

void announce(Context& context, fabric::Op op, Bytes size) {
    context.progress(std::string(fabric::name(op)) + " " + to_string(size));
}

bool watchable(Context& context, const Pair& pair, fabric::Op op, Bytes size) {
    if (op != fabric::Op::rdma_write) return true;
    const bool placed = pair.traits().placement == fabric::Placement::last_byte_last;
    if (placed && size > Bytes(0)) return true;
    context.progress(placed
                         ? "rdma_write of no bytes: left out, there is no last byte to watch"
                         : "rdma_write: left out, this fabric does not place the last byte last");
    return false;
}

}  // namespace railyard::experiments
