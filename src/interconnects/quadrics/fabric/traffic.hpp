#pragma once
/// The messages of queue pairs as what the machine does: every one is one or more remote DMAs.
///
/// - A send, a write, a request to read: DMAs that the process commands; an event tells over there.
/// - Answers: DMAs that the adapter starts by itself.
/// - An acknowledgment: the token, which takes the network's time and nothing else.
///
/// Where the place of data is not known before they have been judged, they are written to memory of
/// the system's: only time passes there. Tagged messages are Elanlib's affair.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/quadrics/fabric/collectives.hpp"
#include "interconnects/quadrics/fabric/machine_faults.hpp"
#include "interconnects/quadrics/fabric/order.hpp"
#include "interconnects/quadrics/fabric/process.hpp"
#include "interconnects/quadrics/fabric/tagged_port.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/hardware/parameters.hpp"

namespace railyard::quadrics {

class Traffic final : public virtual_time::Wire {
  public:
    /// `profile`: what software costs.
    Traffic(sim::Engine& engine, const hardware::Parameters& profile,
            const elan::Parameters& machine);
    /// From now on, faults of that script strike; what they do is written into the report.
    void expect_faults(const faults::Script& script, const faults::Layout& layout,
                       std::shared_ptr<fabric::FaultReport> report);

    void carry(const virtual_time::Transfer& transfer, sim::Action arrived) override;
    void complete(const virtual_time::End& end, const virtual_time::Finished& what,
                  sim::Action visible) override;
    std::shared_ptr<virtual_time::NicTaggedPort> make_tagged_port(
        const std::shared_ptr<virtual_time::NicState>& nic) override;
    void forgotten(const virtual_time::End& end, std::uint64_t region) override;
    /// Events that are under way still find this object: the engine keeps it.
    void stop() override;
    std::vector<fabric::PartUse> parts() const override;

    std::unique_ptr<fabric::Barrier> make_barrier(std::span<const virtual_time::End> members,
                                                  std::size_t self,
                                                  hosts::VirtualHost& host) override {
        return collectives_.make_barrier(members, self, host);
    }
    std::unique_ptr<fabric::Broadcast> make_broadcast(std::span<const virtual_time::End> members,
                                                      std::size_t self,
                                                      hosts::VirtualHost& host) override {
        return collectives_.make_broadcast(members, self, host);
    }

    bool can_break() const override { return faults_ != nullptr; }
    void tell_when_given_up(GivenUp given_up) override;

    /// Of the process' steps, what it writes to the adapter is the machine's to say.
    Duration host_cost(virtual_time::HostStep step, Bytes size) const override;
    hosts::VirtualHost::Costs host_costs() const override { return hardware::host_costs(profile_); }

  private:
    /// What one DMA moves.
    struct Stretch {
        elan::Address from = elan::null_address;
        elan::Address to = elan::null_address;
        Bytes size;
    };

    /// The first Nics of all nodes are the first processes of the job, in the order of nodes, the
    /// second ones the next, and so on.
    elan::Vpid vpid(const virtual_time::End& end) const { return end.nic * nodes() + end.node; }
    fabric::NodeId nodes() const { return machine_.network().tree().nodes(); }
    Process& process(const virtual_time::End& end);
    Message& take_message(const virtual_time::Transfer& transfer, sim::Action arrived);
    void acknowledge(const virtual_time::Transfer& transfer, sim::Action arrived);
    void send_data(Message& message);
    void find_stretches(Message& message, const virtual_time::Transfer& transfer);
    void watch(Message& message, std::uint32_t dmas);
    void sent(Message& message, Status status);
    void landed(Message& message);
    void deliver_next(fabric::NodeId from, fabric::NodeId to);
    void lose(Message& message, Status status);
    void let_go_if_done(Message& message);

    sim::Engine& engine_;
    const hardware::Parameters profile_;
    elan::Machine machine_;
    std::shared_ptr<MachineFaults> faults_;  ///< null: there are none
    const std::shared_ptr<const elan::Job> job_;
    Order order_;
    Collectives collectives_{machine_};
    std::vector<std::unique_ptr<Process>> processes_;  ///< by VPID
    std::vector<std::shared_ptr<TaggedPort>> ports_;   ///< in the order of making
    std::vector<std::unique_ptr<Message>> messages_;
    std::vector<Message*> free_;
    std::vector<Stretch> stretches_;  ///< of the message that is being sent
    bool stopped_ = false;
};

}  // namespace railyard::quadrics
