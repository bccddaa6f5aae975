#pragma once
/// One node: its bus and its adapter, with all their parts. Every rank of the node shares them.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/model/adapter.hpp"
#include "interconnects/virtual/model/fault_plan.hpp"
#include "interconnects/virtual/model/lane.hpp"
#include "interconnects/virtual/model/reliability.hpp"
#include "interconnects/virtual/model/route.hpp"
#include "interconnects/virtual/model/topology.hpp"
#include "railyard/fabric.hpp"
#include "railyard/memory.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

/// Where the bytes of a message come from or go to.
enum class Place : std::uint8_t { nowhere, host, adapter };

class Node {
  public:
    Node(sim::Engine& engine, const hardware::Parameters& parameters, Switches& switches,
         fabric::NodeId id);

    fabric::NodeId id() const { return id_; }
    Lane& lane(unsigned port) { return *ports_[port].lane; }
    /// The way of messages from a port of this node to a port of another, or of the same one.
    /// In use until given back.
    Route& route(unsigned port, Place source, Node& to, unsigned to_port, Place target);
    void give_back(unsigned port, Route& route) { ports_[port].routes.give_back(route); }

    Processor& sender() { return sender_; }
    Processor& receiver() { return receiver_ ? *receiver_ : sender_; }
    /// What using that queue pair's context costs now.
    Duration context(std::uint32_t nic, std::uint32_t queue_pair);
    /// Those that were busy.
    void add_parts(std::vector<fabric::PartUse>& all);

    /// Faults can strike: what leaves from here is sent again where it has to be. `find`: the other
    /// nodes. Before anything is sent.
    void expect_faults(sim::Engine& engine, FaultPlan& plan,
                       std::function<Node&(fabric::NodeId)> find);
    /// What was cached is gone if the adapter has been reset so often.
    void see_resets(unsigned resets);
    Resender& resender(unsigned port) { return *ports_[port].resender; }

    PageTable pages;
    unsigned open_queue_pairs = 0;
    Duration descriptors_unread;  ///< time of descriptor reads that has not been spent yet
    Time last_request;            ///< when the latest request comes to the adapter
    /// By node: until when a connection is being made with it, before which nothing from there gets
    /// through. Looked up only.
    std::unordered_map<fabric::NodeId, Time> connecting;
    std::vector<Time> last_visible;  ///< by Nic: the latest completion

  private:
    Route& make_route(unsigned port, const RouteName& name, Node& to);
    void add_read(Way& way, Place source);
    void add_write(Way& way, Place target);
    void load_opposite(Way& way, Fifo& other_way, Rate rate);

    struct Port {
        std::unique_ptr<Lane> lane;
        Routes routes;
        std::unique_ptr<Resender> resender;  ///< null: no faults
    };

    const hardware::Parameters& parameters_;
    Switches& switches_;
    fabric::NodeId id_;
    std::string name_;
    // In the order in which a trace shows them.
    Processor sender_;
    std::unique_ptr<Processor> receiver_;  ///< null: the sender does it
    Fifo dma_read_;
    Fifo dma_write_;
    Fifo bus_;        ///< half duplex: both ways; full duplex: towards the adapter
    Fifo bus_write_;  ///< full duplex: towards memory
    Fifo internal_;
    Fifo memory_;
    Fifo loop_;  ///< to the node itself
    Cache contexts_;
    unsigned resets_ = 0;
    std::vector<Port> ports_;
};

}  // namespace railyard::model
