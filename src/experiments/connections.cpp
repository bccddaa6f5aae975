#include "experiments/connections.hpp"

#include "base/quantity.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

constexpr unsigned most_connections = 256;

}  // namespace

std::vector<unsigned> connection_counts(Context& context) {
    const std::uint32_t limit = context.rank().nic().traits().max_queue_pairs;
    const unsigned step = context.request().quick ? 8 : 2;
    std::vector<unsigned> counts;
    for (unsigned n = 1; n <= most_connections; n *= step)
        if (limit == 0 || n <= limit) counts.push_back(n);
    if (limit != 0 && limit < most_connections)
        context.left_out("more than " + std::to_string(limit) +
                         " connections: the fabric holds no more");
    return counts;
}

Slots::Slots(Bundle& bundle, Bytes size)
    : bundle_(bundle),
      size_(size),
      sources_(bundle.connections()),
      requests_(bundle.connections()) {
    for (std::size_t i = 0; i < count(); ++i) {
        const Bytes at = i * stride(size);
        sources_[i] = fabric::Slice(bundle.local(), at, size);
        requests_[i].op = fabric::Op::rdma_write;
        requests_[i].local = {&sources_[i], 1};
        requests_[i].remote = {&bundle.peer_target(), at};
        *in(i) = std::byte{0};
    }
}

Bytes Slots::buffer(unsigned connections, Bytes largest) {
    return connections * stride(largest);
}

results::Parameters connection_parameters(const Context& context, Bytes size,
                                          std::size_t connections) {
    auto parameters = parameters_of(context, fabric::Op::rdma_write, size);
    parameters[results::parameter::connections] = static_cast<std::int64_t>(connections);
    return parameters;
}

void for_connections(
    Context& context, std::string_view tag, unsigned sends,
    const std::function<void(Bundle&, Slots&, Bytes, const std::string&)>& measure) {
    for (const unsigned count : connection_counts(context)) {
        const std::string key = std::string(tag) + "/" + std::to_string(count);
        // Just so many: on some interconnects even idle connections cost something.
        Bundle bundle(context.rank(), key,
                      {.peer = 1 - context.rank().id(),
                       .ports = std::vector<unsigned>(count, 0),
                       .buffer = Slots::buffer(count, largest_size(context)),
                       .memory = context.request().memory,
                       .sends = sends});
        unsigned point = 0;
        for (const Bytes size : context.request().sizes) {
            if (size == Bytes(0)) continue;
            context.progress(std::to_string(count) + " connections, " + to_string(size));
            Slots slots(bundle, size);
            measure(bundle, slots, size, key + "/" + std::to_string(point++));
        }
        context.rank().bootstrap().fence();
    }
}

}  // namespace railyard::experiments
