#include "interconnects/virtual/model/fabric.hpp"

#include <memory>
#include <utility>

#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/model/traffic.hpp"

namespace railyard::model {

namespace {

std::unique_ptr<fabric::Fabric> open_with(sim::Engine& engine,
                                          const hardware::Parameters& parameters,
                                          std::unique_ptr<FaultPlan> plan) {
    const auto traffic = std::make_shared<Traffic>(engine, parameters, std::move(plan));
    // Packets may still be under way when the fabric goes.
    engine.keep(traffic);
    return std::make_unique<virtual_time::Fabric>(engine, hardware::traits(parameters), traffic);
}

}  // namespace

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const hardware::Parameters& parameters) {
    return open_with(engine, parameters, nullptr);
}

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const hardware::Parameters& parameters,
                                     const faults::Script& script, const faults::Layout& layout,
                                     std::shared_ptr<fabric::FaultReport> report) {
    return open_with(engine, parameters,
                     std::make_unique<FaultPlan>(script, layout, std::move(report)));
}

namespace {

virtual_time::Described described(const profiles::Profile& profile) {
    const auto kept = std::make_shared<const hardware::Parameters>(hardware::read(profile));
    return {.traits = hardware::traits(*kept),
            .open = [kept](sim::Engine& engine, fabric::NodeId) { return open(engine, *kept); },
            .layout = [kept](fabric::NodeId nodes) { return hardware::layout(*kept, nodes); },
            .open_with_faults =
                [kept](sim::Engine& engine, fabric::NodeId nodes, const faults::Script& script,
                       std::shared_ptr<fabric::FaultReport> report) {
                    return open(engine, *kept, script, hardware::layout(*kept, nodes),
                                std::move(report));
                }};
}

}  // namespace

virtual_time::Engine engine() {
    return {{"model",
             "adapters, buses, links and switches as parts (docs/models.md)",
             {hardware::table()}},
            &described};
}

}  // namespace railyard::model
