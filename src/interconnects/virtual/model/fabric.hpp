#pragma once
/// A modelled interconnect behind the one interface, and the engine "model", which runs the
/// profiles that name no other.

#include <memory>

#include "faults/script.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

/// Nics of it need hosts::VirtualHost on the same engine. The engine must outlive the fabric, and
/// the fabric all that is opened on it.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const hardware::Parameters& parameters);
/// The same where faults strike, of a script that was read for these parameters; what they do is
/// written into `report`.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const hardware::Parameters& parameters,
                                     const faults::Script& script, const faults::Layout& layout,
                                     std::shared_ptr<fabric::FaultReport> report);

virtual_time::Engine engine();

}  // namespace railyard::model
