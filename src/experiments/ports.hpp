#pragma once
/// What the four experiments with two ports have in common: windows of messages between two nodes,
/// by one process a node or by two, over one port, striped over two, or with each bound to one.

#include <string_view>

#include "experiments/experiment.hpp"
#include "experiments/procedures.hpp"

namespace railyard::experiments {

struct PortsPlan {
    int processes = 1;  ///< a node
    Ways ways = Ways::one;
    /// Binding: different processes, or the two directions of one, use different ports (MP-4).
    bool binding = false;
    std::string_view metric{};
};

/// Measures one port, striping, and binding if the plan has it. Where there is only one port, what
/// needs two is left out.
void measure_ports(Context& context, const PortsPlan& plan, std::string_view tag);

}  // namespace railyard::experiments
