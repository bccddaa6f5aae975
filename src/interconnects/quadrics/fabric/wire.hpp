#pragma once
/// Quadrics as the semantics of virtual fabrics know it: what a profile says of software, over an
/// Elan machine.

#include <memory>
#include <vector>

#include "interconnects/quadrics/fabric/machine_faults.hpp"
#include "interconnects/quadrics/fabric/traffic.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"

namespace railyard::quadrics {

class Wire final : public virtual_time::Wire {
  public:
    Wire(sim::Engine& engine, const hardware::Parameters& profile, const elan::Parameters& machine);
    /// From now on, faults of that script strike; what they do is written into the report.
    void expect_faults(const faults::Script& script, const faults::Layout& layout,
                       std::shared_ptr<fabric::FaultReport> report);

    void carry(const virtual_time::Transfer& transfer, sim::Action arrived) override {
        traffic_->carry(transfer, std::move(arrived));
    }
    void place(const virtual_time::Transfer& transfer, sim::Action placed) override {
        traffic_->place(transfer, std::move(placed));
    }
    void complete(const virtual_time::End& end, const virtual_time::Finished& what,
                  sim::Action visible) override;
    void match(const virtual_time::End& end, std::size_t posted, std::size_t unexpected,
               sim::Action matched) override {
        traffic_->match(end, posted + unexpected, std::move(matched));
    }
    void forgotten(const virtual_time::End& end, std::uint64_t region) override {
        traffic_->forgotten(end, region);
    }
    void stop() override;
    bool can_break() const override { return faults_ != nullptr; }
    void tell_when_given_up(GivenUp given_up) override {
        faults_->tell_when_given_up(std::move(given_up));
    }
    std::vector<fabric::PartUse> parts() const override;

    virtual_time::TaggedRules tagged_rules() const override;
    Duration host_cost(virtual_time::HostStep step, Bytes size) const override;
    hosts::VirtualHost::Costs host_costs() const override;

  private:
    sim::Engine& engine_;
    const hardware::Parameters profile_;
    const elan::Parameters machine_;
    const std::shared_ptr<Traffic> traffic_;
    std::shared_ptr<MachineFaults> faults_;  ///< null: there are none
};

}  // namespace railyard::quadrics
