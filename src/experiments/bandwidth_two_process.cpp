/// bandwidth-uni-two-process and bandwidth-bi-two-process: two processes a node, each with its peer
/// on the other; the sum of both pairs while both are at work. liu04pcie figs. 10, 11.

#include "experiments/ports.hpp"

namespace railyard::experiments {

namespace {

void measure(Context& context, Ways ways, std::string_view tag) {
    measure_ports(context,
                  {.processes = 2,
                   .ways = ways,
                   .binding = true,
                   .metric = results::metric::bandwidth_aggregate},
                  tag);
}

}  // namespace

void bandwidth_uni_two_process(Context& context) {
    measure(context, Ways::one, "bandwidth-uni-two-process");
}

void bandwidth_bi_two_process(Context& context) {
    measure(context, Ways::both, "bandwidth-bi-two-process");
}

}  // namespace railyard::experiments
