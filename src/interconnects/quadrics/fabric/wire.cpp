#include "interconnects/quadrics/fabric/wire.hpp"

#include <fmt/format.h>

namespace railyard::quadrics {

using virtual_time::HostStep;

Wire::Wire(sim::Engine& engine, const hardware::Parameters& profile,
           const elan::Parameters& machine)
    : engine_(engine),
      profile_(profile),
      machine_(machine),
      traffic_(std::make_shared<Traffic>(engine, machine)) {
    // Packets may still be under way when the fabric goes.
    engine.keep(traffic_);
}

void Wire::expect_faults(const faults::Script& script, const faults::Layout& layout,
                         std::shared_ptr<fabric::FaultReport> report) {
    faults_ =
        std::make_shared<MachineFaults>(traffic_->machine(), script, layout, std::move(report));
    engine_.keep(faults_);
}

void Wire::stop() {
    traffic_->stop();
    if (faults_) faults_->tell_when_given_up(nullptr);
}

void Wire::complete(const virtual_time::End& end, const virtual_time::Finished& what,
                    sim::Action visible) {
    const hardware::Completion& library = profile_.completion;
    const bool with_data = what.receive && what.size > Bytes() && what.size <= library.with_data;
    traffic_->complete(end, with_data ? std::nullopt : std::optional(library.write),
                       std::move(visible));
}

/// Of the process' steps, what it writes to the adapter is the machine's to say.
Duration Wire::host_cost(HostStep step, Bytes size) const {
    const elan::HostCosts& host = machine_.host;
    switch (step) {
        case HostStep::post_send:
            return host.descriptor + host.command;
        case HostStep::tagged_send:
            return machine_.tports.post + host.descriptor + host.command;
        case HostStep::tagged_receive:
            return machine_.tports.post + host.command;
        default:
            return hardware::host_cost(profile_, step, size);
    }
}

hosts::VirtualHost::Costs Wire::host_costs() const {
    return hardware::host_costs(profile_);
}

virtual_time::TaggedRules Wire::tagged_rules() const {
    return hardware::tagged_rules(profile_);
}

std::vector<fabric::PartUse> Wire::parts() const {
    return traffic_->parts();
}

}  // namespace railyard::quadrics
