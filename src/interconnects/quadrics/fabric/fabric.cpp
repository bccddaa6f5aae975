#include "interconnects/quadrics/fabric/fabric.hpp"

#include "interconnects/quadrics/fabric/wire.hpp"
#include "interconnects/virtual/common/fabric.hpp"

namespace railyard::quadrics {

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& profile,
                                     fabric::NodeId nodes) {
    return std::make_unique<virtual_time::Fabric>(
        engine, hardware::traits(profile),
        std::make_unique<Wire>(engine, profile, machine_parameters(profile, nodes)));
}

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& profile,
                                     fabric::NodeId nodes, const faults::Script& script,
                                     std::shared_ptr<fabric::FaultReport> report) {
    auto wire = std::make_unique<Wire>(engine, profile, machine_parameters(profile, nodes));
    wire->expect_faults(script, hardware::layout(profile, nodes), std::move(report));
    return std::make_unique<virtual_time::Fabric>(engine, hardware::traits(profile),
                                                  std::move(wire));
}

namespace {

virtual_time::Described described(const profiles::Profile& profile) {
    const auto kept = std::make_shared<const Parameters>(read(profile));
    return {.traits = hardware::traits(*kept),
            .open = [kept](sim::Engine& engine,
                           fabric::NodeId nodes) { return open(engine, *kept, nodes); },
            .layout = [kept](fabric::NodeId nodes) { return hardware::layout(*kept, nodes); },
            .open_with_faults =
                [kept](sim::Engine& engine, fabric::NodeId nodes, const faults::Script& script,
                       std::shared_ptr<fabric::FaultReport> report) {
                    return open(engine, *kept, nodes, script, std::move(report));
                }};
}

}  // namespace

virtual_time::Engine engine() {
    return {{"elan",
             "the machine of Quadrics, unit by unit and switch by switch (docs/elan.md)",
             {hardware::table(), elan_table()}},
            &described};
}

}  // namespace railyard::quadrics
