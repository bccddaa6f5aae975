#pragma once
/// A fabric in virtual time: the semantics of the interface, which all such fabrics share, over a
/// Wire, which is what tells them apart.

#include <map>
#include <memory>
#include <vector>

#include "interconnects/virtual/common/network.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "railyard/fabric.hpp"
#include "sim/engine.hpp"

namespace railyard::virtual_time {

class Adapter final : public fabric::Adapter {
  public:
    Adapter(std::shared_ptr<Network> network, fabric::NodeId node)
        : network_(std::move(network)), node_(node) {}
    /// The host must be a hosts::VirtualHost on the fabric's engine.
    std::unique_ptr<fabric::Nic> open(fabric::Host& host) override;

  private:
    std::shared_ptr<Network> network_;
    fabric::NodeId node_;
};

/// The engine must outlive the fabric, and the fabric all Nics that are opened on it.
class Fabric final : public fabric::Fabric {
  public:
    /// The wire is shared with events that are still under way when the fabric goes.
    Fabric(sim::Engine& engine, const fabric::Traits& traits, std::shared_ptr<Wire> wire)
        : network_(std::make_shared<Network>(engine, traits, std::move(wire))) {}
    ~Fabric() override { network_->wire->stop(); }

    const fabric::Traits& traits() const override { return network_->traits; }
    fabric::Adapter& adapter(fabric::NodeId node) override;
    std::vector<fabric::PartUse> parts() const override { return network_->wire->parts(); }
    std::uint64_t receiver_not_ready() const override { return network_->receiver_not_ready; }

  private:
    std::shared_ptr<Network> network_;
    std::map<fabric::NodeId, Adapter> adapters_;
};

}  // namespace railyard::virtual_time
