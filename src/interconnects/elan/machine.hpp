#pragma once
/// A cluster: the network with an adapter on every node, and the jobs that run on it.

#include <memory>
#include <vector>

#include "interconnects/elan/adapter.hpp"

namespace railyard::elan {

class Machine {
  public:
    /// All nodes of the tree have an adapter. The engine must not run any more when it goes.
    Machine(sim::Engine& engine, const Parameters& parameters);
    ~Machine();

    sim::Engine& engine() const { return engine_; }
    const Parameters& parameters() const { return parameters_; }
    elite::Network& network() { return *network_; }
    Adapter& adapter(elite::NodeId node) { return *adapters_.at(node); }

    /// A job whose process i runs on the i-th of these nodes; each gets a context there.
    std::shared_ptr<const Job> add_job(const std::vector<elite::NodeId>& nodes);
    Context& context(const Job& job, Vpid vpid);

    /// From now on, what happens to every DMA is written down there; null: no more.
    void keep_journal(Journal* journal);

  private:
    sim::Engine& engine_;
    const Parameters parameters_;
    std::unique_ptr<elite::Network> network_;
    std::vector<std::unique_ptr<Adapter>> adapters_;
    std::uint64_t jobs_ = 0;
};

}  // namespace railyard::elan
