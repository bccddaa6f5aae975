#pragma once
/// A modelled interconnect behind the one interface.

#include <memory>

#include "interconnects/virtual/model/fault_script.hpp"
#include "interconnects/virtual/model/parameters.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

/// Nics of it need hosts::VirtualHost on the same engine. The engine must outlive the fabric, and
/// the fabric all that is opened on it.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& parameters);
/// The same where faults strike, of a script that was read for these parameters; what they do is
/// written into `report`.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& parameters,
                                     const FaultScript& script, const Ground& ground,
                                     std::shared_ptr<fabric::FaultReport> report);

}  // namespace railyard::model
