/// bandwidth-uni-two-port and bandwidth-bi-two-port: windows of messages between two processes over
/// both ports; one side sends, or both at once. liu04pcie figs. 8, 9.

#include "experiments/ports.hpp"

namespace railyard::experiments {

void bandwidth_uni_two_port(Context& context) {
    measure_ports(context,
                  {.processes = 1,
                   .ways = Ways::one,
                   .binding = false,  // that would be one port
                   .metric = results::metric::bandwidth},
                  "bandwidth-uni-two-port");
}

void bandwidth_bi_two_port(Context& context) {
    measure_ports(context,
                  {.processes = 1,
                   .ways = Ways::both,
                   .binding = true,
                   .metric = results::metric::bandwidth_aggregate},
                  "bandwidth-bi-two-port");
}

}  // namespace railyard::experiments
