#pragma once
/// A rank that runs for real, in a process or in a thread of its own.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hosts/real_host.hpp"
#include "launch/job/board.hpp"
#include "launch/job/fabric_set.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/rank.hpp"

namespace railyard::job {

class RealRank : public Rank {
  public:
    /// How it reaches whoever started the job.
    struct Starter {
        std::function<void(std::string bytes)> deliver;
        std::function<void(int code, std::string_view why)> abort;  ///< must not return
        BoardBootstrap::Relay relay{};                              ///< where there are other hosts
    };

    /// Pins the calling thread, as the plan says. The plan outlives the rank.
    RealRank(const Plan& plan, int id, Board board, FindEntry find, Starter starter);

    int id() const override { return id_; }
    int size() const override { return plan_.ranks; }
    fabric::NodeId node_of(int rank) const override {
        return plan_.nodes.at(static_cast<std::size_t>(rank));
    }
    bool shares_core() const override { return plan_.shares_core; }
    const Settings& all_settings() const override { return plan_.settings; }
    const Plan& plan() const { return plan_; }
    fabric::Host& host() override { return host_; }
    Bootstrap& bootstrap() override { return bootstrap_; }
    fabric::Nic& nic() override;
    std::unique_ptr<fabric::Nic> open(std::string_view fabric) override;
    void deliver(std::string bytes) override { starter_.deliver(std::move(bytes)); }
    void abort(int code, std::string_view why) override;

  private:
    const Plan& plan_;
    int id_;
    BoardBootstrap bootstrap_;
    Starter starter_;
    // In this order: a Nic goes before its fabric, and both before the host.
    hosts::RealHost host_;
    FabricSet fabrics_;
    std::unique_ptr<fabric::Nic> nic_;
};

}  // namespace railyard::job
