#pragma once
/// The messages of the fabric as what the machine does: every one is one or more remote DMAs, or an
/// envelope in a tagged port's queue.
///
/// - A send, a write, a request to read: DMAs that the process commands; an event tells over there.
/// - The envelope of a tagged message: a packet into the port's input queue.
/// - Answers, pulls, announced data: DMAs that the adapter starts by itself.
/// - An acknowledgment: the token, which takes the network's time and nothing else.
///
/// Where a message's place is not known before it has been judged, its data are written to other
/// memory of the same kind: only time passes there.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/quadrics/fabric/message.hpp"
#include "interconnects/quadrics/fabric/node.hpp"
#include "interconnects/quadrics/fabric/order.hpp"
#include "interconnects/virtual/common/wire.hpp"

namespace railyard::quadrics {

class Traffic {
  public:
    Traffic(sim::Engine& engine, const elan::Parameters& parameters);

    void carry(const virtual_time::Transfer& transfer, sim::Action arrived);
    void place(const virtual_time::Transfer& transfer, sim::Action placed);
    /// `after`: what the library does before; nothing if the data themselves tell.
    void complete(const virtual_time::End& end, std::optional<Duration> after, sim::Action visible);
    void match(const virtual_time::End& end, std::size_t entries, sim::Action matched);
    void forgotten(const virtual_time::End& end, std::uint64_t region);
    /// The fabric is gone: drops what it holds of others. Events that are under way still find this
    /// object: see Wire.
    void stop();

    elan::Machine& machine() { return machine_; }
    /// See fabric::Fabric::parts().
    std::vector<fabric::PartUse> parts();

  private:
    /// What one DMA moves.
    struct Stretch {
        elan::Address from = elan::null_address;
        elan::Address to = elan::null_address;
        Bytes size;
    };

    Node& node(fabric::NodeId id);
    Message& take_message(const virtual_time::Transfer& transfer, sim::Action arrived);
    void acknowledge(const virtual_time::Transfer& transfer, sim::Action arrived);
    void send_envelope(Message& message, Bytes with_it);
    void send_data(Message& message);
    void find_stretches(Message& message, const virtual_time::Transfer& transfer);
    void watch(Message& message, std::uint32_t dmas);
    void sent(Message& message, Status status);
    void landed(Message& message);
    void deliver_next(fabric::NodeId from, fabric::NodeId to);
    void lose(Message& message, Status status);
    void let_go_if_done(Message& message);

    sim::Engine& engine_;
    elan::Machine machine_;
    const std::shared_ptr<const elan::Job> job_;
    Order order_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<std::unique_ptr<Message>> messages_;  ///< an envelope carries a place in this list
    std::vector<Message*> free_;
    std::vector<Stretch> stretches_;  ///< of the message that is being sent
    bool stopped_ = false;
    bool delivering_envelope_ = false;
};

}  // namespace railyard::quadrics
