#pragma once
/// Quadrics behind the one interface, on an Elan machine, and the engine "elan", which runs the
/// profiles that name it.

#include <memory>

#include "interconnects/quadrics/fabric/machine_parameters.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "sim/engine.hpp"

namespace railyard::quadrics {

/// For that many nodes. Nics of it need hosts::VirtualHost on the same engine. The engine must
/// outlive the fabric, and the fabric all that is opened on it.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& profile,
                                     fabric::NodeId nodes);
/// The same where faults strike, of a script that was read for this profile and that many nodes;
/// what they do is written into `report`.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& profile,
                                     fabric::NodeId nodes, const faults::Script& script,
                                     std::shared_ptr<fabric::FaultReport> report);

virtual_time::Engine engine();

}  // namespace railyard::quadrics
