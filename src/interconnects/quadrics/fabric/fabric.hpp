#pragma once
/// Quadrics behind the one interface, on an Elan machine.

#include <memory>

#include "interconnects/virtual/model/fault_script.hpp"
#include "interconnects/virtual/model/parameters.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "sim/engine.hpp"

namespace railyard::quadrics {

/// For that many nodes. Nics of it need hosts::VirtualHost on the same engine. The engine must
/// outlive the fabric, and the fabric all that is opened on it.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const model::Parameters& profile,
                                     fabric::NodeId nodes);
/// The same where faults strike, of a script that was read for this profile and that many nodes;
/// what they do is written into `report`.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const model::Parameters& profile,
                                     fabric::NodeId nodes, const model::FaultScript& script,
                                     std::shared_ptr<fabric::FaultReport> report);

}  // namespace railyard::quadrics
