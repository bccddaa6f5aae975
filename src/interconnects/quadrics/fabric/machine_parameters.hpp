#pragma once
/// The numbers of the machine of Quadrics, from a profile: its table [elan], and what the other
/// tables have already said.

#include "interconnects/quadrics/elan/parameters.hpp"
#include "interconnects/virtual/model/parameters.hpp"
#include "railyard/fabric.hpp"

namespace railyard::quadrics {

/// Of a tagged message; a small one's data fill the rest of its packet.
constexpr Bytes envelope_size{32};

/// A machine with at least so many nodes. Throws UsageError where the profile describes one that
/// cannot be built: a crossbar, two ports, packets of another size.
elan::Parameters machine_parameters(const model::Parameters& profile, fabric::NodeId nodes);

}  // namespace railyard::quadrics
