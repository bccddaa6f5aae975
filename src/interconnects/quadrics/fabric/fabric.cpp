#include "interconnects/quadrics/fabric/fabric.hpp"

#include <memory>
#include <utility>

#include "interconnects/quadrics/fabric/traffic.hpp"
#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"

namespace railyard::quadrics {

namespace {

fabric::Traits traits_of(const Parameters& profile) {
    fabric::Traits traits = hardware::traits(profile);
    traits.network_barrier = traits.network_broadcast = true;
    return traits;
}

std::shared_ptr<Traffic> make_traffic(sim::Engine& engine, const Parameters& profile,
                                      fabric::NodeId nodes) {
    auto traffic = std::make_shared<Traffic>(engine, profile, machine_parameters(profile, nodes));
    // Packets may still be under way when the fabric goes.
    engine.keep(traffic);
    return traffic;
}

}  // namespace

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& profile,
                                     fabric::NodeId nodes) {
    return std::make_unique<virtual_time::Fabric>(engine, traits_of(profile),
                                                  make_traffic(engine, profile, nodes));
}

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& profile,
                                     fabric::NodeId nodes, const faults::Script& script,
                                     std::shared_ptr<fabric::FaultReport> report) {
    auto traffic = make_traffic(engine, profile, nodes);
    traffic->expect_faults(script, hardware::layout(profile, nodes), std::move(report));
    return std::make_unique<virtual_time::Fabric>(engine, traits_of(profile), std::move(traffic));
}

namespace {

virtual_time::Described described(const profiles::Profile& profile) {
    const auto kept = std::make_shared<const Parameters>(read(profile));
    return {.traits = traits_of(*kept),
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
