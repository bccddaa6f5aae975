#pragma once
/// A rank that runs for real, in a process or in a thread of its own.

#include <functional>
#include <memory>
#include <string>

#include "hosts/real_host.hpp"
#include "job/board.hpp"
#include "job/fabric_set.hpp"
#include "job/plan.hpp"
#include "job/rank.hpp"

namespace railyard::job {

class RealRank final : public Rank {
  public:
    using Deliver = std::function<void(std::string)>;

    /// Pins the calling thread, as the plan says. The plan outlives the rank.
    RealRank(const Plan& plan, int id, Board board, Deliver deliver);

    int id() const override { return id_; }
    int size() const override { return plan_.ranks; }
    fabric::NodeId node_of(int rank) const override {
        return plan_.nodes.at(static_cast<std::size_t>(rank));
    }
    fabric::Host& host() override { return host_; }
    Bootstrap& bootstrap() override { return bootstrap_; }
    fabric::Nic& nic() override;
    std::unique_ptr<fabric::Nic> open(std::string_view fabric) override;
    void deliver(std::string bytes) override { deliver_(std::move(bytes)); }

  private:
    const Plan& plan_;
    int id_;
    BoardBootstrap bootstrap_;
    Deliver deliver_;
    // In this order: a Nic goes before its fabric, and both before the host.
    hosts::RealHost host_;
    FabricSet fabrics_;
    std::unique_ptr<fabric::Nic> nic_;
};

}  // namespace railyard::job
