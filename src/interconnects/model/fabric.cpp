#include "interconnects/model/fabric.hpp"

#include "interconnects/model/traits.hpp"
#include "interconnects/model/wire.hpp"
#include "interconnects/virtual/fabric.hpp"

namespace railyard::model {

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& parameters) {
    return std::make_unique<virtual_time::Fabric>(engine, traits(parameters),
                                                  std::make_unique<Wire>(engine, parameters));
}

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& parameters,
                                     const FaultScript& script, const Ground& ground,
                                     std::shared_ptr<fabric::FaultReport> report) {
    return std::make_unique<virtual_time::Fabric>(
        engine, traits(parameters),
        std::make_unique<Wire>(engine, parameters,
                               std::make_unique<FaultPlan>(script, ground, std::move(report))));
}

}  // namespace railyard::model
