#pragma once
/// A user's Network as a fabric in virtual time: the times are the user's, the rest is as in all
/// others.

#include <functional>
#include <memory>

#include "railyard/fabric.hpp"
#include "railyard/network.hpp"
#include "railyard/traits.hpp"
#include "sim/engine.hpp"

namespace railyard::own {

/// Fills in what the user left open, and what is the same for every such network.
fabric::Traits completed(fabric::Traits traits);

/// The engine must outlive the fabric, and the fabric all that is opened on it.
std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const fabric::Traits& traits,
                                     std::unique_ptr<fabric::Network> network);

}  // namespace railyard::own
