#include "interconnects/quadrics/fabric/fabric.hpp"

#include "interconnects/quadrics/fabric/machine_parameters.hpp"
#include "interconnects/quadrics/fabric/wire.hpp"
#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/model/traits.hpp"

namespace railyard::quadrics {

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const model::Parameters& profile,
                                     fabric::NodeId nodes) {
    return std::make_unique<virtual_time::Fabric>(
        engine, model::traits(profile),
        std::make_unique<Wire>(engine, profile, machine_parameters(profile, nodes)));
}

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const model::Parameters& profile,
                                     fabric::NodeId nodes, const model::FaultScript& script,
                                     std::shared_ptr<fabric::FaultReport> report) {
    auto wire = std::make_unique<Wire>(engine, profile, machine_parameters(profile, nodes));
    wire->expect_faults(script, model::Ground::of(profile, nodes), std::move(report));
    return std::make_unique<virtual_time::Fabric>(engine, model::traits(profile), std::move(wire));
}

}  // namespace railyard::quadrics
