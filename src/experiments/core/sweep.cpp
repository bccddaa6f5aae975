#include "experiments/core/sweep.hpp"

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

}  // namespace railyard::experiments
