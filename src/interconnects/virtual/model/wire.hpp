#pragma once
/// A modelled interconnect as the semantics of virtual fabrics know it.

#include <memory>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/model/traffic.hpp"

namespace railyard::model {

class Wire final : public virtual_time::Wire {
  public:
    /// `plan`: of faults; null: there are none.
    Wire(sim::Engine& engine, const hardware::Parameters& parameters,
         std::unique_ptr<FaultPlan> plan = nullptr)
        : parameters_(parameters),
          traffic_(std::make_shared<Traffic>(engine, parameters, std::move(plan))) {
        // Packets may still be under way when the fabric goes.
        engine.keep(traffic_);
    }

    void carry(const virtual_time::Transfer& transfer, sim::Action arrived) override {
        traffic_->carry(transfer, std::move(arrived));
    }
    void place(const virtual_time::Transfer& transfer, sim::Action placed) override {
        traffic_->place(transfer, std::move(placed));
    }
    void complete(const virtual_time::End& end, const virtual_time::Finished& what,
                  sim::Action visible) override {
        traffic_->complete(end, what, std::move(visible));
    }
    void match(const virtual_time::End& end, std::size_t posted, std::size_t unexpected,
               sim::Action matched) override {
        traffic_->match(end, posted, unexpected, std::move(matched));
    }
    void opened(const virtual_time::End& end) override { traffic_->opened(end); }
    void closed(const virtual_time::End& end) override { traffic_->closed(end); }
    void forgotten(const virtual_time::End& end, std::uint64_t region) override {
        traffic_->forgotten(end, region);
    }
    void stop() override { traffic_->stop(); }
    std::vector<fabric::PartUse> parts() const override { return traffic_->parts(); }

    bool can_break() const override { return traffic_->faults() != nullptr; }
    void tell_when_given_up(GivenUp given_up) override {
        traffic_->faults()->given_up = std::move(given_up);
    }

    virtual_time::TaggedRules tagged_rules() const override {
        return hardware::tagged_rules(parameters_);
    }
    Duration host_cost(virtual_time::HostStep step, Bytes size) const override {
        return hardware::host_cost(parameters_, step, size);
    }
    hosts::VirtualHost::Costs host_costs() const override {
        return hardware::host_costs(parameters_);
    }

  private:
    const hardware::Parameters parameters_;
    const std::shared_ptr<Traffic> traffic_;
};

}  // namespace railyard::model
