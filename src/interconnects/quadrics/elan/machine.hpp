#pragma once
/// A cluster: the network with an adapter on every node, and the jobs that run on it. An adapter
/// takes no memory before somebody asks for it, or a packet gets there.

#include <compare>
#include <memory>
#include <vector>

#include "interconnects/quadrics/elan/adapter.hpp"

namespace railyard::elan {

class Machine {
  public:
    /// All nodes of the tree have an adapter. The engine must not run any more when it goes.
    Machine(sim::Engine& engine, const Parameters& parameters);
    ~Machine();

    sim::Engine& engine() const { return engine_; }
    const Parameters& parameters() const { return parameters_; }
    elite::Network& network() { return *network_; }
    Adapter& adapter(elite::NodeId node) {
        const auto& made = adapters_.at(node);
        return made ? *made : make_adapter(node);
    }

    std::size_t adapters_in_use() const;

    /// A job whose process i runs on the i-th of these nodes; each gets a context there.
    std::shared_ptr<const Job> add_job(const std::vector<elite::NodeId>& nodes);
    Context& context(const Job& job, Vpid vpid);

    /// From now on, what happens to every DMA is written down there; null: no more.
    void keep_journal(Journal* journal);

  private:
    /// Takes in what comes to a node whose adapter has not been made.
    class AdapterOnDemand final : public elite::Adapter {
      public:
        explicit AdapterOnDemand(Machine& machine) : machine_(machine) {}
        void arrived(const elite::Delivery& delivery) override;
        void settled(elite::PacketId, const elite::Outcome&) override {}  // it sends nothing

      private:
        Machine& machine_;
    };
    struct Assignment {
        elite::NodeId node = 0;
        Vpid vpid = 0;
        friend auto operator<=>(const Assignment&, const Assignment&) = default;
    };
    struct Running {
        std::shared_ptr<const Job> job;
        std::vector<Assignment> assignments;  ///< sorted
    };
    Adapter& make_adapter(elite::NodeId node);

    sim::Engine& engine_;
    const Parameters parameters_;
    const std::shared_ptr<Pools> pools_;
    AdapterOnDemand on_demand_;
    std::unique_ptr<elite::Network> network_;
    std::vector<std::unique_ptr<Adapter>> adapters_;  ///< by node; null until it is used
    std::vector<ContextId> contexts_;                 ///< by node: numbers given away
    std::vector<Running> jobs_;
    Journal* journal_ = nullptr;
};

}  // namespace railyard::elan
