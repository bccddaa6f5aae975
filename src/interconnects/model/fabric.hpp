#pragma once
/// A modelled interconnect behind the one interface.

#include <memory>

#include "fabric/fabric.hpp"
#include "interconnects/model/parameters.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

/// Nics of it need hosts::VirtualHost on the same engine. The engine must outlive the fabric, and
/// the fabric all that is opened on it.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& parameters);

}  // namespace railyard::model
