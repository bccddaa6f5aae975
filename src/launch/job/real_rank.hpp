#pragma once
/// A rank that runs for real, in a process or in a thread of its own.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hosts/real_host.hpp"
#include "launch/job/board.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/rank.hpp"

namespace railyard::job {

class RealRank : public Rank {
  public:
    using Deliver = std::function<void(std::string bytes)>;
    using SayWaiting = std::function<void(const Waiting* what)>;

    /// Who it is, it knows from the bootstrap. Pins the calling thread, as the plan says, which
    /// outlives the rank.
    RealRank(const Plan& plan, std::unique_ptr<Bootstrap> bootstrap, FindEntry find,
             Deliver deliver, SayWaiting say_waiting = {});

    int id() const override { return id_; }
    int size() const override { return bootstrap_->size(); }
    fabric::NodeId node_of(int rank) const override { return bootstrap_->node_of(rank); }
    bool shares_core() const override { return plan_.shares_core; }
    const Settings& all_settings() const override { return plan_.settings; }
    fabric::Host& host() override { return host_; }
    Bootstrap& bootstrap() override { return *bootstrap_; }
    fabric::Nic& nic() override;
    std::unique_ptr<fabric::Nic> open(std::string_view fabric) override;
    /// Only a real job is on several hosts; models join their nodes themselves.
    std::string_view fabric_between_nodes() const override;
    void deliver(std::string bytes) override { deliver_(std::move(bytes)); }
    void say_waiting(const Waiting* what) override {
        if (say_waiting_) say_waiting_(what);
    }

  private:
    const Plan& plan_;
    std::unique_ptr<Bootstrap> bootstrap_;
    int id_;
    Deliver deliver_;
    SayWaiting say_waiting_;
    // In this order: a Nic goes before its fabric, and both before the host.
    hosts::RealHost host_;
    FabricSet fabrics_;
    std::unique_ptr<fabric::Nic> nic_;
};

/// How a rank on a board reaches its launcher.
struct LauncherLink {
    RealRank::Deliver deliver;
    BoardBootstrap::Abort abort;
    BoardBootstrap::Relay relay{};  ///< where there are other hosts
    RealRank::SayWaiting say_waiting{};
};
/// By frames, through a pipe, which stays the caller's. Aborting says so, then ends the process. A
/// relayed rank also says what it puts on its board.
LauncherLink link_by_frames(int frames_fd, bool relayed);

}  // namespace railyard::job
