#pragma once
/// The smallest interconnect there is, in virtual time: fixed latency and bandwidth, nothing else.
/// The measure of the others.

#include <memory>

#include "base/rate.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"
#include "sim/engine.hpp"

namespace railyard::ideal {

struct Parameters {
    Duration latency = Duration::us(1);  ///< from the last byte's leaving to its arrival
    Rate bandwidth =
        Rate::bytes_per_second(1e9);  ///< of each Nic's sending link; receiving is free
};

const fabric::Traits& traits();

/// Nics of it need hosts::VirtualHost on the same engine. The engine must outlive the fabric, and
/// the fabric all that is opened on it.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& parameters = {});

/// Memory that ranks of one node share: what a message takes through `shm`, as docs/running.md says
/// that it was measured.
std::unique_ptr<fabric::Fabric> open_node_memory(sim::Engine& engine);

/// Runs profiles with other numbers: section [ideal].
virtual_time::Engine engine();

}  // namespace railyard::ideal
