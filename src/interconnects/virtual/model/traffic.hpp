#pragma once
/// The messages of a modelled interconnect: what happens to each at which part, in what order, from
/// the moment a rank has posted a request until the peer can see the data.
///
///     doorbell, descriptor read -> send engine -> lane (bus, link, switches) -> target:
///     receive engine -> lane (bus) -> in memory -> acknowledgment -> completion
///
/// The target's side is in arrival.cpp, the rest in traffic.cpp.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/model/fault_plan.hpp"
#include "interconnects/virtual/model/node.hpp"
#include "interconnects/virtual/model/reliability.hpp"
#include "interconnects/virtual/model/topology.hpp"

namespace railyard::model {

class Traffic final : public virtual_time::Wire {
  public:
    /// `plan`: of faults; null: there are none.
    Traffic(sim::Engine& engine, const hardware::Parameters& parameters,
            std::unique_ptr<FaultPlan> plan);
    ~Traffic() override;

    void carry(const virtual_time::Transfer& transfer, sim::Action arrived) override;
    void carry_unheard(const virtual_time::Transfer& transfer, sim::Action arrived) override;
    void tell(const virtual_time::End& end) override;
    void tell_by_events(const virtual_time::End& end) override;
    void place(const virtual_time::Transfer& transfer, sim::Action placed) override;
    virtual_time::NotReady not_ready() const override {
        const hardware::Reliability& rules = parameters_.reliability;
        return {rules.rnr_timer, rules.rnr_retries, rules.rnr_breaks};
    }
    void drop() override;
    void recall(const virtual_time::End& from) override;
    void complete(const virtual_time::End& end, const virtual_time::Finished& what,
                  sim::Action visible) override;
    void match(const virtual_time::End& end, std::size_t posted, std::size_t unexpected,
               sim::Action matched) override;
    void opened(const virtual_time::End& end) override { ++node(end.node).open_queue_pairs; }
    void closed(const virtual_time::End& end) override { --node(end.node).open_queue_pairs; }
    void forgotten(const virtual_time::End& end, std::uint64_t region) override {
        node(end.node).pages.forget(end.nic, region);
    }
    /// Events that are under way find nothing to do any more, but still find this object: the
    /// engine keeps it.
    void stop() override;
    std::vector<fabric::PartUse> parts() const override;

    bool can_break() const override { return plan_ != nullptr; }
    void tell_when_given_up(GivenUp given_up) override { plan_->given_up = std::move(given_up); }

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
    struct Parcel;

    Node& node(fabric::NodeId id);
    Parcel& take_parcel(const virtual_time::Transfer& transfer, sim::Action arrived);
    Parcel& wrap(const virtual_time::Transfer& transfer, sim::Action arrived);
    void acknowledge(const virtual_time::Transfer& transfer, sim::Action arrived,
                     Processor::Hearing hearing);
    void ask_engine(Parcel& parcel);
    void send(Parcel& parcel, Time at);
    void leave(Parcel& parcel);
    void at_target(Parcel& parcel);
    Time hold_order(const Parcel& parcel, Time ready);
    void admit(Parcel& parcel);
    void control_arrived(Parcel& parcel);
    void in_memory(Parcel& parcel);
    void respond(Parcel& parcel);
    void placed(Parcel& parcel);
    void give_back(Parcel& parcel);
    bool take_back(Parcel& parcel);

    Duration send_work(const Parcel& parcel, Node& from);
    Duration receive_work(const Parcel& parcel, Node& to);

    sim::Engine& engine_;
    const hardware::Parameters parameters_;
    /// Nothing can come between a request and the send engine, so its time is known at once.
    const bool engine_in_order_;
    const std::unique_ptr<FaultPlan> plan_;  ///< null: no faults, and no answers_
    Switches switches_;
    std::unique_ptr<Answers> answers_;
    std::vector<std::unique_ptr<Node>> nodes_;

    bool stopped_ = false;
    Parcel* arriving_ = nullptr;                       ///< the one whose arrival is being told
    std::unordered_map<std::uint64_t, Parcel*> late_;  ///< arrived, not yet placed; looked up only
    std::vector<std::unique_ptr<Parcel>> parcels_;
    std::vector<Parcel*> free_;
};

}  // namespace railyard::model
