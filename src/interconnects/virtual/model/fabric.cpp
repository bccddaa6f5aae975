#include "interconnects/virtual/model/fabric.hpp"

#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/model/traits.hpp"
#include "interconnects/virtual/model/wire.hpp"

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
